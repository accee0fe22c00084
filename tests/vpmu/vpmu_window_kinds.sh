#!/bin/bash
# SPDX-License-Identifier: MIT
# Instructions of every kind that access the memory controller's window, in an emulated program: the
# registers take what they store, loads find the registers' values, and the program's own counts are
# those of the same instructions elsewhere. VPMU: the vpmu binary.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${VPMU:?set VPMU to the vpmu binary}"
needs "${VPMU_QEMU:-qemu-x86_64}"
export VPMU_TALLY=$scratch/tally	# registers are left changed on purpose

compile "$scratch/kinds" window_kinds.c -O1 -pthread || exit 1
compile "$scratch/clocks" window_clocks.c -O1 || exit 1

"$VPMU" run -m adl-8p8e24t "$scratch/kinds" >"$scratch/out" 2>"$scratch/err"
is "status" 0 $?
is "kinds of instructions" "0 wrong" "$(cat "$scratch/out")"
is "messages" "" "$(cat "$scratch/err")"

"$VPMU" run -m skl-4c8t "$scratch/clocks" >"$scratch/out" 2>"$scratch/err"
is "clocks: status" 0 $?
read -r own window either <"$scratch/out"
# An access to the window is executed by itself, so the loop is other blocks; they cost about the same.
for got in "$window" "$either"; do
	[ "$got" -ge "$own" ] && [ "$got" -le $((own * 5 / 4)) ] && ok || bad "$got clocks for the loop's $own"
done
# The front end takes four instructions a clock, or two of the three operations of XCHG more.
[ "$own" -ge 2250 ] && [ "$own" -lt 2900 ] && ok || bad "$own clocks"
finish
