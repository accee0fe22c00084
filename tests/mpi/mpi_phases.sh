#!/bin/bash
# SPDX-License-Identifier: MIT
# Regions by name in an MPI program: its copy and read phases on one node and on two, within 0.5 % of
# arithmetic, in text, table, JSON and page. Then ranks that get out of step, and one that is killed.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
[ -x "$STAGE/bin/ipmu-run" ] || skip 'built without ipmu-run'
command -v qemu-x86_64 >/dev/null || skip 'no qemu-x86_64'
command -v python3 >/dev/null || skip 'no python3'
nodes=$(realpath "$mpi_dir/../nodes/nodes")
"$MPICC" -std=c11 -O3 -DUSE_IPMU_REGION -I"$STAGE/include" -o "$scratch/phases" \
	"${SRCDIR:?}/mpi_examples/phases.c" -L"$STAGE_LIB" -lipmu_region -Wl,-rpath,"$STAGE_LIB" || exit 1
cd "$scratch" || exit 1

n=1310720 sweeps=2	# 10 MiB: an array is larger than the caches, whichever rank runs when
job() {		# job RANKS COMMAND...
	ranks "$@" >out 2>&1
}
of="-g MEM --on skl-4c8t"
all='1 4'
first_mpi || all=2	# each takes seconds
for r in $all; do
	# shellcheck disable=SC2086 # words
	job "$r" ipmu-run $of -o on ./phases $n $sweeps
	check "$r ranks: the status" [ $? = 0 ]
	check "$r ranks: counts of both phases" python3 "${SRCDIR:?}/tests/mpi/phases.py" on $((n / 8 * sweeps * r)) "$r" 1
	check "$r ranks: the result" differs says wrong
done
if first_mpi && "$nodes" up 2 "$scratch/nodes" >up 2>&1; then
	trap '"$nodes" down "$scratch/nodes" 2>/dev/null; rm -rf "$scratch"' EXIT
	export MPI MPIRUN
	timeout $HANG_SECONDS env LD_PRELOAD="$waits" "$nodes" run "$scratch/nodes" 4 \
		"$vpmu" run --no-feed -m skl-4c8t -- ipmu-run -g MEM -o two -- \
		"$vpmu" run -- ./phases $n $sweeps </dev/null >out 2>&1
	check '2 nodes: one report' lines 1 '  4 ranks on 2 nodes'
	check '2 nodes: counts of both phases' python3 "${SRCDIR:?}/tests/mpi/phases.py" two $((n / 8 * sweeps * 4)) 4 2
	ipmu-run --show two.json -o shown >shown.out 2>&1
	check '2 nodes: --show has the same regions' [ "$(grep ' region,' two.csv)" = "$(grep ' region,' shown.csv)" ]
	"$nodes" down "$scratch/nodes" 2>/dev/null
else
	cat up 2>/dev/null
fi

# -- natively on the machine, without its emulator: the same messages by a socket. A rank that is in its
# region while the other one waits outside, then the other way round.
"$MPICC" -std=gnu11 -I"$STAGE/include" -o apart "${SRCDIR:?}/tests/mpi/apart.c" -L"$STAGE_LIB" -lipmu_region \
	-Wl,-rpath,"$STAGE_LIB" || exit 1
${CC:-cc} -nostdlib -static -DTURNS=5000000 -o loop "${SRCDIR:?}/tests/run/turns.S" || exit 1
export WORK="env -i PATH='$PATH' '$vpmu' run -s '$scratch/segment' '$scratch/loop'"
job 2 "$vpmu" run --no-feed -m core2-4c -s segment ipmu-run -e core_fixed.INST_RETIRED:ANY -o a ./apart
check 'in turns: the counts are those of both' grep -q '^event region,,core_fixed.INST_RETIRED:ANY,all,20000008,' a.csv
check 'in turns: both are named' says '^    ranks entered apart: rank [01] was inside for (4[0-9]|5[0-9]) % of that time, rank [01] for (4[0-9]|5[0-9]) %$'
check 'in turns: the page says it' grep -q 'class="warn">ranks entered apart: rank ' a.html
rm -f segment
job 2 "$vpmu" run --no-feed -m core2-4c -s segment ipmu-mpi-run -e core_fixed.INST_RETIRED:ANY -o k ./apart killed
check 'a killed rank: its region is reported' grep -q '^info region,,calls,all,2,0,,,killed$' k.csv
check 'a killed rank: and is incomplete' grep -q '^info,,complete,all,0,0,,"\?rank 1 ended by signal 9, SIGKILL' k.csv
check 'a killed rank: its call has no end' grep -q '^info region,,calls without an end,all,[12],' k.csv
finish
