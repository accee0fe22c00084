/* SPDX-License-Identifier: MIT */
/* The private caches of one core, for the files that implement vpmu_caches. */
#ifndef VPMU_FEED_PRIVATE_H
#define VPMU_FEED_PRIVATE_H

#include "caches.h"

/* The sets of one line in one core. */
struct vpmu_private {
	struct vpmu_core *core;
	struct vpmu_set l1d, l1i, l2;
	uint32_t *counts;	/* core events of the accessing thread, or NULL */
	/* Set by a search: where the L1 concerned and the L2 have the line, -1: nowhere; and the
	 * core's version before it. */
	int way, l2_way;
	uint32_t version;
	bool alone;		/* the machine has no other thread */
};

static inline unsigned char *vpmu_core_block(const struct vpmu_caches *c, uint32_t package,
					     uint32_t core)
{
	return c->base + package * c->layout.package_bytes + core * c->layout.core_bytes;
}

static inline struct vpmu_set vpmu_set_at(unsigned char *at, const struct vpmu_level *level,
					  uint64_t line)
{
	if (!level->sets)
		return (struct vpmu_set){ NULL, NULL, 0 };
	at += vpmu_level_index(level, line) * level->set_bytes;
	return (struct vpmu_set){ (uint64_t *)(void *)at,
				  (uint64_t *)(void *)(at + VPMU_SET_HEAD_BYTES), level->ways };
}

/* Processes have different physical pages, so equal virtual addresses of two of them are in
 * different sets. */
static inline uint64_t vpmu_placed_line(uint64_t tag)
{
	return (tag >> 6) + (tag >> VPMU_SPACE_SHIFT) * 9973;
}

static inline struct vpmu_set vpmu_l2_set(const struct vpmu_caches *c, struct vpmu_core *core,
					  uint64_t tag)
{
	return vpmu_set_at((unsigned char *)core + c->layout.l2_at, &c->layout.l2,
			   vpmu_placed_line(tag));
}

/* Called at every L1 miss. */
static inline __attribute__((always_inline)) struct vpmu_private
vpmu_private_sets(const struct vpmu_caches *c, const struct vpmu_runner *r, uint32_t core,
		  uint64_t tag)
{
	unsigned char *block = vpmu_core_block(c, r->package, core);
	struct vpmu_core *head = (struct vpmu_core *)(void *)block;

	return (struct vpmu_private){
		.core = head,
		.l1d = vpmu_set_at(block + c->layout.l1d_at, &c->layout.l1d, tag >> 6),
		.l1i = vpmu_set_at(block + c->layout.l1i_at, &c->layout.l1i, tag >> 6),
		.l2 = vpmu_l2_set(c, head, tag),
		.alone = r->keeps,
	};
}

void vpmu_private_wait(struct vpmu_core *core, uint32_t tid);

/* Without an L2 there is nothing to lock: a change of more than the LRU order then has the machine
 * lock. */
static inline void vpmu_private_lock(const struct vpmu_private *p, uint32_t tid)
{
	uint32_t free = 0;

	if (p->alone)
		return;
	if (p->l2.words &&
	    !__atomic_compare_exchange_n(&p->core->lock, &free, tid, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		vpmu_private_wait(p->core, tid);
	__atomic_store_n(&p->core->version, p->core->version + 1, __ATOMIC_RELEASE);
}

static inline void vpmu_private_unlock(const struct vpmu_private *p)
{
	if (p->alone)
		return;
	__atomic_store_n(&p->core->version, p->core->version + 1, __ATOMIC_RELEASE);
	if (p->l2.words)
		__atomic_store_n(&p->core->lock, 0, __ATOMIC_RELEASE);
}

/* With the lock held: does the core still hold what the last search found? */
static inline bool vpmu_private_unchanged(const struct vpmu_private *p)
{
	return !(p->version & 1) && (p->alone || p->core->version == p->version + 1);
}

#endif
