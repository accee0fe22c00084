#!/bin/bash
# SPDX-License-Identifier: MIT
# Counts of programs of several processes repeat to the digit, alone and beside busy processes: they
# run one at a time, in the order of their clocks. A process that is killed or stopped while it has
# the turn loses it. RUNS is how often each program is counted.
set -u
export TMPDIR=/tmp
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run vpmu qemu-x86_64 "${CC:-cc}"
runs=${RUNS:-2} differs=1
. "$(dirname "${BASH_SOURCE[0]}")/../support/digits.sh"
cd "$scratch" || exit 1
compile processes processes_repeat.c -O2 -pthread || exit 1

seq 1 3000 | tac >numbers
for way in increments memory ring semaphores pipeline spawn programs threads signals; do
	repeats ./processes $way
done
# A process that waits by loads alone ends its turn after 1,024 to 2,048 clocks: 400 turns of the ring.
clocks=$(digits ./processes ring)
[ "${clocks%% *}" -lt $((400 * 5000)) ] && ok || bad "400 turns of the ring took ${clocks%% *} clocks"
# What they have done is what they do natively.
for way in increments memory ring semaphores pipeline spawn programs signals; do
	"${clean[@]}" ./processes $way >natively
	"${clean[@]}" timeout 300 "$(command -v vpmu)" run -- ./processes $way >out &&
		cmp -s natively out && ok || bad "$way: $(diff natively out)"
done
# The owner of the turn is killed, and stopped. The limit is for a hang: the others wait for 100 ms.
compile spin ../guest/spin.c -O1 || exit 1
cat >lost.sh <<'CODE'
./spin 100000000000 & owner=$!
./spin 100000 && kill -KILL $owner && wait $owner
./spin 100000 && echo killed
./spin 100000000000 & owner=$!
./spin 100000 && kill -STOP $owner
./spin 100000 && echo stopped
kill -CONT $owner
./spin 100000 && kill -TERM $owner
wait $owner
echo $?
CODE
timeout 300 vpmu run -- dash lost.sh >out 2>err
[ "$(paste -sd ' ' out)" = 'killed stopped 143' ] && ok ||
	bad "a killed and a stopped process: $(cat out err)"
finish
