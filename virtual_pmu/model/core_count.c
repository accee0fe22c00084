/* SPDX-License-Identifier: MIT */
/* Counts core events under threshold, invert and edge, by the model of core_count.h.
 * vpmu_filter_gain() is the gain of one counter. vpmu_stretch_take() moves all counters of a PMU
 * over a stretch, up to the clock in which an overflow freezes it. Pure arithmetic on the caller's
 * data: no lock. The counters' values stay within their width. */
#include "core_count.h"

static bool holds(const struct vpmu_filter *f, uint64_t occurrences)
{
	if (!f->threshold)
		return occurrences > 0;
	return (occurrences >= f->threshold) != f->invert;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Rows: of clocks that meet the condition, if there were enough clocks of either kind. */
static uint64_t edges(uint32_t *active, uint64_t with, uint64_t without, uint64_t rows)
{
	uint64_t n;

	if (!with && !without)
		return 0;
	n = without ? min(rows, min(with, without)) : !*active;
	*active = with >= without;
	return n;
}

uint64_t vpmu_filter_gain(const struct vpmu_filter *f, uint32_t *active, uint64_t times,
			  uint64_t clocks, struct vpmu_stalls stalls)
{
	uint64_t each, more, rows, with = 0, without, stalled = min(stalls.clocks, clocks);

	if (!f->threshold && !f->edge)
		return times;
	if (stalls.counted)
		times -= min(times, stalled);
	clocks -= stalled;
	if (!clocks)
		clocks = times;
	each = clocks ? times / clocks : 0;
	more = clocks ? times % clocks : 0;
	if (holds(f, each + 1))
		with += more;
	if (holds(f, each))
		with += clocks - more;
	without = clocks - with;
	rows = min(with, without) + stalls.rows;
	if (holds(f, stalls.counted))
		with += stalled;
	else
		without += stalled;
	return f->edge ? edges(active, with, without, rows) : with;
}

static uint64_t part_of_sum(uint32_t kind, const uint32_t *counts, uint32_t clocks)
{
	uint32_t instructions = counts[VPMU_INSTRUCTIONS];

	if (kind == VPMU_SUM_CLOCKS)
		return clocks;
	if (kind == VPMU_SUM_IDLE)
		return clocks > instructions ? clocks - instructions : 0;
	return counts[kind - 1];
}

uint64_t vpmu_sum(const uint8_t *sum, const uint32_t *counts, uint32_t clocks)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < VPMU_SUM_MAX && sum[i]; i++)
		total += part_of_sum(sum[i], counts, clocks);
	return total;
}

/* ---- stretches ---- */

/* In the first `part` clocks of the stretch. */
static uint64_t gain(const struct vpmu_stretch *st, const struct vpmu_lane *l, uint32_t *active,
		     uint32_t part)
{
	const struct vpmu_stalls stalls = {
		.rows = vpmu_times_until(st->stalls, st->clocks, part),
		.clocks = vpmu_times_until(st->stall_clocks, st->clocks, part),
		.counted = l->has_stalls,
	};

	*active = l->active ? *l->active : 0;
	return vpmu_filter_gain(&l->filter, active, vpmu_times_until(l->times, st->clocks, part),
				part, stalls);
}

/* Does a counter that freezes the PMU overflow within the first `part` clocks? */
static bool freezes_within(const struct vpmu_stretch *st, uint32_t part)
{
	uint32_t active;

	for (uint32_t i = 0; i < st->lanes; i++) {
		const struct vpmu_lane *l = &st->lane[i];

		if (l->interrupts && (*l->value + gain(st, l, &active, part)) >> st->width)
			return true;
	}
	return false;
}

/* The clocks that still count: up to the one of a freezing overflow. */
static uint32_t counted_clocks(const struct vpmu_stretch *st)
{
	uint32_t part = 1;

	if (!st->freezes || !freezes_within(st, st->clocks))
		return st->clocks;
	while (part < st->clocks && !freezes_within(st, part))
		part++;
	return part < st->clocks ? part : st->clocks;
}

struct vpmu_overflows vpmu_stretch_take(const struct vpmu_stretch *st)
{
	uint32_t active, part = counted_clocks(st);
	struct vpmu_overflows over = { 0, 0 };

	for (uint32_t i = 0; i < st->lanes; i++) {
		const struct vpmu_lane *l = &st->lane[i];

		*l->value += gain(st, l, &active, part);
		if (l->active)
			*l->active = active;
		if (*l->value >> st->width) {
			over.status |= l->status;
			over.interrupts += l->interrupts;
		}
		*l->value &= (UINT64_C(1) << st->width) - 1;
	}
	return over;
}
