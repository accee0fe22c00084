/* SPDX-License-Identifier: MIT */
/* Remarks on counters that are enabled on something that this machine does not do. p4_remark()
 * checks all enabled counters of a core and records each reason once, in the segment. The texts of
 * a record are p4_undriven_why() and p4_undriven_event(). The caller holds the machine lock. A
 * count that stays 0 because of the machine, and not of the program, has a remark. */
#include "netburst_state.h"

enum netburst_why { DRIVEN, LINE, NO_ESCR, NO_EVENT, NOT_AN_EVENT, MOVES_APART, NO_USER, NO_HT,
		    NO_REPLAY, NO_PEBS, BUS_MASK };

static const char *const reasons[] = {
	[NO_ESCR] = "its CCCR selects no ESCR, so it stays 0",
	[NO_EVENT] = "its ESCR selects no event or no mask bit, so it stays 0",
	[NOT_AN_EVENT] = "not an event of the documents, that part stays 0",
	[MOVES_APART] = "moves are not told apart: it stays 0 without both ALLP0 and ALLP2",
	[NO_USER] = "everything on this machine happens at user level, so it stays 0",
	[NO_HT] = "ACTIVE_THREAD must be 11 without Hyper-Threading, so it stays 0",
	[NO_REPLAY] = "MSR_PEBS_ENABLE and MSR_PEBS_MATRIX_VERT tag nothing that this machine "
		      "replays, so it stays 0",
	[BUS_MASK] = "it stays 0 without a request type, read or write, a memory type and a source",
	[NO_PEBS] = "the model writes no PEBS records",
};

/* True if the PEBS registers tag something for replay_event that the feed reports. */
static bool replays(const struct p4_core *core)
{
	uint64_t enable = core->pebs_enable, vert = core->pebs_matrix_vert;

	const uint64_t any = REPLAY_DTLB | REPLAY_SPLIT;

	if (!(enable & PEBS_UOP_TAG))
		return false;
	return ((enable & (REPLAY_L1 | REPLAY_L2 | any)) && (vert & VERT_LOADS)) ||
	       ((enable & any) && (vert & VERT_STORES)) ||
	       ((enable & PEBS_MISPREDICTED) == PEBS_MISPREDICTED && (vert & VERT_BRANCHES));
}

static enum netburst_why check_line(const struct p4_core *core, uint64_t escr, int line)
{
	uint32_t mask = VPMU_GET(ESCR_MASK, escr);

	if (line < 0)
		return NOT_AN_EVENT;
	if (!netburst_events[line].driven)
		return LINE;
	if (p4_events[line].unit == P4_FIRM && p4_events[line].bit != 15 &&
	    (mask & 0x18) != 0x18)
		return MOVES_APART;
	if (p4_events[line].sum[0] == VPMU_BUS + 1 && !p4_bus_mask_complete(mask))
		return BUS_MASK;
	if (p4_events[line].sum[0] == VPMU_REPLAY_TAGGED + 1 && !replays(core))
		return NO_REPLAY;
	return DRIVEN;
}

/* Select of the note: the line and one more in bits 31:16, the reason in 15:8, and the event. */
static void note(struct vpmu_segment *s, uint32_t counter, int line, enum netburst_why why,
		 uint32_t event)
{
	if (why)
		vpmu_record_undriven(s, VPMU_MSR, 0x360 + counter, (uint64_t)(line + 1) << 16 |
				   (uint64_t)why << 8 | event);
}

static void remark(struct vpmu_segment *s, const struct p4_core *core, uint32_t counter)
{
	enum p4_unit unit = p4_counter_unit(core, counter);
	uint32_t event, mask;
	uint64_t escr;

	if (unit == P4_UNITS) {
		note(s, counter, -1, NO_ESCR, 0);
		return;
	}
	escr = core->escr[unit][p4_counter_side(counter)];
	event = VPMU_GET(ESCR_EVENT, escr);
	mask = VPMU_GET(ESCR_MASK, escr);
	if (!event || !mask)
		note(s, counter, -1, NO_EVENT, event);
	else if (!(escr & (ESCR_T0_USR | ESCR_T1_USR)) &&
		 !(s->kernel && (escr & (ESCR_T0_OS | ESCR_T1_OS))))
		note(s, counter, -1, NO_USER, event);
	else if (s->machine.threads < 2 && VPMU_GET(CCCR_ACTIVE_THREAD, core->cccr[counter]) != 3)
		note(s, counter, -1, NO_HT, event);
	for (uint32_t left = mask; left && event; left &= left - 1) {
		int line = p4_event_find(unit, event, (uint32_t)__builtin_ctz(left));

		note(s, counter, line, check_line(core, escr, line), event);
	}
}

void p4_remark(struct vpmu_segment *s, const struct p4_core *core)
{
	for (uint32_t i = 0; i < P4_COUNTERS; i++)
		if (core->cccr[i] & (P4_ENABLE | P4_CASCADE | P4_EXTENDED))
			remark(s, core, i);
	if (core->pebs_enable & PEBS_RECORDS)
		vpmu_record_undriven(s, VPMU_MSR, 0x3f1, (uint64_t)NO_PEBS << 8);
}

const char *p4_undriven_why(const struct vpmu_undriven *u)
{
	uint32_t why = (uint32_t)(u->select >> 8 & 0xff), line = (uint32_t)(u->select >> 16);

	if (why == LINE)
		return line && line <= NETBURST_EVENTS ? netburst_events[line - 1].why : NULL;
	return why < sizeof(reasons) / sizeof(reasons[0]) ? reasons[why] : NULL;
}

const char *p4_undriven_event(const struct vpmu_undriven *u)
{
	uint32_t line = (uint32_t)(u->select >> 16);

	return line && line <= NETBURST_EVENTS ? netburst_events[line - 1].name : NULL;
}
