/* SPDX-License-Identifier: MIT */
/* The host's time stamp counter, which a booted machine has as its own. A kernel that measures it
 * by the emulator's devices gets another frequency when the host is busy. */
#include <time.h>

#include "host.h"

#ifdef __x86_64__
#include <x86intrin.h>

#define READINGS 16	/* the one that took least was not interrupted */
#define APART_NS 4000000

struct clock_reading { uint64_t ticks, ns; };

static struct clock_reading read_both(void)
{
	struct clock_reading best = { 0 };
	uint64_t least = UINT64_MAX;
	struct timespec now;

	for (int i = 0; i < READINGS; i++) {
		uint64_t before = __rdtsc(), took;

		clock_gettime(CLOCK_MONOTONIC, &now);
		took = __rdtsc() - before;
		if (took >= least)
			continue;
		least = took;
		best.ticks = before + took / 2;
		best.ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	}
	return best;
}

uint64_t vpmu_tsc_khz(void)
{
	struct clock_reading first = read_both(), second;

	nanosleep(&(struct timespec){ .tv_nsec = APART_NS }, NULL);
	second = read_both();
	if (second.ns <= first.ns)
		return 0;
	return (second.ticks - first.ticks) * 1000000 / (second.ns - first.ns);
}
#else
uint64_t vpmu_tsc_khz(void)
{
	return 0;
}
#endif
