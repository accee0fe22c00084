/* SPDX-License-Identifier: MIT */
/* The machine lock, for a host thread that emulates one. The guest's device shim takes the same
 * lock in emulated code, in the name of the same thread. */
#ifndef VPMU_FEED_WAITING_H
#define VPMU_FEED_WAITING_H

#include "../segment.h"

bool vpmu_feed_lock_wait(struct vpmu_segment *s, uint32_t tid);

/* False: not taken, do not model this access - the guest code of this very thread holds the lock,
 * or its holder cannot go on until we do. */
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

#endif
