#!/bin/bash
# SPDX-License-Identifier: MIT
# A process with threads forks, and its child makes threads, as it may natively: whether the threads
# of the parent wait, run, end at that time or were joined before; and the child's child as well.
# Then the child of a process that counts through PAPI, which has a thread of its own, counts again.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 "${CC:-cc}"
export VPMU_TALLY=$scratch/tally

compile "$scratch/forks" forks.c -O1 -pthread || exit 1
for kind in waiting running making joined; do
	timeout $HANG_SECONDS "$vpmu" run -m skl-4c8t "$scratch/forks" $kind >"$scratch/out" 2>&1
	verdict "parent's threads: $kind" $?
done

# 16 MiB, of which the child reads each line once.
if [ -n "${STAGE_LIB:-}" ]; then
	compile "$scratch/counts" fork_counts.c -O1 -I"$STAGE/include" -L"$STAGE_LIB" \
		-Wl,-rpath,"$STAGE_LIB" -lpapi || exit 1
	timeout $HANG_SECONDS "$vpmu" run -m skl-4c8t "$scratch/counts" >"$scratch/out" 2>&1
	verdict "the child of a process that counts" $?
	lines=$(sed -n 1p "$scratch/out")
	[ "$lines" -ge 262144 ] && [ "$lines" -le $((262144 + 2621)) ]
	verdict "the child's count: $lines of 262144 lines, and 1 %" $?
fi
finish
