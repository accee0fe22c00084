/* SPDX-License-Identifier: MIT */
#include "asleep.h"

#include <time.h>

#define MARGIN_NS 1000000	/* as the clocks are not read at one moment; no sleep is so short */
#define TICKS_NS 50000000	/* by which the coarse clock may be behind; nor as this */

static int64_t read_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The monotonic clock stands still while the machine is suspended, that of the boot does not. */
int64_t ipmu_asleep_ns(void)
{
	int64_t running = read_ns(CLOCK_MONOTONIC);

	return read_ns(CLOCK_BOOTTIME) - running;
}

/* Read the clocks in the other order: a delay between the two makes the result smaller. */
bool ipmu_asleep_since(int64_t asleep_ns)
{
	int64_t all = read_ns(CLOCK_BOOTTIME);

	/* Every read of counters checks this, and a coarse clock is read in a tenth of the time. */
	if (all - read_ns(CLOCK_MONOTONIC_COARSE) <= asleep_ns + TICKS_NS)
		return false;
	return all - read_ns(CLOCK_MONOTONIC) > asleep_ns + MARGIN_NS;
}
