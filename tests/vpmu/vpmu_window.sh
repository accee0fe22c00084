#!/bin/bash
# SPDX-License-Identifier: MIT
# A program that maps the memory controller's window to write it: its writes are writes of registers,
# natively and emulated, whatever signals it blocks and handlers it has. VPMU: the vpmu binary.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
: "${VPMU:?set VPMU to the vpmu binary}"
export VPMU_TALLY=$scratch/tally	# rules are broken on purpose

compile "$scratch/window" window.c -O1 || exit 1

go() { "$VPMU" run "$@" >"$scratch/out" 2>"$scratch/err"; }
go --no-feed -m adl-8p8e24t "$scratch/window"
is "native: status" 0 $?
is "native: registers" "1 fault, selects 22 0, counters 1 above, read 0 of 0" "$(head -n 1 "$scratch/out")"
is "native: faults" "2 faults" "$(tail -n 1 "$scratch/out")"
is "native: messages" "" "$(cat "$scratch/err")"

go --no-feed -m adl-8p8e24t "$scratch/window" broken
is "broken rules: status" 0 $?
is "broken rules" "  window offset 0xD9D0 (MC0_PERFEVTSEL0): wrote 0xFF000022, of which 0xFF000000 is reserved
  window offset 0xD858 (MC0_DATA_READ): wrote 0x1 to a read-only register
  window offset 0x100 (not a register of this machine): write refused" \
	"$(sed -n 's/^vpmu:  /  /p' "$scratch/err" | sed 's/^   /  /')"
go --no-feed -m skl-4c8t "$scratch/window"
is "nothing there is writable" "0 refused" "$? $(cat "$scratch/out")"

if command -v "${VPMU_QEMU:-qemu-x86_64}" >/dev/null; then
	go -m adl-8p8e24t "$scratch/window"
	is "emulated: status" 0 $?
	is "emulated: messages" "" "$(cat "$scratch/err")"
	is "emulated: registers" "1 fault, selects 22 0, counters 1 above," \
		"$(sed -n '1s/ read.*//p' "$scratch/out")"
	# 32,768 lines, and the few that the program itself needs; both kinds of counters alike.
	read -r programmable free <<<"$(sed -n '1s/.* read \(.*\) of /\1 /p' "$scratch/out")"
	[ "$programmable" -ge 32768 ] && [ "$programmable" -lt 33000 ] && ok ||
		bad "$programmable lines were read"
	is "emulated: reads of counters" "0 rounds early" "$(sed -n 2p "$scratch/out")"
	[ $((free - programmable)) -ge 0 ] && [ $((free - programmable)) -lt 9 ] && ok ||
		bad "$programmable lines by one counter, $free by another"
fi
finish
