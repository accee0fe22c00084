#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-run --suite: several programs in one table, compared with a folder of bases. The programs sweep
# over 1 MiB so many times, so that lookups of the LLC follow from arithmetic. Formats, limits of a line
# and of all, and files that are no suite.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../run/on_machine.sh"
needs ipmu-run python3
cd "$scratch" || exit 1
export XDG_CONFIG_HOME=$scratch/config TMPDIR=$scratch
unset VPMU_SEGMENT

lines=$(((1 << 20) / 64))
app() {		# app NAME SWEEPS
	compile "$1" sweeps.c -O1 -static -DSWEEPS="$2" || { echo 'no static program can be linked here'; exit 77; }
}
reads=skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_MESI
run() { ipmu-run --on skl-4c8t "$@" >out 2>err; }
line() {	# line WHAT REGEX: out has it
	grep -qE -- "$2" out && ok && return
	bad "$1: no '$2'"
	cat out err | sed 's/^/  | /'
}
value() {	# value EXPRESSION: of the JSON in out
	python3 -c 'import json, sys; c = json.load(open("out")); print(eval(sys.argv[1]))' "$1"
}

app one 3
app two 3
cat >suite.txt <<'END'
# name: options -- program

one: -- ./one 'a  b' "c'd" e\ f
two.x: ./two
	three:	-g LLC_READ,COHERENT --limit 'data of read misses=+90%' -- ./one x
END

# -- bases
run -g LLC_READ --suite suite.txt -o bases; is 'bases' 0 $?
line 'bases' '^ipmu-run: suite.txt: 0 of 3 benchmarks failed$'
line 'bases' '^  one +new +LLC misses [0-9]+$'
is 'bases: the files' 'one.json three.json two.x.json' "$(ls bases | tr '\n' ' ' | sed 's/ $//')"
is 'bases: words as a shell splits them' "['./one', 'a  b', \"c'd\", 'e f']" \
	"$(python3 -c 'import json; print(json.load(open("bases/one.json"))["program"])')"
is 'bases: groups of a line' "['LLC_READ', 'COHERENT']" \
	"$(python3 -c 'import json; print([g["name"] for g in json.load(open("bases/three.json"))["groups"]])')"
run -g LLC_READ --suite suite.txt -o again
diff -r bases again >differ; verdict 'bases: a renewal without a change is none' $?

# -- the same, and one that sweeps once more
run -g LLC_READ --suite suite.txt --compare bases --limit 0%; is 'the same' 0 $?
line 'the same' '^  one +passed +LLC misses unchanged$'
is 'the same: no folder is left' '' "$(ls -d ipmu-suite-* 2>/dev/null)"
app two 4
run -g LLC_READ --suite suite.txt --compare bases --limit +0.5%; is 'a sweep more' 122 $?
line 'a sweep more' '^ipmu-run: suite.txt: 1 of 3 benchmarks failed$'
line 'a sweep more' '^  one +passed '
line 'a sweep more' '^  two.x +FAILED  LLC misses unchanged, UNC_CBO_CACHE_LOOKUP:READ_MESI [+]'
line 'a sweep more' '^  two.x +old +new +change$'
old=$(python3 -c 'import json; print(json.load(open("bases/two.x.json"))["groups"][0]["events"][0]["value"])')
line 'a sweep more' "^    $reads +$old +$((old + lines)) .*FAILED: beyond [+]0.5%, worse$"
run -g LLC_READ --suite suite.txt --compare bases --limit +0.5% --abs $lines; is 'so many are allowed' 0 $?
run -g LLC_READ --suite suite.txt --compare bases --limit +0.5% --limit $reads=+50%; is 'a limit by name' 0 $?
run -g LLC_READ --suite suite.txt --compare bases --limit -0.5% --status 9; is 'nothing is better' 0 $?
sed 's/^two.x: /two.x: --limit +50% /' suite.txt >wide.txt
run -g LLC_READ --suite wide.txt --compare bases --limit +0.5%; is 'a limit of the line' 0 $?

# -- formats
run -g LLC_READ --suite suite.txt --compare bases --limit +0.5% --format markdown; is 'markdown' 122 $?
line 'markdown' '^### 1 of 3 benchmarks failed: suite.txt$'
line 'markdown' '^[|] one [|] passed [|] LLC misses unchanged [|]$'
line 'markdown' '^[|] two.x [|] [*][*]FAILED[*][*] [|] '
is 'markdown: three columns, then five' '4 6' \
	"$(sed 's/\\|//g' out | awk -F'|' '/^[|]/ { print NF - 1 }' | sort -nu | tr '\n' ' ' | sed 's/ $//')"
run -g LLC_READ --suite suite.txt --compare bases --limit +0.5% --format json --to c.json; is 'json' 122 $?
[ ! -s out ]; verdict '--to: nothing on the standard output' $?
cp c.json out
is 'json' "3 1 ['two.x'] True" "$(value "' '.join(str(x) for x in (len(c['benchmarks']), c['failed'],
	[b['name'] for b in c['benchmarks'] if b['verdict'] == 'FAILED'],
	c['benchmarks'][1]['comparison']['items'][0]['failed']))")"
run -g LLC_READ --suite suite.txt --format bmf; is 'bmf' 0 $?
is 'bmf' "['one', 'two.x', 'three'] ['llc-misses'] True" \
	"$(value "list(c)") $(value "list(c['one'])") $(value "c['one']['llc-misses']['value'] > $lines")"
run -g LLC_READ --suite suite.txt --format gha; is 'gha' 0 $?
is 'gha' "['one: LLC misses', 'two.x: LLC misses', 'three: LLC misses'] ['name', 'unit', 'value']" \
	"$(value "[b['name'] for b in c]") $(value 'sorted(c[0])')"
run -g LLC_READ -o single ./one
ipmu-run --diff single.json single.json --format bmf >out 2>err; is 'bmf of one' "['one']" "$(value 'list(c)')"
ipmu-run --diff single.json single.json --format gha >out 2>err; is 'gha of one' 'one: LLC misses' "$(value "c[0]['name']")"

# -- what cannot be compared is an error, and the others are shown
printf '%s\n' 'one: ./one x' 'fails: ./one x 3' 'none: ./none' 'fresh: ./one' >mixed.txt
run -g LLC_READ --suite mixed.txt --compare bases --limit +0.5%; is 'problems' 125 $?
line 'problems' '^ipmu-run: mixed.txt: 0 of 4 benchmarks failed, 3 could not be compared$'
line 'problems' '^  one +error +the program differs: '
line 'problems' '^  fails +error +the program ended with exit status 3$'
line 'problems' '^  none +error +it was not counted: exit status 127$'
line 'problems' '^  fresh +new +LLC misses '

# -- no suite
refused() {	# refused WHAT REGEX LINE...: of the suite
	local what=$1 regex=$2
	shift 2
	printf '%s\n' "$@" >bad.txt
	run -g LLC_READ --suite bad.txt; is "$what: status" 125 $?
	says "$what" "$regex"
}
refused 'no name' "bad.txt:2: a line is 'NAME: OPTIONS -- PROGRAM ARGUMENTS'" '#' './one x'
refused 'a name with a folder' 'bad.txt:1: a line is' '../x: ./one'
refused 'a name twice' 'bad.txt:3: there is a benchmark of this name already' 'a: ./one' '' 'a: ./two'
refused 'a quote' 'bad.txt:1: a quotation mark is not closed' "a: ./one 'x"
refused 'no program' 'no program given' 'a: -g MEM'
refused 'an option of the whole' 'options of a benchmark are -g, -e' 'a: --to x ./one'
refused 'no such option' 'bad.txt:1: the line is not as ipmu-run takes it' 'a: --nonsense ./one'
refused 'nothing' 'it has no benchmark' '# none'
run -g LLC_READ --suite nowhere.txt; is 'no file' 125 $?
says 'no file' '--suite nowhere.txt: No such file'
run -g LLC_READ --suite suite.txt ./one; is 'a program as well' 125 $?
run -g LLC_READ --suite suite.txt --base x.json; is 'a base as well' 125 $?
printf '%s\n' 'one: ./one' >short.txt
run -g LLC_READ --suite short.txt --limit READS=1%; is 'no such name' 125 $?
says 'no such name' '--limit or --abs READS=...: no such event or metric is counted'
run -g LLC_READ --suite short.txt --seeds 2 -o seeded; is 'layouts' 0 $?
is 'layouts' 1 "$(grep -c '"seeds":2' seeded/one.json)"

# -- Ctrl-C ends the suite, and nothing is left
interrupted() {	# interrupted WHAT ARGUMENT...: of an ipmu-run that would last for hours
	local what=$1 pid tries=0
	shift
	# What a shell starts in the background has SIGINT ignored.
	python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.setpgid(0, 0)
os.execvp(sys.argv[1], sys.argv[1:])' ipmu-run --on skl-4c8t -g LLC_READ "$@" >out 2>err &
	pid=$!
	until compgen -G 'ipmu-s[ue]*-??????' >/dev/null || [ $((tries += 1)) -gt 600 ]; do sleep 0.1; done
	while kill -INT -- -$pid 2>/dev/null && [ $((tries += 1)) -lt 1200 ]; do sleep 0.2; done
	wait $pid
	is "$what" 130 $?
	is "$what: what is left" '' "$(compgen -G 'ipmu-s[ue]*-??????')"
}
printf '%s\n' 'a: sleep 20000' 'b: sleep 20000' >long.txt
interrupted 'Ctrl-C' --suite long.txt
interrupted 'Ctrl-C, layouts' --seeds 3 sleep 20000
finish
