/* SPDX-License-Identifier: MIT */
/* A set of a level-one cache: a fingerprint of one byte per way as in sets.h, then a record per
 * way. The record has the word of the line and the number of its last use.
 *
 * Uses are numbered by the thread, whose numbers keep up with its clock, so that those of two
 * threads of one core compare. A hit is noted by one store, without a lock. Empty ways were never
 * used, so they are filled first. */
#ifndef VPMU_FEED_L1_H
#define VPMU_FEED_L1_H

#include "sets.h"

struct vpmu_way { uint64_t word, used; };

struct vpmu_l1 {
	uint64_t *head;
	struct vpmu_way *ways;	/* NULL: level absent */
	uint32_t count;
};

static inline uint64_t l1_word(const struct vpmu_l1 *set, uint32_t way)
{
	return __atomic_load_n(&set->ways[way].word, __ATOMIC_RELAXED);
}

static inline void l1_put(const struct vpmu_l1 *set, uint32_t way, uint64_t word)
{
	__atomic_store_n(&set->ways[way].word, word, __ATOMIC_RELAXED);
}

static inline void l1_touch(struct vpmu_way *way, uint64_t *uses)
{
	__atomic_store_n(&way->used, ++*uses, __ATOMIC_RELAXED);
}

/* Does the way have the line in at least this state, which is S or more? */
static inline bool l1_way_has(const struct vpmu_way *way, uint64_t tag, uint64_t least)
{
	uint64_t state = __atomic_load_n(&way->word, __ATOMIC_RELAXED) - tag;

	return state - least <= VPMU_WORD_M - least;
}

/* A store to the line that the way has: it is modified from now. False: it is shared, or gone. */
static inline bool l1_way_modify(struct vpmu_way *way, uint64_t tag)
{
	if (l1_way_has(way, tag, VPMU_WORD_M))
		return true;
	if (!l1_way_has(way, tag, VPMU_WORD_E))
		return false;
	__atomic_store_n(&way->word, tag | VPMU_WORD_M, __ATOMIC_RELAXED);
	return true;
}

/* The way that holds the line, or -1. */
static inline int l1_search(const struct vpmu_l1 *set, uint64_t tag)
{
	uint32_t candidates = set_candidates(set->head, set->count, tag);

	for (; candidates; candidates &= candidates - 1) {
		uint32_t way = (uint32_t)__builtin_ctz(candidates);

		if (l1_way_has(&set->ways[way], tag, VPMU_WORD_S))
			return (int)way;
	}
	return -1;
}

/* The same where the level may be absent. */
static inline int l1_find(const struct vpmu_l1 *set, uint64_t tag)
{
	return set->ways ? l1_search(set, tag) : -1;
}

/* When the way was used last, and its number: the least of these is the least recently used. */
static inline uint64_t l1_age(const struct vpmu_l1 *set, uint32_t way, uint32_t ways)
{
	return __atomic_load_n(&set->ways[way].used, __ATOMIC_RELAXED) * ways + way;
}

static inline uint64_t l1_older(uint64_t a, uint64_t b)
{
	return b < a ? b : a;
}

static inline uint32_t l1_last_of_eight(const struct vpmu_l1 *set)
{
	uint64_t a = l1_older(l1_age(set, 0, 8), l1_age(set, 1, 8));
	uint64_t b = l1_older(l1_age(set, 2, 8), l1_age(set, 3, 8));
	uint64_t c = l1_older(l1_age(set, 4, 8), l1_age(set, 5, 8));
	uint64_t d = l1_older(l1_age(set, 6, 8), l1_age(set, 7, 8));

	return l1_older(l1_older(a, b), l1_older(c, d)) % 8;
}

/* The least recently used way. */
static inline uint32_t l1_last(const struct vpmu_l1 *set)
{
	uint64_t last;

	if (set->count == 8)
		return l1_last_of_eight(set);
	last = l1_age(set, 0, 16);
	for (uint32_t way = 1; way < set->count; way++)
		last = l1_older(last, l1_age(set, way, 16));
	return last % 16;
}

/* Puts a line in that the set does not have, in place of this way's; returns that word. */
static inline uint64_t l1_fill(const struct vpmu_l1 *set, uint32_t way, uint64_t word,
			       uint8_t print, uint64_t *uses)
{
	uint64_t victim = l1_word(set, way);

	l1_put(set, way, word);
	__atomic_store_n((uint8_t *)(set->head + 1) + way, print, __ATOMIC_RELAXED);
	l1_touch(&set->ways[way], uses);
	return victim;
}

static inline uint64_t l1_replace(const struct vpmu_l1 *set, uint32_t way, uint64_t word,
				  uint64_t *uses)
{
	return l1_fill(set, way, word, set_print(set_tag(word)), uses);
}

/* Empties the way and makes it the next to be filled. */
static inline void l1_remove(const struct vpmu_l1 *set, uint32_t way)
{
	l1_put(set, way, 0);
	__atomic_store_n(&set->ways[way].used, 0, __ATOMIC_RELAXED);
}

#endif
