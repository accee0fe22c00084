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
# make's jobs, which are pipelines of shells.
cat >Makefile <<'CODE'
all: $(foreach i,1 2 3 4 5 6 7 8,job$(i))
job%:
	@seq $*00 | sort | uniq | tail -n 1
CODE
repeats make -s -j4
# The keys of bash's and Python's tables are process ids, which repeat in a namespace of their own.
cat >jobs.sh <<'CODE'
for i in 1 2 3 4 5 6; do
	part=$(echo $i | tr 1-3 a-c)
	seq ${i}00 | sort -r >"sorted.$part" &
done
wait
cat sorted.*
CODE
# Two threads of the pool return from the host's kernel at one clock, and a third one polls for the
# interpreter's lock.
cat >pool.py <<'CODE'
import multiprocessing
def work(k):
    return sum(i * k for i in range(k))
with multiprocessing.get_context('fork').Pool(4) as pool:
    print(sum(pool.map(work, range(200, 1200, 10))))
CODE
if unshare --pid --fork --mount-proc true 2>/dev/null; then
	namespace=(unshare --pid --fork --mount-proc)
	repeats bash jobs.sh
	if command -v python3 >/dev/null; then
		repeats python3 -I -S pool.py
		[ "$(cat out)" = "$("${clean[@]}" python3 -I -S pool.py)" ] && ok ||
			bad "the pool: $(cat out)"
	fi
	namespace=()
else
	echo "skipped: bash and Python's pool: a namespace of process ids is not permitted"
fi
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
