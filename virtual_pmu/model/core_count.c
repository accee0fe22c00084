/* SPDX-License-Identifier: MIT */
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
