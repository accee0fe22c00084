/* SPDX-License-Identifier: MIT */
#include "core_costs.h"

const struct vpmu_core_costs vpmu_costs_skylake = {
	.width = 4,	/* 248966, Skylake client: the allocation queue delivers 4 a clock */
};
