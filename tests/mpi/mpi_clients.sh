#!/bin/bash
# SPDX-License-Identifier: MIT
# The variables and the regions of docs/tools.md for TAU, Score-P and Caliper, with a stand-in for a
# program under them: the sums over ranks of each region are the node's counts, on a loaded host as well;
# if ranks' regions differ, that is reported.
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
as_documented() {	# as_documented VARIABLE...: sets them as docs/tools.md has them
	local variable
	for variable; do
		eval "$(grep "^export $variable=" "$scratch/commands")" || return
	done
}
tool() {	# tool FACTOR VARIABLE...
	local factor=$1 variable
	shift
	rm -f "$scratch/segment"
	# shellcheck disable=SC2046
	(as_documented "$@" && VPMU_SEGMENT=$scratch/segment ranks 2 $(words) "$scratch/tool" $mib 1) \
		>"$scratch/out" 2>&1
	for variable; do
		each $variable read $((2 * lines)) $factor
		each $variable copy $((4 * lines)) $factor
	done
}
each() {	# each VARIABLE REGION ARITHMETIC FACTOR
	local got
	got=$(sed -n "s/^$1 $2 $imc.DRAM_DATA_READS \([0-9]*\)$/\1/p" "$scratch/out")
	check "$1, $2" within "${got:-}" $(($3 * $4)) 5
	echo "$1, $2: $got, $3 by arithmetic"
}
export IPMU_NODE_SUM=first
variables=(TAU_METRICS)
! first_mpi || variables+=(SCOREP_METRIC_PAPI_PER_PROCESS CALI_PAPI_COUNTERS)
tool 1 "${variables[@]}"
# Without it, every rank has the node's.
unset IPMU_NODE_SUM
tool 2 TAU_METRICS

export IPMU_NODE_SUM=first
event=$imc.DRAM_DATA_READS apart='came apart at [0-9]* of [0-9]* reads'
first_mpi || finish

# -- 32 regions of four ranks on a machine with a small cache, while other programs use the CPUs.
# Without what one rank did, a region is too low by a quarter; MPI itself brings less than 5 %.
small=2 small_lines=$((2 << 20 >> 6)) busy=
trap 'kill $busy 2>/dev/null; rm -rf "$scratch"' EXIT
for ((i = 0; i < 2; i++)); do
	(while :; do :; done) &
	busy="$busy $!"
done
cached() {	# cached RANKS ROUNDS [late]: with $variables
	local n=$1
	shift
	(as_documented "${variables[@]}" && ranks $n "$vpmu" run -m skl-2c4t --llc 1M,16,64 "$scratch/tool" $small "$@") \
		>"$scratch/out" 2>&1
}
variables=(TAU_METRICS CALI_PAPI_COUNTERS)
cached 4 8
# shellcheck disable=SC2086 # words
kill $busy
busy=
for variable in "${variables[@]}"; do
	awk -v read=$((4 * small_lines)) -v copy=$((8 * small_lines)) -v tool=$variable '
		$1 == tool && $3 ~ /READS$/ {
			ratio = $4 / ($2 == "read" ? read : copy)
			low = !n || ratio < low ? ratio : low
			high = ratio > high ? ratio : high
			n++
		}
		END {
			printf "%s, loaded: %d sums of %.4f to %.4f\n", tool, n, low, high
			exit !(n == 16 && low >= 1 && high <= 1.05)
		}' "$scratch/out"
	check "$variable, loaded: 16 of 16 sums are right" [ $? = 0 ]
done

# -- rank 0 enters when the others have worked: it counts its own work alone, and reports that
variables=(TAU_METRICS)
cached 2 1 late
check 'late: only its own is counted' within \
	"$(sed -n "s/^TAU_METRICS read $event \([0-9]*\)$/\1/p" "$scratch/out")" $small_lines 5
check 'late: told' [ "$(grep -c "^intel_uncore: IPMU_NODE_SUM=first: .*$apart" "$scratch/out")" = 1 ]
finish
