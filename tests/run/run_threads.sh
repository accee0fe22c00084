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
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/threads_repeat.c
. "$(dirname "${BASH_SOURCE[0]}")/../support/digits.sh"
cd "$scratch" || exit 1
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -pthread -o threads "$source" || exit 1
for way in share pad l2 memory array condvar pause no-pause spin-lock rwlock pipes timeouts timers \
	sigwait; do
	repeats ./threads $way
done
# A thread that waits uses no CPU time of the host, whose clock runs ahead of the machine's.
"${clean[@]}" "$(command -v vpmu)" run -- ./threads sleeper >out && grep -q '^0 0 1 ' out && ok ||
	bad "a sleeping thread used the host's CPU: $(cat out)"
# All threads on one CPU of the machine.
repeats taskset -c 0 ./threads pad
if ${CC:-cc} -fopenmp -std=c11 -D_GNU_SOURCE -O2 -pthread -o openmp "$source" 2>/dev/null; then
	repeats ./openmp loops
	repeats ./openmp tasks
	clean+=(OMP_WAIT_POLICY=passive)
	repeats ./openmp loops
else
	echo "skipped: OpenMP: ${CC:-cc} has none"
fi
cat >atomic.cc <<'CODE'
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>
int main()
{
	std::atomic<unsigned long> sum{0}, spins{0};
	std::atomic<int> turn{0};
	std::vector<std::thread> threads;
	for (int me = 0; me < 4; me++)
		threads.emplace_back([&, me] {
			for (int i = 0; i < 50; i++) {
				while (turn.load(std::memory_order_acquire) != me)
					spins++;
				sum += (unsigned long)i;
				turn.store((me + 1) % 4, std::memory_order_release);
			}
		});
	for (auto &t : threads)
		t.join();
	std::printf("%lu %lu\n", sum.load(), spins.load());
}
CODE
if ${CXX:-c++} -std=c++11 -O2 -pthread -o atomic atomic.cc 2>/dev/null; then
	repeats ./atomic
else
	echo "skipped: std::atomic: there is no C++ compiler"
fi
cat >rust.rs <<'CODE'
use std::sync::{mpsc, Arc, Mutex};
use std::thread;
fn main() {
    let sum = Arc::new(Mutex::new(0u64));
    let (send, receive) = mpsc::channel();
    let start = |me: u64| {
        let (sum, send) = (sum.clone(), send.clone());
        thread::spawn(move || {
            for i in 0..500 {
                *sum.lock().unwrap() += i * me;
                send.send(i).unwrap();
            }
        })
    };
    let threads: Vec<_> = (0..4).map(start).collect();
    drop(send);
    let received: u64 = receive.iter().sum();
    for t in threads {
        t.join().unwrap();
    }
    println!("{} {}", sum.lock().unwrap(), received);
}
CODE
if rustc -O -o rust rust.rs 2>/dev/null; then
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
	# A thread of the pool polls until another one gets the interpreter's lock.
	cat >pool.py <<-'CODE'
	import multiprocessing
	def work(k):
	    return sum(i * k for i in range(2000))
	with multiprocessing.get_context('fork').Pool(2) as pool:
	    print(pool.map(work, range(4)))
	CODE
	"${clean[@]}" timeout 300 "$(command -v vpmu)" run -- python3 -I -S pool.py >out </dev/null
	[ "$(cat out)" = '[0, 1999000, 3998000, 5997000]' ] && ok ||
		bad "multiprocessing.Pool: '$(cat out)'"
fi
command -v xz >/dev/null && repeats xz -T4 --block-size=20KiB -kc numbers
command -v zstd >/dev/null && repeats zstd -q -T4 -kc numbers
repeats sort -n --parallel=4 numbers
finish
