/* SPDX-License-Identifier: MIT */
/* The machine lock, for a thread that executes. It takes the lock at its first access beyond an L1
 * and holds it until its turn ends (scheduler.h), it makes a system call, or another thread waits.
 * So a miss needs no atomic operation. */
#ifndef VPMU_FEED_MACHINE_LOCK_H
#define VPMU_FEED_MACHINE_LOCK_H

#include <sched.h>

#include "../cache/caches.h"
#include "../profile/charge.h"

static inline void vpmu_runner_lock(struct vpmu_segment *s, struct vpmu_runner *r)
{
	if (__builtin_expect(r->holds, 1))
		return;
	vpmu_lock(s);
	r->holds = true;
}

static inline void vpmu_runner_release(struct vpmu_segment *s, struct vpmu_runner *r)
{
	if (!r->holds)
		return;
	r->holds = false;
	vpmu_unlock(s);
}

/* Times that a thread yields to one that waits for the lock: waiters sleep for 50 microseconds. */
#define VPMU_LOCK_YIELDS 1000

/* True if another thread waits for the lock, or took it while this one was stopped. */
static inline bool vpmu_runner_is_asked(const struct vpmu_segment *s, const struct vpmu_runner *r)
{
	return __builtin_expect(__atomic_load_n(&s->lock.asked, __ATOMIC_RELAXED) ||
		(uint32_t)__atomic_load_n(&s->lock.word, __ATOMIC_RELAXED) != r->tid, 0);
}

/* Releases the lock if another thread requests it: at a block's entry, and after an access to the
 * LLC, because a loop that always misses checks nothing else. Counts are added to the profile
 * first, before the waiter begins or ends one. A waiter that does not take the lock in time has
 * been stopped or killed, or requests it again. */
static inline void vpmu_runner_let_others(struct vpmu_segment *s, struct vpmu_runner *r)
{
	if (!r->holds || !vpmu_runner_is_asked(s, r))
		return;
	vpmu_charge_so_far();
	vpmu_runner_release(s, r);
	for (int i = 0; i < VPMU_LOCK_YIELDS && __atomic_load_n(&s->lock.asked, __ATOMIC_RELAXED) &&
			!__atomic_load_n(&s->lock.word, __ATOMIC_RELAXED); i++)
		sched_yield();
	__atomic_store_n(&s->lock.asked, 0, __ATOMIC_RELAXED);
}

/* The program's own code, a tool's, is in a section that the lock protects. */
static inline bool vpmu_runner_is_in_section(const struct vpmu_segment *s,
					     const struct vpmu_runner *r)
{
	return vpmu_lock_held(s) > r->holds;
}

#endif
