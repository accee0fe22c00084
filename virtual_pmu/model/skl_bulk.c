/* SPDX-License-Identifier: MIT */
/* Counting in bulk. As long as no counter asks in which clock something happens - by threshold,
 * edge detection or a freeze at an overflow - occurrences are only added up, and tracker entries
 * kept, until a register is read or written. Then the counters take them at once; an entry adds
 * its clocks to the occupancy. Registers change only after that, so that everything gathered is
 * counted by what they said at its time. */
#include <string.h>

#include "skl_state.h"

enum { BULK, PRECISE, PRECISE_UNTIL_EMPTY };	/* skl_package.precise */

#define CLOCKS_MAX (UINT64_C(1) << 32)

static uint64_t lookups(const struct skl_bulk *b, uint32_t slice, uint32_t umask)
{
	uint64_t n = 0;

	for (uint32_t request = 0; request < 3; request++)
		for (uint32_t state = 0; state < 4; state++)
			if (umask >> state & 1 && umask >> 4 & (1u << request | 8u))
				n += b->lookup[slice][request][state];
	return n;
}

static uint64_t snoops(const struct skl_bulk *b, uint32_t slice, uint32_t umask)
{
	uint64_t n = 0;

	for (uint32_t cause = 0; cause < 2; cause++)
		for (uint32_t result = 0; result < 4; result++)
			if (umask >> result & 1 && umask >> (6 + cause) & 1)
				n += b->snoop[slice][cause][result];
	return n;
}

static uint64_t requests(const struct skl_bulk *b, uint32_t umask)
{
	uint64_t n = 0;

	if (umask & SKL_TRK_ALL)
		return b->requests[0] + b->requests[1] + b->requests[2];
	if (umask & SKL_TRK_DATA_READ)
		n += b->requests[VPMU_TRK_DATA_READ];
	if (umask & SKL_TRK_WRITES)
		n += b->requests[VPMU_TRK_WRITE];
	return n;
}

static uint64_t gathered(const struct skl_bulk *b, uint32_t counter, uint64_t select)
{
	uint32_t umask = VPMU_GET(SELECT_UMASK, select), slice = (counter - SKL_CBO(0)) / 2;

	switch (VPMU_GET(SELECT_EVENT, select) | (counter < SKL_CBO(0) ? 0x100u : 0)) {
	case SKL_CACHE_LOOKUP:
		return lookups(b, slice, umask);
	case SKL_XSNP_RESPONSE:
		return snoops(b, slice, umask);
	case 0x100 | SKL_TRK_REQUESTS:
		return requests(b, umask);
	case 0x100 | SKL_COH_TRK_REQUESTS:
		return umask & SKL_TRK_ALL ? b->coherent[0] + b->coherent[1] + b->coherent[2] : 0;
	}
	return 0;
}

/* Clocks that the entries were there before `done`, by data_read; those that have ended go. */
static void take_entries(struct skl_package *p, uint64_t clocks[2])
{
	struct skl_bulk *b = &p->bulk;
	uint32_t kept = 0;

	clocks[0] = clocks[1] = 0;
	for (uint32_t i = 0; i < b->entries; i++) {
		struct skl_entry e = b->entry[i];
		uint64_t end = e.end < p->done ? e.end : p->done;

		if (e.start < end) {
			clocks[e.data_read] += end - e.start;
			e.start = end;
			e.begun = true;
		}
		if (e.end > p->done)
			b->entry[kept++] = e;
	}
	b->entries = kept;
}

static void apply_events(struct skl_package *p)
{
	for (uint32_t i = SKL_ARB; i < SKL_FIXED; i++)
		if (p->counter[i].select & SELECT_EN)
			skl_apply(p, i, 1, gathered(&p->bulk, i, p->counter[i].select));
}

static void apply_clocks(struct skl_package *p, const uint64_t clocks[2])
{
	uint64_t arb = p->counter[SKL_ARB].select, n;

	if ((arb & SELECT_EN) && skl_counts_occupancy(p))
		skl_apply(p, SKL_ARB, 1,
			  VPMU_GET(SELECT_UMASK, arb) & SKL_TRK_ALL ? clocks[0] + clocks[1] :
									    clocks[1]);
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
	uint64_t clocks[2];

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

static bool every_clock_matters(const struct skl_package *p)
{
	uint64_t arb = p->counter[SKL_ARB].select;

	return skl_freezing(p) || p->grouped ||
	       (skl_counts_occupancy(p) && (VPMU_GET(SELECT_THR, arb) || (arb & SELECT_E)));
}

/* Entries that are still there become changes of the occupancy. */
static void become_precise(struct skl_package *p)
{
	struct skl_bulk *b = &p->bulk;

	for (uint32_t i = 0; i < b->entries; i++) {
		const struct skl_entry *e = &b->entry[i];

		if (e->begun) {
			p->occupancy.all++;
			p->occupancy.data_read += e->data_read != 0;
		} else {
			skl_put_change(p, e->start, 1, e->data_read);
		}
		skl_put_change(p, e->end, -1, e->data_read);
	}
	b->entries = 0;
}

void skl_bulk_choose(struct skl_package *p)
{
	bool precise = every_clock_matters(p);

	if (precise && !p->precise)
		become_precise(p);
	if (precise)
		p->precise = PRECISE;
	else if (p->precise && !p->changes)
		p->precise = BULK;
	else if (p->precise)
		p->precise = PRECISE_UNTIL_EMPTY;
	p->bulk.counted = p->done;
}

void skl_bulk_resume(struct skl_package *p)
{
	if (p->precise == PRECISE_UNTIL_EMPTY && !p->changes)
		skl_bulk_choose(p);
}

static void occupy_in_bulk(struct skl_package *p, bool data_read, uint64_t start, uint64_t end)
{
	struct skl_bulk *b = &p->bulk;

	b->entry[b->entries++] = (struct skl_entry){ start, end, data_read, false };
	if (b->entries < SKL_ENTRIES)
		return;
	skl_bulk_apply(p);
	if (b->entries <= SKL_ENTRIES / 2)
		return;
	become_precise(p);	/* too many at a time */
	p->precise = PRECISE_UNTIL_EMPTY;
}

/* An entry that began before the clocks still open is moved as a whole: its length is what the
 * occupancy adds up, and the average latency must stay right. */
void skl_occupy(struct skl_package *p, bool data_read, uint64_t start, uint64_t end)
{
	uint64_t length = end - start;

	if (length >= SKL_WINDOW)
		length = SKL_WINDOW - 1;
	if (start + length >= p->done + SKL_WINDOW)
		skl_advance(p, start + length - SKL_WINDOW + 1);
	if (start < p->done)
		start = p->done;
	if (!p->precise) {
		occupy_in_bulk(p, data_read, start, start + length);
		return;
	}
	skl_put_change(p, start, 1, data_read);
	skl_put_change(p, start + length, -1, data_read);
}
