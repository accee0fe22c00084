#!/bin/bash
# SPDX-License-Identifier: MIT
# ipmu-run --profile: known shares of a program by arithmetic, sums that equal the counters, in text, CSV,
# JSON and on the page; Callgrind's file; a killed program, several processes; regressions planted in one
# of 20 functions, which the comparison names first; and what is refused.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../run/on_machine.sh"
needs ipmu-run vpmu python3 "${CC%% *}"
ldd "$(command -v ipmu-run)" | grep -q libdw || { echo 'ipmu-run was built without libdw'; exit 77; }
cd "$scratch" || exit 1
profiled() {	# profiled ARGUMENT...: on the usual machine; its stdout to out, stderr to err
	ipmu-run --on skl-4c8t --profile "$@" >out 2>err
}

# -- shares: 262144 lines of 64 bytes are read twice, 524288 once, and 262144 are written
cp "$test_folder/shares.c" . && $CC -g -O1 -o shares shares.c || exit 1
shares() {	# shares WHAT STATUS TIMES FUNCTION... -- ARGUMENT...: a run, and what its files must have
	local what=$1 status=$2 times=$3
	shift 3
	local functions=()
	while [ "$1" != -- ]; do functions+=("$1"); shift; done
	profiled -g LLC_READ,MEM -o P ./shares "${@:2}"
	is "$what: status" "$status" $?
	python3 "$test_folder/where.py" "$times" "${functions[@]}" >out
	verdict "$what" $?
	! grep -q '^  the profile' err
	verdict "$what: nothing differs" $?
}
shares 'known shares' 0 1 writes --
says 'text: a function' '^ +39\.9 % +39\.9 % +[0-9.]+ %  two, shares\.c:1[2-5]$'
says 'text: a line' '^ +39\.9 % +39\.9 % +[0-9.]+ %  shares\.c:15  for \(long i = 0; i < 2 \* LINES'
says 'text: where' '^  where: skl_unc/MEM$'
for text in '<h2>Where: skl_unc/LLC_READ</h2>' '<code>two</code>' 'for (long i = 0; i &lt; 2 \* LINES'; do
	grep -q -- "$text" P.html
	verdict "page: $text" $?
done
files=(P.callgrind.*)
is 'a file of Callgrind' 1 ${#files[@]}
if command -v callgrind_annotate >/dev/null; then
	callgrind_annotate --show=UNC_CBO_CACHE_LOOKUP_READ_I "${files[0]}" >out 2>&1 &&
		[ "$(sed -nE 's/^ *([0-9,]+)( \([0-9. %]*\))?  [^ ]*shares\.c:(one|two|writes) .*/\3 \1/p' out | sort | tr -d , |
			awk '{ printf "%s %d;", $1, $2 / 1000 }')" = 'one 524;two 524;writes 262;' ]
	verdict 'callgrind_annotate' $?
fi
shares 'a killed program' 137 1 -- 1
shares 'two processes' 0 2 writes -- 1 2
files=(P.callgrind.*)
is 'two processes: files, and none of before' 2 ${#files[@]}

# -- a loop in one of 20 functions becomes longer: that function is first, and alone explains it
source_of() {	# source_of FUNCTION: the one that is slower; -1: none
	local f n
	echo 'static long a[1 << 12];'
	for f in {0..19}; do
		n=$((1000 + 37 * f))
		[ "$f" = "$1" ] && n=$((n * 11 / 10))
		printf '__attribute__((noinline)) static long work_%02d(long s)\n{\n' "$f"
		printf '    for (long i = 0; i < %d; i++) s += a[i] * %d;\n    return s;\n}\n' $n $((f + 3))
	done
	echo 'int main(void) { long s = 0;'
	for f in {0..19}; do printf 'for (int i = 0; i < 10; i++) s = work_%02d(s);\n' "$f"; done
	echo 'return s == 42; }'
}
source_of -1 >work.c && $CC -g -O1 -o work work.c && profiled -g CPI --base base.json ./work
verdict 'a base with a profile' $?
grep -q '"lines"' base.json && bad 'a base has no lines' || ok
named=0
for f in {0..19..2}; do
	source_of "$f" >work.c && $CC -g -O1 -o work work.c || exit 1
	profiled --compare base.json --limit +0.1% ./work
	is "function $f: status" 122 $?
	first=$(grep -A1 '^  functions that explain' out | sed -n 2p)
	[[ $first = "    work_$(printf %02d "$f") "* ]] && named=$((named + 1))
done
is 'regressions whose function is named first' 10 $named
grep -qE '^  functions that explain (9[5-9]|100)[0-9.]* % of how core_fixed.INST_RETIRED:ANY changed$' out
verdict 'text: the share' $?
profiled --compare base.json --format markdown ./work
grep -qE '^\| work\\_18 \| [0-9]+ \| [0-9]+ \| \+[0-9.]+ % \| work\.c:[0-9]+ \|$' out
verdict 'Markdown' $?
profiled --compare base.json --format json -o P ./work
python3 -c 'import json; e = json.load(open("out"))["explained"][0]
assert e["functions"][0]["function"] == "work_18" and e["share_percent"] >= 95 and len(e["functions"]) <= 10
assert e["functions"][0]["new"] - e["functions"][0]["old"] >= 0.95 * e["change"]' 2>err
verdict 'JSON' $?
grep -q 'functions that explain .*<code>work_18</code>' <(tr -d '\n' <P.html)
verdict 'page: the function' $?
sed -i 's/work_18/renamed/g' work.c && $CC -g -O1 -o work work.c && profiled --compare base.json ./work
grep -qE '^    work_18 +[0-9]+ +- +gone ' out && grep -qE '^    renamed +- +[0-9]+ +new ' out
verdict 'new and gone functions' $?
ipmu-run --on skl-4c8t -g CPI -o R ./work >out 2>&1 && ipmu-run --diff base.json R.json >out 2>&1
grep -q 'R.json has no profile, so no functions are compared' out
verdict 'a report without a profile' $?

# -- a profile is of the regions, if nothing else is counted: 100000 lines, which nobody has read before
compile region inside.c -g -O1 -I"$STAGE/include/ipmu" -L"$STAGE_LIB" -lipmu_region -Wl,-rpath,"$STAGE_LIB" || exit 1
profiled -g LLC_READ --only-regions -o R ./region
verdict 'regions' $?
python3 -c 'import json; p = json.load(open("R.json"))["profile"]
assert [f["counts"][1] for f in p["functions"] if f["function"] == "inside"][0] in range(100000, 100064)
assert not [f for f in p["functions"] if f["function"] == "outside" and f["counts"][1]]' 2>out
verdict 'regions: the function inside alone' $?
! grep '^  the profile' err
verdict 'regions: nothing differs' $?

# -- from MPI_Init to MPI_Finalize: 200000 lines before are not counted, 100000 within are
if [ -n "${MPICC:-}" ]; then
	"$MPICC" -g -O1 -DUSE_MPI -o mpi "$test_folder/inside.c" || exit 1
	profiled -g LLC_READ --from-mpi-init -o R ./mpi
	verdict 'from MPI_Init' $?
	python3 -c 'import json; p = json.load(open("R.json"))["profile"]
assert [f["counts"][1] for f in p["functions"] if f["function"] == "inside"][0] in range(100000, 100064)
assert not [f for f in p["functions"] if f["function"] == "outside" and f["counts"][1]]' 2>out
	verdict 'from MPI_Init: the function within alone' $?
	! grep '^  the profile' err
	verdict 'from MPI_Init: nothing differs' $?
fi

# -- refused
refused() {	# refused WHAT REGEX ARGUMENT...
	local what=$1 sentence=$2
	shift 2
	ipmu-run "$@" >out 2>&1
	is "$what: status" 125 $?
	grep -qE -- "$sentence" out
	verdict "$what" $?
}
refused 'silicon' "perf c2c" -g CPI --profile true
refused 'no program' 'give the program' --on skl-4c8t -g CPI --profile
refused 'repeated' 'leave out -r' --on skl-4c8t -g CPI -r 2 --profile true
refused 'a threshold' 'counts a threshold' --on skl-4c8t -e skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL:c=1 --profile true
refused 'an edge' 'counts edges' --on knc-60c240t -e knc.FE_STALLED:e=1 --profile true
refused 'a box' 'counts one box' --on skl-4c8t -e skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=0 --profile true
refused 'a file to read' 'counts nothing' --show R.json --profile
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 \
	refused 'ranks' 'mpirun -n 2 PROGRAM' --on skl-4c8t -g CPI --profile true

# -- an event of a group that no instruction has a share of
profiled -g BURST --passes ./work
says 'an event with a threshold in a group' '^  no profile of skl_unc_arb\.UNC_ARB_TRK_OCCUPANCY:ALL:c=1: it counts a threshold$'
# -- nothing is left in memory
left=$(find /dev/shm/ipmu-profiles* "${TMPDIR:-/tmp}"/ipmu-profiles* -name "*.vpmu-profile" -newer shares.c 2>/dev/null | wc -l)
is 'files that are left' 0 "$left"
finish
