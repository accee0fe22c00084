#!/bin/bash
# SPDX-License-Identifier: MIT
# With --devices other users may write a machine's segment. Whatever they write, vpmu itself neither
# crashes nor prints without end: the program on the machine writes what they would.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
compile "$scratch/scribble" scribble.c -I"$SRCDIR/virtual_pmu" -I"$SRCDIR/common" || exit 1
cd "$scratch" || exit 1
export VPMU_TALLY=$scratch/tally
run() { timeout $HANG_SECONDS "$vpmu" run --no-feed "$@" >out 2>&1 </dev/null; }

# The number of records that a segment has, and a line or two beside them.
lines=$(awk '$2 ~ /^VPMU_(UNDRIVEN|BY_KERNEL|VIOLATIONS)_KEPT$/ { n += $3 } END { print n + 8 }' \
	"$SRCDIR/virtual_pmu/machine/segment.h")
is 'the lists have bounds' 1 "$((lines > 8))"
for machine in skl-1c2t icl-2c4t nhmex-2p16c32t p4-2p4t core2-4c knc-4c16t; do
	for how in 'lists 1' 'random 2' 'random 3'; do
		rm -rf seg*
		# shellcheck disable=SC2086
		run -m $machine -s seg --devices 0666 ./scribble seg $how
		is "$machine, $how: status" 0 $?
		[ "$(wc -l <out)" -le "$lines" ] || bad "$machine, $how: $(wc -l <out) lines"
		run -s seg --devices 0666 --cpus 0 true
		is "$machine, $how: the next run" 0 $?
	done
done

# Cut between vpmu's check and its report: for the check, nothing seems to be missing.
compile whole.so whole.c -shared -fPIC || exit 1
rm -rf seg*
LD_PRELOAD=$scratch/whole.so run -m skl-1c2t -s seg --devices 0666 env -u LD_PRELOAD sh -c ': >seg'
is 'cut while it is in use' '125 1' "$? $(grep -c 'the segment was truncated while it was in use' out)"
finish
