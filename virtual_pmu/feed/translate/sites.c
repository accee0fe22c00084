/* SPDX-License-Identifier: MIT */
#include "sites.h"

uint16_t vpmu_site_producer[VPMU_SITES_PLAIN], vpmu_site_same[VPMU_SITES];

uint32_t vpmu_site_new(bool dependent)
{
	static uint32_t sites[2];
	uint32_t site = __atomic_fetch_add(&sites[dependent], 1, __ATOMIC_RELAXED) %
			(dependent ? VPMU_SITES - VPMU_SITES_PLAIN : VPMU_SITES_PLAIN);

	site += dependent ? VPMU_SITES_PLAIN : 0;
	vpmu_site_same[site] = (uint16_t)site;
	return site;
}
