#!/bin/bash
# SPDX-License-Identifier: MIT
# pmutopo as a whole program. PMUTOPO: the program (default: STAGE/bin/pmutopo, else from PATH).
here=$(cd "$(dirname "$0")/.." && pwd)
data=${TESTDATA:-$here/data}/topo
pmutopo=${PMUTOPO:-${STAGE:+$STAGE/bin/}pmutopo}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
unset HWLOC_XMLFILE HWLOC_SYNTHETIC

verdict() {	# verdict NAME STATUS
	if [ "$2" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $1" >&2
		sed 's/^/  | /' "$scratch/out" "$scratch/err" >&2
	fi
}

run() {		# run WANTED-STATUS [NAME=VALUE]... ARGUMENT...
	local want=$1 settings=()
	shift
	while [[ ${1-} == *=* ]]; do settings+=("$1"); shift; done
	env "${settings[@]}" "$pmutopo" "$@" >"$scratch/out" 2>"$scratch/err"
	[ $? = "$want" ]
}

# Rows as words, so that column widths may change.
row() { sed 's/^ *//; s/  */ /g' "$scratch/out" | grep -Fxq "$1"; }

skl=HWLOC_XMLFILE=$data/skl-4c8t.xml
run 0 "$skl" && grep -q 'GenuineIntel family 6 .*model 94 (0x5E) stepping 3 ' "$scratch/out"
verdict 'identity of the Skylake client' $?
grep -q 'Test Skylake client, 4 cores' "$scratch/out"; verdict 'brand string' $?
row '6 0 2 1 0 2 - yes'; verdict 'CPU 6: package 0, core 2, thread 1, slice 2' $?
[ "$(grep -c ' yes$' "$scratch/out")" = 8 ]; verdict 'eight CPUs' $?
grep '^package 0:' "$scratch/out" | grep -q '0-7$'; verdict 'all CPUs reach the package' $?

run 0 "HWLOC_XMLFILE=$data/disallowed.xml" && row '3 0 3 0 0 3 - no' && row '5 0 1 1 0 1 - yes'
verdict 'disallowed CPUs are marked' $?
grep '^package 0:' "$scratch/out" | grep -q 'CPU 1, possible: 1-2,5$'
verdict 'only allowed CPUs reach the package' $?

run 0 "HWLOC_XMLFILE=$data/two-packages.xml" && row '4 1 3 0 2 - 0,1 no'
verdict 'no slices on another model' $?
grep -q '^package 1: out of reach' "$scratch/out"; verdict 'package out of reach' $?

for model in 78:'0 -' 94:'0 -' 142:'0 -' 158:'0 -' 165:'0 -' 166:'0 -' \
		42:'0 -' 58:'0 -' 60:'0 -' 61:'0 -' 69:'0 -' 70:'0 -' 71:'0 -' \
		85:'- -' 46:'- 0,1' 47:'- 0,1' 62:'- -'; do
	sed "s/value=\"94\"/value=\"${model%:*}\"/" "$data/skl-4c8t.xml" >"$scratch/m.xml"
	run 0 "HWLOC_XMLFILE=$scratch/m.xml" && row "0 0 0 0 0 ${model#*:} yes"
	verdict "slice and M-Boxes of model ${model%:*}" $?
done

run 0 'HWLOC_SYNTHETIC=pack:1 core:2 pu:1' && grep -q '^unknown vendor' "$scratch/out"
verdict 'unknown identity' $?

run 1 "HWLOC_XMLFILE=$data/broken.xml" && grep -q 'broken\.xml' "$scratch/err" &&
	[ ! -s "$scratch/out" ]
verdict 'broken file: named, status 1, nothing on stdout' $?
run 0 --help && grep -q '^Usage: pmutopo' "$scratch/out"; verdict '--help' $?
run 0 --version && grep -q '^pmutopo ' "$scratch/out"; verdict '--version' $?
run 2 --sausage && grep -q 'pmutopo --help' "$scratch/err"; verdict 'unknown option' $?
run 0 "$skl" --json && grep -q '^  "model": 94,$' "$scratch/out"; verdict '--json' $?
run 2 --json --svg "$scratch/x.svg" && grep -q 'not both' "$scratch/err"; verdict '--json and --svg' $?
run 2 --counts "$scratch/x" && grep -q 'with --svg only' "$scratch/err"; verdict '--counts alone' $?
run 1 "$skl" --svg "$scratch/no/such/x.svg" && grep -q 'no/such/x\.svg' "$scratch/err"
verdict 'a drawing into a folder that is not there' $?
run 2 --svg '' && grep -q -e '--svg needs the name of a file' "$scratch/err"
verdict 'a drawing without a name' $?
run 2 sausage && grep -q "'sausage'" "$scratch/err"; verdict 'unexpected argument' $?
for what in --json "--svg $scratch/limit.svg"; do
	(ulimit -f 0; env "$skl" "$pmutopo" $what 2>&1 >"$scratch/out" | cat >"$scratch/err"
		exit "${PIPESTATUS[0]}") 2>/dev/null
	[ $? = 1 ]; verdict "a limit of files, $what" $?
done
if [ -c /dev/full ]; then
	"$pmutopo" >/dev/full 2>"$scratch/err"
	[ $? = 1 ]; verdict 'a full disk is an error' $?
	"$pmutopo" --json >/dev/full 2>"$scratch/err"
	[ $? = 1 ] && grep -q 'standard output' "$scratch/err"; verdict 'a full disk, with --json' $?
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
