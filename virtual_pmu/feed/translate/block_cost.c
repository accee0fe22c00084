/* SPDX-License-Identifier: MIT */
#include "block_cost.h"

#include <string.h>

#include "core_costs.h"

void vpmu_block_cost(const struct vpmu_cost_code *block, const struct vpmu_core_costs *table,
		     struct vpmu_block_cost *cost)
{
	memset(cost, 0, sizeof(*cost));
	for (uint32_t i = 0; i < block->count; i++) {
		cost->producer[i] = -1;
		cost->same[i] = (int16_t)i;
	}
	cost->issued = cost->executed = block->count;
	cost->once = block->count * VPMU_CLOCK_PARTS / table->width;
	cost->loop = cost->once;
}
