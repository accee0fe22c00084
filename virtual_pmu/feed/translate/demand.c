/* SPDX-License-Identifier: MIT */
#include "demand.h"

#include <string.h>

#define PARTS VPMU_CLOCK_PARTS

static uint32_t most(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Each set of ports executes at least the micro-operations that can go nowhere else. */
static uint32_t port_parts(const struct vpmu_demand *w)
{
	static const uint8_t ports_of[16] = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4 };
	uint32_t inside[16], parts = 0;

	for (uint32_t set = 0; set < 16; set++)
		inside[set] = w->wanted[set];
	for (uint32_t port = 1; port < 16; port <<= 1)
		for (uint32_t set = 0; set < 16; set++)
			if (set & port)
				inside[set] += inside[set & ~port];
	for (uint32_t set = 1; set < 16; set++)
		parts = most(parts, inside[set] * PARTS / ports_of[set]);
	return parts;
}

uint32_t vpmu_demand_once(const struct vpmu_demand *w, const struct vpmu_core_costs *table)
{
	return most(w->issued * PARTS / table->width, most(w->divider, w->serial) * PARTS);
}

uint32_t vpmu_demand_repeated(const struct vpmu_demand *w, const struct vpmu_core_costs *table)
{
	uint32_t parts = most(vpmu_demand_once(w, table), port_parts(w));

	parts = most(parts, w->taken * PARTS);
	parts = most(parts, w->loads * PARTS / table->loads);
	parts = most(parts, w->stores * PARTS / table->stores);
	return most(parts, (w->loads + (uint32_t)w->stores) * PARTS / table->addresses);
}

void vpmu_demand_add(struct vpmu_demand *w, const struct vpmu_demand *more)
{
	w->issued = (uint16_t)(w->issued + more->issued);
	w->loads = (uint16_t)(w->loads + more->loads);
	w->stores = (uint16_t)(w->stores + more->stores);
	w->divider = (uint16_t)(w->divider + more->divider);
	w->serial = (uint16_t)(w->serial + more->serial);
	w->taken = (uint16_t)(w->taken + more->taken);
	for (uint32_t set = 0; set < 16; set++)
		w->wanted[set] = (uint16_t)(w->wanted[set] + more->wanted[set]);
}
