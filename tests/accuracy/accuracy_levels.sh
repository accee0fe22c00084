#!/bin/bash
# SPDX-License-Identifier: MIT
# Clocks per line by the level that has it, for programs: one loads lines by computed addresses, one
# chases pointers. The machines stand for all kinds of levels (feed_levels has all machines). Within
# 3 % a line takes latency / buffers clocks, or those of its instructions if these are more. It
# takes at most both after each other, as the clocks of a block come before its loads. A block has 8
# lines, and 11 or 10 instructions, one in a clock.
#
# Where the clock estimates time, two loads begin in a clock (Intel's optimization manual, 248966),
# or one each 4 if it needs the address of the one before. The L2 delivers a line each 2 clocks, 12
# clocks after the request. A chase waits for each line until it has come, and for its page: 9
# clocks where the page is in the second level of the translation buffer, else 26. The branch that
# ends a sweep is mispredicted, which is 16 clocks: with 128 lines 0.125 of a line.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../bench/stack.sh"
requires "$vpmu" "set VPMU or STAGE"
passed=0 failed=0

if ! ${CC:-cc} -std=c11 -O2 -fno-stack-protector -nostdlib -static \
		"$root/tests/run/levels.c" -o "$scratch/levels" >"$scratch/cc" 2>&1; then
	cat "$scratch/cc"
	echo "FAILED: levels.c does not compile"
	exit 1
fi

# clock LINES SWEEPS: the machine's uncore clock when the program has ended
clock() {
	rm -f "$scratch/segment"
	# shellcheck disable=SC2086
	"$vpmu" run -m "$name" $options -s "$scratch/segment" -- \
		"$scratch/levels" "$kind" "$1" "$2" >"$scratch/out" 2>&1 || cat "$scratch/out" >&2
	"$vpmu" regs -s "$scratch/segment" | sed -n 's/^machine .*uncore clock \([0-9]*\);.*/\1/p'
}

# wanted LEVEL LATENCY: the least and the most clocks of a line
wanted() {
	local table=$1/$kind
	[ "$estimates" = 1 ] || table=
	case $table in
	L1/independent) echo 0.5 0.625 ;;
	L2/independent) echo 2 2.5 ;;
	*/independent) awk "BEGIN { print $2 / $buffers, $2 / $buffers + 0.5 }" ;;
	L1/chase) echo 4 4 ;;
	L2/chase) echo 12 16 ;;
	LLC/chase) echo "$2" $(($2 + 4)) ;;
	memory/chase) echo $(($2 + page)) $(($2 + page + 4)) ;;
	*) awk "BEGIN { a = $instructions / 8; b = $2 / $buffers; print (a > b ? a : b), a + b }" ;;
	esac
}

# level NAME LINES LATENCY: those of some sweeps, by the difference between two runs
level() {
	local sweeps=$(((1 << 17) / $2)) before after got least most verdict=ok
	before=$(clock "$2" 1)
	after=$(clock "$2" $((1 + sweeps)))
	got=$(awk "BEGIN { printf \"%.3f\", (${after:-0} - ${before:-0}) / $2 / $sweeps }")
	read -r least most < <(wanted "$1" "$3")
	if awk "BEGIN { exit !($got >= $least * 0.97 && $got <= $most * 1.03 &&
			$got >= $nearer * 0.97) }"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1)) verdict=FAILED
	fi
	nearer=$got
	printf '%-14s %-12s %-7s %8s  wants %s to %s  %s\n' "$name" "$kind" "$1" "$got" \
		"$least" "$most" $verdict
}

# machine NAME BUFFERS LLC-HIT MEMORY LINES-OF-LLC OPTIONS: where a level is absent a 0
machine() {
	name=$1 buffers=$2 options=$6
	case $name in knc* | core2*) estimates=0 ;; *) estimates=1 ;; esac
	for kind in independent chase; do
		nearer=0 instructions=11
		[ $kind = independent ] || instructions=10
		level L1 128 0
		[ "$l2" = 0 ] || level L2 1024 0
		[ "$5" = 0 ] || level LLC "$5" "$3"
		level memory $memory "$4"
	done
}

l2=1 memory=16384 page=9
machine skl-4c8t 10 34 180 4096 "--l2 128K,8,64 --llc 512K,16,64"
machine knc-4c16t 8 200 300 0 "--l2 128K,8,64"
l2=0
machine core2-4c 8 14 200 4096 "--llc 512K,16,64"
l2=1 memory=131072 page=26
machine lnl-4p4e8t 16 34 180 0 "--cpus 4"	# an E core, which is not behind the LLC
echo "$passed passed, $failed failed"
[ $failed = 0 ]
