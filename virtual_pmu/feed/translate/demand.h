/* SPDX-License-Identifier: MIT */
/* Demand of blocks for a core's front end and ports, which adds up along a path of blocks. */
#ifndef VPMU_FEED_DEMAND_H
#define VPMU_FEED_DEMAND_H

#include "core_costs.h"

#define VPMU_CLOCK_PARTS 16u		/* costs are in parts of a clock */

struct vpmu_demand {
	uint16_t issued, loads, stores;	/* fused micro-operations, accesses */
	uint16_t divider, serial;	/* clocks, see core_costs.h */
	uint16_t taken;			/* jumps, calls and returns; of these one a clock */
	uint16_t wanted[16];		/* micro-operations by the set of their ports */
};

/* In parts of a clock: what the front end takes, and what cannot be executed beside anything
 * else; ports that are busy are left out, since work of other blocks leaves room there. */
uint32_t vpmu_demand_once(const struct vpmu_demand *w, const struct vpmu_core_costs *table);

/* In parts of a clock, if it is repeated: what the busiest resource takes. */
uint32_t vpmu_demand_repeated(const struct vpmu_demand *w, const struct vpmu_core_costs *table);

void vpmu_demand_add(struct vpmu_demand *w, const struct vpmu_demand *more);

#endif
