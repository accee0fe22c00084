/* SPDX-License-Identifier: MIT */
/* A set of a cache has a head and a word per way. The head is the LRU order of the ways in one
 * word, and a fingerprint of one byte per way. Fingerprints show in which ways a line may be.
 *
 * The order has four bits per place, most recently used way lowest; it is stored with the identity
 * order flipped out, so that the segment's zeroes are an ordered empty set. Empty ways are last. */
#ifndef VPMU_FEED_SETS_H
#define VPMU_FEED_SETS_H

#include <emmintrin.h>
#include <stdbool.h>
#include <stdint.h>

/* States of a word. In the LLC: M - newer than memory; E - at most one core has it, perhaps
 * modified there; S - several cores may have it. M with two or more core bits: all share it. */
enum vpmu_word_state { VPMU_WORD_I, VPMU_WORD_S, VPMU_WORD_E, VPMU_WORD_M };
#define VPMU_STATE_MASK 3ull
#define VPMU_TAG_MASK (~63ull)

#define SET_IDENTITY 0xfedcba9876543210ull
#define SET_ONES 0x1111111111111111ull

struct vpmu_set {
	uint64_t *order, *words;	/* NULL: level absent; order: the head */
	uint32_t ways;
};

static inline enum vpmu_word_state set_state(uint64_t word)
{
	return (enum vpmu_word_state)(word & VPMU_STATE_MASK);
}

static inline uint64_t set_tag(uint64_t word)
{
	return word & VPMU_TAG_MASK;
}

static inline uint64_t set_word(const struct vpmu_set *set, uint32_t way)
{
	return __atomic_load_n(&set->words[way], __ATOMIC_RELAXED);
}

static inline void set_put(const struct vpmu_set *set, uint32_t way, uint64_t word)
{
	__atomic_store_n(&set->words[way], word, __ATOMIC_RELAXED);
}

static inline uint8_t set_print(uint64_t tag)
{
	return (uint8_t)((uint32_t)(tag >> 6) * 0x9e3779b1u >> 24);
}

/* A fingerprint stays when its way is emptied, so a word has to confirm it. */
static inline void set_put_print(const struct vpmu_set *set, uint32_t way, uint64_t tag)
{
	__atomic_store_n((uint8_t *)(set->order + 1) + way, set_print(tag), __ATOMIC_RELAXED);
}

static inline __m128i set_matches(const uint64_t *head, uint64_t tag)
{
	__m128i prints = _mm_loadu_si128((const __m128i *)(const void *)(head + 1));
	__m128i wanted = _mm_set1_epi32((int)(set_print(tag) * 0x01010101u));

	return _mm_cmpeq_epi8(prints, wanted);
}

/* Bit per way in which the line may be. Each byte is what a thread has stored there. */
static inline uint32_t set_candidates(const uint64_t *head, uint32_t ways, uint64_t tag)
{
	return (uint32_t)_mm_movemask_epi8(set_matches(head, tag)) & ((1u << ways) - 1);
}

/* Bit per way in which one of two sets may have the line. */
static inline uint32_t set_candidates_of_two(const uint64_t *a, const uint64_t *b, uint32_t ways,
					     uint64_t tag)
{
	__m128i both = _mm_or_si128(set_matches(a, tag), set_matches(b, tag));

	return (uint32_t)_mm_movemask_epi8(both) & ((1u << ways) - 1);
}

/* The way that holds the line, or -1. */
static inline int set_search(const struct vpmu_set *set, uint64_t tag)
{
	uint32_t candidates = set_candidates(set->order, set->ways, tag);

	for (; candidates; candidates &= candidates - 1) {
		uint32_t way = (uint32_t)__builtin_ctz(candidates);

		if (set_word(set, way) - tag - 1 < VPMU_STATE_MASK)
			return (int)way;
	}
	return -1;
}

/* The same where the level may be absent. */
static inline int set_find(const struct vpmu_set *set, uint64_t tag)
{
	return set->words ? set_search(set, tag) : -1;
}

/* Four times the place of the way: the lowest zero among nibbles is found without doubt. */
static inline uint32_t order_shift(uint64_t order, uint32_t way)
{
	uint64_t x = order ^ way * SET_ONES;

	return (uint32_t)__builtin_ctzll((x - SET_ONES) & ~x & 8 * SET_ONES) & 60;
}

/* Makes the way the most recently used. */
static inline void set_touch(uint64_t *stored, uint32_t way)
{
	uint64_t order = __atomic_load_n(stored, __ATOMIC_RELAXED) ^ SET_IDENTITY;
	uint64_t below;
	uint32_t shift;

	if ((order & 15) == way)
		return;
	if ((order >> 4 & 15) == way) {	/* two lines in turn: the common case, made short */
		order = (order & ~0xffull) | (order & 15) << 4 | way;
	} else {
		shift = order_shift(order, way);
		below = order & ((1ull << shift) - 1);
		order = (order & ~((16ull << shift) - 1)) | below << 4 | way;
	}
	__atomic_store_n(stored, order ^ SET_IDENTITY, __ATOMIC_RELAXED);
}

static inline uint64_t set_order(const struct vpmu_set *set)
{
	return __atomic_load_n(set->order, __ATOMIC_RELAXED) ^ SET_IDENTITY;
}

/* The least recently used way in this order. */
static inline uint32_t order_last(uint64_t order, uint32_t ways)
{
	return (uint32_t)(order >> 4 * (ways - 1)) & 15;
}

static inline uint32_t set_last(const struct vpmu_set *set)
{
	return order_last(set_order(set), set->ways);
}

/* Inserts a line that the set does not have in place of its last one. order: the set's. */
static inline void set_replace(const struct vpmu_set *set, uint64_t order, uint64_t word)
{
	uint64_t others = set->ways < 16 ? ~0ull << 4 * set->ways : 0;
	uint32_t way = order_last(order, set->ways);

	set_put(set, way, word);
	set_put_print(set, way, set_tag(word));
	order = (order & others) | ((order << 4 | way) & ~others);
	__atomic_store_n(set->order, order ^ SET_IDENTITY, __ATOMIC_RELAXED);
}

/* The same; returns the word that falls out. */
static inline uint64_t set_insert(const struct vpmu_set *set, uint64_t word)
{
	uint64_t order = set_order(set), victim = set_word(set, order_last(order, set->ways));

	set_replace(set, order, word);
	return victim;
}

/* Empties the way and makes it the next to be filled. */
static inline void set_remove(const struct vpmu_set *set, uint32_t way)
{
	uint64_t order = __atomic_load_n(set->order, __ATOMIC_RELAXED) ^ SET_IDENTITY;
	uint32_t shift = order_shift(order, way), last = 4 * (set->ways - 1);
	uint64_t below = order & ((1ull << shift) - 1);
	uint64_t up_to_last = (16ull << last) - 1;	/* all ones for 16 ways */
	uint64_t above = order & up_to_last & ~((16ull << shift) - 1);

	set_put(set, way, 0);
	if (shift == last)
		return;
	order = (order & ~up_to_last) | (uint64_t)way << last | above >> 4 | below;
	__atomic_store_n(set->order, order ^ SET_IDENTITY, __ATOMIC_RELAXED);
}

#endif
