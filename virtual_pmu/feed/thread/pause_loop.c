/* SPDX-License-Identifier: MIT */
#include "pause_loop.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

#define SLEEP_NS 50000

bool vpmu_is_pause(const uint8_t *bytes, size_t count)
{
	return count == 2 && bytes[0] == 0xf3 && bytes[1] == 0x90;
}

enum vpmu_spin vpmu_spinning(struct vpmu_spinning *s, uint64_t clock, uint32_t within)
{
	uint64_t since = clock - s->clock;

	s->clock = clock;
	s->pauses = since < within ? s->pauses + 1 : 0;
	if (!s->pauses || s->pauses % VPMU_SPIN_PATIENCE)
		return VPMU_SPIN_ON;
	return s->pauses < VPMU_SPIN_SLEEPS ? VPMU_SPIN_YIELD : VPMU_SPIN_SLEEP;
}

enum vpmu_spin vpmu_spinning_polls(struct vpmu_spinning *s, uint32_t version)
{
	s->polls = version == s->version ? s->polls + 1 : 0;
	s->version = version;
	if (s->polls < VPMU_POLL_PATIENCE)
		return VPMU_SPIN_ON;
	return s->polls < VPMU_POLL_SLEEPS ? VPMU_SPIN_YIELD : VPMU_SPIN_SLEEP;
}

void vpmu_spin_do(enum vpmu_spin what)
{
	int saved = errno;

	if (what == VPMU_SPIN_YIELD)
		sched_yield();
	else if (what == VPMU_SPIN_SLEEP)
		nanosleep(&(struct timespec){ .tv_nsec = SLEEP_NS }, NULL);
	errno = saved;
}
