#!/bin/bash
# SPDX-License-Identifier: MIT
# A thread polls in a loop and releases a lock around each call, as an interpreter does with its own. A
# thread that waits for the lock gets it, although the calls take no time on the machine's clock. The
# lock is CPython's: a waiter is woken at each release, and demands the lock after 5 ms without one.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs qemu-x86_64 "${CC:-cc}"

compile "$scratch/polls" polls.c -O1 -pthread || exit 1

for kind in poll select epoll wait read; do
	for machine in skl-4c8t core2-2c; do
		"$vpmu" run -m $machine "$scratch/polls" $kind >"$scratch/out" 2>&1
		verdict "$machine, $kind" $?
	done
done
finish
