#!/bin/bash
# SPDX-License-Identifier: MIT
# What the virtual Core 2's cores count of small kernels, against callgrind's counts of the same
# functions and what they call, and against arithmetic. Callgrind runs here and now; nothing is
# stored. Tolerances:
# - 1 % for what both count by the same rule: starting and stopping the counters adds about a
#   thousand instructions to the millions of a kernel. The kernels have no instruction that reads
#   and writes the same memory, which callgrind would count as a read only.
# - 5 % for misses of the L1, which keeps something from what ran before.
# - Mispredictions depend on the predictor, and ours is not callgrind's. They agree for indirect
#   calls, as both foresee the last target; a predictable kernel has less than 1 % in both; and of
#   three conditions of which two are random, true in 1/2 and 1/4 of the cases, no predictor can
#   foresee more than what leaves 3/4 miss per round, nor should a sane one miss half more.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../bench/stack.sh"
machine=core2-4c
least=100000
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

# check KERNEL WHAT GOT WANT PERCENT
check() {
	if within "${3:-none}" "$4" "$5"; then
		passed=$((passed + 1))
	else
		echo "FAILED: wants $4 within $5 %:"
		failed=$((failed + 1))
	fi
	printf '%-9s %-22s %9s  wants %9s  %s\n' "$1" "$2" "${3:-none}" "$4" \
		"$(percent "${3:-0}" "$4")"
}

# check_range KERNEL WHAT GOT LOW HIGH
check_range() {
	if awk -v g="${3:-x}" -v l="$4" -v h="$5" 'BEGIN { exit !(g ~ /^[0-9]+$/ && g >= l && g <= h) }'
	then
		passed=$((passed + 1))
	else
		echo "FAILED: wants $4 to $5:"
		failed=$((failed + 1))
	fi
	printf '%-9s %-22s %9s  wants %9s to %s\n' "$1" "$2" "${3:-none}" "$4" "$5"
}

# callgrind KERNEL: leaves lines "EVENT COUNT" in $scratch/KERNEL.cg
callgrind() {
	valgrind -q --tool=callgrind --cache-sim=yes --branch-sim=yes --I1=32768,8,64 \
		--D1=32768,8,64 --LL=4194304,16,64 --toggle-collect="$1_kernel" \
		--callgrind-out-file="$scratch/out" "$kernels" "$1" >"$scratch/log" 2>&1 &&
		awk '/^events:/ { for (i = 2; i <= NF; i++) name[i] = $i }
			/^totals:/ { for (i = 2; i <= NF; i++) print name[i], $i }' "$scratch/out" \
			>"$scratch/$1.cg"
}

# virtual KERNEL SELECT...: leaves lines "SELECT COUNT" in $scratch/KERNEL.vm
virtual() {
	"$vpmu" run --strict -m $machine -- "$kernels" "$@" >"$scratch/$1.vm" 2>"$scratch/log"
}

cg() {	# callgrind leaves zeros at the end of the line away
	awk -v e="$2" '$1 == e { n = $2 } END { printf "%d\n", n }' "$scratch/$1.cg"
}

vm() {
	awk -v e="$2" '$1 == e { print $2; exit }' "$scratch/$1.vm"
}

# compare KERNEL WHAT SELECT CALLGRIND-COUNT PERCENT: if there is enough of it
compare() {
	[ "$4" -lt $least ] || check "$1" "$2" "$(vm "$1" "$3")" "$4" "$5"
}

# In pairs, for the two counters: retired loads, stores; conditional, indirect; their
# mispredictions; lines brought to the L1D, retired instructions; returns, calls; SSE scalar double,
# multiplies; loads that missed the DTLB.
selects='1c0 2c0 8b 8d 8c 8e f45 c0 8f 92 8ca 12 208'
for kernel in sum triad update branch call indirect crossing; do
	# shellcheck disable=SC2086
	if ! callgrind $kernel || ! virtual $kernel $selects; then
		cat "$scratch/log"
		echo "FAILED: $kernel does not run"
		failed=$((failed + 1))
		continue
	fi
	bc=$(cg $kernel Bc)
	check $kernel instructions "$(vm $kernel instructions)" "$(cg $kernel Ir)" 1
	check $kernel "instructions, PMC" "$(vm $kernel c0)" "$(cg $kernel Ir)" 1
	compare $kernel loads 1c0 "$(cg $kernel Dr)" 1
	compare $kernel stores 2c0 "$(cg $kernel Dw)" 1
	compare $kernel "conditional branches" 8b "$bc" 1
	compare $kernel "indirect branches" 8d "$(cg $kernel Bi)" 1
	compare $kernel "  mispredicted" 8e "$(cg $kernel Bim)" 1
	compare $kernel "L1D lines in" f45 $(($(cg $kernel D1mr) + $(cg $kernel D1mw))) 5
	case $kernel in
	sum | triad | update | indirect | crossing)
		check_range $kernel "mispredicted" "$(vm $kernel 8c)" 0 $((bc / 100))
		check_range $kernel "  by callgrind" "$(cg $kernel Bcm)" 0 $((bc / 100))
		;;
	branch)
		check_range $kernel "mispredicted" "$(vm $kernel 8c)" $((n * 3 / 4 * 95 / 100)) \
			$((n * 3 / 4 * 150 / 100))
		check_range $kernel "  by callgrind" "$(cg $kernel Bcm)" \
			$((n * 3 / 4 * 95 / 100)) $((n * 3 / 4 * 150 / 100))
		;;
	esac
done
check crossing "instructions" "$(vm crossing instructions)" $((4 * n)) 1
check indirect calls "$(vm indirect 92)" $n 1
check indirect returns "$(vm indirect 8f)" $n 1
check call returns "$(vm call 8f)" "$(vm call 92)" 1
check triad "scalar double" "$(vm triad 8ca)" $((8 * n)) 1
check triad multiplies "$(vm triad 12)" $((4 * n)) 1
# 512 pages at random through 64 entries: one in eight hits. Three arrays of 512 pages, four times.
check update "loads, DTLB missed" "$(vm update 208)" $((n * 7 / 8)) 2
check triad "loads, DTLB missed" "$(vm triad 208)" $((2 * 512 * 4)) 2
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
