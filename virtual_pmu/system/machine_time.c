/* SPDX-License-Identifier: MIT */
/* The time of the machine, for time.c and timers.c. It is what a thread has executed, and on top
 * what has passed in waits. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "calls.h"
#include "system.h"

#define SECOND INT64_C(1000000000)
#define START (VPMU_TIME_START * SECOND)

uint64_t vpmu_system_timer_clock = UINT64_MAX;

const struct vpmu_thread *vpmu_time_thread(void)
{
	if (vpmu_system.left_out)
		return NULL;
	return vpmu_thread_find(vpmu_system.segment, vpmu_gettid());
}

int64_t vpmu_time_executed(void)
{
	const struct vpmu_thread *t = vpmu_time_thread();

	return t ? (int64_t)__atomic_load_n(&t->clock, __ATOMIC_RELAXED) :
		   (int64_t)vpmu_newest_clock(vpmu_system.segment);
}

int64_t vpmu_time_waited(void)
{
	return (int64_t)__atomic_load_n(&vpmu_system.segment->waited, __ATOMIC_RELAXED);
}

int64_t vpmu_time_now(void)
{
	return vpmu_time_executed() + vpmu_time_waited();
}

void vpmu_time_reach(int64_t time)
{
	uint64_t *waited = &vpmu_system.segment->waited, now = (uint64_t)vpmu_time_waited();
	int64_t needed = time - vpmu_time_executed();

	while (needed > (int64_t)now &&
	       !__atomic_compare_exchange_n(waited, &now, (uint64_t)needed, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
	/* Timers expire at another clock now. */
	if (__atomic_load_n(&vpmu_system_timer_clock, __ATOMIC_RELAXED) != UINT64_MAX)
		__atomic_store_n(&vpmu_system_timer_clock, 0, __ATOMIC_RELAXED);
}

int64_t vpmu_time_put(uint64_t address, const void *from, size_t bytes)
{
	void *at = vpmu_system.memory->memory(address, bytes, true);

	if (!at)
		return -EFAULT;
	memcpy(at, from, bytes);
	return 0;
}

struct timeval vpmu_time_value(int64_t ns)
{
	return (struct timeval){ ns / SECOND, ns % SECOND / 1000 };
}

int64_t vpmu_time_origin(int64_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
	       clock == CLOCK_REALTIME_ALARM ? START : 0;
}

/* Below 0: those of another process or thread. */
bool vpmu_time_is_of_cpu(int64_t clock)
{
	return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID ||
	       (int32_t)clock < 0;
}
