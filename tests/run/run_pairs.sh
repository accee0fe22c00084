#!/bin/bash
# SPDX-License-Identifier: MIT
# The recipe of docs/ci.md, with its own commands: a base, and a job for a change that plants one known effect. The
# job fails, the change back passes, and so do harmless changes. Which event shows the effect follows from the
# program; tests/run/pairs.c has them.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../run/on_machine.sh"
needs ipmu-run python3
page=${SRCDIR:?}/docs/ci.md
. "$STAGE/share/ipmu/env.sh"	# for the base as for the job: it changes what the loader searches
cd "$scratch" || exit 1
export XDG_CONFIG_HOME=$scratch/config GITHUB_STEP_SUMMARY=$scratch/summary
unset VPMU_SEGMENT
: >input

# -- the page's commands; those of GitHub's step have ten blanks more in front
base=$(sed -n 's/^    \(ipmu-run --on [a-z0-9-]* -g CI --base base.json -- .\/app input\) *#.*/\1/p' "$page")
job=$(awk '/^ *- run: \|$/ { step = ""; on = 1; next }
	/^ *- / || /^<!--/ { if (step ~ /--compare/) exit; on = 0 }
	on { step = step substr($0, 15) "\n" }
	END { printf "%s", step }' "$page" | sed "s|ipmu/stage/|$STAGE/|")
job+=$'\n'$(sed -n 's/^ *run: "\(\[.*GITHUB_STEP_SUMMARY.*\)"$/\1/p' "$page" | tr -d '\\')
[[ $base = *--base* && $job = *share/ipmu/env.sh*--compare\ base.json*GITHUB_STEP_SUMMARY* ]]
verdict "the commands of $page" $?

app() {		# app PROGRAM [OPTION...]: what the job's `make app` makes
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -fno-if-conversion -pthread -Wall -DPROGRAM="\"$1\"" "${@:2}" -o app \
		"$SRCDIR/tests/run/pairs.c" && return
	echo 'pairs.c cannot be compiled here'
	exit 77
}
make_base() {	# make_base PROGRAM
	app "$1"
	sh -ec "$base" >out 2>err
	is "the base of $1" 0 $?
	cp base.json "$1.json"
}
job() {		# job WHAT STATUS [COMMAND...]: the job, by COMMAND
	"${@:3}" sh -ec "$job" >out 2>err
	is "$1: the job" "$2" $?
}

# fast, slow, the event that distinguishes them
while read -r fast slow event; do
	make_base $slow
	make_base $fast
	ipmu-run --diff $slow.json $fast.json --limit 'estimated clocks=+1%' >out 2>err
	is "$slow to $fast is a gain" 0 $?
	app $slow
	rm -f summary
	job "$fast to $slow" 122
	grep -q 'FAILED\|fail' counts.md
	verdict "$fast to $slow: the job's comment" $?
	ipmu-run --diff $fast.json $slow.json --format json >loss 2>err
	is "$fast to $slow: $event" True "$(python3 - "$event" <<-'END'
		import json, sys
		items = {i["name"].split(".")[-1]: i for i in json.load(open("loss"))["items"]}
		wanted = items[sys.argv[1]]
		print(wanted["new"] > 1.15 * wanted["old"] and wanted["new"] - wanted["old"] > 1000)
	END
	)"
done <<'END'
array list L1D:REPLACEMENT
sorted random BR_MISP_RETIRED:ALL_BRANCHES
padded shared UNC_CBO_XSNP_RESPONSE:HITM_XCORE
few many INST_RETIRED:ANY
four one CPU_CLK_UNHALTED:CORE
rows columns L1D:REPLACEMENT
END

# -- harmless: another folder, another function, another name in the environment, another place to write to
cp rows.json base.json
app rows -DHARMLESS
job 'an unused function' 0
app rows
mkdir other-folder && cp app input base.json other-folder
(cd other-folder && job 'another folder' 0 && echo "$failed" >../failed)
is 'another folder' 0 "$(cat failed)"
job 'a longer environment' 0 env CI_JOB_URL=https://example.org/a/long/name/of/a/job/1234567
job 'another order of variables' 0 env -i HOME="$HOME" PATH="$PATH" GITHUB_STEP_SUMMARY="$GITHUB_STEP_SUMMARY"
job=${job/.\/app/$PWD/app}
job 'an absolute path' 0
grep -q . summary
verdict "the job's summary" $?
finish
