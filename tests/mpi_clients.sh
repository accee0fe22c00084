#!/bin/bash
# SPDX-License-Identifier: MIT
# The commands of docs/tools.md for TAU, Score-P and Caliper, with a stand-in for a program under them:
# the sums over ranks of each region are the node's counts.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/mpi/environment.sh"
command -v qemu-x86_64 >/dev/null || skip 'no qemu-x86_64'
compile tool -lpapi
sed -n 's/^    //p' "${SRCDIR:?}/docs/tools.md" >"$scratch/commands"

# The words of the last command behind the launcher's, with two ranks of ours.
words() { sed -n 's/^mpirun -n 4 \(vpmu .*\) \.\/app$/\1/p' "$scratch/commands"; }
check 'it says how to run the program' [ "$(words)" = 'vpmu run -m skl-4c8t' ]
check 'it has the sum switched on' grep -q '^export IPMU_NODE_SUM=first *#' "$scratch/commands"

mib=12 lines=$((12 << 20 >> 6))
tool() {	# tool VARIABLE FACTOR: with the variable as docs/tools.md has it
	local line
	line=$(grep "^export $1=" "$scratch/commands")
	rm -f "$scratch/segment"
	# shellcheck disable=SC2046
	(eval "$line" && VPMU_SEGMENT=$scratch/segment ranks 2 $(words) "$scratch/tool" $mib) \
		>"$scratch/out" 2>&1
	each $1 read $((2 * lines)) $2
	each $1 copy $((4 * lines)) $2
}
each() {	# each VARIABLE REGION ARITHMETIC FACTOR
	local got
	got=$(sed -n "s/^$2 $imc.DRAM_DATA_READS \([0-9]*\)$/\1/p" "$scratch/out")
	check "$1, $2" within "${got:-}" $(($3 * $4)) 5
	echo "$1, $2: $got, $3 by arithmetic"
}
export IPMU_NODE_SUM=first
tool TAU_METRICS 1
if first_mpi; then	# other words for the same events
	tool SCOREP_METRIC_PAPI_PER_PROCESS 1
	tool CALI_PAPI_COUNTERS 1
fi
# Without it, every rank has the node's.
unset IPMU_NODE_SUM
tool TAU_METRICS 2
finish
