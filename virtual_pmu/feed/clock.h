/* SPDX-License-Identifier: MIT */
/* Time. Stated model: each thread has its own clock; an instruction takes one uncore clock, an LLC
 * hit llc_clocks, and a line from memory memory_clocks, during which the thread goes on as long as
 * its core has a free fill buffer. Clocks advance only by execution. A thread that waited for
 * another one (in a system call) continues at its package's newest clock. */
#ifndef VPMU_FEED_CLOCK_H
#define VPMU_FEED_CLOCK_H

#include "caches.h"

#define VPMU_PUBLISH_CLOCKS 1024u

/* Takes a fill buffer of the runner's core for `latency` clocks, waiting for the oldest if none is
 * free. Returns the clock at which the fill starts. Machine lock held. */
static inline uint64_t vpmu_runner_fill(struct vpmu_runner *r, uint64_t latency)
{
	uint64_t *done = r->fills + *r->next_fill;

	if (*done > r->clock)
		r->clock = *done;
	*done = r->clock + latency;
	if (++*r->next_fill == r->fill_buffers)
		*r->next_fill = 0;
	return r->clock;
}

/* Numbers of uses keep up with the package's newest clock, or what another thread of the core used
 * would stay in an L1 until this one has caught up. So each publication does this. */
static inline void vpmu_runner_number(const struct vpmu_caches *c, struct vpmu_runner *r)
{
	uint64_t newest = __atomic_load_n(&c->s->uclk[r->package], __ATOMIC_RELAXED);
	uint64_t least = (newest > r->clock ? newest : r->clock) * VPMU_USES_PER_CLOCK;

	if (r->uses < least)
		r->uses = least;
}

/* Publishes the runner's clock; the model learns it only if it is `step` clocks ahead of its
 * package. Machine lock held. */
static inline void vpmu_runner_publish(const struct vpmu_caches *c, struct vpmu_runner *r,
				       uint64_t step)
{
	r->published = r->clock;
	__atomic_store_n(r->clock_slot, r->clock, __ATOMIC_RELAXED);
	if (r->clock >= c->s->uclk[r->package] + step)
		vpmu_clock(c->s, r->package, r->clock);
	vpmu_runner_number(c, r);
}

/* True when the clock need not be published: another thread of the package is ahead. */
bool vpmu_runner_behind(const struct vpmu_caches *c, struct vpmu_runner *r);
/* Moves the runner to its package's newest clock, after a wait. */
void vpmu_runner_catch_up(const struct vpmu_caches *c, struct vpmu_runner *r);
/* Can this x86-64 Linux system call make its caller wait for others? arg2: its 2nd argument. */
bool vpmu_syscall_waits(int64_t number, uint64_t arg2);
/* Is it one of those, but with a limit of no time? */
bool vpmu_syscall_polls(int64_t number, uint64_t arg3, uint64_t arg4);

#endif
