#!/bin/bash
# SPDX-License-Identifier: MIT
# Register accesses of our component and of the kernel's driver for the same events, as `make bench`
# prints them: a read of 7 counters and one of the window is that and nothing else, in both; starting
# again and stopping take ours fewer; while counters run nobody accesses anything.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

"$SRCDIR/bench/drivers" >out || fail "bench/drivers ended with $?"
cat out
row() { awk -v phase="$1" '$1 == phase && $2 ~ /^[0-9]+$/ { print $2, $3, $4, $5, $6, $7 }' out; }
is() { [ "$(row "$1")" = "$2" ] || fail "$1: $(row "$1"), expected $2"; }
fewer() {	# fewer PHASE
	row "$1" | awk '{ ok = $1 + $2 + $3 > 0 && $1 + $2 + $3 < $4 + $5 + $6 } END { exit !ok }' ||
		fail "$1: not fewer accesses: $(row "$1")"
}
is read '7 0 1 7 0 1'
is idle '0 0 0 0 0 0'
fewer start
fewer stop
exit "$failed"
