/* SPDX-License-Identifier: MIT */
/* Numbers of instructions that access memory. A thread keeps for each number where the last access
 * of the instruction was. Instructions share numbers only if there are many of them.
 *
 * The address of a dependent access comes from a load of the same block, its producer. These have
 * numbers of their own, so that only accesses that miss check whether they are dependent. */
#ifndef VPMU_FEED_SITES_H
#define VPMU_FEED_SITES_H

#include <stdbool.h>
#include <stdint.h>

#define VPMU_SITES_PLAIN 1024u
#define VPMU_SITES 2048u		/* with those of dependent accesses, which come last */

/* By number: the producer of a dependent access, and the first access of the block by the same
 * unchanged registers. Both are often in the same line, which then arrives for both. */
extern uint16_t vpmu_site_producer[VPMU_SITES_PLAIN], vpmu_site_same[VPMU_SITES];

static inline bool vpmu_site_is_dependent(uint32_t site)
{
	return site >= VPMU_SITES_PLAIN;
}

uint32_t vpmu_site_new(bool dependent);

#endif
