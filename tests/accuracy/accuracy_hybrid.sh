#!/bin/bash
# SPDX-License-Identifier: MIT
# What the uncore of virtual hybrid processors counts of work on P cores, on E cores, and on both:
# sweeps over an array that fits in no cache against arithmetic, cores that share an L2 or not, and
# a walk at random against cachegrind. Within 1 % and, of cachegrind, 5 %: the program does some
# little things besides, and cachegrind has no L2.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../bench/stack.sh"
requires "$vpmu" "set VPMU or STAGE"
export VPMU_TALLY=$scratch/tally	# its program leaves its counters as they are on purpose
lines=65536 sweeps=$((2 * 65536))
few=$((lines / 100))
passed=0 failed=0

if ! ${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -g -fno-tree-vectorize \
		"$root/tests/accuracy/hybrid.c" -o "$scratch/hybrid" >"$scratch/cc" 2>&1; then
	cat "$scratch/cc"
	echo "FAILED: hybrid.c does not compile"
	exit 1
fi

run() {		# run MACHINE "OPTIONS" ARGUMENT...
	what="$1 ${*:4}"
	# shellcheck disable=SC2086
	"$vpmu" run --strict -m "$1" $2 -- "$scratch/hybrid" "${@:3}" >"$scratch/out" 2>"$scratch/err" &&
		[ ! -s "$scratch/err" ] && return
	cat "$scratch/out" "$scratch/err"
	echo "FAILED: $what does not run"
	failed=$((failed + 1))
	: >"$scratch/out"
}

count() { awk -v e="$1" '$1 == e { print $2 }' "$scratch/out"; }

tell() {	# tell STATUS NAME GOT WANT
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED:"
	fi
	printf '%-38s %-13s %8s  wants %s\n' "$what" "$2" "${3:-none}" "$4"
}

check() {	# check NAME WANT [PERCENT]
	within "$(count "$1")" "$2" "${3:-1}"
	tell $? "$1" "$(count "$1")" "$2"
}

check_few() {	# check_few NAME
	[ "$(count "$1")" -lt $few ] 2>/dev/null
	tell $? "$1" "$(count "$1")" "less than $few"
}

memory() {	# memory READS: by the commands, and by the free-running counters
	check reads "$1"
	check free "$1"
}

# Every line is read from memory each time, by any core. Its request takes 180 clocks.
small='--l2 64K,8,64 --llc 640K,16,64'
for cpus in 0 16 '3 23'; do
	# shellcheck disable=SC2086
	set -- $cpus
	run adl-8p8e24t "$small" adl read $lines "$@"
	check misses $((sweeps * $#))
	check lookups $((sweeps * $#))
	check requests $((sweeps * $#))
	check occupancy $((180 * sweeps * $#))
	memory $((sweeps * $#))
	check_few writes
done
# All are written back but those that the LLC keeps. Lookups are by reads, and by what the L2 lets
# go.
run adl-8p8e24t "$small" adl write $lines 16
check misses $sweeps
check writes $((sweeps - 10240))
check lookups $((2 * sweeps - 1024))
run adln-8e8t '--l2 64K,8,64 --llc 128K,16,64' adl read $lines 7
check misses $sweeps
memory $sweeps

# An array of 1 MiB fits the L2 of each core or cluster in use, which requests each line once.
for row in '1 0' '2 0 2' '1 16 17 19' '2 16 20' '2 1 16 17'; do
	# shellcheck disable=SC2086
	set -- $row
	run adl-8p8e24t "" adl read 16384 "${@:2}"
	check lookups $((16384 * $1))
	check misses 16384
done

# Meteor Lake: cores of the SoC tile, CPUs 20 and 21, do not go through the CBos.
small='--l2 64K,8,64 --llc 512K,16,64'
for cpus in 0 15 20 '2 21'; do
	# shellcheck disable=SC2086
	set -- $cpus
	run mtl-6p8e2lp22t "$small" mtl read $lines "$@"
	memory $((sweeps * $#))
	check transactions $((sweeps * $#))
	if [ "$cpus" = 20 ]; then
		check_few lookups
		check allocations $sweeps
	else
		check misses $sweeps
		check occupancy $((180 * sweeps))
		[ $# = 2 ] && check allocations $sweeps || check_few allocations
	fi
	check clocks-soc "$(count clocks)"
done
# Modified lines are in their L2 until they are written to memory.
run mtl-6p8e2lp22t "$small" mtl write $lines 20
check writes $((sweeps - 1024))
run lnl-4p4e8t "$small" lnl read $lines 1 6
memory $((2 * sweeps))

if command -v valgrind >/dev/null; then
	llc=1048576,16,64	# 8 slices
	cachegrind_program "$scratch/cg" "$scratch/hybrid" none random $lines 0 >"$scratch/out" 2>&1
	want=$(cachegrind_misses "$scratch/cg" wander)
	[ "$want" -gt 100000 ] || tell 1 "cachegrind's misses" "$want" "more than 100000"
	for cpu in 4 14; do
		run adl-7p4e18t "--l2 64K,8,64 --llc $llc" adl random $lines $cpu
		check misses "$want" 5
	done
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
