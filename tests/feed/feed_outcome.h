/* SPDX-License-Identifier: MIT */
/* For tests that compare two ways to do the same accesses with the plugin, by all that comes of
 * them: the caches, the clock, and what the model is told. */
#ifndef FEED_OUTCOME_H
#define FEED_OUTCOME_H

#include "feed_machine.h"
#include "feed_qemu.h"
#include "virtual_pmu/feed/thread/emulated_thread.h"

#define LATER (UINT32_C(1) << 30)	/* misses */

static struct vpmu_llc_counts counts;

struct outcome {
	uint64_t hash, clock;
	struct record seen;
	struct vpmu_llc_counts counts;
};

/* As the machine was when it was switched on. The thread then begins with its first block. */
static inline void clear_machine(void)
{
	memset((unsigned char *)segment + segment->caches_offset, 0, segment->caches_bytes);
	memset(&seen, 0, sizeof(seen));
	memset(&counts, 0, sizeof(counts));
	segment->uclk[0] = 0;
}

static inline void never_or_always(bool defers)
{
	struct vpmu_emulated *t = vpmu_self;

	t->runner.deferring = defers ? &t->deferring : NULL;
	t->runner.judged_at = defers ? t->runner.scattered : t->runner.scattered + LATER;
}

/* The thread has begun: from clock 0 on, on CPU 0. */
static inline void begin_outcome(bool defers)
{
	vpmu_thread_find(segment, vpmu_gettid())->cpu = 0;
	vpmu_self->runner.clock = vpmu_self->runner.numbered = 0;
	never_or_always(defers);
}

static inline void end_thread(void)
{
	call(SYS_exit, 0, 0);
}

/* Ends the thread, and returns the outcome: clock, counts, a hash of the caches. */
static inline struct outcome end_outcome(void)
{
	unsigned char *caches = (unsigned char *)segment + segment->caches_offset;
	struct outcome o = { 0 };

	synchronise();
	o.clock = vpmu_self->runner.clock;
	o.seen = seen;
	o.counts = counts;
	end_thread();
	o.hash = hash_of(caches, segment->caches_bytes);
	return o;
}

/* But for the caches, which also have the number of each line's last use. */
static inline void assert_same_counts(const struct outcome *a, const struct outcome *b)
{
	assert_int_equal(a->clock, b->clock);
	assert_memory_equal(&a->seen, &b->seen, sizeof(a->seen));
	assert_memory_equal(&a->counts, &b->counts, sizeof(a->counts));
}

static inline void assert_same_outcome(const struct outcome *a, const struct outcome *b)
{
	assert_same_counts(a, b);
	assert_int_equal(a->hash, b->hash);
}

/* The thread goes to another core. */
static inline void change_cpu(uint32_t cpu)
{
	call(SYS_sched_setaffinity, 0, 0);
	vpmu_thread_find(segment, vpmu_gettid())->cpu = cpu;
	system_call_return(1, 0, SYS_sched_setaffinity, 0);
}

/* A machine of two cores with small caches, and the plugin. */
static inline int install_plugin(void)
{
	const struct vpmu_machine m = {
		.name = "test", .packages = 1, .cores = 2, .threads = 1, .slices = 4,
		.l1i = { 1024, 8, 64 }, .l1d = { 1024, 8, 64 }, .l2 = { 2048, 4, 64 },
		.llc = { 4 * 8192, 16, 64 }, .llc_level = 3,
		.llc_clocks = 30, .memory_clocks = 100, .write_clocks = 60, .fill_buffers = 4,
	};
	char here[] = "segment=here";
	char *arguments[] = { here };

	segment = segment_of(&m);
	llc_counts = &counts;
	return qemu_plugin_install(1, &x86_64, 1, arguments);
}

/* And the test's blocks. */
static inline int install_blocks(void (*make)(int which), int blocks)
{
	if (install_plugin())
		return -1;
	for (int i = 0; i < blocks; i++)
		make(i);
	return 0;
}

static inline int free_machine(void **state)
{
	(void)state;
	free(segment);
	return 0;
}

#endif
