#!/bin/bash
# SPDX-License-Identifier: MIT
# Counts of programs with threads repeat to the digit, alone and beside busy processes: instructions,
# clocks, lookups of the LLC, DRAM reads, and snoops that find modified lines. What the threads did
# repeats as well. RUNS is how often each program is counted.
set -u
export TMPDIR=/tmp
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run vpmu qemu-x86_64 "${CC:-cc}"
runs=${RUNS:-2}
. "$(dirname "${BASH_SOURCE[0]}")/../support/digits.sh"
cd "$scratch" || exit 1
compile threads threads_repeat.c -O2 -pthread || exit 1
for way in share pad l2 memory array condvar pause no-pause loads spin-lock rwlock pipes timeouts \
	timers sigwait; do
	repeats ./threads $way
done
# A loop of loads alone ends its turn when a search finds it, after 1,024 to 2,048 clocks, not after a slice
# of 20,000: 500 rounds of a barrier.
clocks=$(digits ./threads loads)
[ "${clocks%% *}" -lt $((500 * 5000)) ] && ok || bad "500 rounds of a barrier took ${clocks%% *} clocks"
# A thread that waits uses no CPU time of the host, whose clock runs ahead of the machine's.
"${clean[@]}" "$(command -v vpmu)" run -- ./threads sleeper >out && grep -q '^0 0 1 ' out && ok ||
	bad "a sleeping thread used the host's CPU: $(cat out)"
# All threads on one CPU of the machine.
repeats taskset -c 0 ./threads pad
if compile openmp threads_repeat.c -fopenmp -O2 -pthread 2>/dev/null; then
	repeats ./openmp loops
	repeats ./openmp tasks
	clean+=(OMP_WAIT_POLICY=passive)
	repeats ./openmp loops
else
	echo "skipped: OpenMP: ${CC:-cc} has none"
fi
if ${CXX:-c++} -std=c++11 -O2 -pthread -o atomic "$test_folder/atomic.cc" 2>/dev/null; then
	repeats ./atomic
else
	echo "skipped: std::atomic: there is no C++ compiler"
fi
if rustc -O -o rust "$test_folder/threads.rs" 2>/dev/null; then
	repeats ./rust
else
	echo "skipped: Rust: there is no rustc"
fi
seq 1 20000 | tac >numbers
if command -v python3 >/dev/null; then
	cat >threads.py <<-'CODE'
	import threading
	done = [0] * 4
	def work(k):
	    for i in range(3000): done[k] += i
	threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
	for t in threads: t.start()
	for t in threads: t.join()
	print(done)
	CODE
	repeats python3 -I -S threads.py
fi
command -v xz >/dev/null && repeats xz -T4 --block-size=20KiB -kc numbers
command -v zstd >/dev/null && repeats zstd -q -T4 -kc numbers
repeats sort -n --parallel=4 numbers
finish
