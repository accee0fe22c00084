/* SPDX-License-Identifier: MIT */
#include "tlb.h"

static const struct vpmu_tlb_shape usual = { 16, 4, 128, 4 };
const struct vpmu_tlb_shape vpmu_tlb_skl_data = { 16, 4, 128, 12 };
const struct vpmu_tlb_shape vpmu_tlb_skl_code = { 16, 8, 128, 12 };

static const struct vpmu_tlb_shape *shape_of(const struct vpmu_tlb *t)
{
	return t->shape ? t->shape : &usual;
}

static uint64_t *second_of(struct vpmu_tlb *t)
{
	return t->other ? t->other->second : t->second;
}

/* Puts the page in front of its set. True: it was there. */
static bool find(uint64_t *entries, uint32_t sets, uint32_t ways, uint64_t page)
{
	uint64_t *set = entries + (page & (sets - 1)) * ways;
	uint32_t way = 0;
	bool found;

	while (way < ways - 1 && set[way] != page + 1)
		way++;
	found = set[way] == page + 1;
	for (; way; way--)
		set[way] = set[way - 1];
	set[0] = page + 1;
	return found;
}

enum vpmu_walk vpmu_tlb_search(struct vpmu_tlb *t, uint64_t page)
{
	const struct vpmu_tlb_shape *s = shape_of(t);

	t->last = page + 1;
	if (find(t->first, s->first_sets, s->first_ways, page))
		return VPMU_NO_WALK;
	return find(second_of(t), s->second_sets, s->second_ways, page) ? VPMU_WALK :
								  VPMU_LONG_WALK;
}

/* Moves the remaining entries of a set up, so that free entries are last and taken first. */
static void forget(uint64_t *entries, uint32_t sets, uint32_t ways, uint64_t first,
		   uint64_t last)
{
	for (uint64_t *set = entries; set < entries + sets * ways; set += ways) {
		uint32_t kept = 0;

		for (uint32_t way = 0; way < ways; way++)
			if (set[way] && (set[way] - 1 < first || set[way] - 1 > last))
				set[kept++] = set[way];
		while (kept < ways)
			set[kept++] = 0;
	}
}

void vpmu_tlb_forget(struct vpmu_tlb *t, uint64_t first, uint64_t last)
{
	const struct vpmu_tlb_shape *s = shape_of(t);

	forget(t->first, s->first_sets, s->first_ways, first, last);
	forget(second_of(t), s->second_sets, s->second_ways, first, last);
	t->last = 0;
}
