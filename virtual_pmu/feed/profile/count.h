/* SPDX-License-Identifier: MIT */
/* Counts core events of the thread that executes, and charges its instruction. */
#ifndef VPMU_FEED_COUNT_H
#define VPMU_FEED_COUNT_H

#include "charge.h"

static inline void vpmu_count(uint32_t *counts, enum vpmu_core_event event, uint32_t times)
{
	counts[event] += times;
	if (vpmu_profiles() && times)
		vpmu_charge_core(event, times);
}

/* The same of a core that the thread's access concerns. */
static inline void vpmu_charge_cores(const struct vpmu_machine *m, uint32_t cpu,
				     const uint32_t counts[VPMU_CORE_EVENTS])
{
	bool little = vpmu_cpu_little(m, cpu) >= 0;

	for (uint32_t i = 0; vpmu_profiles() && i < VPMU_CORE_EVENTS; i++)
		if (counts[i])
			vpmu_charge(vpmu_kind_core(little, i), counts[i]);
}

#endif
