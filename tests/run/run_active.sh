#!/bin/bash
# SPDX-License-Identifier: MIT
# Active Thread of NetBurst's CCCR: a logical processor whose threads wait in the kernel, or that has
# none, is halted, and the other one counts as `single`. Instructions: two a round of the loop.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
"${CC:-cc}" -O1 -D_GNU_SOURCE "$(dirname "$0")/active.c" -o "$scratch/active" -pthread || exit 1

event=netburst_p.instr_retired:NBOGUSNTAG
counts() {	# counts PROGRAM...: sets single and both
	ipmu-run --on p4-1c2t -e $event:threads=single,$event:threads=both "$@" >"$scratch/out" 2>&1
	verdict "$*" $?
	single=$(sed -n 's/.*threads=single *\([0-9]*\)$/\1/p' "$scratch/out")
	both=$(sed -n 's/.*threads=both *\([0-9]*\)$/\1/p' "$scratch/out")
	echo "$*: single $single, both $both"
}

# What the C library does at the start and at the end is less than a tenth of the loop.
alone=6000000 rest=600000
counts "$scratch/active" sleep
[ "$single" -ge "$alone" ] && [ "$single" -le $((alone + rest)) ] && [ "$both" -le "$rest" ]
verdict 'one loops, the other one waits' $?
counts sh -c 'i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done'
[ "$single" -gt 0 ] && [ "$both" = 0 ]
verdict 'one thread' $?
counts "$scratch/active" loop
[ "$both" -ge "$alone" ]
verdict 'both loop' $?
finish
