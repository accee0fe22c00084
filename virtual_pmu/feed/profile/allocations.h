/* SPDX-License-Identifier: MIT */
/* Blocks that a thread allocates and frees, seen at the first instruction of malloc() and its like,
 * and when that returns. So nothing is loaded into the program, and static programs are seen as
 * well. */
#ifndef VPMU_FEED_ALLOCATIONS_H
#define VPMU_FEED_ALLOCATIONS_H

#include "follower.h"

/* At the function's first instruction, with its frame on the shadow stack. */
void vpmu_allocation_enters(struct vpmu_follower *f, enum vpmu_allocator kind, uint64_t sp);
/* At a return whose return address is there, if an allocation is open that is at or below it. */
void vpmu_allocation_returns(struct vpmu_follower *f, uint64_t sp);

#endif
