/* SPDX-License-Identifier: MIT */
#include "tlb.h"

/* Puts the page in front of its set. True: it was there. */
static bool find(uint64_t *sets, uint32_t entries, uint64_t page)
{
	uint64_t *set = sets + page % (entries / VPMU_TLB_WAYS) * VPMU_TLB_WAYS;
	uint32_t way = 0;
	bool found;

	while (way < VPMU_TLB_WAYS - 1 && set[way] != page + 1)
		way++;
	found = set[way] == page + 1;
	for (; way; way--)
		set[way] = set[way - 1];
	set[0] = page + 1;
	return found;
}

enum vpmu_walk vpmu_tlb_search(struct vpmu_tlb *t, uint64_t page)
{
	t->last = page + 1;
	if (find(t->first, VPMU_TLB_FIRST, page))
		return VPMU_NO_WALK;
	return find(t->second, VPMU_TLB_SECOND, page) ? VPMU_WALK : VPMU_LONG_WALK;
}

/* What stays of a set moves up, so that free entries are last and taken first. */
static void forget(uint64_t *sets, uint32_t entries, uint64_t first, uint64_t last)
{
	for (uint64_t *set = sets; set < sets + entries; set += VPMU_TLB_WAYS) {
		uint32_t kept = 0;

		for (uint32_t way = 0; way < VPMU_TLB_WAYS; way++)
			if (set[way] && (set[way] - 1 < first || set[way] - 1 > last))
				set[kept++] = set[way];
		while (kept < VPMU_TLB_WAYS)
			set[kept++] = 0;
	}
}

void vpmu_tlb_forget(struct vpmu_tlb *t, uint64_t first, uint64_t last)
{
	forget(t->first, VPMU_TLB_FIRST, first, last);
	forget(t->second, VPMU_TLB_SECOND, first, last);
	t->last = 0;
}
