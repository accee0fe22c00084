#!/bin/bash
# SPDX-License-Identifier: MIT
# What the cores of the virtual clients count of small kernels, against callgrind's counts of the same
# functions and against arithmetic; accuracy_core.sh does the same on a Core 2, and says which
# tolerances are right. The selects are the architectural ones and perfmon's for Skylake.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../bench/stack.sh"
requires valgrind "its callgrind is the other opinion"
requires "$vpmu" "set VPMU or STAGE"
export VPMU_TALLY=$scratch/tally	# its program leaves its counters programmed on purpose
n=262144
passed=0 failed=0
kernels=$scratch/kernels

if ! ${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -g -fno-tree-vectorize \
		"$root/tests/accuracy/kernels.c" -o "$kernels" >"$scratch/cc" 2>&1; then
	cat "$scratch/cc"
	echo "FAILED: kernels.c does not compile"
	exit 1
fi

check() {	# check WHAT GOT WANT PERCENT
	if within "${2:-none}" "$3" "$4"; then
		passed=$((passed + 1))
	else
		echo "FAILED: wants $3 within $4 %:"
		failed=$((failed + 1))
	fi
	printf '%-44s %9s  wants %9s\n' "$machine $kernel: $1" "${2:-none}" "$3"
}

check_range() {	# check_range WHAT GOT LOW HIGH
	if [ "${2:-0}" -ge "$3" ] && [ "${2:-0}" -le "$4" ]; then
		passed=$((passed + 1))
	else
		echo "FAILED: wants $3 to $4:"
		failed=$((failed + 1))
	fi
	printf '%-44s %9s  wants %9s to %s\n' "$machine $kernel: $1" "${2:-none}" "$3" "$4"
}

callgrind() {	# callgrind KERNEL: leaves lines "EVENT COUNT" in $scratch/KERNEL.cg
	[ -s "$scratch/$1.cg" ] || { valgrind -q --tool=callgrind --cache-sim=yes \
		--branch-sim=yes --collect-jumps=yes --I1=32768,8,64 --D1=32768,8,64 --LL=8388608,16,64 \
		--toggle-collect="$1_kernel" --callgrind-out-file="$scratch/out" "$kernels" "$1" \
		>"$scratch/log" 2>&1 &&
		awk '/^events:/ { for (i = 2; i <= NF; i++) name[i] = $i }
			/^totals:/ { for (i = 2; i <= NF; i++) print name[i], $i }
			sub(/^jump=/, "") { jumps += $1 }
			END { print "jumps", jumps + 0 }' "$scratch/out" \
			>"$scratch/$1.cg"; }
}
cg() { awk -v e="$1" '$1 == e { n = $2 } END { printf "%d\n", n }' "$scratch/$kernel.cg"; }

# virtual OPTIONS SELECT...: leaves lines "SELECT COUNT" in $scratch/vm
virtual() {
	local options
	read -ra options <<<"$1"
	shift
	"$vpmu" run --strict -m "$machine" "${options[@]}" -- "$kernels" "$kernel" "$@" \
		>"$scratch/vm" 2>"$scratch/log" && return
	cat "$scratch/log"
	echo "FAILED: $machine $kernel does not run"
	failed=$((failed + 1))
	return 1
}
vm() { awk -v e="$1" '$1 == e { print $2; exit }' "$scratch/vm"; }

# Instructions, branches and mispredictions on every generation. Two of three conditions are random,
# true in 1/2 and 1/4 of the cases: see accuracy_core.sh.
for machine in skl-4c8t skl-4c4t cml-10c20t icl-4c8t tgl-4c8t rkl-8c16t adl-8p8e24t adln-4e4t \
		mtl-6p8e2lp22t arl-8p16e24t lnl-4p4e8t; do
	kernel=branch
	callgrind $kernel && virtual '' c0 c4 c5 4f2e || continue
	check instructions "$(vm instructions)" "$(cg Ir)" 1
	check 'instructions, PMC' "$(vm c0)" "$(cg Ir)" 1
	# Compilers lay out the kernel with jumps or without. It returns once, besides.
	check branches "$(vm c4)" "$(($(cg Bc) + $(cg jumps)))" 1
	check_range mispredictions "$(vm c5)" $((n * 3 / 4 * 95 / 100)) $((n * 3 / 4 * 150 / 100))
done

# The sums go four times through 2 MiB: always beyond the L2, and beyond an LLC of 512 KiB.
machine=skl-4c8t kernel=sum
lines=$((4 * n * 8 / 64))
callgrind $kernel && virtual '--llc 512K,16,64' 4f2e 412e 151 81d0 f24 20d1 8d1 c4 &&
	{
		check 'LLC references' "$(vm 4f2e)" $lines 1
		check 'LLC misses' "$(vm 412e)" $lines 1
		check 'L1D.REPLACEMENT' "$(vm 151)" "$(cg D1mr)" 1
		check 'loads' "$(vm 81d0)" "$(cg Dr)" 1
		check 'loads that missed the L1' "$(vm 8d1)" $lines 1
		check 'loads that missed the L3' "$(vm 20d1)" $lines 1
	}
virtual '--llc 8M,16,64' 4f2e 20d1 4d1 3f24 ff24 &&
	{
		check 'LLC references, LLC of 8 MiB' "$(vm 4f2e)" $lines 1
		check 'loads that hit the L3' "$(vm 4d1)" $lines 1
		check 'L2 misses' "$(vm 3f24)" $lines 1
		check 'L2 requests' "$(vm ff24)" $lines 1
	}
# 512 pages at random through 64 entries, four ways: one in eight hits, and all have room in the
# second level.
kernel=update
callgrind $kernel && virtual '' 2008 e08 81d0 82d0 &&
	{
		check 'second-level TLB hits' "$(vm 2008)" $((n * 7 / 8)) 2
		check 'loads' "$(vm 81d0)" "$(cg Dr)" 1
		check 'stores' "$(vm 82d0)" "$(cg Dw)" 1
		check_range walks "$(vm e08)" 0 600
	}
# A multiplication and an addition a round.
kernel=triad
callgrind $kernel && virtual '' 1c7 3c7 fcc7 10c7 1c4 10c4 &&
	{
		check 'scalar double' "$(vm 1c7)" $((8 * n)) 0
		check 'scalar' "$(vm 3c7)" $((8 * n)) 0
		check 'conditional branches' "$(vm 1c4)" "$(cg Bc)" 1
		check_range packed "$(vm fcc7)" 0 0
		check_range '256-bit double' "$(vm 10c7)" 0 0
	}
kernel=call
virtual '' 2c4 8c4 && check returns "$(vm 8c4)" "$(vm 2c4)" 1
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
