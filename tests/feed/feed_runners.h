/* SPDX-License-Identifier: MIT */
/* Threads on the first CPUs of such a machine, one each, for tests of the feed's caches. */
#ifndef FEED_RUNNERS_H
#define FEED_RUNNERS_H

#include "feed_machine.h"
#include "virtual_pmu/feed/thread/machine_lock.h"

#define RUNNERS 5	/* a machine may have fewer CPUs */

static struct vpmu_segment *segment;
static struct vpmu_caches caches;
static struct vpmu_runner runner[RUNNERS];
static uint64_t clock_slot[RUNNERS];
static uint32_t cpu_slot[RUNNERS];

static inline void start(const struct vpmu_machine *m)
{
	segment = segment_of(m);
	assert_int_equal(vpmu_caches_open(&caches, segment), 0);
	memset(runner, 0, sizeof(runner));
	for (uint32_t i = 0; i < RUNNERS; i++) {
		cpu_slot[i] = i;
		runner[i].tid = i + 1;
		runner[i].cpu_slot = &cpu_slot[i];
		runner[i].clock_slot = &clock_slot[i];
		vpmu_caches_place(&caches, &runner[i], i);
	}
}

static inline void stop_runners(void)
{
	for (uint32_t i = 0; i < RUNNERS; i++)
		vpmu_runner_release(segment, &runner[i]);
	assert_int_equal(segment->lock.word, 0);
	free(segment);
}

static inline void access_line(int core, uint64_t line, enum vpmu_touch kind)
{
	vpmu_caches_access(&caches, &runner[core], vpmu_runner_tag(&runner[core], line * 64), kind);
}

static inline void load(int core, uint64_t line)
{
	access_line(core, line, VPMU_LOAD);
}

static inline void store(int core, uint64_t line)
{
	access_line(core, line, VPMU_STORE);
}

static inline void forget(void)
{
	memset(&seen, 0, sizeof(seen));
}

#endif
