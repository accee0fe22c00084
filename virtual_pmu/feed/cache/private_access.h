/* SPDX-License-Identifier: MIT */
/* Accesses and snoops in the caches of one core. The functions are inline because llc.c
 * calls them at every miss of an L1. Their caller holds the machine lock, except for hits in an
 * L1. */
#ifndef VPMU_FEED_PRIVATE_ACCESS_H
#define VPMU_FEED_PRIVATE_ACCESS_H

#include "../../model/core_events.h"
#include "cluster.h"
#include "../profile/count.h"
#include "private_caches.h"

/* The word that leaves the core if the L1D evicts this one: itself, the L2's victim, or 0. */
static inline uint64_t private_overflow(const struct vpmu_private *p, uint64_t word)
{
	struct vpmu_set l2;
	uint64_t victim;

	if (set_state(word) != VPMU_WORD_M)
		return 0;
	l2 = vpmu_l2_set(p->block, p->core, set_tag(word));
	if (!l2.words)
		return word;
	if (set_find(&l2, set_tag(word)) >= 0)
		return 0;
	victim = set_word(&l2, set_last(&l2));
	return set_state(victim) == VPMU_WORD_M ? victim : 0;
}

static inline void private_count_write_back(const struct vpmu_private *p)
{
	if (p->counts)
		vpmu_count(p->counts, VPMU_L1D_WRITE_BACKS, 1);
}

/* The L2 took a line in, and let the victim go. */
static inline void private_count_l2_put(const struct vpmu_private *p, uint64_t victim)
{
	if (!p->counts)
		return;
	vpmu_count(p->counts, VPMU_L2_LINES_IN, 1);
	vpmu_count(p->counts, VPMU_L2_LINES_OUT, set_state(victim) != VPMU_WORD_I);
	vpmu_count(p->counts, VPMU_L2_LINES_OUT_M, set_state(victim) == VPMU_WORD_M);
}

/* Lets an L1D word fall out: a modified one goes to the L2. Returns what leaves the core, or 0. */
static inline uint64_t private_write_back(const struct vpmu_private *p, uint64_t word)
{
	struct vpmu_set l2;
	uint64_t victim;
	int way;

	if (set_state(word) != VPMU_WORD_M)
		return 0;
	private_count_write_back(p);
	l2 = vpmu_l2_set(p->block, p->core, set_tag(word));
	if (!l2.words)
		return word;
	way = set_find(&l2, set_tag(word));
	if (way >= 0) {
		set_put(&l2, (uint32_t)way, word);
		return 0;
	}
	victim = set_insert(&l2, word);
	private_count_l2_put(p, victim);
	return set_state(victim) == VPMU_WORD_M ? victim : 0;
}

static inline const struct vpmu_l1 *private_l1_of(const struct vpmu_private *p,
						  enum vpmu_touch kind)
{
	return kind == VPMU_CODE ? &p->l1i : &p->l1d;
}

/* A line's word in an L1: only a store makes it dirty there, whatever the L2 has. */
static inline uint64_t private_l1_word(uint64_t tag, enum vpmu_touch kind,
				       enum vpmu_word_state state)
{
	if (kind == VPMU_STORE)
		return tag | VPMU_WORD_M;
	return tag | (state == VPMU_WORD_S ? VPMU_WORD_S : VPMU_WORD_E);
}

/* A hit in an L1; needs no lock. */
static inline bool vpmu_private_hit(struct vpmu_private *p, uint64_t tag, enum vpmu_touch kind)
{
	const struct vpmu_l1 *l1 = private_l1_of(p, kind);
	struct vpmu_way *way;

	p->way = l1_find(l1, tag);
	if (p->way < 0)
		return false;
	way = &l1->ways[p->way];
	if (kind == VPMU_STORE && !l1_way_modify(way, tag))
		return false;
	l1_touch(way, p->uses);
	return true;
}

/* Puts a line in the L1 that p->way says whether it has. Returns what falls out. */
static inline uint64_t private_l1_put(struct vpmu_private *p, enum vpmu_touch kind, uint64_t word)
{
	const struct vpmu_l1 *l1 = private_l1_of(p, kind);

	if (p->way < 0) {
		p->way = (int)l1_last(l1);
		return l1_replace(l1, (uint32_t)p->way, word, p->uses);
	}
	l1_put(l1, (uint32_t)p->way, word);
	l1_touch(&l1->ways[p->way], p->uses);
	return 0;
}

/* A hit in an L1 or the L2. *spill receives a dirty word that leaves the core for it; with a NULL
 * spill such an access is refused instead. */
static inline bool vpmu_private_access(struct vpmu_private *p, uint64_t tag,
				       enum vpmu_touch kind, uint64_t *spill)
{
	const struct vpmu_l1 *l1 = private_l1_of(p, kind);
	enum vpmu_word_state state;

	if (vpmu_private_hit(p, tag, kind))
		return true;
	p->l2_way = set_find(&p->l2, tag);
	if (p->l2_way < 0)
		return false;
	state = set_state(set_word(&p->l2, (uint32_t)p->l2_way));
	if (kind == VPMU_STORE && state == VPMU_WORD_S)
		return false;
	if (p->shared)
		state = VPMU_WORD_S;
	set_touch(p->l2.order, (uint32_t)p->l2_way);
	if (__builtin_expect(p->skips_l1, 0))
		return true;
	/* A store that found the line shared in the L1 finds it shared in the L2 as well, so this
	 * L1 does not have it. */
	if (!spill && private_overflow(p, l1_word(l1, l1_last(l1))))
		return false;
	tag = private_write_back(p, private_l1_put(p, kind, private_l1_word(tag, kind, state)));
	if (spill)
		*spill = tag;
	return true;
}

/* Returns the dirty word that the L2 loses for the line, or 0. */
static inline uint64_t private_l2_put(const struct vpmu_private *p, uint64_t word)
{
	uint64_t victim;

	if (p->l2_way < 0) {
		victim = set_insert(&p->l2, word);
		return set_state(victim) == VPMU_WORD_M ? victim : 0;
	}
	set_put(&p->l2, (uint32_t)p->l2_way, word);
	set_touch(p->l2.order, (uint32_t)p->l2_way);
	return 0;
}

/* After a refused access: puts the line in that the LLC granted in `state`. Up to two dirty words
 * leave the core. */
static inline void vpmu_private_fill(struct vpmu_private *p, uint64_t tag,
				     enum vpmu_touch kind, enum vpmu_word_state state,
				     uint64_t spill[2])
{
	uint64_t word = private_l1_word(tag, kind, state);

	spill[0] = p->l2.words ? private_l2_put(p, private_l1_word(tag, VPMU_LOAD, state)) : 0;
	spill[1] = p->skips_l1 ? 0 : private_write_back(p, private_l1_put(p, kind, word));
}

/* A snoop: takes the line out, or makes it shared. What the core had of it. */
static inline enum vpmu_snoop_result vpmu_private_snoop(const struct vpmu_private *p, uint64_t tag,
					  bool invalidate)
{
	enum vpmu_snoop_result result = VPMU_SNOOP_MISS;

	if (vpmu_is_cluster(p)) {
		vpmu_cluster_snoop(p, tag, invalidate, &result);
	} else {
		private_snoop_l1(&p->l1d, tag, invalidate, &result);
		private_snoop_l1(&p->l1i, tag, invalidate, &result);
	}
	private_snoop_set(&p->l2, tag, invalidate, &result);
	return result;
}

#endif
