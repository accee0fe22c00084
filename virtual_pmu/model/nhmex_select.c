/* SPDX-License-Identifier: MIT */
/* Decodes what a counter counts. Of an M-Box: inc_sel, set_flag_sel and the sub-control registers
 * that they need (323535-001 chapter 2.5), as far as this machine's memory controller goes.
 * nhmex_source() is the entry point, and nhmex_cbox_event() that for a C-Box's select. The first
 * reads the package's registers, so its caller holds the machine lock.
 *
 * Stand-ins for what the documents leave open, each also said by `vpmu events`:
 * - The enable flag of a counter is 1 in the clocks in which the condition of its set_flag_sel
 *   holds, and only with flag_mode = 1. With storage_mode = 0 such a counter counts those clocks;
 *   with storage_mode = 1 it counts what inc_sel selects, in those clocks.
 * - Commands pass the dispatch queues at once, so these are always empty. The scheduler's queue
 *   holds a command for the memory's latency (nhmex_queue.c). As commands have no fill-victim
 *   index, a counter of its occupancy adds up the commands that it holds in each clock.
 * - The scheduler is always in the trade-off mode; every CAS leaves its page open, and an open page
 *   is the page table's state.
 * - A page hit is a CAS, an empty bank RAS and CAS, a page miss PRE, RAS and CAS.
 * - Table 2-67 lets a counter of count_mode = 2 decrease, and has no field that says with what.
 *   Here it is what ends the state that inc_sel sees begin: pages open and close, commands come
 *   into flight and leave it. What has no such end only increases.
 * - A command has no fill-victim index: it counts as any with fvid = 0, and otherwise as none. */
#include "nhmex_state.h"

enum nhmex_why {
	DRIVEN, NO_FLAG, MODE_UNDEFINED, QUEUE_NEVER_FULL, NO_STATE, NOT_AN_EVENT, NO_ERRORS,
	NO_RETRIES, NO_FRAMES, NO_MOVES, NO_RESPONSES, NO_REFRESH, NO_THERMAL,
	OTHER_MODE, DRAM_ALL, DRAM_CLOSING, DRAM_UPKEEP, NO_ADDRESSES, NO_PATROL, UNKNOWN_MEANING,
	NEVER_CLOSED, NO_INDEX,
	CBOX,	/* from here on enum nhmex_cbox_event */
};
#define AS_CBOX(event) ((uint32_t)CBOX + (uint32_t)(event))

static const char *const reasons[] = {
	[NO_FLAG] = "storage_mode = 1 waits for the enable flag, which only flag_mode = 1 sets",
	[MODE_UNDEFINED] = "this storage_mode or count_mode is not documented, it counts nothing",
	[QUEUE_NEVER_FULL] = "commands pass the model's dispatch queues at once: they never fill, "
			     "and are always empty",
	[NO_STATE] = "the sub-control register selects no documented state, so it stays 0",
	[NOT_AN_EVENT] = "not an event of the M-Box's documents, it stays 0",
	[NO_ERRORS] = "no errors happen on this machine, it stays 0",
	[NO_RETRIES] = "no command is retried or starved on this machine, it stays 0",
	[NO_FRAMES] = "the model has no SMI link, it stays 0",
	[NO_MOVES] = "the model has read and write commands only, it stays 0",
	[NO_RESPONSES] = "the model does not answer the B-Box, it stays 0",
	[NO_REFRESH] = "the model's DRAM needs no refresh, it stays 0",
	[NO_THERMAL] = "the model has no temperature, it stays 0",
	[OTHER_MODE] = "the model's scheduler is always in the trade-off mode, it stays 0",
	[DRAM_ALL] = "PLD command 0 has no certain meaning, it stays 0",
	[DRAM_CLOSING] = "every CAS of the model leaves its page open, it stays 0",
	[DRAM_UPKEEP] = "the model has no such DRAM command, it stays 0",
	[NO_ADDRESSES] = "commands reach the model without their address: it stays 0 while MM_CFG "
			 "filters addresses",
	[NO_PATROL] = "the model does not scrub memory, it stays 0",
	[UNKNOWN_MEANING] = "its meaning is not documented, it stays 0",
	[NO_INDEX] = "commands have no fill-victim index in the model: it stays 0 unless fvid is "
		     "0, which counts all",
	[NEVER_CLOSED] = "the page table counts as open always, it stays 0",
	[AS_CBOX(NHMEX_CBOX_NO_F)] = "the model has no state F, it stays 0",
	[AS_CBOX(NHMEX_CBOX_NO_MISS)] = "the model's only miss is that of a line in state I, it "
				      "stays 0",
	[AS_CBOX(NHMEX_CBOX_NO_RING)] = "the model has no ring, it stays 0",
	[AS_CBOX(NHMEX_CBOX_NO_SNOOPS)] = "the model's packages do not snoop each other, it "
					  "stays 0",
	[AS_CBOX(NHMEX_CBOX_COMPARES)] = "the model's lookups have no clock to compare: it stays 0 "
				       "with a threshold or edge detection",
	[AS_CBOX(NHMEX_CBOX_NO_EVENT)] = "not an event that is known of the C-Box, it stays 0",
};

/* ---- the C-Box's EVT_SEL */

#define SELECT_COMPARES (SEL_THRESHOLD | SEL_INVERT | SEL_EDGE)

enum nhmex_cbox_event nhmex_cbox_event(uint64_t select)
{
	uint32_t umask = VPMU_GET(SEL_UMASK, select);

	if (select & SELECT_COMPARES)
		return NHMEX_CBOX_COMPARES;
	switch (VPMU_GET(SEL_EVENT, select)) {
	case NHMEX_LLC_MISSES:
		return umask & NHMEX_MISS_I ? NHMEX_CBOX_MISSES : NHMEX_CBOX_NO_MISS;
	case NHMEX_LLC_HITS:
		return umask & (VPMU_M | VPMU_E | VPMU_S) ? NHMEX_CBOX_HITS : NHMEX_CBOX_NO_F;
	case NHMEX_STARVED_EGRESS:
		return NHMEX_CBOX_NO_RING;
	case NHMEX_TRANS_IPQ:
	case NHMEX_SNPS:
		return NHMEX_CBOX_NO_SNOOPS;
	}
	return NHMEX_CBOX_NO_EVENT;
}

uint32_t nhmex_cbox_why(uint64_t select)
{
	enum nhmex_cbox_event event = nhmex_cbox_event(select);

	return event <= NHMEX_CBOX_MISSES ? 0 : AS_CBOX(event);
}

const char *nhmex_undriven_why(uint32_t why)
{
	return why < sizeof(reasons) / sizeof(reasons[0]) && reasons[why] ? reasons[why] :
	       reasons[NOT_AN_EVENT];
}

const char *nhmex_undriven_event(const struct vpmu_undriven *u)
{
	uint32_t code = (uint32_t)(u->select & 0xff), umask = (uint32_t)(u->select >> 8 & 0xff);
	uint32_t why = (uint32_t)(u->select >> 16);

	for (uint32_t i = 0; i < NHMEX_EVENTS && why != NO_FLAG && why != MODE_UNDEFINED; i++)
		if (nhmex_events[i].code == code && nhmex_events[i].umask == umask &&
		    (*nhmex_events[i].unit == 'C') == (why >= CBOX))
			return nhmex_events[i].name;
	return NULL;
}

#define ANY_COMMAND ((uint32_t)(NHMEX_READ | NHMEX_WRITE))

static struct nhmex_source source_undriven(enum nhmex_why why, uint32_t umask)
{
	return (struct nhmex_source){ .why = (uint32_t)why, .umask = umask };
}

static struct nhmex_source commands(uint32_t occurrences, uint32_t umask)
{
	return (struct nhmex_source){ .occurrences = occurrences, .umask = umask };
}

/* ---- inc_sel ---- */

/* ZDP_CTL_FVC: fvid, bcmd, resp, then a sub-event for each of FVC_EV0 to FVC_EV3. */
static struct nhmex_source fvc(const struct nhmex_package *p, const struct nhmex_box *b,
			       uint32_t k)
{
	uint64_t fields = p->westmere ? b->fvc >> 1 : b->fvc;	/* all but fvid */
	uint32_t event = VPMU_GET(FVC_EVNT(k), fields), command = VPMU_GET(FVC_BCMD, fields);
	uint64_t index = b->fvc & (p->westmere ? FVC_WESTMERE_FVID : FVC_FVID);

	switch (event) {
	case 5:
		if (command > 1)
			return source_undriven(NO_MOVES, event << 4 | command);
		if (index)
			return source_undriven(NO_INDEX, event << 4 | command);
		return commands(command ? NHMEX_WRITE : NHMEX_READ, event << 4 | command);
	case 6:
		return source_undriven(NO_RESPONSES, event << 4 | VPMU_GET(FVC_RESP, fields));
	case 7:
		return source_undriven(NO_FRAMES, event);
	}
	return source_undriven(event == 3 || event == 4 ? NO_FRAMES : NO_ERRORS, event);
}

/* PLD: bits 12:8 the command, bit 0 only in the scheduler mode of ISS[9:7]. */
static struct nhmex_source dram_command(const struct nhmex_box *b)
{
	uint32_t command = VPMU_GET(PLD_CMD, b->pld);

	if (b->mm_cfg & MM_CFG_EN)
		return source_undriven(NO_ADDRESSES, command);
	if ((b->pld & PLD_BY_MODE) && (b->iss & ISS_COMMAND_MODE))
		return source_undriven(OTHER_MODE, command);
	switch (command) {
	case 0x00: return source_undriven(DRAM_ALL, command);
	case 0x02: return commands(NHMEX_EMPTY | NHMEX_MISS, command);	/* RAS */
	case 0x03: return commands(NHMEX_READ, command);		/* CAS_RD_OPN */
	case 0x04: return commands(NHMEX_WRITE, command);		/* CAS_WR_OPN */
	case 0x05:
	case 0x06: return source_undriven(DRAM_CLOSING, command);
	case 0x11: return commands(NHMEX_MISS, command);		/* PRE */
	}
	return source_undriven(DRAM_UPKEEP, command);
}

/* Reasons of the inc_sel codes that nothing drives. */
static enum nhmex_why plain_why(uint32_t inc_sel)
{
	static const uint8_t why[32] = {
		[0x01] = NO_RETRIES, [0x02] = NO_RETRIES, [0x03] = NO_RETRIES,
		[0x04] = NO_THERMAL, [0x05] = NO_THERMAL, [0x06] = NO_REFRESH,
		[0x07] = NO_REFRESH, [0x08] = OTHER_MODE, [0x09] = NO_FRAMES,
		[0x0b] = NO_RETRIES, [0x0c] = NO_ERRORS, [0x11] = NO_PATROL,
		[0x12] = UNKNOWN_MEANING, [0x17] = NO_PATROL, [0x18] = NO_ERRORS,
		[0x19] = NO_THERMAL, [0x1c] = UNKNOWN_MEANING,
	};

	return why[inc_sel] ? (enum nhmex_why)why[inc_sel] : NOT_AN_EVENT;
}

/* The source of a state that one of these occurrences begins and one of the opposite ends. */
static struct nhmex_source until(uint32_t occurrences, uint32_t opposite, uint32_t umask)
{
	return (struct nhmex_source){ .occurrences = occurrences, .opposite = opposite,
				      .umask = umask };
}

/* A page is opened in an empty bank or in place of another one, which is closed. */
static struct nhmex_source pages(bool opened)
{
	const uint32_t opens = NHMEX_EMPTY | NHMEX_MISS, closes = NHMEX_MISS;

	return opened ? until(opens, closes, 1) : until(closes, opens, 0);
}

static struct nhmex_source primary(const struct nhmex_package *p, const struct nhmex_box *b,
				   uint32_t inc_sel)
{
	uint32_t state = VPMU_GET(DSP_QUEUE, b->dsp);

	switch (inc_sel) {
	case NHMEX_DSP_FILL: return source_undriven(state ? QUEUE_NEVER_FULL : NO_STATE, state);
	case NHMEX_FRM_TYPE: return source_undriven(NO_FRAMES, VPMU_GET(ISS_FRAME, b->iss));
	case NHMEX_DRAM_CMD: return dram_command(b);
	case NHMEX_PAGE_MISS: return commands(NHMEX_MISS, 0);
	case NHMEX_PAGE_HIT: return commands(NHMEX_HIT, 0);
	case NHMEX_PAGE_EMPTY: return commands(NHMEX_EMPTY, 0);
	case NHMEX_PGT_PAGE_EV:
		return pages(b->pgt & PGT_TRANSITION);
	case NHMEX_BBOX_CMDS_ALL: return commands(ANY_COMMAND, 0);
	case NHMEX_INFLIGHT_CMDS: return until(ANY_COMMAND, NHMEX_SERVED, 0);
	case NHMEX_CYCLES: return (struct nhmex_source){ .clocks = 1 };
	}
	if (inc_sel >= NHMEX_FVC_EV0 && inc_sel <= NHMEX_FVC_EV3)
		return fvc(p, b, inc_sel - NHMEX_FVC_EV0);
	return source_undriven(plain_why(inc_sel), 0);
}

/* ---- set_flag_sel ---- */

/* MAP: fvid and the kind of command; 8 is any, by one third party. */
static struct nhmex_source occupancy(const struct nhmex_box *b)
{
	uint32_t command = VPMU_GET(MAP_CMD, b->map), held = 0;

	if (command > 8)
		return source_undriven(NO_STATE, command);
	if (command > 1 && command < 8)
		return source_undriven(NO_MOVES, command);
	if (VPMU_GET(MAP_FVID, b->map))
		return source_undriven(NO_INDEX, command);
	for (uint32_t kind = 0; kind < 2; kind++)
		held += command == kind || command == 8 ? b->queue[kind].commands : 0;
	return (struct nhmex_source){ .clocks = held, .umask = command };
}

static struct nhmex_source condition(const struct nhmex_box *b, uint32_t set_flag_sel)
{
	uint32_t queues = VPMU_GET(DSP_QUEUE, b->dsp), mode = VPMU_GET(ISS_MODE, b->iss);
	const uint32_t empty = 0xc;

	switch (set_flag_sel) {
	case NHMEX_CYCLES_DSP_FILL:
		if (!queues || (queues & ~empty))
			return source_undriven(queues ? QUEUE_NEVER_FULL : NO_STATE, queues);
		break;
	case NHMEX_CYCLES_SCHED_MODE:
		if (mode)
			return source_undriven(OTHER_MODE, mode);
		break;
	case NHMEX_CYCLES_MFULL:
	case NHMEX_CYCLES_STARVED:
		return source_undriven(NO_RETRIES, 0);
	case NHMEX_CYCLES_PGT_STATE:
		if (!(b->pgt & PGT_STATE))
			return source_undriven(NEVER_CLOSED, 0);
		break;
	case NHMEX_SCHEDQ_OCCUPANCY:
		return occupancy(b);
	default:
		return source_undriven(NOT_AN_EVENT, 0);
	}
	return (struct nhmex_source){ .clocks = 1 };
}

/* ---- both ---- */

static struct nhmex_source coded(struct nhmex_source source, uint32_t code)
{
	source.code = code;
	return source;
}

struct nhmex_source nhmex_source(const struct nhmex_package *p, const struct nhmex_box *b,
				 uint64_t ctl)
{
	uint32_t inc_sel = VPMU_GET(CTL_INC_SEL, ctl);
	uint32_t set_flag_sel = VPMU_GET(CTL_SET_FLAG_SEL, ctl);
	struct nhmex_source flag = { .clocks = 1 };

	if (VPMU_GET(CTL_STORAGE_MODE, ctl) > 1 || VPMU_GET(CTL_COUNT_MODE, ctl) > NHMEX_BOTH)
		return coded(source_undriven(MODE_UNDEFINED, 0), inc_sel);
	if (ctl & CTL_FLAG_MODE)
		flag = coded(condition(b, set_flag_sel), 0x20 + set_flag_sel);
	else if (VPMU_GET(CTL_STORAGE_MODE, ctl))
		return coded(source_undriven(NO_FLAG, 0), inc_sel);
	if (!flag.clocks || ((ctl & CTL_FLAG_MODE) && !VPMU_GET(CTL_STORAGE_MODE, ctl)))
		return flag;
	return coded(primary(p, b, inc_sel), inc_sel);
}
