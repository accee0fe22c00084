// SPDX-License-Identifier: MIT
/* Four threads take turns by std::atomic. */
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
