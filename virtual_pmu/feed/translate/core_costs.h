/* SPDX-License-Identifier: MIT */
/* Tables of what instructions cost on a core. */
#ifndef VPMU_FEED_CORE_COSTS_H
#define VPMU_FEED_CORE_COSTS_H

#include <stdint.h>

struct vpmu_core_costs {
	uint32_t width;		/* fused micro-operations that the front end delivers in a clock */
};

/* Skylake client, which stands for the P cores of all clients. */
extern const struct vpmu_core_costs vpmu_costs_skylake;

#endif
