/* SPDX-License-Identifier: MIT */
/* The NetBurst events as tools see them and as counting needs them, and the map of ESCRs. */
#include "netburst_events.h"
#include "netburst_state.h"

enum { TS = false, TI = true };

#define COUNTERS_BPU_GROUP "0,1;2,3"
#define COUNTERS_MS_GROUP "4,5;6,7"
#define COUNTERS_FLAME_GROUP "8,9;10,11"
#define COUNTERS_IQ_GROUP "12,13,16;14,15,17"
#define COUNTERS_BPU COUNTERS_BPU_GROUP
#define COUNTERS_ITLB COUNTERS_BPU_GROUP
#define COUNTERS_MOB COUNTERS_BPU_GROUP
#define COUNTERS_PMH COUNTERS_BPU_GROUP
#define COUNTERS_FSB COUNTERS_BPU_GROUP
#define COUNTERS_FSB1 "2,3"
#define COUNTERS_BSU COUNTERS_BPU_GROUP
#define COUNTERS_BSU0 "0,1"
#define COUNTERS_BSU1 "2,3"
#define COUNTERS_MS COUNTERS_MS_GROUP
#define COUNTERS_TC COUNTERS_MS_GROUP
#define COUNTERS_TBPU COUNTERS_MS_GROUP
#define COUNTERS_FIRM COUNTERS_FLAME_GROUP
#define COUNTERS_SAAT COUNTERS_FLAME_GROUP
#define COUNTERS_DAC COUNTERS_FLAME_GROUP
#define COUNTERS_ALF COUNTERS_IQ_GROUP
#define COUNTERS_RAT COUNTERS_IQ_GROUP
#define COUNTERS_CRU0 COUNTERS_IQ_GROUP
#define COUNTERS_CRU2 COUNTERS_IQ_GROUP

#define INFO(u, event, select, name_, bit_, driven_, why_) { \
	.name = event "." name_, .unit = #u, .code = select, .umask = 1u << (bit_), \
	.counters = COUNTERS_##u, .driven = driven_, .why = why_, \
	.cite = "SDM tables 19-28 to 19-34" },
#define D_INFO(u, event, select, name, bit, ti, why, ...) \
	INFO(u, event, select, name, bit, true, why)
#define U_INFO(u, event, select, name, bit, ti, why) \
	INFO(u, event, select, name, bit, false, why)

const struct vpmu_event_info netburst_events[NETBURST_EVENTS] = {
	NETBURST_EVENT_LIST(D_INFO, U_INFO)
};

#define P(kind) ((int32_t)VPMU_##kind + 1)
#define M(kind) (-((int32_t)VPMU_##kind + 1))
#define D_SUM(u, event, select_, name, bit_, ti, why, ...) \
	{ .unit = P4_##u, .select = select_, .bit = bit_, .independent = ti, \
	  .sum = { __VA_ARGS__ } },
#define U_SUM(u, event, select_, name, bit_, ti, why) \
	{ .unit = P4_##u, .select = select_, .bit = bit_, .independent = ti },

const struct p4_event p4_events[NETBURST_EVENTS] = {
	NETBURST_EVENT_LIST(D_SUM, U_SUM)
};

int p4_event_find(enum p4_unit unit, uint32_t select, uint32_t bit)
{
	for (int i = 0; i < NETBURST_EVENTS; i++)
		if (p4_events[i].unit == unit && p4_events[i].select == select &&
		    p4_events[i].bit == bit)
			return i;
	return -1;
}

/* ---- Table 18-63 ---- */

static const struct { enum p4_group group; uint32_t number; } units[P4_UNITS] = {
#define X(name, group_, number_) [P4_##name] = { P4_##group_##_GROUP, number_ },
	P4_UNIT_LIST(X)
#undef X
};

enum p4_group p4_unit_group(enum p4_unit unit)
{
	return units[unit].group;
}

enum p4_group p4_counter_group(uint32_t counter)
{
	return counter < 12 ? (enum p4_group)(counter / 4) : P4_IQ_GROUP;
}

uint32_t p4_counter_side(uint32_t counter)
{
	return counter < 16 ? counter / 2 % 2 : counter - 16;
}

enum p4_unit p4_counter_unit(const struct p4_core *core, uint32_t counter)
{
	uint32_t number = VPMU_GET(CCCR_SELECT, core->cccr[counter]);

	for (uint32_t i = 0; i < P4_UNITS; i++)
		if (units[i].group == p4_counter_group(counter) && units[i].number == number &&
		    !(i == P4_SSU && p4_counter_side(counter)))
			return (enum p4_unit)i;
	return P4_UNITS;
}
