/* SPDX-License-Identifier: MIT */
/* The private caches of one agent, for the files that implement vpmu_caches. */
#ifndef VPMU_FEED_PRIVATE_CACHES_H
#define VPMU_FEED_PRIVATE_CACHES_H

#include "caches.h"

/* The sets of one line in one agent; of a cluster, the L1s of one of its cores. */
struct vpmu_private {
	struct vpmu_core *core;
	const struct vpmu_agent_block *block;
	struct vpmu_l1 l1d, l1i;
	struct vpmu_set l2;
	uint64_t *uses;		/* the accessing thread's number of its last one */
	uint32_t *counts;	/* core events of the accessing thread, or NULL */
	/* Set by a search: where the L1 concerned and the L2 have the line, -1: nowhere. */
	int way, l2_way;
	bool refused;		/* the L2 has the line, but its core alone cannot do the access */
	bool shared;		/* another core of the cluster keeps the line */
	bool skips_l1;		/* a prefetch to the L2: the L1D does not take the line */
};

static inline const struct vpmu_agent_block *vpmu_block_of(const struct vpmu_caches *c,
							   uint32_t agent)
{
	return __builtin_expect(agent < c->layout.clusters_from, 1) ? &c->layout.core :
								      &c->layout.cluster;
}

static inline bool vpmu_is_cluster(const struct vpmu_private *p)
{
	return __builtin_expect(p->block->members > 1, 0);
}

static inline unsigned char *vpmu_core_block(const struct vpmu_caches *c, uint32_t package,
					     uint32_t agent)
{
	const struct vpmu_layout *l = &c->layout;
	uint64_t at = agent * l->core.bytes;

	if (__builtin_expect(agent > l->clusters_from, 0))
		at = l->clusters_from * l->core.bytes +
		     (agent - l->clusters_from) * l->cluster.bytes;
	return c->base + package * l->package_bytes + at;
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

static inline struct vpmu_l1 vpmu_l1_at(unsigned char *at, const struct vpmu_level *level,
					uint64_t line)
{
	if (!level->sets)
		return (struct vpmu_l1){ NULL, NULL, 0 };
	at += vpmu_level_index(level, line) * level->set_bytes;
	return (struct vpmu_l1){ (uint64_t *)(void *)at,
				 (struct vpmu_way *)(void *)(at + VPMU_SET_HEAD_BYTES),
				 level->ways };
}

/* Processes have different physical pages, so equal virtual addresses of two of them are in
 * different sets. */
static inline uint64_t vpmu_placed_line(uint64_t tag)
{
	return (tag >> 6) + (tag >> VPMU_SPACE_SHIFT) * 9973;
}

static inline struct vpmu_set vpmu_l2_set(const struct vpmu_agent_block *b, struct vpmu_core *core,
					  uint64_t tag)
{
	return vpmu_set_at((unsigned char *)core + b->l2_at, &b->l2, vpmu_placed_line(tag));
}

/* Called at every L1 miss. */
static inline __attribute__((always_inline)) struct vpmu_private
vpmu_private_sets(const struct vpmu_caches *c, struct vpmu_runner *r, uint32_t core, uint64_t tag)
{
	unsigned char *block = vpmu_core_block(c, r->package, core);
	struct vpmu_core *head = (struct vpmu_core *)(void *)block;
	const struct vpmu_agent_block *b = vpmu_block_of(c, core);

	if (__builtin_expect(b == &c->layout.cluster, 0))
		block += r->member * b->member_bytes;
	return (struct vpmu_private){
		.core = head,
		.block = b,
		.l1d = vpmu_l1_at(block + b->l1d_at, &b->l1d, tag >> 6),
		.l1i = vpmu_l1_at(block + b->l1i_at, &b->l1i, tag >> 6),
		.l2 = vpmu_l2_set(b, head, tag),
		.uses = &r->uses,
	};
}

static inline void snooped(uint64_t old, enum vpmu_snoop_result *result)
{
	if (set_state(old) == VPMU_WORD_M)
		*result = VPMU_SNOOP_HITM;
	else if (*result == VPMU_SNOOP_MISS)
		*result = VPMU_SNOOP_HIT;
}

/* These snoop one set, and add what it had to *result. */
static inline void private_snoop_set(const struct vpmu_set *set, uint64_t tag, bool invalidate,
				     enum vpmu_snoop_result *result)
{
	int way = set_find(set, tag);

	if (way < 0)
		return;
	snooped(set_word(set, (uint32_t)way), result);
	if (invalidate)
		set_remove(set, (uint32_t)way);
	else
		set_put(set, (uint32_t)way, tag | VPMU_WORD_S);
}

static inline void private_snoop_l1(const struct vpmu_l1 *set, uint64_t tag, bool invalidate,
				    enum vpmu_snoop_result *result)
{
	int way = l1_find(set, tag);

	if (way < 0)
		return;
	snooped(l1_word(set, (uint32_t)way), result);
	if (invalidate)
		l1_remove(set, (uint32_t)way);
	else
		l1_put(set, (uint32_t)way, tag | VPMU_WORD_S);
}

#endif
