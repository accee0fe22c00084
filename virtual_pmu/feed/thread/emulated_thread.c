/* SPDX-License-Identifier: MIT */
/* Starts and ends the threads that the feed watches. vpmu_emulated_start() sets the calling
 * thread's vpmu_self at its first block; vpmu_emulated_end() releases it. */
#include "emulated_thread.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "../cache/contention.h"
#include "../core/core_feed.h"
#include "../core/predictor.h"
#include "../profile/follower.h"
#include "machine_lock.h"

#define SLOW __attribute__((noinline, cold))
#define PARENTS_MAX 4096

struct vpmu_feed vpmu_feed;
__thread struct vpmu_emulated *vpmu_self __attribute__((tls_model("initial-exec")));

/* The thread that created the vcpu, and its clock then. */
static struct parent { uint32_t tid; uint64_t clock; } parents[PARENTS_MAX];

void vpmu_emulated_parent(unsigned int vcpu, const struct vpmu_emulated *parent)
{
	if (vcpu >= PARENTS_MAX)
		return;
	__atomic_store_n(&parents[vcpu].tid, parent ? parent->runner.tid : 0, __ATOMIC_RELAXED);
	__atomic_store_n(&parents[vcpu].clock, parent ? parent->runner.clock : 0, __ATOMIC_RELAXED);
}

void vpmu_emulated_execute(struct vpmu_emulated *t, bool on)
{
	__atomic_store_n(&t->slot->executes, on, __ATOMIC_RELAXED);
}

/* The slot of a whole machine's CPU. */
static struct vpmu_thread *slot_of_cpu(const struct vpmu_emulated *t)
{
	struct vpmu_thread *slot = &vpmu_feed.segment->threads[t->spare.cpu];

	slot->cpu = t->spare.cpu;
	slot->tid = t->runner.tid;
	return slot;
}

static void runner_begin(struct vpmu_emulated *t, struct vpmu_thread *slot, uint64_t clock)
{
	struct vpmu_runner *r = &t->runner;

	if (!r->level)
		r->retired.due = UINT64_MAX;
	r->cpu_slot = &slot->cpu;
	r->clock_slot = &slot->clock;
	t->slot = slot;
	vpmu_emulated_execute(t, true);
	r->clock = slot->clock;
	r->work = r->path = 0;
	r->before = NULL;
	r->settled = NULL;
	vpmu_caches_place(&vpmu_feed.caches, r, slot->cpu);
	vpmu_runner_continue(r, clock);
	vpmu_profile_clocks_restart(r);
	r->published = r->clock;
}

void vpmu_emulated_enter(struct vpmu_emulated *t, uint32_t parent, uint64_t clock)
{
	struct vpmu_segment *segment = vpmu_feed.segment;
	struct vpmu_runner *r = &t->runner;
	struct vpmu_thread *slot;

	r->tid = (uint32_t)syscall(SYS_gettid);
	r->space = vpmu_feed.space;
	r->holds = t->sleeps = false;
	vpmu_lock_forget(segment);
	slot = vpmu_feed.cpu_of ? slot_of_cpu(t) :
				  vpmu_thread_begin(segment, r->tid, parent, clock);
	if (!slot) {
		slot = &t->spare;
		slot->cpu = r->tid % vpmu_machine_cpus(&segment->machine);
	}
	runner_begin(t, slot, clock);
}

/* For a clock that estimates time. */
static void buffers_begin(struct vpmu_runner *r)
{
	r->predictor = calloc(1, sizeof(*r->predictor));
	r->dtlb = calloc(1, sizeof(*r->dtlb));
	if (!r->predictor || !r->dtlb)
		abort();
	r->dtlb->shape = &vpmu_tlb_skl_data;
}

SLOW struct vpmu_emulated *vpmu_emulated_start(unsigned int vcpu)
{
	struct vpmu_emulated *t = aligned_alloc(128, (sizeof(*t) + 127) / 128 * 128);
	struct parent parent = { 0, 0 };

	if (!t)
		abort();
	memset(t, 0, sizeof(*t));
	if (vpmu_feed.cpu_of)
		t->spare.cpu = vpmu_feed.cpu_of(vcpu);
	else if (vcpu < PARENTS_MAX)
		parent = parents[vcpu];
	vpmu_emulated_enter(t, parent.tid, parent.clock);
	if (t->runner.estimates)
		buffers_begin(&t->runner);
	vpmu_self = t;
	vpmu_turn_limit = &t->runner.work_limit;
	vpmu_core_feed_enter(&t->runner);
	return t;
}

void vpmu_emulated_sleep(struct vpmu_emulated *t)
{
	t->sleeps = true;
	vpmu_emulated_execute(t, false);
}

void vpmu_emulated_wake(struct vpmu_emulated *t)
{
	if (!t->sleeps)
		return;
	t->sleeps = false;
	vpmu_emulated_execute(t, true);
}

void vpmu_emulated_publish(struct vpmu_emulated *t)
{
	struct vpmu_caches *caches = &vpmu_feed.caches;

	if (!t->combining.used && vpmu_runner_behind(&t->runner))
		return;
	vpmu_runner_lock(vpmu_feed.segment, &t->runner);
	vpmu_combining_flush(caches, &t->runner, &t->combining);
	vpmu_runner_publish(caches, &t->runner, 1);
}

SLOW void vpmu_emulated_publish_clock(struct vpmu_emulated *t)
{
	if (vpmu_runner_behind(&t->runner))
		return;
	vpmu_runner_lock(vpmu_feed.segment, &t->runner);
	vpmu_runner_publish(&vpmu_feed.caches, &t->runner, 1);
}

void vpmu_emulated_end(void)
{
	struct vpmu_segment *segment = vpmu_feed.segment;
	struct vpmu_emulated *t = vpmu_self;

	if (!t)
		return;
	vpmu_emulated_publish(t);
	vpmu_core_feed_leave();
	vpmu_runner_lock(segment, &t->runner);
	if (!vpmu_feed.cpu_of) {
		if (t->runner.tid == (uint32_t)getpid())
			vpmu_thread_ends(segment, t->runner.tid, (uint32_t)getppid());
		vpmu_thread_release(segment, t->runner.tid);
	}
	vpmu_contended_leave(&vpmu_feed.caches, &t->runner);
	vpmu_follow_thread_end();
	vpmu_runner_release(segment, &t->runner);
	vpmu_self = NULL;
	vpmu_turn_limit = NULL;
	free(t->runner.predictor);
	free(t->runner.dtlb);
	free(t);
}
