/* SPDX-License-Identifier: MIT */
/* Events of SDM tables 19-28 to 19-30, with the mask bits that only table 19-34 has; tags of tables
 * 19-31 to 19-33. */
#include "netburst.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#define M(bit_, name_) { .name = name_, .bit = bit_ }
#define OTHER(bit_, name_, other_) { .name = name_, .bit = bit_, .other = other_ }
#define LACKING(bit_, name_, desc_) { .name = name_, .bit = bit_, .lacking = desc_ }
#define PAIR(unit) { unit##_ESCR0, unit##_ESCR1 }
#define CRU01 { CRU_ESCR0, CRU_ESCR1 }
#define CRU23 { CRU_ESCR2, CRU_ESCR3 }
#define ALL_UOPS { M(15, "ALL") }

#define IOQ_MASKS { OTHER(0, "ReqA0", "TYPE_BIT0"), OTHER(1, "ReqA1", "TYPE_BIT1"), \
	OTHER(2, "ReqA2", "TYPE_BIT2"), OTHER(3, "ReqA3", "TYPE_BIT3"), \
	OTHER(4, "ReqA4", "TYPE_BIT4"), M(5, "ALL_READ"), M(6, "ALL_WRITE"), M(7, "MEM_UC"), \
	M(8, "MEM_WC"), M(9, "MEM_WT"), M(10, "MEM_WP"), M(11, "MEM_WB"), M(13, "OWN"), \
	M(14, "OTHER"), M(15, "PREFETCH") }
#define BSQ_MASKS { M(0, "REQ_TYPE0"), M(1, "REQ_TYPE1"), M(2, "REQ_LEN0"), M(3, "REQ_LEN1"), \
	M(5, "REQ_IO_TYPE"), M(6, "REQ_LOCK_TYPE"), M(7, "REQ_CACHE_TYPE"), \
	M(8, "REQ_SPLIT_TYPE"), M(9, "REQ_DEM_TYPE"), M(10, "REQ_ORD_TYPE"), \
	M(11, "MEM_TYPE0"), M(12, "MEM_TYPE1"), M(13, "MEM_TYPE2") }
#define BRANCH_MASKS { LACKING(0, "UNCONDITIONAL", "unconditional jumps"), \
	M(1, "CONDITIONAL"), M(2, "CALL"), M(3, "RETURN"), M(4, "INDIRECT") }

static const struct netburst_event events[] = {	/* up to one without a name */
	{ "TC_deliver_mode", .event = 0x01, .number = 1, .escrs = PAIR(TC),
	  .masks = { M(0, "DD"), M(1, "DB"), M(2, "DI"), M(3, "BD"), M(4, "BB"), M(5, "BI"),
		     M(6, "ID"), M(7, "IB") } },
	{ "BPU_fetch_request", .event = 0x03, .number = 0, .escrs = PAIR(BPU),
	  .masks = { M(0, "TCMISS") } },
	{ "ITLB_reference", .event = 0x18, .number = 3, .escrs = PAIR(ITLB),
	  .masks = { M(0, "HIT"), M(1, "MISS"), M(2, "HIT_UC") } },
	{ "memory_cancel", .event = 0x02, .number = 5, .escrs = PAIR(DAC),
	  .masks = { M(2, "ST_RB_FULL"), M(3, "64K_CONF") } },
	{ "memory_complete", .event = 0x08, .number = 2, .escrs = PAIR(SAAT),
	  .masks = { M(0, "LSC"), M(1, "SSC"),
		     LACKING(2, "USC", "split accesses to uncacheable memory completed"),
		     LACKING(3, "ULC", "loads from uncacheable memory completed") } },
	{ "load_port_replay", .event = 0x04, .number = 2, .escrs = PAIR(SAAT),
	  .masks = { M(1, "SPLIT_LD") } },
	{ "store_port_replay", .event = 0x05, .number = 2, .escrs = PAIR(SAAT),
	  .masks = { M(1, "SPLIT_ST") } },
	{ "MOB_load_replay", .event = 0x03, .number = 2, .escrs = PAIR(MOB),
	  .masks = { M(1, "NO_STA"), M(3, "NO_STD"), M(4, "PARTIAL_DATA"),
		     M(5, "UNALGN_ADDR") } },
	{ "page_walk_type", .event = 0x01, .number = 4, .escrs = PAIR(PMH),
	  .masks = { M(0, "DTMISS"), M(1, "ITMISS") } },
	{ "BSQ_cache_reference", .event = 0x0C, .number = 7, .escrs = PAIR(BSU),
	  .masks = { M(0, "RD_2ndL_HITS"), M(1, "RD_2ndL_HITE"), M(2, "RD_2ndL_HITM"),
		     M(3, "RD_3rdL_HITS"), M(4, "RD_3rdL_HITE"), M(5, "RD_3rdL_HITM"),
		     LACKING(6, "WR_2ndL_HIT", "write-backs that hit the L2"),
		     LACKING(7, "WR_3rdL_HIT", "write-backs that hit the L3"),
		     M(8, "RD_2ndL_MISS"), M(9, "RD_3rdL_MISS"), M(10, "WR_2ndL_MISS"),
		     LACKING(11, "WR_3rdL_MISS", "write-backs that miss the L3") } },
	{ "IOQ_allocation", .event = 0x03, .number = 6, .escrs = PAIR(FSB), .edge = true,
	  .masks = IOQ_MASKS },
	{ "IOQ_active_entries", .event = 0x1A, .number = 6, .escrs = { FSB_ESCR1, NO_ESCR },
	  .masks = IOQ_MASKS },
	{ "FSB_data_activity", .event = 0x17, .number = 6, .escrs = PAIR(FSB), .edge = true,
	  .one_of = { 0x06, 0x30 },
	  .masks = { M(0, "DRDY_DRV"), M(1, "DRDY_OWN"), M(2, "DRDY_OTHER"), M(3, "DBSY_DRV"),
		     M(4, "DBSY_OWN"), M(5, "DBSY_OTHER") } },
	{ "BSQ_allocation", .event = 0x05, .number = 7, .escrs = { BSU_ESCR0, NO_ESCR },
	  .edge = true, .masks = BSQ_MASKS },
	{ "bsq_active_entries", .event = 0x06, .number = 7, .escrs = { BSU_ESCR1, NO_ESCR },
	  .masks = BSQ_MASKS },
	{ "SSE_input_assist", .event = 0x34, .number = 1, .escrs = PAIR(FIRM), .masks = ALL_UOPS },
	{ "packed_SP_uop", .event = 0x08, .number = 1, .escrs = PAIR(FIRM),
	  .role = TAGS_EXECUTION, .masks = ALL_UOPS },
	{ "packed_DP_uop", .event = 0x0C, .number = 1, .escrs = PAIR(FIRM),
	  .role = TAGS_EXECUTION, .masks = ALL_UOPS },
	{ "scalar_SP_uop", .event = 0x0A, .number = 1, .escrs = PAIR(FIRM),
	  .role = TAGS_EXECUTION, .masks = ALL_UOPS },
	{ "scalar_DP_uop", .event = 0x0E, .number = 1, .escrs = PAIR(FIRM),
	  .role = TAGS_EXECUTION, .masks = ALL_UOPS },
	{ "64bit_MMX_uop", .event = 0x02, .number = 1, .escrs = PAIR(FIRM),
	  .role = TAGS_EXECUTION, .masks = ALL_UOPS },
	{ "128bit_MMX_uop", .event = 0x1A, .number = 1, .escrs = PAIR(FIRM),
	  .role = TAGS_EXECUTION, .masks = ALL_UOPS },
	{ "x87_FP_uop", .event = 0x04, .number = 1, .escrs = PAIR(FIRM),
	  .role = TAGS_EXECUTION, .masks = ALL_UOPS },
	/* Select and ESCR from oprofile and perfctr, bits from tables 19-32 and 19-34. */
	{ "x87_SIMD_moves_uop", .event = 0x2E, .number = 1, .escrs = PAIR(FIRM),
	  .role = TAGS_EXECUTION, .lacking = "x87 and SIMD load, store and move micro-ops",
	  .masks = { LACKING(3, "ALLP0", "on port 0: stores and moves"),
		     LACKING(4, "ALLP2", "on port 2: loads") } },
	{ "TC_misc", .event = 0x06, .number = 1, .escrs = PAIR(TC), .masks = { M(4, "FLUSH") } },
	{ "global_power_events", .event = 0x13, .number = 6, .escrs = PAIR(FSB),
	  .masks = { M(0, "RUNNING") } },
	{ "tc_ms_xfer", .event = 0x05, .number = 0, .escrs = PAIR(MS), .masks = { M(0, "CISC") } },
	{ "uop_queue_writes", .event = 0x09, .number = 0, .escrs = PAIR(MS),
	  .masks = { M(0, "FROM_TC_BUILD"), M(1, "FROM_TC_DELIVER"), M(2, "FROM_ROM") } },
	{ "retired_mispred_branch_type", .event = 0x05, .number = 2, .escrs = PAIR(TBPU),
	  .masks = BRANCH_MASKS },
	{ "retired_branch_type", .event = 0x04, .number = 2, .escrs = PAIR(TBPU),
	  .masks = BRANCH_MASKS },
	{ "resource_stall", .event = 0x01, .number = 1, .escrs = PAIR(ALF),
	  .masks = { M(5, "SBFULL") } },
	{ "WC_Buffer", .event = 0x05, .number = 5, .escrs = PAIR(DAC),
	  .masks = { M(0, "WCB_EVICTS"), M(1, "WCB_FULL_EVICT"),
		     LACKING(2, "WCB_HITM_EVICT",
			     "evictions because of a hit of modified data") } },
	/* The number 3 is as printed for these four, though the FSB's ESCRs have 6: select=6. */
	{ "b2b_cycles", .event = 0x16, .number = 3, .escrs = PAIR(FSB),
	  .masks = { M(1, "BIT1"), M(2, "BIT2"), M(3, "BIT3"), M(4, "BIT4"), M(5, "BIT5"),
		     M(6, "BIT6") } },
	{ "bnr", .event = 0x08, .number = 3, .escrs = PAIR(FSB),
	  .masks = { M(0, "BIT0"), M(1, "BIT1"), M(2, "BIT2") } },
	{ "snoop", .event = 0x06, .number = 3, .escrs = PAIR(FSB),
	  .masks = { M(2, "BIT2"), M(6, "BIT6"), M(7, "BIT7") } },
	{ "Response", .event = 0x04, .number = 3, .escrs = PAIR(FSB),
	  .masks = { M(1, "BIT1"), M(2, "BIT2"), M(8, "BIT8"), M(9, "BIT9") } },
	{ "front_end_event", .event = 0x08, .number = 5, .escrs = CRU23,
	  .role = COUNTS_FRONT_END, .masks = { M(0, "NBOGUS"), M(1, "BOGUS") } },
	{ "execution_event", .event = 0x0C, .number = 5, .escrs = CRU23, .role = COUNTS_EXECUTION,
	  .masks = { M(0, "NBOGUS0"), M(1, "NBOGUS1"), M(2, "NBOGUS2"), M(3, "NBOGUS3"),
		     M(4, "BOGUS0"), M(5, "BOGUS1"), M(6, "BOGUS2"), M(7, "BOGUS3") } },
	{ "replay_event", .event = 0x09, .number = 5, .escrs = CRU23, .role = COUNTS_REPLAY,
	  .masks = { M(0, "NBOGUS"), M(1, "BOGUS") } },
	{ "instr_retired", .event = 0x02, .number = 4, .escrs = CRU01,
	  .masks = { M(0, "NBOGUSNTAG"), M(1, "NBOGUSTAG"), M(2, "BOGUSNTAG"),
		     M(3, "BOGUSTAG") } },
	{ "uops_retired", .event = 0x01, .number = 4, .escrs = CRU01,
	  .masks = { M(0, "NBOGUS"), M(1, "BOGUS") } },
	{ "uop_type", "uops_type", .event = 0x02, .number = 2, .escrs = PAIR(RAT),
	  .role = TAGS_FRONT_END, .masks = { M(1, "TAGLOADS"), M(2, "TAGSTORES") } },
	{ "branch_retired", .event = 0x06, .number = 5, .escrs = CRU23,
	  .masks = { M(0, "MMNP"), M(1, "MMNM"), M(2, "MMTP"), M(3, "MMTM") } },
	{ "mispred_branch_retired", .event = 0x03, .number = 4, .escrs = CRU01,
	  .masks = { OTHER(0, "NBOGUS", "BOGUS") } },
	{ "x87_assist", .event = 0x03, .number = 5, .escrs = CRU23,
	  .masks = { M(0, "FPSU"), M(1, "FPSO"), M(2, "POAO"), M(3, "POAU"), M(4, "PREA") } },
	{ "machine_clear", .event = 0x02, .number = 5, .escrs = CRU23, .one_of = { 0x45 },
	  .masks = { M(0, "CLEAR"), M(2, "MOCLEAR"), M(6, "SMCLEAR") } },
	{ "instr_completed", .event = 0x07, .number = 4, .escrs = CRU01, .from_model_3 = true,
	  .masks = { M(0, "NBOGUS"), M(1, "BOGUS") } },
	{ 0 },
};

#define EXECUTION(name_, metric_, event_, mask_, desc_) { .role = COUNTS_EXECUTION, \
	.name = name_, .metric = metric_, .event = event_, .mask = mask_, .escrs = 3, \
	.desc = desc_ " retired" }
#define FRONT_END(name_, mask_) { .role = COUNTS_FRONT_END, .name = name_, \
	.metric = "memory_" name_, .event = "uop_type", .mask = mask_, .escrs = 3, \
	.desc = name_ " retired, in micro-ops" }
#define UOP_TAG 0x01000000u
#define REPLAY_BEHIND(name_, metric_, bits_, vert_, event_, mask_, escrs_) { \
	.role = COUNTS_REPLAY, .name = name_, .metric = metric_, \
	.pebs_enable = UOP_TAG | (bits_), .matrix_vert = vert_, \
	.event = event_, .mask = mask_, .escrs = escrs_ }
#define REPLAY(name_, metric_, bits_, vert_) \
	REPLAY_BEHIND(name_, metric_, bits_, vert_, NULL, 0, 0)

static const struct netburst_tag tags[] = {
	EXECUTION("packed_SP", "packed_SP_retired", "packed_SP_uop", 0x8000,
		  "packed single-precision micro-ops"),
	EXECUTION("packed_DP", "packed_DP_retired", "packed_DP_uop", 0x8000,
		  "packed double-precision micro-ops"),
	EXECUTION("scalar_SP", "scalar_SP_retired", "scalar_SP_uop", 0x8000,
		  "scalar single-precision micro-ops"),
	EXECUTION("scalar_DP", "scalar_DP_retired", "scalar_DP_uop", 0x8000,
		  "scalar double-precision micro-ops"),
	EXECUTION("128bit_MMX", "128_bit_MMX_retired", "128bit_MMX_uop", 0x8000,
		  "128-bit integer SIMD micro-ops"),
	EXECUTION("64bit_MMX", "64_bit_MMX_retired", "64bit_MMX_uop", 0x8000,
		  "64-bit integer SIMD micro-ops"),
	EXECUTION("x87_FP", "X87_FP_retired", "x87_FP_uop", 0x8000, "x87 micro-ops"),
	EXECUTION("x87_SIMD_moves", "X87_SIMD_memory_moves_retired", "x87_SIMD_moves_uop", 0x0018,
		  "x87 and SIMD load, store and move micro-ops"),
	FRONT_END("loads", 0x0002),
	FRONT_END("stores", 0x0004),
	REPLAY("L1_LD_MISS", "1stL_cache_load_miss_retired", 0x1, 0x1),
	REPLAY("L2_LD_MISS", "2ndL_cache_load_miss_retired", 0x2, 0x1),
	REPLAY("DTLB_LD_MISS", "DTLB_load_miss_retired", 0x4, 0x1),
	REPLAY("DTLB_ST_MISS", "DTLB_store_miss_retired", 0x4, 0x2),
	REPLAY("DTLB_ALL_MISS", "DTLB_all_miss_retired", 0x4, 0x3),
	REPLAY("BR_MSP", "Tagged_mispred_branch", 0x18000, 0x10),
	REPLAY_BEHIND("MOB_LD_REPLAY", "MOB_load_replay_retired", 0x200, 0x1,
		      "MOB_load_replay", 0x0030, 3),
	REPLAY_BEHIND("SP_LD_RET", "split_load_retired", 0x400, 0x1,
		      "load_port_replay", 0x0002, 2),
	/* Table 19-33 has ESCR0 here, a remark in table 19-28 has ESCR1. */
	REPLAY_BEHIND("SP_ST_RET", "split_store_retired", 0x400, 0x2,
		      "store_port_replay", 0x0002, 1),
	{ 0 },
};

/* Tables 19-28 and 19-29. A time without EDGE, where the table says so, is in clocks. */
const struct ipmu_measure ipmu_netburst_measures[] = {
	{ "clocks", "TC_deliver_mode global_power_events resource_stall machine_clear:CLEAR" },
	{ "entries x clocks", "IOQ_active_entries BSQ_active_entries" },
	{ "instructions", "instr_retired instr_completed branch_retired mispred_branch_retired" },
	{ "micro-ops", "*_uop uop_queue_writes uops_retired uop_type uops_type front_end_event "
	  "execution_event replay_event" },
	{ 0 },
};

/* Unit of an event. If the document requires EDGE for it, counts with EDGE are in the event's own
 * unit, and counts without are clocks. */
const char *ipmu_netburst_units(const struct ipmu_event *e, const char *event, const char *plain)
{
	uint64_t cccr = e->choices[0].select;
	bool edge_is_plain = ipmu_netburst_event(event)->edge;

	if (cccr & CCCR_EDGE)
		return edge_is_plain ? plain : "occurrences";
	return cccr & CCCR_COMPARE || edge_is_plain ? "clocks" : plain;
}

static bool name_matches(const char *a, const char *b)
{
	return a && strcasecmp(a, b) == 0;
}

const struct netburst_event *ipmu_netburst_event(const char *name)
{
	for (const struct netburst_event *e = events; e->name; e++)
		if (name_matches(e->name, name) || name_matches(e->other, name))
			return e;
	return NULL;
}

const struct netburst_tag *ipmu_netburst_tag(enum netburst_role role, const char *name)
{
	for (const struct netburst_tag *t = tags; t->name; t++)
		if (t->role == role &&
		    (name_matches(t->name, name) || name_matches(t->metric, name)))
			return t;
	return NULL;
}

const struct netburst_mask *ipmu_netburst_mask(const struct netburst_event *e, const char *name)
{
	for (const struct netburst_mask *m = e->masks; m->name; m++)
		if (name_matches(m->name, name) || name_matches(m->other, name))
			return m;
	return NULL;
}

bool ipmu_netburst_knows(const char *event)
{
	return ipmu_netburst_event(event) != NULL;
}

static int more_events(int n, const char **name, const char **desc)
{
	for (const struct netburst_event *e = events; e->name; e++)
		if (e->lacking && n-- == 0) {
			*name = e->name;
			*desc = e->lacking;
			return 0;
		}
	return -ENOENT;
}

/* Masks first, then what libpfm4 cannot say: the tags. Those of replays are masks there. */
int ipmu_netburst_more(const char *event, int n, const char **name, const char **desc)
{
	static _Thread_local char tag[40];
	const struct netburst_event *e = event ? ipmu_netburst_event(event) : NULL;

	if (!event)
		return more_events(n, name, desc);
	for (const struct netburst_mask *m = e ? e->masks : NULL; m && m->name; m++)
		if (m->lacking && n-- == 0) {
			*name = m->name;
			*desc = m->lacking;
			return 0;
		}
	for (const struct netburst_tag *t = tags; e && t->name; t++)
		if (t->role == e->role && t->desc && n-- == 0) {
			*name = strcat(strcpy(tag, "tag="), t->name);
			*desc = t->desc;
			return 0;
		}
	return -ENOENT;
}
