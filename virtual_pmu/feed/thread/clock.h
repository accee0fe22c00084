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

/* With this work it is time to publish the clock, or the turn is over. If not, computes the limit
 * of work at which it is. */
bool vpmu_runner_is_due(struct vpmu_runner *r, uint64_t work);

/* Takes the fill buffer of the runner's core that has been in use longest, once its line is there.
 * A line that is further away than two latencies was requested by another thread of the core, whose
 * clock is ahead: it delays nothing. Returns the clock of the request. Machine lock held. */
static inline uint64_t vpmu_runner_fill(struct vpmu_runner *r, struct vpmu_pace pace)
{
	struct vpmu_core_fills *f = r->fills_of_core;
	uint64_t clock = r->clock, *fill = &r->fills[f->next], arrival = f->last + pace.clocks;
	uint64_t beyond = clock + 2 * r->memory_pace.latency;

	if (*fill > clock && *fill <= beyond) {
		if (r->counts) {
			vpmu_count(r->counts, VPMU_STALLS, 1);
			vpmu_count(r->counts, VPMU_STALL_CLOCKS, (uint32_t)(*fill - clock));
		}
		vpmu_profile_stall(r, *fill - clock);
		r->clock = clock = *fill;
		vpmu_runner_check_next(r);
	}
	f->part += pace.part;
	if (f->part >= r->fill_buffers) {
		f->part -= r->fill_buffers;
		arrival++;
	}
	if (arrival < clock + pace.latency || arrival > beyond + pace.latency)
		arrival = clock + pace.latency;
	f->next = f->next + 1 == r->fill_buffers ? 0 : f->next + 1;
	f->last = *fill = arrival;
	return clock;
}

/* Numbers of uses keep up with the package's newest clock, or what another thread of the core used
 * would stay in an L1 until this one has caught up. The runner's clock alone decides when: every
 * VPMU_PUBLISH_CLOCKS, and when it continues after a wait. */
static inline void vpmu_runner_number(struct vpmu_runner *r)
{
	uint64_t newest = __atomic_load_n(r->newest, __ATOMIC_RELAXED);
	uint64_t least = (newest > r->clock ? newest : r->clock) * VPMU_USES_PER_CLOCK;

	r->numbered = r->clock;
	if (r->uses < least)
		r->uses = least;
}

static inline bool vpmu_runner_number_is_due(const struct vpmu_runner *r)
{
	return r->clock - r->numbered >= VPMU_PUBLISH_CLOCKS;
}

/* A counter of a core has been enabled, perhaps by another process, for more than is counted of the
 * runner: its next block is made one at which it looks around. Machine lock held. */
#define VPMU_NO_CPU UINT32_MAX
static inline void vpmu_runner_look(struct vpmu_segment *s, struct vpmu_runner *r)
{
	if (__builtin_expect(r->level >= __atomic_load_n(&s->core_counting, __ATOMIC_RELAXED), 1))
		return;
	vpmu_retired_report(s, r);
	r->cpu = VPMU_NO_CPU;
}

/* Timers that go by what a program executes. */
static inline void vpmu_runner_expire(const struct vpmu_runner *r)
{
	if (__builtin_expect(r->clock >= __atomic_load_n(&vpmu_system_timer_clock,
							 __ATOMIC_RELAXED), 0))
		vpmu_system_timers();
}

/* Publishes the runner's clock; the model learns it only if it is `step` clocks ahead of its
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
