#!/bin/bash
# SPDX-License-Identifier: MIT
# Lines that leave the last-level cache on client machines of other generations, with two threads a
# core and caches of other shapes, against cachegrind's misses of the same function and geometry,
# within 5 %: by the slices on Haswell; on Tiger Lake, whose slices have no published events, by the
# two memory controllers, and on Rocket Lake by its one.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../bench/stack.sh"
requires valgrind "its cachegrind is the other opinion"
requires "$vpmu" "set VPMU or STAGE"
workloads_find
failed=0

counted() {	# counted EVENT... : their sum in $scratch/out; nothing if one is not there
	local sum=0 event n
	for event; do
		n=$(count_of "intel_uncore:::$event" <"$scratch/out")
		sum=$((sum + ${n:?no $event}))
	done
	echo "$sum"
}

# compare KERNEL-OPTIONS EVENT... : on $machine, whose last-level cache is $llc
compare() {
	local options want got event
	read -ra options <<<"$1"
	shift
	cachegrind_run "$scratch/cg" -k "${options[@]}" >"$scratch/out" 2>&1 || {
		cat "$scratch/out"
		exit 1
	}
	want=$(cachegrind_misses "$scratch/cg" "${options[0]}_kernel")
	for event; do options+=(-e "intel_uncore:::$event"); done
	virtual_run -k "${options[@]}" >"$scratch/out" 2>"$scratch/err" || {
		cat "$scratch/out" "$scratch/err"
		exit 1
	}
	got=$(counted "$@")
	[ "$want" -ge 50000 ] && within "$got" "$want" 5 || {
		echo "FAILED: wants cachegrind's count within 5 %, at least 50000"
		failed=1
	}
	printf '%-8s %-7s cachegrind %8d  virtual machine %8d  %s\n' "$machine" "${options[0]}" \
		"$want" "${got:-0}" "$(percent "${got:-0}" "$want")"
}

machine=hsw-4c8t llc=2097152,8,64
compare 'stream -s 262144' hsw_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I
compare 'random -r 200000' hsw_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I
machine=tgl-2c4t llc=3145728,12,64
compare 'random -r 200000' tgl_unc_imc.UNC_MC0_RDCAS_COUNT_FREERUN \
	tgl_unc_imc.UNC_MC1_RDCAS_COUNT_FREERUN
machine=rkl-2c4t llc=4194304,16,64
compare 'random -r 200000' rkl_unc_imc.DRAM_DATA_READS
exit "$failed"
