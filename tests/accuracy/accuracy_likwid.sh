#!/bin/bash
# SPDX-License-Identifier: MIT
# LIKWID's own groups on a Skylake machine: a loop and a triad whose instructions, operations and lines follow
# from arithmetic, within 2 %; and no access of LIKWID's breaks a rule.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs likwid-perfctr
cd "$scratch" || exit 1
unset VPMU_SEGMENT
export VPMU_TALLY=$scratch/tally	# LIKWID leaves counters and their enables changed
compile triad triad.c -O2 -fno-tree-vectorize -mno-fma || { echo 'the program cannot be compiled'; exit 77; }
n=1000000 times=2
lines=$((n * 8 / 64))		# of an array

count() {	# count GROUP: its table in ./out
	"$vpmu" run -m skl-4c8t -- likwid-perfctr -M 0 -C 0 -O -g "$1" ./triad >out 2>err
	verdict "likwid-perfctr -g $1" $?
	! grep -qE 'violation|does not drive' err
	verdict "LIKWID's accesses for $1: $(cat err)" $?
}
value() { awk -F, -v event="$1" '$1 == event { print $3; exit }' out; }
near() {	# near EVENT ARITHMETIC: within 2 %
	local got
	got=$(value "$1")
	awk -v got="${got:-none}" -v want="$2" 'BEGIN {
		off = got > want ? got - want : want - got
		exit !(got ~ /^[0-9]+$/ && off <= 0.02 * want) }'
	verdict "$1: ${got:-nothing}, by arithmetic $2" $?
}

count CLOCK
instructions=$(value INSTR_RETIRED_ANY) clocks=$(value CPU_CLK_UNHALTED_CORE)
# The loop, two more with at least four instructions a turn.
[ "${instructions:-0}" -ge $((20000000 + 4 * (1 + times) * n)) ]
verdict "instructions: $instructions" $?
near CPU_CLK_UNHALTED_REF "${clocks:-0}"	# one rate
near UNCORE_CLOCK "${clocks:-0}"
# Each store of the first loop reads its line; each turn of the second reads b and c, and a to store.
count MEM
near DRAM_READS $((3 * lines + times * 3 * lines))
near DRAM_WRITES $((3 * lines + times * lines))
count L3
near L2_LINES_IN_ALL $((3 * lines + times * 3 * lines))
near L2_TRANS_L2_WB $((3 * lines + times * lines))
count FLOPS_DP
near FP_ARITH_INST_RETIRED_SCALAR_DOUBLE $((times * 2 * n))
is 'packed operations' '0 0' \
	"$(value FP_ARITH_INST_RETIRED_128B_PACKED_DOUBLE) $(value FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE)"
finish
