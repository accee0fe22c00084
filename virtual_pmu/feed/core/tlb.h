/* SPDX-License-Identifier: MIT */
/* Stated translation buffers of one hardware thread: 64 entries, four ways, for data and as many
 * for code, each with a second level of 512 entries, four ways; 4 KiB pages whatever the system
 * uses; LRU. A miss in the first level is a page walk, one in the second as well a long one. In
 * user mode a system call or a move to another CPU flushes nothing.
 *
 * Skylake's (248966, CPUID leaf 02H of such parts) have 64 entries, four ways, for data, 128, eight
 * ways, for code, and for both a second level of 1,536, twelve ways. */
#ifndef VPMU_FEED_TLB_H
#define VPMU_FEED_TLB_H

#include <stdbool.h>
#include <stdint.h>

#define VPMU_PAGE_SHIFT 12
#define VPMU_TLB_FIRST 128u	/* entries at most */
#define VPMU_TLB_SECOND 1536u

/* Sets of each level, a power of two, and ways. */
struct vpmu_tlb_shape { uint32_t first_sets, first_ways, second_sets, second_ways; };
extern const struct vpmu_tlb_shape vpmu_tlb_skl_data, vpmu_tlb_skl_code;

struct vpmu_tlb {
	uint64_t last;			/* page of the last access, plus 1: newest of its set */
	const struct vpmu_tlb_shape *shape;	/* NULL: the first one above */
	struct vpmu_tlb *other;		/* has the second level for both; NULL: an own one */
	uint64_t first[VPMU_TLB_FIRST], second[VPMU_TLB_SECOND];	/* page + 1, recent first */
};

enum vpmu_walk { VPMU_NO_WALK, VPMU_WALK, VPMU_LONG_WALK };

/* Pages from the first to the last one are not in it any more. */
void vpmu_tlb_forget(struct vpmu_tlb *t, uint64_t first, uint64_t last);
enum vpmu_walk vpmu_tlb_search(struct vpmu_tlb *t, uint64_t page);

/* page: address >> VPMU_PAGE_SHIFT. */
static inline enum vpmu_walk vpmu_tlb_access(struct vpmu_tlb *t, uint64_t page)
{
	return t->last == page + 1 ? VPMU_NO_WALK : vpmu_tlb_search(t, page);
}

#endif
