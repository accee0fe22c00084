/* SPDX-License-Identifier: MIT */
/* Counting in bulk, while no counter depends on single clocks: by threshold, edge detection or a
 * freeze at an overflow. Occurrences are added up, and tracker entries stored, until a register is
 * read or written. If an overflow interrupts, that is until the clock is published. Then the
 * counters add them all at once; an entry adds its clocks to the occupancy. Registers change only
 * after that, so that each occurrence is counted by the registers of its time. */
#include <string.h>

#include "skl_state.h"

#define CLOCKS_MAX (UINT64_C(1) << 32)

static uint64_t lookups(const struct skl_bulk *b, uint32_t slice, uint32_t umask)
{
	uint64_t n = 0;

	for (uint32_t request = 0; request < 3; request++)
		for (uint32_t state = 0; state < 4; state++)
			if (umask >> state & 1 && umask >> 4 & (1u << request | 8u))
				n += b->llc.lookup[slice][request][state];
	return n;
}

static uint64_t snoops(const struct skl_bulk *b, uint32_t slice, uint32_t umask)
{
	uint64_t n = 0;

	for (uint32_t cause = 0; cause < 2; cause++)
		for (uint32_t result = 0; result < 4; result++)
			if (umask >> result & 1 && umask >> (6 + cause) & 1)
				n += b->llc.snoop[slice][cause][result];
	return n;
}

uint32_t skl_tracker_umask(enum vpmu_tracker kind)
{
	static const uint32_t umasks[SKL_TRK_KINDS] = {
		[VPMU_TRK_DATA_READ] = SKL_TRK_ALL | SKL_TRK_DATA_READ,
		[VPMU_TRK_CODE_READ] = SKL_TRK_ALL,
		[VPMU_TRK_WRITE] = SKL_TRK_ALL | SKL_TRK_WRITES,
		[VPMU_TRK_EVICTION] = SKL_TRK_ALL | SKL_TRK_WRITES | SKL_TRK_EVICTIONS,
	};

	return umasks[kind];
}

static uint64_t requests(const uint64_t kinds[SKL_TRK_KINDS], uint32_t umask)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < SKL_TRK_KINDS; i++)
		n += umask & skl_tracker_umask(i) ? kinds[i] : 0;
	return n;
}

/* Bits of the unit mask that count an entry of the SoC tile's table, by kind of request. */
uint32_t skl_tor_umask(enum vpmu_tracker kind)
{
	return kind == VPMU_TRK_DATA_READ ? SKL_TOR_ALL | SKL_TOR_DRD : SKL_TOR_ALL;
}

static uint64_t allocations(const uint64_t kinds[SKL_TRK_KINDS], uint32_t umask)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < SKL_TRK_KINDS; i++)
		n += umask & skl_tor_umask(i) ? kinds[i] : 0;
	return n;
}

static uint64_t transactions(const uint64_t ways[2], uint32_t umask)
{
	return (umask & (SKL_TRANSACTIONS_ALL | SKL_TRANSACTIONS_READS) ? ways[0] : 0) +
	       (umask & (SKL_TRANSACTIONS_ALL | SKL_TRANSACTIONS_WRITES) ? ways[1] : 0);
}

static uint64_t gathered(const struct skl_package *p, uint32_t counter, uint64_t select)
{
	const struct skl_bulk *b = &p->bulk;
	uint32_t umask = skl_driven(p, counter, select);
	uint32_t slice = (counter - SKL_CBO(0)) / 2, arb = skl_arb_of(counter);

	switch (VPMU_GET(SELECT_EVENT, select) | (skl_is_arb(counter) ? 0x100u : 0)) {
	case SKL_CACHE_LOOKUP:
		return lookups(b, slice, umask);
	case SKL_XSNP_RESPONSE:
		return snoops(b, slice, umask);
	case SKL_TOR_ALLOCATION:
		return slice < SKL_ARBS ? allocations(b->tor[slice], umask) : 0;
	case 0x100 | SKL_TRANSACTIONS:
		return transactions(b->transactions[arb], umask);
	case 0x100 | SKL_TRK_REQUESTS:
		return requests(b->requests[arb], umask) + (arb ? 0 : requests(b->all, umask));
	case 0x100 | SKL_COH_TRK_REQUESTS:
		return requests(b->coherent[arb], umask) + (arb ? 0 : requests(b->all, umask));
	}
	return 0;
}

static struct vpmu_entry still_there(const struct vpmu_entry *e, uint64_t done)
{
	struct vpmu_entry rest = *e;

	if (rest.start < done) {
		rest.start = done;
		rest.begun = true;
	}
	return rest;
}

/* Leaves those that are there after `done`, and their clocks from then on. */
static void keep_open(struct vpmu_entries *list, uint64_t done)
{
	const struct vpmu_entry *behind = list->entry + list->used;

	list->used = 0;
	memset(list->clocks, 0, sizeof(list->clocks));
	for (const struct vpmu_entry *e = list->entry; e < behind; e++) {
		struct vpmu_entry rest;

		if (__builtin_expect(e->end <= done, 1))
			continue;
		rest = still_there(e, done);
		list->clocks[rest.kind] += (rest.end - rest.start) * rest.count;
		list->entry[list->used++] = rest;
	}
}

/* Clocks that entries were there before `done`, by kind; those that have ended go. Some may be in
 * the ring of changes, from before. */
static void take_entries(struct skl_package *p, uint64_t clocks[SKL_ARBS][SKL_ENTRY_KINDS])
{
	struct vpmu_entries *list = &p->bulk.list;
	uint64_t before[VPMU_ENTRY_KINDS];

	memset(clocks, 0, SKL_ARBS * sizeof(*clocks));
	skl_take_changes(p, p->bulk.counted, p->done, clocks);
	memcpy(before, list->clocks, sizeof(before));
	keep_open(list, p->done);
	for (uint8_t kind = 0; kind < VPMU_ENTRY_KINDS; kind++)
		for (uint32_t i = 0; i < SKL_ENTRY_KINDS; i++)
			clocks[skl_entry_arb(kind)][i] +=
				skl_entry_is(kind, i) ? before[kind] - list->clocks[kind] : 0;
}

static void apply_events(struct skl_package *p)
{
	for (uint32_t i = SKL_ARB; i < SKL_COUNTERS; i++)
		if (i != SKL_FIXED && (p->counter[i].select & SELECT_EN))
			skl_apply(p, i, 1, gathered(p, i, p->counter[i].select));
}

static void apply_clocks(struct skl_package *p, uint64_t clocks[SKL_ARBS][SKL_ENTRY_KINDS])
{
	uint64_t n;

	for (uint32_t arb = 0; arb < SKL_ARBS; arb++) {
		uint32_t first = skl_first_of(arb);

		if ((p->counter[first].select & SELECT_EN) && skl_counts_occupancy(p, first))
			skl_apply(p, first, 1, clocks[arb][skl_entries_of(p, first)]);
	}
	if (!(p->counter[SKL_FIXED].select & SELECT_EN))
		return;
	for (uint64_t left = p->done - p->bulk.counted; left; left -= n) {
		n = left < CLOCKS_MAX ? left : CLOCKS_MAX;
		skl_apply(p, SKL_FIXED, 1, n);
	}
}

void skl_bulk_apply(struct skl_package *p)
{
	struct skl_bulk *b = &p->bulk;
	uint64_t clocks[SKL_ARBS][SKL_ENTRY_KINDS];

	if (p->precise)
		return;
	take_entries(p, clocks);
	if (skl_counting(p)) {
		apply_events(p);
		apply_clocks(p, clocks);
	}
	memset(b, 0, offsetof(struct skl_bulk, counted));
	b->counted = p->done;
}

/* ---- changing over ---- */

static bool compares(const struct skl_package *p, uint32_t counter)
{
	uint64_t select = p->counter[counter].select;

	return skl_counts_occupancy(p, counter) &&
	       (VPMU_GET(SELECT_LONG_THR, select) || (select & SELECT_E));
}

static bool every_clock_matters(const struct skl_package *p)
{
	return skl_freezing(p) || p->grouped || compares(p, SKL_ARB) || compares(p, SKL_ARB_1);
}

static bool forwards(const struct skl_package *p)
{
	const uint64_t on = SELECT_EN | SELECT_OVF_EN;

	if (!(p->global_ctrl & SKL_GLOBAL_PMI_SEL))
		return false;
	for (uint32_t i = 0; i < SKL_COUNTERS; i++)
		if ((p->counter[i].select & on) == on)
			return true;
	return false;
}

/* Entries that are still there become changes of the occupancy. */
static void put_in_ring(struct skl_package *p)
{
	struct skl_bulk *b = &p->bulk;

	for (uint32_t i = 0; i < b->list.used; i++) {
		const struct vpmu_entry *e = &b->list.entry[i];

		if (e->begun) {
			skl_entry_add(e->kind, (int32_t)e->count, &p->occupancy);
		} else {
			skl_put_change(p, e->start, (int32_t)e->count, e);
		}
		skl_put_change(p, e->end, -(int32_t)e->count, e);
	}
	b->list.used = 0;
	memset(b->list.clocks, 0, sizeof(b->list.clocks));
}

void skl_bulk_choose(struct skl_package *p)
{
	bool precise = every_clock_matters(p);

	if (precise && !p->precise)
		put_in_ring(p);
	p->precise = precise;
	p->forwards = forwards(p);
	p->bulk.counted = p->done;
}

/* An entry that began before the clocks still open is moved as a whole: its length is what the
 * occupancy adds up, and the average latency must stay right. */
static void make_entry(struct skl_package *p, struct vpmu_entry *e, uint64_t start, uint64_t length)
{
	if (length >= SKL_WINDOW)
		length = SKL_WINDOW - 1;
	if (start + length >= p->done + SKL_WINDOW)
		skl_advance(p, start + length - SKL_WINDOW + 1);
	if (start < p->done)
		start = p->done;
	e->start = start;
	e->end = start + length;
	e->begun = false;
	e->count = 1;
}

/* In bulk the entry is made where it stays: to copy what has just been stored takes the host
 * long. */
void skl_occupy(struct skl_package *p, uint32_t arb, bool data_read, bool coherent, uint64_t start,
		uint64_t end)
{
	struct skl_bulk *b = &p->bulk;
	struct vpmu_entry now, *e = p->precise ? &now : &b->list.entry[b->list.used];
	bool late = start < p->done;

	make_entry(p, e, start, end - start);
	e->kind = (uint8_t)((data_read ? VPMU_ENTRY_DATA_READ : 0) |
			    (coherent ? VPMU_ENTRY_COHERENT : 0) | (arb ? VPMU_ENTRY_ARB_1 : 0));
	if (p->precise) {
		skl_put_change(p, e->start, 1, e);
		skl_put_change(p, e->end, -1, e);
		return;
	}
	if (late && vpmu_entry_again(&b->list, e->start, e->end, e->kind))
		return;
	vpmu_entry_take(&b->list);
	if (b->list.used < VPMU_ENTRIES)
		return;
	skl_bulk_apply(p);
	if (b->list.used > VPMU_ENTRIES / 2)	/* too many at a time for the list */
		put_in_ring(p);
}
