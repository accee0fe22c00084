/* SPDX-License-Identifier: MIT */
/* The machine lock, for a host thread that emulates one. The guest's device shim takes the same
 * lock in emulated code, in the name of the same thread. */
#ifndef VPMU_FEED_WAITING_H
#define VPMU_FEED_WAITING_H

#include "caches.h"

bool vpmu_feed_lock_wait(struct vpmu_segment *s, uint32_t tid);

/* False: the lock is not taken, and the access is not modelled. The guest code of this very thread
 * holds the lock, or its holder cannot go on before this thread does. */
static inline bool vpmu_feed_lock(struct vpmu_segment *s, uint32_t tid)
{
	uint32_t free = 0;

	return __atomic_compare_exchange_n(&s->lock.owner, &free, tid, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED) || vpmu_feed_lock_wait(s, tid);
}

static inline void vpmu_feed_unlock(struct vpmu_segment *s)
{
	__atomic_store_n(&s->lock.owner, 0, __ATOMIC_RELEASE);
}

/* The same for a runner, which keeps the lock while it is the machine's only one: see segment.h.
 * After a system call it does not do so for some time, in which the shim can take the lock. */
#define VPMU_KEEP_AFTER_CLOCKS 20000u

static inline bool vpmu_runner_lock(struct vpmu_segment *s, const struct vpmu_runner *r)
{
	return r->keeps || vpmu_feed_lock(s, r->tid);
}

static inline void vpmu_runner_let_go(struct vpmu_segment *s, struct vpmu_runner *r)
{
	if (!r->keeps)
		return;
	r->keeps = false;
	vpmu_feed_unlock(s);
}

static inline bool vpmu_lock_contended(const struct vpmu_segment *s)
{
	return __atomic_load_n(&s->lock.contended, __ATOMIC_RELAXED);
}

static inline bool vpmu_alone(const struct vpmu_segment *s)
{
	return __atomic_load_n(&s->runners, __ATOMIC_RELAXED) == 1;
}

static inline void vpmu_runner_unlock(struct vpmu_segment *s, struct vpmu_runner *r)
{
	if (r->keeps) {
		if (vpmu_lock_contended(s))
			vpmu_runner_let_go(s, r);
		return;
	}
	if (r->may_keep && r->clock >= r->keep_from && vpmu_alone(s) && !vpmu_lock_contended(s)) {
		r->keeps = true;
		__atomic_store_n(&s->lock.owner, r->tid | VPMU_LOCK_KEPT, __ATOMIC_RELAXED);
		return;
	}
	vpmu_feed_unlock(s);
}

#endif
