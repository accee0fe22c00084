/* SPDX-License-Identifier: MIT */
/* Names kinds of occurrences, and lets them occur. Both walk the order of kinds.h. The caller of
 * vpmu_kind_raise() holds the machine lock. */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

static const char *const names[VPMU_KIND_CORE] = {
#define X(name) #name,
	VPMU_KIND_LIST(X)
#undef X
};

static const char *const core_names[] = {
#define X(name) #name,
	VPMU_CORE_EVENT_LIST(X)
#undef X
	"CLOCKS",
};

bool vpmu_kind_name(uint32_t kind, char text[VPMU_KIND_NAME_MAX])
{
	uint32_t of_core = kind - VPMU_KIND_CORE;

	if (kind >= VPMU_KINDS)
		return false;
	if (kind < VPMU_KIND_CORE)
		snprintf(text, VPMU_KIND_NAME_MAX, "%s", names[kind]);
	else
		snprintf(text, VPMU_KIND_NAME_MAX, "%sCORE.%s",
			 of_core < VPMU_KINDS_OF_CORE ? "" : "E_",
			 core_names[of_core % VPMU_KINDS_OF_CORE]);
	return true;
}

/* ---- raising ---- */

static void raise_lookup(struct vpmu_segment *s, uint32_t n)
{
	vpmu_llc_lookup(s, 0, 0, n < 4 ? VPMU_READ : VPMU_WRITE, (enum vpmu_mesi)(1u << n % 4),
			s->uclk[0]);
}

static void raise_snoop(struct vpmu_segment *s, uint32_t n)
{
	static const enum vpmu_snoop_result results[] = { VPMU_SNOOP_MISS, VPMU_SNOOP_HIT,
							  VPMU_SNOOP_HITM };

	vpmu_snoop(s, 0, 0, n < 3 ? VPMU_XCORE : VPMU_EVICTION, results[n % 3], s->uclk[0]);
}

static void raise_tracker(struct vpmu_segment *s, uint32_t n, bool away, uint32_t clocks)
{
	uint64_t start = s->uclk[0];

	if (away)
		vpmu_away_tracker(s, 0, (enum vpmu_tracker)n, true, start, start + clocks);
	else
		vpmu_tracker(s, 0, (enum vpmu_tracker)n, true, start, start + clocks);
}

static void raise_dram(struct vpmu_segment *s, uint32_t n)
{
	vpmu_dram_at(s, 0, n < 3 ? VPMU_IN_TURN : n / 3 - 1, n % 3 == 0, n % 3 == 1, n % 3 == 2);
}

/* An occurrence of one of the kinds that are not clocks. */
static void raise_once(struct vpmu_segment *s, uint32_t kind)
{
	if (kind < VPMU_KIND_SNOOP_XCORE_MISS)
		raise_lookup(s, kind);
	else if (kind < VPMU_KIND_TRACKER_DATA_READ)
		raise_snoop(s, kind - VPMU_KIND_SNOOP_XCORE_MISS);
	else if (kind < VPMU_KIND_TRACKER_DATA_READ_CLOCKS)
		raise_tracker(s, kind - VPMU_KIND_TRACKER_DATA_READ, false, 1);
	else if (kind < VPMU_KIND_AWAY_DATA_READ)
		vpmu_away_request(s, 0, (enum vpmu_tracker)
				  (kind - VPMU_KIND_AWAY_REQUEST_DATA_READ), s->uclk[0]);
	else if (kind < VPMU_KIND_AWAY_DATA_READ_CLOCKS)
		raise_tracker(s, kind - VPMU_KIND_AWAY_DATA_READ, true, 1);
	else if (kind < VPMU_KIND_MEMORY_READ_HIT)
		raise_dram(s, kind - VPMU_KIND_DRAM_REQUESTS);
	else
		vpmu_memory_command(s, 0, 0, kind >= VPMU_KIND_MEMORY_WRITE_HIT, (enum vpmu_page)
				    ((kind - VPMU_KIND_MEMORY_READ_HIT) % 3), s->uclk[0]);
}

static bool raise_uncore(struct vpmu_segment *s, uint32_t kind, uint32_t times)
{
	uint64_t start = s->uclk[0];

	if (kind >= VPMU_KIND_TRACKER_DATA_READ_CLOCKS && kind <= VPMU_KIND_TRACKER_EVICTION_CLOCKS)
		raise_tracker(s, kind - VPMU_KIND_TRACKER_DATA_READ_CLOCKS, false, 1 + times);
	else if (kind >= VPMU_KIND_AWAY_DATA_READ_CLOCKS && kind <= VPMU_KIND_AWAY_EVICTION_CLOCKS)
		raise_tracker(s, kind - VPMU_KIND_AWAY_DATA_READ_CLOCKS, true, 1 + times);
	else
		for (uint32_t i = 0; i < times; i++)
			raise_once(s, kind);
	vpmu_clock(s, 0, start + VPMU_RAISED_CLOCKS);
	return true;
}

/* Events that have others inside, as the model subtracts these: how many levels of them. */
static const uint8_t inside[VPMU_CORE_EVENTS] = {
	[VPMU_INSTRUCTIONS] = 4, [VPMU_UOPS] = 4,
	[VPMU_BRANCHES] = 3, [VPMU_BRANCHES_TAKEN] = 2, [VPMU_BRANCHES_CONDITIONAL] = 2,
	[VPMU_BRANCHES_CONDITIONAL_TAKEN] = 1, [VPMU_MISPREDICTED] = 1,
	[VPMU_LOADS] = 3, [VPMU_STORES] = 3, [VPMU_L1D_READ_MISSES] = 2,
	[VPMU_L1D_WRITE_MISSES] = 2, [VPMU_LOADS_L1_MISSED] = 2, [VPMU_LOADS_L2_MISSED] = 1,
	[VPMU_CODE_READS] = 3, [VPMU_CODE_MISSES] = 1,
	[VPMU_DTLB_READ_MISSES] = 2, [VPMU_DTLB_WRITE_MISSES] = 2, [VPMU_DTLB_LONG_WALKS] = 1,
	[VPMU_ITLB_MISSES] = 1, [VPMU_L2_LINES_OUT] = 1, [VPMU_X87] = 1,
	[VPMU_SSE_PACKED_SINGLE] = 1, [VPMU_SSE_PACKED_DOUBLE] = 1,
	[VPMU_SSE_SCALAR_SINGLE] = 1, [VPMU_SSE_SCALAR_DOUBLE] = 1,
};

/* How many of the event there are beside what is raised. Nearly each clock has a micro-op, so an
 * event of the clocks without one does not gain each that is raised. */
static uint32_t raised_base(uint32_t event)
{
	if (event == VPMU_UOPS_ISSUED || event == VPMU_UOPS_EXECUTED)
		return 2 * VPMU_RAISED_CLOCKS - VPMU_RAISED_BASE - VPMU_RAISED_BASE / 2;
	return (uint32_t)VPMU_RAISED_BASE << inside[event];
}

/* The first CPU of the sort; UINT32_MAX: there is none. */
static uint32_t cpu_of(const struct vpmu_machine *m, bool little)
{
	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(m); cpu++)
		if ((vpmu_cpu_little(m, cpu) >= 0) == little)
			return cpu;
	return UINT32_MAX;
}

static bool raise_core(struct vpmu_segment *s, uint32_t kind, int32_t times)
{
	uint32_t cpu = cpu_of(&s->machine, kind >= VPMU_KINDS_OF_CORE);
	uint32_t counts[VPMU_CORE_EVENTS], clocks = 2 * VPMU_RAISED_CLOCKS;
	uint32_t event = kind % VPMU_KINDS_OF_CORE;

	if (cpu == UINT32_MAX || !vpmu_core_events_modelled(&s->machine))
		return false;
	for (uint32_t i = 0; i < VPMU_CORE_EVENTS; i++)
		counts[i] = raised_base(i);
	*(event < VPMU_CORE_EVENTS ? &counts[event] : &clocks) += (uint32_t)times;
	vpmu_core_events(s, cpu, counts, clocks);
	return true;
}

bool vpmu_kind_raise(struct vpmu_segment *s, uint32_t kind, int32_t times)
{
	bool of_core = kind >= VPMU_KIND_CORE;

	if (kind >= VPMU_KINDS || times < (of_core ? -VPMU_RAISED_BASE : 0) ||
	    times >= VPMU_RAISED_CLOCKS)
		return false;
	return of_core ? raise_core(s, kind - VPMU_KIND_CORE, times) :
			 raise_uncore(s, kind, (uint32_t)times);
}
