/* SPDX-License-Identifier: MIT */
/* Computes the input of a counter from what a logical processor did: by event select, event mask
 * and thread bits of the ESCR, and by the tags of at-retirement counting (SDM 18.15.6). p4_input()
 * is the entry point; it reads the core's registers, so the caller holds the machine lock.
 *
 * Stand-ins for what the documents or the feed leave open:
 * - Clocks of the two logical processors are added, not merged.
 * - A uop that two ESCRs tag with the same event is one uop; different events have different uops.
 * - An instruction is tagged once, however many of its uops are: of several taggings the largest
 *   counts. Locked accesses and returns are never tagged. */
#include "netburst_state.h"

#define TAG_LOADS 2u		/* uop_type */
#define TAG_STORES 4u
#define ALL 0x8000u
#define ALLP0_ALLP2 0x18u

enum { UOP_TYPE = 0x02, IOQ_ALLOCATION = 0x03, LOAD_PORT_REPLAY = 0x04, STORE_PORT_REPLAY = 0x05,
       EXECUTION_EVENT = 0x0c, SIMD_MOVES = 0x2e, SPLIT = 2 };

/* MSR_PEBS_ENABLE and MSR_PEBS_MATRIX_VERT, Table 19-33 */

/* Tables 18-66 and 18-67. */
static bool listens_to(uint64_t escr, const struct p4_batch *b, bool independent)
{
	bool kernel = b->ring == VPMU_KERNEL;
	uint64_t first = kernel ? ESCR_T0_OS : ESCR_T0_USR;
	uint64_t second = kernel ? ESCR_T1_OS : ESCR_T1_USR;

	if (independent)
		return escr & (first | second);
	return escr & (b->thread ? second : first);
}

/* 18.15.5.9: an ESCR works only while a counter that it or its pair can feed is enabled. */
static bool powered(const struct p4_core *core, enum p4_unit unit)
{
	for (uint32_t i = 0; i < P4_COUNTERS; i++)
		if (p4_counter_group(i) == p4_unit_group(unit) && p4_running(core, i))
			return true;
	return false;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* ---- tags ---- */

static uint64_t front_end_tagged(const struct p4_batch *b)
{
	uint32_t tagged = 0;
	uint64_t sum = 0;

	for (uint32_t side = 0; side < 2; side++) {
		uint64_t escr = b->core->escr[P4_RAT][side];

		if (VPMU_GET(ESCR_EVENT, escr) == UOP_TYPE && listens_to(escr, b, false))
			tagged |= VPMU_GET(ESCR_MASK, escr);
	}
	/* The counter of the tagged uops is of RAT's group and enabled, so RAT has power. */
	if (tagged & TAG_LOADS)
		sum += less(b->count[VPMU_LOADS], b->count[VPMU_LOCKED]);
	if (tagged & TAG_STORES)
		sum += less(b->count[VPMU_STORES], b->count[VPMU_LOCKED]);
	return sum;
}

/* Uops of the kind that this ESCR of FIRM selects. */
static uint64_t uops_of(const struct p4_batch *b, uint64_t escr)
{
	uint32_t mask = VPMU_GET(ESCR_MASK, escr);
	int line = p4_event_find(P4_FIRM, VPMU_GET(ESCR_EVENT, escr), mask & ALL ? 15 : 3);

	if (line < 0 || !p4_events[line].sum[0])
		return 0;
	if (VPMU_GET(ESCR_EVENT, escr) == SIMD_MOVES && (mask & ALLP0_ALLP2) != ALLP0_ALLP2)
		return 0;
	return b->count[p4_events[line].sum[0] - 1];
}

/* Uops with at least one of these tags. */
static uint64_t execution_tagged(const struct p4_batch *b, uint32_t tags)
{
	const uint64_t *escr = b->core->escr[P4_FIRM];
	uint64_t tagged[2] = { 0, 0 };

	if (!powered(b->core, P4_FIRM))
		return 0;
	for (uint32_t side = 0; side < 2; side++)
		if ((escr[side] & ESCR_TAG_ENABLE) &&
		    (VPMU_GET(ESCR_TAG_VALUE, escr[side]) & tags) &&
		    listens_to(escr[side], b, true))
			tagged[side] = uops_of(b, escr[side]);
	if (VPMU_GET(ESCR_EVENT, escr[0]) == VPMU_GET(ESCR_EVENT, escr[1]))
		return tagged[0] > tagged[1] ? tagged[0] : tagged[1];
	return tagged[0] + tagged[1];
}

/* Does an upstream ESCR of SAAT have this event? Table 19-28 requires ESCR1, table 19-33 has ESCR0
 * for stores: accept either. */
static bool split_upstream(const struct p4_batch *b, uint32_t event)
{
	const uint64_t *escr = b->core->escr[P4_SAAT];

	for (uint32_t side = 0; side < 2; side++)
		if (VPMU_GET(ESCR_EVENT, escr[side]) == event &&
		    (VPMU_GET(ESCR_MASK, escr[side]) & SPLIT) &&
		    listens_to(escr[side], b, false))
			return powered(b->core, P4_SAAT);
	return false;
}

static uint64_t replay_tagged(const struct p4_batch *b)
{
	uint64_t enable = b->core->pebs_enable, vert = b->core->pebs_matrix_vert, sum = 0;

	if (!(enable & PEBS_UOP_TAG))
		return 0;
	if (vert & VERT_LOADS) {
		if (enable & REPLAY_L1)	/* what misses the second level has missed the first */
			sum += b->count[VPMU_LOADS_L1_MISSED];
		else if (enable & REPLAY_L2)
			sum += b->count[VPMU_LOADS_L2_MISSED];
		if (enable & REPLAY_DTLB)
			sum += b->count[VPMU_LOADS_DTLB_MISSED];
		if ((enable & REPLAY_SPLIT) && split_upstream(b, LOAD_PORT_REPLAY))
			sum += b->count[VPMU_SPLIT_LOADS];
	}
	if (vert & VERT_STORES) {
		if (enable & REPLAY_DTLB)
			sum += b->count[VPMU_STORES_DTLB_MISSED];
		if ((enable & REPLAY_SPLIT) && split_upstream(b, STORE_PORT_REPLAY))
			sum += b->count[VPMU_SPLIT_STORES];
	}
	if ((vert & VERT_BRANCHES) && (enable & PEBS_MISPREDICTED) == PEBS_MISPREDICTED)
		sum += less(b->count[VPMU_MISPREDICTED], b->count[VPMU_MISPREDICTED_RETURN]);
	return sum;
}

static uint64_t tagged_instructions(const struct p4_batch *b)
{
	uint64_t most = front_end_tagged(b), other = execution_tagged(b, 15);

	if (other > most)
		most = other;
	other = replay_tagged(b);
	if (other > most)
		most = other;
	return most < b->count[VPMU_INSTRUCTIONS] ? most : b->count[VPMU_INSTRUCTIONS];
}

/* ---- activity of the other logical processor ---- */

/* A logical processor is active while it executes a thread. It is halted while it has none, or
 * threads that wait in the kernel (SDM 18.15.3, Active Thread; 18.16). */
static bool other_active(const struct p4_batch *b)
{
	const struct vpmu_machine *m = &b->s->machine;
	uint32_t sibling;

	if (m->threads < 2)
		return false;
	sibling = vpmu_core_cpu(m, vpmu_cpu_core(m, b->cpu), 1 - b->thread);
	for (uint32_t i = 0; i < VPMU_THREADS_MAX; i++)
		if (b->s->threads[i].tid && b->s->threads[i].cpu == sibling &&
		    __atomic_load_n(&b->s->threads[i].executes, __ATOMIC_RELAXED))
			return true;
	return false;
}

/* CCCR bits 17:16. Without Hyper-Threading they must be 11. */
static bool thread_state_fits(const struct p4_batch *b, uint64_t cccr)
{
	switch (VPMU_GET(CCCR_ACTIVE_THREAD, cccr)) {
	case 0: return false;	/* the processor of the batch is active */
	case 1: return b->s->machine.threads > 1 && !other_active(b);
	case 2: return b->s->machine.threads > 1 && other_active(b);
	}
	return true;
}

/* ---- sums ---- */

static uint64_t happened(const struct p4_batch *b, uint32_t kind)
{
	if (kind < VPMU_CORE_EVENTS)
		return b->count[kind];
	switch ((enum p4_kind)kind) {
	case VPMU_CLOCKS: return b->clocks;
	case VPMU_NOTHING: break;
	case VPMU_FRONT_END_TAGGED: return front_end_tagged(b);
	case VPMU_BUS:			/* these depend on several mask bits at once */
	case VPMU_EXECUTION_TAGGED: break;
	case VPMU_REPLAY_TAGGED: return replay_tagged(b);
	case VPMU_BOGUS_UOPS: return b->count[VPMU_MISPREDICTED] * P4_BOGUS_UOPS;
	case VPMU_TAGGED_INSTRUCTIONS: return tagged_instructions(b);
	case VPMU_BOTH_DELIVER: return !b->thread && other_active(b) ? b->clocks : 0;
	case VPMU_FIRST_DELIVERS: return !b->thread && !other_active(b) ? b->clocks : 0;
	case VPMU_SECOND_DELIVERS: return b->thread && !other_active(b) ? b->clocks : 0;
	}
	return 0;
}

static uint64_t sum_of(const struct p4_batch *b, const struct p4_event *e)
{
	uint64_t plus = 0, minus = 0;

	for (uint32_t i = 0; i < 4 && e->sum[i]; i++) {
		if (e->sum[i] > 0)
			plus += happened(b, (uint32_t)e->sum[i] - 1);
		else
			minus += happened(b, (uint32_t)-e->sum[i] - 1);
	}
	return less(plus, minus);
}

/* Lines that the second level reads, and modified ones that it writes back; all of them default
 * requests of this processor for write-back memory. */
static uint64_t bus_transactions(const struct p4_batch *b, uint32_t mask)
{
	uint64_t sum = 0;

	if (!p4_bus_mask_complete(mask) || !(mask & 1) || !(mask & 0x800) || !(mask & 0x2000))
		return 0;
	if (mask & 0x20)
		sum += b->count[VPMU_L2_READ_MISS] + b->count[VPMU_L2_WRITE_MISS] +
		       b->count[VPMU_L2_CODE_MISS];
	if (mask & 0x40)
		sum += b->count[VPMU_L2_LINES_OUT_M];
	return sum;
}

static uint64_t masked_sum(const struct p4_batch *b, enum p4_unit unit, uint64_t escr)
{
	uint64_t sum = 0;

	if (unit == P4_CRU2 && VPMU_GET(ESCR_EVENT, escr) == EXECUTION_EVENT)
		return execution_tagged(b, VPMU_GET(ESCR_MASK, escr) & 15);
	if (unit == P4_FIRM)
		return uops_of(b, escr);
	if (unit == P4_FSB && VPMU_GET(ESCR_EVENT, escr) == IOQ_ALLOCATION)
		return bus_transactions(b, VPMU_GET(ESCR_MASK, escr));
	for (uint32_t left = VPMU_GET(ESCR_MASK, escr); left; left &= left - 1) {
		int line = p4_event_find(unit, VPMU_GET(ESCR_EVENT, escr),
					 (uint32_t)__builtin_ctz(left));

		if (line >= 0)
			sum += sum_of(b, &p4_events[line]);
	}
	return sum;
}

uint64_t p4_input(const struct p4_batch *b, uint32_t counter, bool *listens)
{
	enum p4_unit unit = p4_counter_unit(b->core, counter);
	uint32_t event, mask;
	uint64_t escr;
	int line;

	*listens = false;
	if (unit == P4_UNITS)
		return 0;
	escr = b->core->escr[unit][p4_counter_side(counter)];
	event = VPMU_GET(ESCR_EVENT, escr);
	mask = VPMU_GET(ESCR_MASK, escr);
	if (!event || !mask)
		return 0;
	line = p4_event_find(unit, event, (uint32_t)__builtin_ctz(mask));
	*listens = listens_to(escr, b, line >= 0 && p4_events[line].independent) &&
		   thread_state_fits(b, b->core->cccr[counter]);
	return *listens ? masked_sum(b, unit, escr) : 0;
}
