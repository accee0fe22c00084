#!/bin/bash
# SPDX-License-Identifier: MIT
# What the triad a = b + s x c must move, by arithmetic: per sweep it reads b, c and (a store
# fetches its line first) a, and writes a, each of 8 bytes x N. One sweep before the measured
# ones leaves the caches as each sweep does: dirty lines carried in equal those left behind.
# Counted in two runs (all memory events fit together; per-slice and total likewise).
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../bench/stack.sh"
n=2097152	# 16 MiB per array: with three of them no line survives in 8 MiB until its next use
sweeps=2
moved=3		# per cent, arithmetic against the memory controller
slices=0.1	# per cent: the counters of one event set are read one after the other
requires "$vpmu" "set VPMU or STAGE"
workloads_find
passed=0 failed=0
imc=intel_uncore:::skl_unc_imc

check() {	# check NAME GOT WANT PERCENT
	if within "${2:-none}" "$3" "$4"; then
		passed=$((passed + 1))
	else
		echo "FAILED: $1: wants $3 within $4 %"
		failed=$((failed + 1))
	fi
	printf '%-34s %14s  wanted %14s  %s\n' "$1" "${2:-none}" "$3" "$(percent "${2:-0}" "$3")"
}

run() {		# run EVENT... : counts into $scratch/out
	local events=()
	for event; do events+=(-e "$event"); done
	if ! virtual_run -k stream -s $n -r $sweeps -w 1 "${events[@]}" \
			>"$scratch/out" 2>"$scratch/err"; then
		cat "$scratch/out" "$scratch/err"
		: >"$scratch/out"
	fi
}

array=$((8 * n * sweeps))
run $imc.DRAM_DATA_READS $imc.DRAM_DATA_WRITES $imc.DRAM_IA_REQUESTS
reads=$(count_of $imc.DRAM_DATA_READS <"$scratch/out")
writes=$(count_of $imc.DRAM_DATA_WRITES <"$scratch/out")
requests=$(count_of $imc.DRAM_IA_REQUESTS <"$scratch/out")
check 'bytes read from DRAM' "${reads:+$((reads * 64))}" $((3 * array)) $moved
check 'bytes written to DRAM' "${writes:+$((writes * 64))}" $array $moved
check 'requests of the cores' "$requests" $((4 * array / 64)) $moved

run $read_i $read_i:box=0 $read_i:box=1 $read_i:box=2 $read_i:box=3
total=$(count_of $read_i <"$scratch/out")
sum=0 each=0
for box in 0 1 2 3; do
	count=$(count_of $read_i:box=$box <"$scratch/out")
	printf 'slice %d %30s\n' $box "${count:-none}"
	sum=$((sum + ${count:-0}))
	[ "${count:-0}" -gt 0 ] && each=$((each + 1))
done
check 'slices with a count' $each 4 0
check 'LLC read misses, all slices' "$total" $((3 * array / 64)) $moved
check 'sum of the slices' $sum "${total:-0}" $slices
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
