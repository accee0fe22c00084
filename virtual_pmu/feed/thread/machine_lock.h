/* SPDX-License-Identifier: MIT */
/* The machine lock, for a thread that executes. It takes the lock at its first access beyond an L1
 * and holds it until its turn ends (scheduler.h), it makes a system call, or another thread waits.
 * So a miss needs no atomic operation. */
#ifndef VPMU_FEED_MACHINE_LOCK_H
#define VPMU_FEED_MACHINE_LOCK_H

#include <sched.h>

#include "../cache/caches.h"

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

/* At a block's entry: releases the lock for a waiter, or since it was lost while the thread was
 * stopped. A waiter that does not come in time has been stopped or killed, or requests again. */
static inline void vpmu_runner_let_others(struct vpmu_segment *s, struct vpmu_runner *r)
{
	bool asked = __atomic_load_n(&s->lock.asked, __ATOMIC_RELAXED);

	if (__builtin_expect(!asked && vpmu_lock_held(s), 1) || !r->holds)
		return;
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
