#!/bin/bash
# SPDX-License-Identifier: MIT
# The variables and the regions of docs/tools.md for TAU, Score-P and Caliper, with a stand-in for a
# program under them: the sums over ranks of each region are the node's counts, on a loaded host as well;
# where ranks come apart that is told.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../mpi/environment.sh"
command -v qemu-x86_64 >/dev/null || skip 'no qemu-x86_64'
sed -n 's/^    //p' "${SRCDIR:?}/docs/tools.md" >"$scratch/commands"
grep -E '^((MPI_Barrier|BEGIN|END)\(.*\)|solve\(\));$' "$scratch/commands" >"$scratch/pattern.h"
check 'it says how to bound a region' [ "$(grep -c . "$scratch/pattern.h")" = 7 ]
compile tool -I"$scratch" -lpapi

# The words of the last command behind the launcher's, with two ranks of ours.
words() { sed -n 's/^mpirun -n 4 \(vpmu .*\) \.\/stream .*/\1/p' "$scratch/commands" | sort -u; }
check 'it says how to run the program' [ "$(words)" = 'vpmu run -m skl-4c8t --cpus rank' ]
check 'it has the sum switched on' grep -q '^export IPMU_NODE_SUM=first *#' "$scratch/commands"
eval "$(grep -E '^(reads|writes)=' "$scratch/commands")"	# which the variables name

mib=12 lines=$((12 << 20 >> 6))
tool() {	# tool VARIABLE FACTOR: with the variable as docs/tools.md has it
	local line
	line=$(grep "^export $1=" "$scratch/commands")
	rm -f "$scratch/segment"
	# shellcheck disable=SC2046
	(eval "$line" && VPMU_SEGMENT=$scratch/segment ranks 2 $(words) "$scratch/tool" $mib 1) \
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

export IPMU_NODE_SUM=first
event=$imc.DRAM_DATA_READS apart='came apart at [0-9]* of [0-9]* reads'
first_mpi || finish

# -- 100 regions of four ranks on a machine with half the cache, while other programs use the CPUs.
# Without what one rank did, a region is too low by a quarter; MPI itself brings less than 2 %.
small=6 small_lines=$((6 << 20 >> 6)) busy=
trap 'kill $busy 2>/dev/null; rm -rf "$scratch"' EXIT
for ((i = 0; i < 2; i++)); do
	(while :; do :; done) &
	busy="$busy $!"
done
loaded() {	# loaded VARIABLE: each sum of 25 rounds
	local line
	line=$(grep "^export $1=" "$scratch/commands")
	(eval "$line" && ranks 4 "$vpmu" run -m skl-2c4t "$scratch/tool" $small 25) \
		>"$scratch/out" 2>&1
	awk -v read=$((4 * small_lines)) -v copy=$((8 * small_lines)) -v tool="$1" '
		$2 ~ /READS$/ {
			ratio = $3 / ($1 == "read" ? read : copy)
			low = !n || ratio < low ? ratio : low
			high = ratio > high ? ratio : high
			n++
		}
		END {
			printf "%s, loaded: %d sums of %.4f to %.4f\n", tool, n, low, high
			exit !(n == 50 && low >= 1 && high <= 1.02)
		}' "$scratch/out"
	check "$1, loaded: 50 of 50 sums are right" [ $? = 0 ]
}
loaded TAU_METRICS
loaded CALI_PAPI_COUNTERS
# shellcheck disable=SC2086 # words
kill $busy
busy=

# -- rank 0 enters when the others have worked: it counts its own work alone, and says so
(eval "$(grep '^export TAU_METRICS=' "$scratch/commands")" &&
	ranks 4 "$vpmu" run -m skl-2c4t "$scratch/tool" $small 1 late) >"$scratch/out" 2>&1
check 'late: only its own is counted' within \
	"$(sed -n "s/^read $event \([0-9]*\)$/\1/p" "$scratch/out")" $small_lines 5
check 'late: told' [ "$(grep -c "^intel_uncore: IPMU_NODE_SUM=first: .*$apart" "$scratch/out")" = 1 ]
finish
