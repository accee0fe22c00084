/* SPDX-License-Identifier: MIT */
/* The architectural events (SDM 325384-059 Tables 18-1 and 19-1; from number 7 on Intel's volume 2,
 * CPUID leaf 0AH), and which event a select names. arch_event_of() finds the event of a select,
 * arch_times() returns how often it occurred. Tables are constant: no lock. */
#include <string.h>

#include "arch_state.h"

#define ARCH "SDM Table 19-1"
#define LEAF "SDM volume 2, CPUID leaf 0AH"
#define ROW(u, n, c, m, k, d, t, s, nr, ...) { .info = { .name = n, .unit = u, .code = c, \
	.umask = m, .counters = k, .driven = d, .why = t, .cite = s }, .number = nr, __VA_ARGS__ }
#define ON(nr, n, c, m, t, ...) ROW("PMC", n, c, m, "any", true, t, ARCH, (nr) + 1, __VA_ARGS__)
#define OFF(nr, n, c, m, t) ROW("PMC", n, c, m, "any", false, "stays 0: " t, LEAF, (nr) + 1, \
	.flags = 0)
#define FIXED(n, k, d, t, s) ROW("FIXED", n, 0, (k) + 1, "FIXED" #k, d, t, s, 0, .flags = 0)
#define SUM(...) .sum = { __VA_ARGS__ }
#define K(kind) VPMU_OF(kind)
#define PERFMON "Intel perfmon ICL 1.24, LNL 1.26"
#define NO_SLOTS "issue slots are not modelled"

static const struct arch_event events[] = {
	FIXED("INST_RETIRED.ANY", 0, true, NULL, "SDM Table 19-2"),
	FIXED("CPU_CLK_UNHALTED.THREAD", 1, true, NULL, "SDM Table 19-2"),
	FIXED("CPU_CLK_UNHALTED.REF_TSC", 2, true, "same rate as the core clock", "SDM Table 19-2"),
	FIXED("TOPDOWN.SLOTS", 3, false, "stays 0: " NO_SLOTS, PERFMON),
	FIXED("TOPDOWN_BAD_SPECULATION.ALL", 4, false, "stays 0: " NO_SLOTS, PERFMON),
	FIXED("TOPDOWN_FE_BOUND.ALL", 5, false, "stays 0: " NO_SLOTS, PERFMON),
	FIXED("TOPDOWN_RETIRING.ALL", 6, false, "stays 0: " NO_SLOTS, PERFMON),
	ON(0, "UnHalted Core Cycles", 0x3c, 0x00, NULL, SUM(VPMU_SUM_CLOCKS)),
	ON(1, "Instruction Retired", 0xc0, 0x00, NULL, SUM(K(INSTRUCTIONS))),
	ON(2, "UnHalted Reference Cycles", 0x3c, 0x01, "the crystal: one in 92 core clocks, from "
	   "Alder Lake on the core clock itself", .flags = ARCH_CRYSTAL),
	ON(3, "LLC Reference", 0x2e, 0x4f, "requests that the core's L2 does not answer",
	   SUM(K(L2_READ_MISS), K(L2_WRITE_MISS), K(L2_CODE_MISS), K(L2_WRITE_HIT_S))),
	ON(4, "LLC Misses", 0x2e, 0x41, "those that memory answers",
	   SUM(K(FILL_READ_MEMORY), K(FILL_WRITE_MEMORY), K(FILL_CODE_MEMORY))),
	ON(5, "Branch Instruction Retired", 0xc4, 0x00, NULL, SUM(K(BRANCHES))),
	ON(6, "Branch Misses Retired", 0xc5, 0x00, NULL, SUM(K(MISPREDICTED))),
	OFF(7, "Topdown Slots", 0xa4, 0x01, NO_SLOTS),
	OFF(8, "Topdown Backend Bound", 0xa4, 0x02, NO_SLOTS),
	OFF(9, "Topdown Bad Speculation", 0x73, 0x00, NO_SLOTS),
	OFF(10, "Topdown Frontend Bound", 0x9c, 0x01, NO_SLOTS),
	OFF(11, "Topdown Retiring", 0xc2, 0x02, NO_SLOTS),
	OFF(12, "LBR Inserts", 0xe4, 0x01, "there are no last-branch records"),
};

const struct arch_event *arch_event_number(const struct vpmu_machine *m, uint32_t index)
{
	const uint32_t architectural = sizeof(events) / sizeof(events[0]);

	if (index < architectural)
		return &events[index];
	index -= architectural;
	if (!vpmu_has_skylake_cores(m))
		return NULL;
	if (index < SKL_CORE_EVENTS)
		return &skl_core_events[index];
	index -= SKL_CORE_EVENTS;
	return index < SKL_CORE_GROUPS ? &skl_core_groups[index] : NULL;
}

/* ---- selects ---- */

/* The unit mask bits of a code whose rows are for one bit each. */
static uint32_t joined_bits(const struct vpmu_machine *m, uint32_t code)
{
	const struct arch_event *e;
	uint32_t bits = 0;

	for (uint32_t i = 0; (e = arch_event_number(m, i)) != NULL; i++)
		if ((e->flags & ARCH_BITS) && e->info.code == code)
			bits |= e->info.umask;
	return bits;
}

/* Rows with the same code and unit mask may differ by the threshold or edge that they need. */
static bool is_named(const struct arch_event *e, uint64_t select)
{
	return !arch_is_fixed(e) && !(e->flags & ARCH_GROUP) &&
	       e->info.code == VPMU_GET(ARCH_CODE, select) &&
	       e->info.umask == VPMU_GET(ARCH_UMASK, select) &&
	       (!e->cmask || e->cmask == VPMU_GET(ARCH_CMASK, select)) &&
	       (!e->edge || (select & ARCH_E));
}

/* Rows of the core come before architectural ones, of which it may have none of the select. */
static bool is_closer(const struct arch_event *e, const struct arch_event *found)
{
	return (e->cmask && !found->cmask) || (found->number && !e->number);
}

static const struct arch_event *row_of(const struct vpmu_machine *m, uint64_t select)
{
	uint32_t code = VPMU_GET(ARCH_CODE, select), umask = VPMU_GET(ARCH_UMASK, select);
	const struct arch_event *e, *found = NULL;

	for (uint32_t i = 0; (e = arch_event_number(m, i)) != NULL; i++)
		if (is_named(e, select) && (!found || is_closer(e, found)))
			found = e;
	for (uint32_t i = 0; !found && (e = arch_event_number(m, i)) != NULL; i++)
		if ((e->flags & ARCH_BITS) && e->info.code == code && (e->info.umask & umask) &&
		    !(umask & ~joined_bits(m, code)))
			found = e;
	for (uint32_t i = 0; !found && (e = arch_event_number(m, i)) != NULL; i++)
		if ((e->flags & ARCH_GROUP) && e->info.code == code)
			found = e;
	return found;
}

static bool counts_clocks(const struct arch_event *e)
{
	return (e->flags & (ARCH_CRYSTAL | ARCH_WHOLE)) || vpmu_sum_has_stalls(e->sum);
}

const struct arch_event *arch_event_of(const struct vpmu_machine *m, uint32_t cpu, uint32_t counter,
				       uint64_t select, const char **why)
{
	const struct arch_event *e = row_of(m, select);

	*why = "no event that this model knows, it stays 0";
	if (!e)
		return NULL;
	*why = "this kind of core does not have the event, here it stays 0";
	if (e->number && !(arch_kind_of(m, cpu)->events >> (e->number - 1) & 1))
		return NULL;
	*why = e->info.why;
	if (!e->info.driven)
		return NULL;
	*why = "counters 0 to 3 alone count this event, here it stays 0";
	if ((e->flags & ARCH_HALF) && counter > 3)
		return NULL;
	*why = "the clocks of a core's threads are not joined: with ANY it stays 0";
	if ((select & ARCH_ANY) && counts_clocks(e))
		return NULL;
	*why = "with another threshold, with invert or edge it stays 0";
	if ((e->flags & ARCH_WHOLE) &&
	    (VPMU_GET(ARCH_CMASK, select) != e->cmask || (select & (ARCH_INV | ARCH_E))))
		return NULL;
	*why = NULL;
	return e;
}

static uint64_t difference(const struct arch_event *e, const uint32_t *counts, uint32_t clocks)
{
	uint64_t plus = vpmu_sum(e->sum, counts, clocks);
	uint64_t minus = vpmu_sum(e->minus, counts, clocks);

	return plus > minus ? plus - minus : 0;
}

uint64_t arch_times(const struct vpmu_machine *m, const struct arch_event *e, uint64_t select,
		    const uint32_t *counts, uint32_t clocks, uint32_t ticks)
{
	uint32_t umask = VPMU_GET(ARCH_UMASK, select);
	const struct arch_event *bit;
	uint64_t times = 0;

	if (e->flags & ARCH_CRYSTAL)
		return ticks;
	if (!(e->flags & ARCH_BITS))
		return difference(e, counts, clocks);
	for (uint32_t i = 0; (bit = arch_event_number(m, i)) != NULL; i++)
		if ((bit->flags & ARCH_BITS) && bit->info.code == e->info.code &&
		    (bit->info.umask & umask))
			times += difference(bit, counts, clocks);
	return times;
}
