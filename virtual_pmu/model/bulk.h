/* SPDX-License-Identifier: MIT */
/* Batches of occurrences, which are added up and reported together, which is faster: while the
 * machine lock is held, and where the clock of each does not matter. */
#ifndef VPMU_BULK_H
#define VPMU_BULK_H

#include "model.h"

struct vpmu_llc_counts {
	uint64_t lookup[VPMU_SLICES_MAX][3][4];	/* [slice][bit of request][bit of state] */
	uint64_t snoop[VPMU_SLICES_MAX][2][4];	/* [slice][is an eviction][bit of result] */
};

/* Entries of trackers. Clocks before `done` are final; an entry in this list has not ended
 * VPMU_ENTRY_CLOCKS later. */
#define VPMU_ENTRIES 1024u
#define VPMU_ENTRY_CLOCKS 65536u	/* a power of two */

struct vpmu_entry {
	uint64_t start, end;		/* clocks; the part before `done` is counted */
	uint32_t count;			/* of entries that are alike */
	uint8_t kind;			/* of these, which are bits */
	bool begun;			/* there in the clock before `done` as well */
};
#define VPMU_ENTRY_COUNT (1u << 20)
enum { VPMU_ENTRY_DATA_READ = 1, VPMU_ENTRY_COHERENT = 2, VPMU_ENTRY_ARB_1 = 4,
       VPMU_ENTRY_KINDS = 8 };

struct vpmu_entries {
	uint32_t used, late[VPMU_ENTRY_KINDS];	/* late: the newest of the kind that was moved */
	uint64_t clocks[VPMU_ENTRY_KINDS];	/* of them all that are not counted yet */
	struct vpmu_entry entry[VPMU_ENTRIES];
};

/* The places in which a package's occurrences are noted. */
struct vpmu_bulk {
	const uint32_t *precise;	/* not 0: nowhere, each has to be reported */
	struct vpmu_llc_counts *llc;	/* NULL: the family counts none */
	struct vpmu_entries *entries;	/* NULL: transfers have to be reported in any case */
	const uint64_t *done;
	uint64_t *transfers;		/* by enum vpmu_tracker */
	uint32_t *requests, *reads, *writes;	/* of memory: counters that programs can see */
};

/* False: all have to be reported. The pointers stay what they are. */
bool vpmu_bulk_of(struct vpmu_segment *s, uint32_t package, struct vpmu_bulk *out);

static inline void vpmu_bulk_count(uint32_t *counter)
{
	__atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
}

/* Joins an entry with an equal one. Entries of a thread that is behind begin before `done` and are
 * moved there, so they are equal until `done` advances. True: the equal one counts for both now. */
static inline bool vpmu_entry_again(struct vpmu_entries *list, uint64_t start, uint64_t end,
				    uint8_t kind)
{
	uint32_t i = list->late[kind];
	struct vpmu_entry *e = &list->entry[i];
	bool again = i < list->used && e->start == start && e->end == end && e->kind == kind &&
		     !e->begun && e->count < VPMU_ENTRY_COUNT;

	if (!again) {
		list->late[kind] = list->used;
		return false;
	}
	e->count++;
	list->clocks[kind] += end - start;
	return true;
}

/* Takes the one entry that has been made behind the last into the list. */
static inline void vpmu_entry_take(struct vpmu_entries *list)
{
	const struct vpmu_entry *e = &list->entry[list->used];

	list->clocks[e->kind] += e->end - e->start;
	list->used++;
}

/* False: the list is full, or the entry begins too late for it. */
static inline bool vpmu_entry_add(struct vpmu_entries *list, uint64_t done, uint64_t start,
				  uint64_t clocks, uint8_t kind)
{
	struct vpmu_entry *e = &list->entry[list->used];
	bool late = start < done;

	if (__builtin_expect(late, 0))
		start = done;
	if (list->used == VPMU_ENTRIES - 1 || start - done + clocks >= VPMU_ENTRY_CLOCKS)
		return false;
	if (__builtin_expect(late, 0) && vpmu_entry_again(list, start, start + clocks, kind))
		return true;
	e->start = start;
	e->end = start + clocks;
	e->kind = kind;
	e->begun = false;
	e->count = 1;
	list->clocks[kind] += clocks;
	list->used++;
	return true;
}

/* A line that the LLC reads from memory or, EVICTION, writes there: a coherent entry of the tracker
 * and a request to the memory controller. False: it has to be reported. */
static inline bool vpmu_bulk_transfer(const struct vpmu_bulk *b, enum vpmu_tracker kind,
				      uint64_t start, uint64_t end)
{
	uint8_t of = VPMU_ENTRY_COHERENT | (kind == VPMU_TRK_DATA_READ ? VPMU_ENTRY_DATA_READ : 0);

	if (!b->entries || !vpmu_entry_add(b->entries, *b->done, start, end - start, of))
		return false;
	b->transfers[kind]++;
	vpmu_bulk_count(b->requests);
	vpmu_bulk_count(kind == VPMU_TRK_EVICTION ? b->writes : b->reads);
	return true;
}

#endif
