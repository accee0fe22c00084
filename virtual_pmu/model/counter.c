/* SPDX-License-Identifier: MIT */
#include "counter.h"

bool vpmu_counter_condition(uint64_t select, uint64_t increment)
{
	uint32_t threshold = VPMU_GET(SELECT_LONG_THR, select);

	if (!threshold)
		return increment > 0;
	return select & SELECT_INV ? increment < threshold : increment >= threshold;
}

/* The gain per clock with this increment, where edges do not count. */
static uint64_t rate(uint64_t select, uint64_t increment)
{
	if (!VPMU_GET(SELECT_LONG_THR, select))
		return increment;
	return vpmu_counter_condition(select, increment);
}

static uint64_t gain(const struct vpmu_counter *c, uint64_t increment, uint64_t n)
{
	if (c->select & SELECT_E)
		return vpmu_counter_condition(c->select, increment) && !c->active;
	return rate(c->select, increment) * n;
}

bool vpmu_counter_apply(struct vpmu_counter *c, uint32_t width, uint64_t increment, uint64_t n)
{
	uint64_t sum;

	if (!n)
		return false;
	sum = c->value + gain(c, increment, n);
	c->value = sum & ((UINT64_C(1) << width) - 1);
	c->active = vpmu_counter_condition(c->select, increment);
	return sum >> width != 0;
}

uint64_t vpmu_counter_wraps_in(const struct vpmu_counter *c, uint32_t width, uint64_t increment,
			       uint64_t n)
{
	uint64_t left = (UINT64_C(1) << width) - c->value;
	uint64_t each = c->select & SELECT_E ? gain(c, increment, 1) : rate(c->select, increment);

	if (!n || !each)
		return 0;
	if (c->select & SELECT_E)	/* at most one edge, in the first clock */
		return left <= each ? 1 : 0;
	uint64_t clocks = (left + each - 1) / each;
	return clocks <= n ? clocks : 0;
}
