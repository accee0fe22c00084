/* SPDX-License-Identifier: MIT */
/* Time. Stated model: each thread has its own clock; an instruction takes one uncore clock. A line
 * from beyond the core's own caches takes a fill buffer until it arrives: llc_clocks after its
 * request from the LLC or another core, memory_clocks from memory. Lines arrive in the order of
 * their requests, at least latency / fill_buffers clocks apart: as close as buffers in constant use
 * let them. The thread continues meanwhile, as long as a buffer is free. Clocks advance only by
 * execution, so waits take none. A new thread begins at its parent's clock. A thread that waited
 * for another one of its process continues at the clock of the thread that woke it (scheduler.h).
 * After any other wait it continues at the newest clock. */
#ifndef VPMU_FEED_CLOCK_H
#define VPMU_FEED_CLOCK_H

#include "../../model/core_events.h"
#include "../../system/system.h"
#include "../cache/caches.h"
#include "../core/retired.h"
#include "../core/tlb.h"
#include "../profile/clocks.h"
#include "../profile/count.h"
#include "../translate/timed_blocks.h"
#include "turns.h"

#define VPMU_PUBLISH_CLOCKS 1024u

/* Adds the runner's work to its clock and instructions, except for a part of a clock. Whatever uses
 * these comes behind this. */
static inline void vpmu_runner_settle(struct vpmu_runner *r)
{
	uint64_t clocks = vpmu_work_clocks(r->work), settled = clocks << VPMU_WORK_CLOCK_SHIFT;

	r->clock += clocks;
	r->instructions += vpmu_work_instructions(r->work);
	r->work &= (UINT64_C(1) << VPMU_WORK_CLOCK_SHIFT) - (UINT64_C(1) << VPMU_WORK_SHIFT);
	r->work_limit -= settled < r->work_limit ? settled : r->work_limit;
}

/* Charges the clocks of the block at hand. */
static inline void vpmu_runner_charge(struct vpmu_runner *r)
{
	if (!vpmu_profiles())
		return;
	vpmu_runner_settle(r);
	vpmu_profile_clocks(r);
}

/* The runner's clock with this work. */
static inline uint64_t vpmu_runner_clock_with(const struct vpmu_runner *r, uint64_t work)
{
	return r->clock + vpmu_work_clocks(work);
}

/* The same with what it has done, for any thread. */
static inline uint64_t vpmu_runner_now(const struct vpmu_runner *r)
{
	return __atomic_load_n(&r->clock, __ATOMIC_RELAXED) +
	       vpmu_work_clocks(__atomic_load_n(&r->work, __ATOMIC_RELAXED));
}

/* The runner's clock has jumped, or something else has that limits its work: its next block
 * checks. */
static inline void vpmu_runner_check_next(struct vpmu_runner *r)
{
	r->work_limit = 0;
}

/* With this work it is time to publish the clock, or the turn is over, or the runner is on another
 * CPU. If not, computes the limit of work at which it is time. */
bool vpmu_runner_is_due(struct vpmu_runner *r, uint64_t work);

/* Counts the clocks of a stall in which loads that have missed are under way: see core_events.h. */
static inline void vpmu_runner_count_stall(struct vpmu_runner *r, uint64_t until)
{
	vpmu_count(r->counts, VPMU_STALLS, 1);
	vpmu_count(r->counts, VPMU_STALL_CLOCKS, (uint32_t)(until - r->clock));
	for (uint32_t level = 0; level < 3; level++) {
		uint64_t end = r->pending[level] < until ? r->pending[level] : until;

		if (end > r->clock)
			vpmu_count(r->counts, VPMU_L1_PENDING_STALLS + level,
				   (uint32_t)(end - r->clock));
	}
}

/* The thread stalls until this clock, which is ahead. */
static inline void vpmu_runner_stall(struct vpmu_runner *r, uint64_t until)
{
	uint64_t clocks = until - r->clock;

	if (r->counts)
		vpmu_runner_count_stall(r, until);
	vpmu_profile_stall(r, clocks);
	r->clock = until;
	if (until >= r->window.arrival)
		r->window.arrival = 0;
	vpmu_runner_check_next(r);
}

/* Takes the fill buffer of the runner's core that has been in use longest, once its line is there.
 * A line that is further away than two latencies was requested by another thread of the core, whose
 * clock is ahead: it delays nothing. Returns the clock of the request. Machine lock held. */
static inline uint64_t vpmu_runner_fill(struct vpmu_runner *r, struct vpmu_pace pace)
{
	struct vpmu_core_fills *f = r->fills_of_core;
	uint64_t clock = r->clock, *fill = &r->fills[f->next], arrival = f->last + pace.clocks;
	uint64_t beyond = clock + 2 * r->memory_pace.latency;

	if (*fill > clock && *fill <= beyond) {
		if (r->counts)
			vpmu_count(r->counts, VPMU_FILLS_FULL, 1);
		vpmu_runner_stall(r, *fill);
		clock = *fill;
		r->window.arrival = 0;	/* the buffers are the narrower limit */
	}
	f->part += pace.part;
	if (f->part >= r->fill_buffers) {
		f->part -= r->fill_buffers;
		arrival++;
	}
	if (arrival < clock + pace.latency || arrival > beyond + pace.latency)
		arrival = clock + pace.latency;
	f->next = f->next + 1 == r->fill_buffers ? 0 : f->next + 1;
	f->last = *fill = r->served = arrival;
	r->requested = clock;
	return clock;
}

/* ---- where the clock estimates time ---- */

/* A line from the L2: 2 clocks behind the last one (29 bytes a clock are 2.2), and 12 clocks after
 * the request ("Cache Parameters" in Intel's optimization manual, 248966). The thread continues as
 * long as no more than 8 lines wait. */
#define VPMU_L2_CLOCKS 2u
#define VPMU_L2_LATER 12u
#define VPMU_L2_LINES 8u
static inline void vpmu_runner_second(struct vpmu_runner *r)
{
	uint64_t next = r->second + VPMU_L2_CLOCKS, ahead = VPMU_L2_CLOCKS * VPMU_L2_LINES;

	if (!r->estimates)
		return;
	if (next < r->clock)
		next = r->clock;
	if (next > r->clock + ahead)
		vpmu_runner_stall(r, next - ahead);
	r->second = next;
	r->served = next + VPMU_L2_LATER;
	r->requested = r->clock;
}

/* True if the thread should have stopped for the oldest load that missed: computed at the next
 * one, as if the instructions between them took equally long. */
static inline void vpmu_runner_pass_window(struct vpmu_runner *r)
{
	const struct vpmu_rob *w = &r->window;
	uint64_t passed = r->instructions - w->instructions, full;

	if (!w->arrival || passed <= r->window_size)
		return;
	full = w->clock + (r->clock - w->clock) * r->window_size / passed;
	if (w->arrival > full)
		vpmu_runner_stall(r, r->clock + w->arrival - full);
	r->window.arrival = 0;
}

/* A load whose page is not in the first level of the translation buffer (tlb.h) is 9 clocks later
 * if it is in the second (Intel's metric tma_dtlb_load for Skylake), else by a walk, of which two
 * are made at once. No document has a walk's clocks. The estimate: the second level's 9, then an
 * entry from the L2 (12) and one from the L1 (5). Only loads that miss the L1 check this. */
#define VPMU_STLB_CLOCKS 9u
#define VPMU_WALK_CLOCKS 26u
static inline void vpmu_runner_translate(struct vpmu_runner *r, uint64_t tag)
{
	enum vpmu_walk walk = vpmu_tlb_access(r->dtlb, tag >> VPMU_PAGE_SHIFT);

	if (walk == VPMU_LONG_WALK)
		vpmu_runner_stall(r, r->clock + VPMU_WALK_CLOCKS / 2);
	r->later = walk == VPMU_LONG_WALK ? VPMU_WALK_CLOCKS / 2 :
		   walk == VPMU_WALK ? VPMU_STLB_CLOCKS : 0;
}

/* Around a load that misses the L1. A dependent one waits for the line of its producer, if that has
 * missed; settled. */
static inline void vpmu_runner_load_begins(struct vpmu_runner *r, uint32_t site, uint64_t tag)
{
	uint64_t ready;

	vpmu_runner_pass_window(r);
	r->served = 0;
	if (vpmu_site_is_dependent(site)) {
		ready = r->arrival[vpmu_site_same[vpmu_site_producer[site - VPMU_SITES_PLAIN]]];
		if (ready > r->clock)
			vpmu_runner_stall(r, ready);
	}
	vpmu_runner_translate(r, tag);
	r->requested = r->clock;
}

static inline void vpmu_runner_load_ends(struct vpmu_runner *r, uint32_t site)
{
	r->served += r->served ? r->later : 0;
	r->arrival[vpmu_site_same[site]] = r->served;
	if (!r->window.arrival && r->served > r->clock)
		r->window = (struct vpmu_rob){ r->served, r->clock, r->instructions };
}

/* Code that misses the L1: nothing is executed until it has come, but for a thread's first block,
 * with which its clock begins. */
static inline void vpmu_runner_code_ends(struct vpmu_runner *r)
{
	if (r->before && r->served > r->clock)
		vpmu_runner_stall(r, r->served);
}

/* A line that another core has modified comes later than one that the LLC has. Intel's metric
 * tma_contested_accesses for Skylake counts 18.5 clocks for each GHz: 50 at 2.7 GHz. */
#define VPMU_HITM_CLOCKS 50u
static inline void vpmu_runner_hitm(struct vpmu_runner *r)
{
	if (r->estimates)
		vpmu_runner_stall(r, r->clock + VPMU_HITM_CLOCKS);
}

/* Numbers of uses keep up with the package's newest clock, or what another thread of the core used
 * would stay in an L1 until this one has caught up. The runner's clock alone decides when: every
 * VPMU_PUBLISH_CLOCKS, and when it continues after a wait. */
static inline void vpmu_runner_number(struct vpmu_runner *r)
{
	uint64_t newest = __atomic_load_n(r->newest, __ATOMIC_RELAXED);
	uint64_t least = (newest > r->clock ? newest : r->clock) * r->uses_per_clock;

	r->numbered = r->clock;
	if (r->uses < least)
		r->uses = least;
}

static inline bool vpmu_runner_number_is_due(const struct vpmu_runner *r)
{
	return r->clock - r->numbered >= VPMU_PUBLISH_CLOCKS;
}

/* If a counter was enabled, perhaps by another process, that needs more than is counted of the
 * runner, force the slow path at its next block. Machine lock held. */
#define VPMU_NO_CPU UINT32_MAX
static inline void vpmu_runner_look(struct vpmu_segment *s, struct vpmu_runner *r)
{
	if (__builtin_expect(r->level >= __atomic_load_n(&s->core_counting, __ATOMIC_RELAXED), 1))
		return;
	vpmu_retired_report(s, r);
	r->cpu = VPMU_NO_CPU;
	vpmu_runner_check_next(r);
}

/* Timers that go by what a program executes. */
static inline void vpmu_runner_expire(const struct vpmu_runner *r)
{
	if (__builtin_expect(r->clock >= __atomic_load_n(&vpmu_system_timer_clock,
							 __ATOMIC_RELAXED), 0))
		vpmu_system_timers();
}

/* Publishes the runner's clock; passes it to the model only if it is `step` clocks ahead of its
 * package. Machine lock held. */
static inline void vpmu_runner_publish(const struct vpmu_caches *c, struct vpmu_runner *r,
				       uint64_t step)
{
	uint64_t clock = r->clock;
	bool ahead = clock >= *r->newest + step;

	r->published = clock;
	__atomic_store_n(r->clock_slot, clock, __ATOMIC_RELAXED);
	vpmu_runner_expire(r);
	if (ahead) {
		vpmu_clock(c->s, r->package, clock);
		vpmu_runner_look(c->s, r);
	}
	if (ahead || vpmu_runner_number_is_due(r))
		vpmu_runner_number(r);
	if (vpmu_retired_is_due(r))
		vpmu_retired_report(c->s, r);
}

/* True when the clock need not be published: another thread of the package is ahead. */
bool vpmu_runner_behind(struct vpmu_runner *r);
/* Moves the runner to that clock if it is behind, after a wait; 0: to its package's newest. */
void vpmu_runner_continue(struct vpmu_runner *r, uint64_t clock);
static inline void vpmu_runner_catch_up(struct vpmu_runner *r)
{
	vpmu_runner_continue(r, 0);
}
/* Can this x86-64 Linux system call make its caller wait for others? arg2: its 2nd argument. */
bool vpmu_syscall_waits(int64_t number, uint64_t arg2);
/* Is it one of those, but with a limit of no time? */
bool vpmu_syscall_polls(int64_t number, uint64_t arg3, uint64_t arg4);

#endif
