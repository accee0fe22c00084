#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-run --compare and --diff: a program is compared with itself and with one that sweeps once more
# over an array, whose lookups follow from arithmetic. Verdicts, statuses, formats, and what is refused.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../run/on_machine.sh"
needs ipmu-run python3
cd "$scratch" || exit 1
export XDG_CONFIG_HOME=$scratch/config
unset VPMU_SEGMENT

# 1 MiB is four times the L2 and an eighth of the LLC: from the second sweep on, each line is a read
# that hits the LLC.
lines=$(((1 << 20) / 64))
app() {		# app SWEEPS: makes ./app
	compile app sweeps.c -O1 -static -DSWEEPS="$1" || { echo 'no static program can be linked here'; exit 77; }
}
reads=skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_MESI misses=skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I
run() { ipmu-run --on skl-4c8t "$@" >out 2>err; }
gate() {	# gate WHAT STATUS ARGUMENT...: of ipmu-run, with ./app compared with base.json
	local what=$1 status=$2
	shift 2
	run -g LLC_READ "$@" --compare base.json ./app
	is "$what" "$status" $?
}
line() {	# line WHAT REGEX: out has it
	grep -qE -- "$2" out && ok && return
	bad "$1: no '$2'"
	cat out err | sed 's/^/  | /'
}
json() {	# json FILE EXPRESSION: of the comparison c, and of the item that is named
	python3 - "$@" <<-'END'
		import json, sys
		c = json.load(open(sys.argv[1]))
		def item(name):
		    return next(i for i in c["items"] if i["name"].endswith(name))
		print(eval(sys.argv[2]))
	END
}

# -- the same program
app 10
run -g LLC_READ -o base ./app; is 'a base' 0 $?
gate 'itself' 0 --limit 0%
line 'itself' "^    $reads +([0-9]+) +\1 +0 %  same$"
line 'itself' '^  0 of 3 with a limit failed$'
says 'the report as well' "^    $reads +[0-9]+$"
run --compare base.json --limit 0% ./app; is 'groups of the base' 0 $?
line 'groups of the base' "^    $reads +([0-9]+) +\1 +0 %  same$"
line 'groups of the base' '^  0 of 3 with a limit failed$'
run -e $reads,$misses -g LLC_STATES --passes -o named ./app
run --compare named.json --limit 0% ./app -e; is 'another program than the base' 125 $?
run --compare named.json --limit 0% ./app; is 'events of the base, in passes' 0 $?
line 'events of the base, in passes' "^    $misses +([0-9]+) +\1 +0 %  same$"
gate 'without a limit' 0; line 'without a limit' 'no limits: nothing can fail'
gate 'three runs' 0 -r 3 --limit 0%; line 'three runs' '^  this run: .*, medians of 3 runs$'

# -- one sweep more
app 11
old=$(json base.json 'c["groups"][0]["events"][0]["value"]')
gate 'a sweep more' 122 --limit 0.5% --format json --to more.json
[ ! -s out ]; verdict '--to: nothing on the standard output' $?
is 'a sweep more: lookups' "$old $((old + lines)) beyond True" "$(json more.json \
	"'%d %d %s %s' % tuple(item('READ_MESI')[k] for k in ('old', 'new', 'verdict', 'failed'))")"
is 'a sweep more: the change' True "$(json more.json \
	"abs(item('READ_MESI')['change_percent'] - 100 * $lines / $old) < 1e-6")"
is 'a sweep more: misses' 'same False' "$(json more.json \
	"'%s %s' % tuple(item('READ_I')[k] for k in ('verdict', 'failed'))")"
# Of lookups that become x times as many, the ratio of misses is 1/x.
is 'a sweep more: the metric' True "$(json more.json \
	"abs(item('miss ratio')['change_percent'] - 100 * ($old / ($old + $lines) - 1)) < 1e-6")"
is 'a sweep more: failed' 'True 1' "$(json more.json "c['failed'] == sum(i['failed'] for i in c['items']), c['failed']" |
	tr -d '(),')"
percent=$(python3 -c "print('%.4g' % (100 * $lines / $old))")
gate 'the text' 122 --limit 0.5%
line 'the text' "^    $reads +$old +$((old + lines)) +[+]${percent//./[.]} %  FAILED: beyond 0.5%, worse$"
line 'the text' '^  1 of 3 with a limit failed$'
gate 'markdown' 122 --limit 0.5% --format markdown
line 'markdown' "^[|] ${reads//_/\\\\_} [|] $old [|] $((old + lines)) [|] [+]${percent//./[.]} % [|] [*][*]beyond 0.5%, worse[*][*] [|]$"
is 'markdown: five columns' 5 "$(python3 -c "
import re
rows = [re.sub(r'\\\\\\\\.', '', l).count('|') - 1 for l in open('out') if l.startswith('|')]
print(*set(rows))")"
gate 'another status' 3 --limit 0.5% --status 3
gate 'wide enough' 0 --limit 15%
gate 'the headline comes first' 122 --limit 0.5%
line 'the headline comes first' '^ipmu-run: ./app: LLC misses unchanged, UNC_CBO_CACHE_LOOKUP:READ_MESI [+]10 %$'
is 'the headline comes first' 1 "$(grep -n 'unchanged' out | cut -d: -f1)"
is 'what failed comes before the others' "failed skl_unc/LLC_READ" "$(sed -n 's/^  \([^ ]*\)  .* change$/\1/p' out | tr '\n' ' ' | sed 's/ $//')"
gate 'what is better alone' 0 --limit -0.5%; line 'what is better alone' "$reads .*  changed -0.5%, worse$"
gate 'what is worse alone' 122 --limit +0.5%; line 'what is worse alone' "$reads .*  FAILED: beyond [+]0.5%, worse$"
line 'a ratio has no limit' 'miss ratio .*  changed$'
gate 'so many are allowed' 0 --limit 0.5% --abs $lines; line 'so many are allowed' "$reads .*  small 0.5%$"
gate 'one less is allowed' 122 --limit 0.5% --abs $((lines - 1))
gate 'allowed by name' 0 --limit 0.5% --abs $reads=$lines
gate 'allowed for another' 122 --limit 0.5% --abs $misses=$lines
gate 'by name' 0 --limit $misses=0%; line 'by name' "$reads .*  changed, worse$"
line 'by name' '^  0 of 1 with a limit failed$'
gate 'by name, the metric' 122 --limit 'LLC read miss ratio=-5%'
gate 'by name, wider than for all' 0 --limit 1% --limit intel_uncore:::$reads=20% \
	--limit 'LLC read miss ratio=+1%'
gate 'a page' 122 --limit 1% -o page
grep -q '<h2>Compared</h2>' page.html && grep -q "<strong>beyond 1%, worse</strong>" page.html; verdict 'a page' $?
ipmu-run --diff base.json page.json --limit 1% >out 2>err; is '--diff' 122 $?
line '--diff' "^    $reads +$old +$((old + lines)) "
ipmu-run --diff page.json base.json --limit +1% --limit 'LLC read miss ratio=-1%' >out 2>err; is '--diff, back' 0 $?
line '--diff, back' "$reads .*  improved [+]1%$"
ipmu-run --diff page.json base.json --limit -1% >out 2>err; is '--diff, back, fails what is better' 122 $?
line '--diff, back, fails what is better' "$reads .*  FAILED: beyond -1%, better$"
ipmu-run --diff base.json page.json --limit 1% >/dev/full 2>err; is '--diff, a full disk' 125 $?
says '--diff, a full disk' 'No space left'

# -- streams of another kind are noted
streams() { python3 -c 'import json, sys
print(*json.load(open(sys.argv[1]))["streams"].values())' "$1"; }
ipmu-run --on skl-4c8t -g LLC_READ -o filed ./app </etc/passwd >out 2>&1
is 'streams: files' 'file file file' "$(streams filed.json)"
: | ipmu-run --on skl-4c8t -g LLC_READ -o piped ./app 2>/dev/null | cat
is 'streams: pipes' 'pipe pipe device' "$(streams piped.json)"
python3 -c 'import pty, sys
sys.exit(pty.spawn(sys.argv[1:]))' ipmu-run --on skl-4c8t -g LLC_READ -o typed ./app >out 2>&1 </dev/null
is 'streams: a terminal' 'terminal terminal terminal' "$(streams typed.json)"
ipmu-run --diff typed.json filed.json --limit 50% >out 2>err; is 'streams: a difference does not fail' 0 $?
line 'streams: text' '^  note: stdout was a terminal in typed.json and is a file in filed.json: '
ipmu-run --diff typed.json filed.json --format markdown >out 2>err
line 'streams: markdown' '^- note: stdout was a terminal '
ipmu-run --diff typed.json filed.json --format json >noted.json 2>err
is 'streams: JSON' 3 "$(json noted.json "len(c['notes'])")"
ipmu-run --on skl-4c8t -g LLC_READ --compare typed.json -o noted ./app <filed.json >out 2>err
grep -q '<p>Note: stdin was a terminal in typed.json' noted.html; verdict 'streams: the page' $?
ipmu-run --diff typed.json typed.json >out 2>err
if grep -q note: out; then bad 'streams: a note without a difference'; else ok; fi

# -- a program that fails, and what it leaves
run -g LLC_READ --compare base.json --limit 0% ./app 7; is 'another program' 125 $?
says 'another program' "cannot compare this run with it: the program differs: '\[\"./app\"\]', called app, in base.json"
run -g LLC_READ --compare base.json --limit 0% --force ./app 7; is "the program's own status wins" 7 $?
line "the program's own status wins" '^  compared by force: the exit status differs'
run -g LLC_READ -o seven ./app 7
run -g LLC_READ --compare seven.json --limit 0% ./app 7; is 'a status that is the same' 7 $?
line 'a status that is the same' '^  0 of 3 with a limit failed$'

# -- a program in another folder, with a hash in its name; the last part of a path is the name
mkdir build-7f && cp app build-7f/app && cp app build-7f/app-9c1e
run -g LLC_READ --compare page.json --limit 0.5% "$PWD/build-7f/app"; is 'another folder' 0 $?
run -g LLC_READ --compare page.json ./build-7f/app-9c1e; is 'a hash' 125 $?
says 'a hash' 'called app-9c1e, in this run; --name NAME gives both runs one name'
run -g LLC_READ --compare page.json --limit 0.5% --name app ./build-7f/app-9c1e; is 'a hash, and a name' 0 $?
line 'a hash, and a name' '^ipmu-run: app: LLC misses unchanged$'
run -g LLC_READ -o called --name 'my bench' ./build-7f/app-9c1e
is 'the name in the file' 'my bench None' "$(json called.json 'c["name"]') $(json base.json 'c["name"]')"
run -g LLC_READ --compare called.json --limit 0.5% ./app; is 'no name' 125 $?
run -g LLC_READ --compare called.json --limit 0.5% --name 'my bench' ./app; is 'two of one name' 0 $?

# -- a base for git: the same bytes for the same counts, a line for each, and no date, host or part
run -g LLC_READ --base one.json "$PWD/app"; is 'a base for git' 0 $?
run -g LLC_READ --base two.json "$PWD/app"
cmp one.json two.json; verdict 'a base for git: the same twice' $?
is 'a base for git: what it has not' '' "$(grep -E '"(date|host|options|parts|deviation|title)"' one.json)"
is 'a base for git: values' 4 "$(grep -cE '^ +"value":[0-9.e+-]+$' one.json)"
run --compare one.json --limit 0% ./app; is 'a base for git, compared' 0 $?
line 'a base for git, compared' '^  one.json: ipmu-run [0-9.]+, 1 run$'
line 'a base for git, compared' '^  0 of 3 with a limit failed$'
run -g LLC_READ --base none/x.json ./app; is 'a base nowhere' 125 $?
says 'a base nowhere' '--base: cannot write none/x.json: No such file'
if grep -q LLC_READ err; then bad 'a base nowhere: the program has run'; else ok; fi
run -g LLC_READ -r 3 --base three.json ./app
is 'a base of three runs' '3 3' "$(json three.json 'c["runs"], len(c["groups"][0]["events"][0]["values"])' | tr -d '(),')"

# -- a group of one's own that the other machine lacks is the only complaint
mkdir -p config/ipmu/groups/skl
printf '%s\n' 'title: t' 'event: I = skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I' 'tells: t' 'misleads: m' >config/ipmu/groups/skl/OWN
run -g skl/OWN -o own ./app; is 'a group of my own' 0 $?
rm -r config
run --compare own.json ./app; is 'no group of that name' 125 $?
is 'no group of that name: one sentence' 1 "$(grep -c ^ipmu-run: err)"
says 'no group of that name' 'no group skl/OWN here'

# -- refused, by name
refused() {	# refused WHAT REGEX ARGUMENT...
	local what=$1 regex=$2
	shift 2
	ipmu-run "$@" >out 2>err; is "$what: status" 125 $?
	says "$what" "$regex"
}
on='--on skl-4c8t -g LLC_READ'
refused 'another machine' 'the machine differs: ' --on skl-2c4t -g LLC_READ --compare base.json ./app
[ ! -s out ]; verdict 'refused: no comparison' $?
if grep -q LLC_READ err; then bad 'another machine: the program has run'; else ok; fi
refused 'groups of another machine' 'base.json: cannot compare this run with it: it was made on VirtualPMU skl-4c8t' \
	--on core2-2c --compare base.json ./app
refused 'another group' 'the groups differ: skl_unc/LLC_READ in base.json are not in this run' \
	--on skl-4c8t -g LLC --compare base.json ./app
"$vpmu" run --no-feed -m skl-4c8t --llc 4M,16,64 -- ipmu-run -g LLC_READ --compare base.json ./app >out 2>err
is 'another geometry: status' 125 $?
says 'another geometry' 'the geometry differs: .*LLC 8192 KiB.* in base.json, .*LLC 4096 KiB.* in this run'
# The largest seed is one of 64 bits.
run -g LLC_READ -o largest --seed 18446744073709551615 ./app
is 'a seed in the file' 18446744073709551615 "$(json largest.json 'c["seed"]')"
says 'a seed in the text' '^  seed 18446744073709551615$'
is 'no seed given' 0 "$(json base.json 'c["seed"]')"
run -g LLC_READ ./app
if grep -q seed err; then bad 'no seed given: one in the text'; else ok; fi
is 'the seed of a variable' 5 "$(VPMU_SEED=5 ipmu-run --on skl-4c8t -g LLC_READ -o - ./app 2>err >seed.json; json seed.json 'c["seed"]')"
is 'the seed on the machine' 6 "$("$vpmu" run --seed 6 -m skl-4c8t -- ipmu-run -g LLC_READ -o - ./app 2>err >seed.json; json seed.json 'c["seed"]')"
refused 'another seed' "the seed differs: '0' in base.json, '1' in this run" $on --seed 1 --compare base.json ./app
refused 'no seed' "the seed differs: '18446744073709551615' in largest.json, '0' in this run" $on --compare largest.json ./app
run -g LLC_READ --seed 1 --compare base.json --limit 50% --force ./app; is 'another seed by force' 0 $?
line 'another seed by force' "^  compared by force: the seed differs"
change() {	# change FILE KEY VALUE: base.json with another value, as Python has it; None: without it
	python3 - "$@" <<-'END'
		import json, sys
		c = json.load(open("base.json"))
		c[sys.argv[2]] = eval(sys.argv[3])
		if c[sys.argv[2]] is None:
		    del c[sys.argv[2]]
		json.dump(c, open(sys.argv[1], "w"))
	END
}
change model.json model_version 1000000
refused 'another model' "the model version differs: '1000000' in model.json" $on --compare model.json ./app
change incomplete.json complete False
refused 'incomplete' 'counts in incomplete.json are not complete' $on --compare incomplete.json ./app
cp base.json keep.json
for key in ipmu_version model_version geometry program; do change base.json $key None; done
mv base.json aged.json; mv keep.json base.json
refused 'an older base' 'aged.json is of an older ipmu-run.*make it again with -o PREFIX, or .*--force' \
	$on --compare aged.json ./app
run -g LLC_READ --compare aged.json --force --limit 50% ./app; is '--force' 0 $?
line '--force' '^  compared by force: aged.json is of an older ipmu-run'
head -c 1000 base.json >cut.json
refused 'a cut file' 'cut.json: cannot read it: the JSON ends too early' $on --compare cut.json ./app
refused 'no file' 'none.json: cannot read it: No such file' $on --compare none.json ./app
refused 'a folder' '[.]: cannot read it: Is a directory' $on --compare . ./app
refused 'no such name' "--limit or --abs READS=...: no such event or metric" $on --compare base.json --limit READS=1% ./app
refused 'nearly a name' "nearest: $reads" $on --compare base.json --limit ${reads%I}=1% ./app
refused 'nowhere' '--to: cannot write none/x: No such file' $on --compare base.json --to none/x ./app
refused 'no percentage' "--limit x: give per cent" $on --compare base.json --limit x ./app
refused 'no number' "--abs 3%: give a number" $on --compare base.json --abs 3% ./app
refused 'taken statuses' '--status 125: 124 to 127 mean something else' $on --compare base.json --status 125 ./app
refused 'no format' '--format xml: give text, json, markdown, bmf or gha' $on --compare base.json --format xml ./app
refused 'no base' 'give --compare FILE or --diff OLD NEW as well' $on --limit 1% ./app
refused 'both to stdout' 'give --to FILE as well' $on --compare base.json -o - ./app
refused 'one file' 'give two files' --diff base.json
refused 'three files' "unexpected argument 'x'" --diff base.json base.json x
refused '--diff counts nothing' 'omit -g' --diff base.json base.json -g MEM

# -- runs that differ: on a virtual machine they do not, so the files say it
python3 - <<'END'
import json
c = json.load(open("base.json"))
e = c["groups"][0]["events"][0]
c["runs"] = 4
e["values"] = [e["value"] - 100, e["value"], e["value"], e["value"] + 5000]
json.dump(c, open("noisy.json", "w"))
END
ipmu-run --diff base.json noisy.json --limit 1% >out; is 'unsteady' 122 $?
spread=$(python3 -c "print('%.3g' % (100 * 5100 / $old))")
line 'unsteady' "^    $reads +$old +$old +0 %  FAILED: unsteady 1%: runs differ by 0%, ${spread//./[.]}%$"
ipmu-run --diff base.json noisy.json --limit 5% >out; is 'steady enough' 0 $?

# -- several layouts: each is the run of its seed, and the median is compared
run -g LLC_READ --seeds 3 --base layouts.json ./app; is 'layouts' 0 $?
says 'layouts' '^ipmu-run: ./app: 3 layouts$'
mv err layouts.err
for seed in 0 1 2; do run -g LLC_READ --seed $seed --base seed$seed.json ./app; done
cat >layouts.py <<'PYTHON'
import json
def values(file, item):
    return json.load(open(file))["groups"][0]["events"][item]
alone = [[values(f"seed{s}.json", i)["value"] for s in range(3)] for i in range(2)]
all = [values("layouts.json", i)["values"] for i in range(2)]
print(alone == all, *(sorted(a)[1] for a in alone), *("%.3g" % (100 * (max(a) - min(a)) / sorted(a)[1]) for a in alone))
PYTHON
read -r same reads_median _ reads_spread _ < <(python3 layouts.py)
is 'layouts: the values of each seed' True "$same"
mv layouts.err err
says 'layouts: the median and the spread' "^    $reads +$reads_median +${reads_spread//./[.]} %$"
run --compare layouts.json --seeds 3 --limit 0% ./app; is 'layouts, compared' 0 $?
line 'layouts, compared' "$reads +$reads_median +$reads_median +0 %  same; layouts differ by ${reads_spread//./[.]}%, "
line 'layouts, compared' '^  these layouts: .*medians of 3 layouts$'
run -g LLC_READ --compare layouts.json ./app; is 'one layout with three' 125 $?
says 'one layout with three' 'the number of layouts differs'
refused 'layouts on silicon' '--seeds counts a program in several layouts of a virtual machine' -g MEM --seeds 3 ./app
refused 'layouts and a seed' 'leave out --seed, -r, -o' $on --seeds 3 --seed 1 ./app
run -g LLC_READ --seeds 2 ./app 7; is 'layouts of a program that fails' 7 $?

# -- names of anybody: no new line in the text, no cell or mark in Markdown
python3 - <<'END'
import json
c = json.load(open("base.json"))
c["groups"][0]["metrics"][0].update(name="a\n0 of 0 | *b*\x1b[2J", value=1)
json.dump(c, open("forged.json", "w"))
END
ipmu-run --diff base.json forged.json >out; line 'forged' '^    a.x0A0 of 0 [|] [*]b[*].x1B.2J '
ipmu-run --diff base.json forged.json --format markdown >out
line 'forged, in Markdown' '^[|] a 0 of 0 .[|] .[*]b.[*] .\[2J [|]'

# -- a job: the first node compares
if command -v mpirun >/dev/null; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	job() { mpirun -n 2 --oversubscribe ipmu-run --on skl-4c8t -g LLC_READ "$@" ./app >out 2>err </dev/null; }
	job -o job; is 'a job' 0 $?
	job --compare job.json --limit 90%; is 'a job, compared' 0 $?
	is 'a job: once' 1 "$(grep -c 'with a limit failed' out)"
	run -g LLC_READ --compare job.json ./app; is 'not a job' 125 $?
	says 'not a job' "the number of ranks differs: '2' in job.json, '' in this run"
fi
finish
