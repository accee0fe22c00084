#!/bin/bash
# SPDX-License-Identifier: MIT
# The virtual machine's LLC read misses of a kernel against cachegrind's for the same function
# and cache geometry, within 5 %. Cachegrind runs here and now; nothing is stored.
# It has no level between L1 and LL, so that agreement is about what leaves the LLC, and within
# 5 % because recency in the LLC differs where a middle level hides hits from it.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../bench/stack.sh"
tolerance=5
least=100000	# misses: far above what starting and stopping a count may add
requires valgrind "its cachegrind is the other opinion"
requires "$vpmu" "set VPMU or STAGE"
workloads_find
passed=0 failed=0

compare() {	# compare KERNEL [OPTION]...
	local name=$1 want got
	if ! cachegrind_run "$scratch/cg" -k "$@" >"$scratch/out" 2>&1; then
		cat "$scratch/out"
		echo "FAILED: $name under cachegrind"
		failed=$((failed + 1))
		return
	fi
	want=$(cachegrind_misses "$scratch/cg" "${name}_kernel")
	if ! virtual_run -k "$@" -e "$read_i" >"$scratch/out" 2>"$scratch/err"; then
		cat "$scratch/out" "$scratch/err"
		echo "FAILED: $name on the virtual machine"
		failed=$((failed + 1))
		return
	fi
	got=$(count_of "$read_i" <"$scratch/out")
	if [ "$want" -ge $least ] && within "$got" "$want" $tolerance; then
		passed=$((passed + 1))
	else
		echo "FAILED: $name: wants cachegrind's count within $tolerance %, at least $least"
		failed=$((failed + 1))
	fi
	printf '%-8s cachegrind %9d  virtual machine %9d  %s\n' "$name" "$want" "${got:-0}" \
		"$(percent "${got:-0}" "$want")"
}

llc=8388608,16,64
echo "LLC: $llc (bytes, ways, line)"
compare random -r 500000
llc=2097152,8,64
echo "LLC: $llc"
compare stream -s 262144
compare matmul -s 512
compare random -r 500000
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
