/* SPDX-License-Identifier: MIT */
/* The caches of one machine, shared by every process that runs on it.
 *
 * Stated model: private L1I, L1D and L2 per core (L2 neither inclusive nor exclusive of the L1s),
 * an inclusive LLC in slices per package; LRU, write-back, write-allocate, MESI. Write-backs do not
 * change the LRU order of the level that takes them when it already has the line. No prefetcher.
 * Packages do not snoop each other: a machine of several packages has independent LLCs.
 *
 * A line is named by its tag: address space << 48 | address of its first byte. A word of a cache
 * is tag | state. Hits in the L1s take no lock. What else happens inside a core takes the core's
 * lock; what leaves it takes the machine lock as well.
 *
 * Lock order: the machine lock, then core locks. Only its holder may hold two core locks. */
#ifndef VPMU_FEED_CACHES_H
#define VPMU_FEED_CACHES_H

#include "../model.h"
#include "geometry.h"
#include "sets.h"

#define VPMU_SPACE_SHIFT 48
#define VPMU_HINTS 1024u

enum vpmu_touch { VPMU_LOAD, VPMU_STORE, VPMU_CODE };

/* Head of a core's block in the segment. */
struct vpmu_core {
	uint32_t lock;		/* thread id of the owner, 0 when free */
	uint32_t version;	/* odd: what the core's caches hold is being changed */
	uint32_t next_fill;	/* oldest fill buffer; under the machine lock */
	uint8_t pad[VPMU_CORE_HEADER_BYTES - 12];
};

struct vpmu_caches {
	struct vpmu_segment *s;
	unsigned char *base;
	struct vpmu_layout layout;
};

/* One level-one cache as its fast path sees it. */
struct vpmu_fast {
	uint64_t *orders, *words;	/* NULL: level absent */
	struct vpmu_level level;
	/* The line of the last hit: its word, its set's order, its way. */
	const uint64_t *recent, *recent_order;
	uint64_t recent_way;
	uint8_t hints[VPMU_HINTS];	/* in which way a line was last; only a guess */
};

/* One emulated thread as the caches and the clock see it. */
struct vpmu_runner {
	uint64_t space;			/* address space id << VPMU_SPACE_SHIFT */
	uint64_t clock, published;
	const uint32_t *cpu_slot;	/* its virtual CPU may change at any time */
	uint64_t *clock_slot;
	uint32_t cpu;
	uint32_t core;			/* in its package */
	uint32_t package;
	uint32_t tid;
	struct vpmu_fast l1d, l1i;
	uint32_t *counts;		/* core events since the last report; NULL: none wanted */
};

/* 0, or -EINVAL: the segment's machine and caches region do not fit each other. */
int vpmu_caches_open(struct vpmu_caches *c, struct vpmu_segment *s);
struct vpmu_core *vpmu_caches_core(const struct vpmu_caches *c, uint32_t package, uint32_t core);
uint64_t *vpmu_caches_fills(const struct vpmu_caches *c, uint32_t package, uint32_t core);
/* Points a runner at virtual CPU `cpu`. */
void vpmu_caches_place(const struct vpmu_caches *c, struct vpmu_runner *r, uint32_t cpu);

/* Any access, by the runner's own host thread. Advances the runner's clock by what it waits for.
 * Takes the locks it needs; does nothing where vpmu_feed_lock refuses the machine lock. */
void vpmu_caches_access(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
			enum vpmu_touch kind);
/* Takes the line out of every cache of the runner's package, machine lock held, without writing it
 * back. True: there was data newer than memory. */
bool vpmu_caches_remove(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag);
/* Slice of the runner's package that holds the line. */
uint32_t vpmu_caches_slice(const struct vpmu_caches *c, uint64_t tag, uint32_t *set);

static inline uint64_t vpmu_level_index(const struct vpmu_level *level, uint64_t line)
{
	return level->mask ? line & level->mask : line % level->sets;
}

static inline uint64_t vpmu_runner_tag(const struct vpmu_runner *r, uint64_t address)
{
	return r->space | (address & 0xffffffffffc0ull);
}

static inline uint8_t *vpmu_fast_hint(struct vpmu_fast *f, uint64_t tag)
{
	return &f->hints[(uint32_t)(tag >> 6) * 0x9e3779b1u >> 22];
}

/* State of the line if it is both the last one hit here and still the most recently used of its
 * set, else VPMU_WORD_I: a hit that changes nothing. */
static inline enum vpmu_word_state vpmu_fast_repeat(const struct vpmu_fast *f, uint64_t tag)
{
	uint64_t state = __atomic_load_n(f->recent, __ATOMIC_RELAXED) - tag;
	uint64_t order = __atomic_load_n(f->recent_order, __ATOMIC_RELAXED) ^ SET_IDENTITY;

	if (state > VPMU_WORD_M || ((order ^ f->recent_way) & 15))
		return VPMU_WORD_I;
	return (enum vpmu_word_state)state;
}

/* A guess at a hit: the line's state in the way where the hint expects it, else VPMU_WORD_I.
 * vpmu_fast_note completes the hit. */
static inline enum vpmu_word_state vpmu_fast_state(struct vpmu_fast *f, uint64_t tag)
{
	uint64_t index = vpmu_level_index(&f->level, tag >> 6);
	uint64_t *word = f->words + index * f->level.ways + *vpmu_fast_hint(f, tag);
	uint64_t state = __atomic_load_n(word, __ATOMIC_RELAXED) - tag;

	return state <= VPMU_WORD_M ? (enum vpmu_word_state)state : VPMU_WORD_I;
}

static inline void vpmu_fast_note(struct vpmu_fast *f, uint64_t tag)
{
	uint64_t index = vpmu_level_index(&f->level, tag >> 6);

	f->recent_way = *vpmu_fast_hint(f, tag);
	f->recent = f->words + index * f->level.ways + f->recent_way;
	f->recent_order = f->orders + index;
	set_touch(f->orders + index, (uint32_t)f->recent_way);
}

#endif
