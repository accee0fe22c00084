/* SPDX-License-Identifier: MIT */
/* Events of the NetBurst model, against the SDM 325384-059 tables 19-28 to 19-34: what counts, the
 * tags of at-retirement counting, and what is said to be not driven. */
#include "vpmu_netburst.h"

#include "tsv.h"

/* 100 clocks with a different number for every kind that matters. */
static void known_clocks(void)
{
	uint32_t n[VPMU_CORE_EVENTS] = { 0 };

	n[VPMU_INSTRUCTIONS] = 80;
	n[VPMU_UOPS] = 130;
	n[VPMU_BRANCHES] = 30;
	n[VPMU_BRANCHES_TAKEN] = 19;
	n[VPMU_BRANCHES_CONDITIONAL] = 17;
	n[VPMU_BRANCHES_CALL] = 4;
	n[VPMU_BRANCHES_RETURN] = 3;
	n[VPMU_BRANCHES_INDIRECT] = 2;
	n[VPMU_MISPREDICTED] = 10;
	n[VPMU_MISPREDICTED_TAKEN] = 6;
	n[VPMU_MISPREDICTED_CONDITIONAL] = 5;
	n[VPMU_MISPREDICTED_CALL] = 2;
	n[VPMU_MISPREDICTED_RETURN] = 1;
	n[VPMU_MISPREDICTED_INDIRECT] = 3;
	n[VPMU_LOADS] = 31;
	n[VPMU_STORES] = 13;
	n[VPMU_LOCKED] = 2;
	n[VPMU_SPLIT_LOADS] = 5;
	n[VPMU_SPLIT_STORES] = 4;
	n[VPMU_LOADS_L1_MISSED] = 16;
	n[VPMU_LOADS_L2_MISSED] = 7;
	n[VPMU_LOADS_DTLB_MISSED] = 3;
	n[VPMU_STORES_DTLB_MISSED] = 2;
	n[VPMU_DTLB_READ_MISSES] = 4;
	n[VPMU_DTLB_WRITE_MISSES] = 3;
	n[VPMU_ITLB_MISSES] = 6;
	n[VPMU_CODE_READS] = 50;
	n[VPMU_CODE_MISSES] = 11;
	n[VPMU_L1D_WRITE_BACKS] = 9;
	n[VPMU_L2_READ_HIT_M] = 1;
	n[VPMU_L2_READ_HIT_E] = 2;
	n[VPMU_L2_READ_HIT_S] = 3;
	n[VPMU_L2_READ_MISS] = 4;
	n[VPMU_L2_WRITE_HIT_M] = 10;
	n[VPMU_L2_WRITE_HIT_E] = 20;
	n[VPMU_L2_WRITE_HIT_S] = 30;
	n[VPMU_L2_WRITE_MISS] = 40;
	n[VPMU_L2_CODE_HIT] = 100;
	n[VPMU_L2_CODE_MISS] = 200;
	n[VPMU_L2_LINES_OUT_M] = 12;
	n[VPMU_X87] = 21;
	n[VPMU_X87_SIMD_MOVES] = 22;
	n[VPMU_MMX64] = 23;
	n[VPMU_SSE_INTEGER] = 24;
	n[VPMU_SSE_PACKED_SINGLE] = 25;
	n[VPMU_SSE_PACKED_DOUBLE] = 26;
	n[VPMU_SSE_SCALAR_SINGLE] = 27;
	n[VPMU_SSE_SCALAR_DOUBLE] = 28;
	vpmu_core_events(t.s, 0, n, 100);
}

struct sample { const char *name; uint32_t counter, escr, select, event, mask, expected; };

static const struct sample samples[] = {
	{ "clocks", 0, FSB_ESCR0, 6, 0x13, 0x1, 100 },
	{ "trace-cache misses", 0, 0x3b2, 0, 0x03, 0x1, 11 },
	{ "ITLB misses", 0, 0x3b6, 3, 0x18, 0x2, 6 },
	{ "ITLB hits", 0, 0x3b6, 3, 0x18, 0x1, 44 },
	{ "data page walks", 0, PMH_ESCR0, 4, 0x01, 0x1, 7 },
	{ "code page walks", 0, PMH_ESCR0, 4, 0x01, 0x2, 6 },
	{ "all page walks", 0, PMH_ESCR0, 4, 0x01, 0x3, 13 },
	{ "split loads completed", 8, SAAT_ESCR0, 2, 0x08, 0x1, 5 },
	{ "split stores completed", 8, SAAT_ESCR0, 2, 0x08, 0x2, 4 },
	{ "split loads replayed", 8, SAAT_ESCR0, 2, 0x04, 0x2, 5 },
	{ "split stores replayed", 8, SAAT_ESCR0, 2, 0x05, 0x2, 4 },
	{ "L2 hits S", 0, BSU_ESCR0, 7, 0x0c, 0x001, 3 + 30 + 100 },
	{ "L2 hits E", 0, BSU_ESCR0, 7, 0x0c, 0x002, 2 + 20 },
	{ "L2 hits M", 0, BSU_ESCR0, 7, 0x0c, 0x004, 1 + 10 },
	{ "L2 misses", 0, BSU_ESCR0, 7, 0x0c, 0x100, 4 + 40 + 200 },
	{ "L2 write-backs", 0, BSU_ESCR0, 7, 0x0c, 0x040, 9 },
	{ "L2 reads", 0, BSU_ESCR0, 7, 0x0c, 0x107, 133 + 22 + 11 + 244 },
	/* ReqA0, MEM_WB and OWN are bits 0, 11 and 13; ALL_READ 5, ALL_WRITE 6 */
	{ "bus reads", 0, FSB_ESCR0, 6, 0x03, 0x2821, 4 + 40 + 200 },
	{ "bus writes", 0, FSB_ESCR0, 6, 0x03, 0x2841, 12 },
	{ "bus reads and writes", 0, FSB_ESCR0, 6, 0x03, 0xef61, 244 + 12 },
	{ "bus reads of others", 0, FSB_ESCR0, 6, 0x03, 0x4821, 0 },
	{ "bus reads uncached", 0, FSB_ESCR0, 6, 0x03, 0x20a1, 0 },
	{ "bus reads without type", 0, FSB_ESCR0, 6, 0x03, 0x2820, 0 },
	{ "x87 uops", 8, FIRM_ESCR0, 1, 0x04, 0x8000, 21 },
	{ "moves", 8, FIRM_ESCR0, 1, 0x2e, 0x18, 22 },
	{ "64-bit MMX", 8, FIRM_ESCR0, 1, 0x02, 0x8000, 23 },
	{ "128-bit MMX", 8, FIRM_ESCR0, 1, 0x1a, 0x8000, 24 },
	{ "packed single", 8, FIRM_ESCR0, 1, 0x08, 0x8000, 25 },
	{ "packed double", 8, FIRM_ESCR0, 1, 0x0c, 0x8000, 26 },
	{ "scalar single", 8, FIRM_ESCR0, 1, 0x0a, 0x8000, 27 },
	{ "scalar double", 8, FIRM_ESCR0, 1, 0x0e, 0x8000, 28 },
	{ "uops written", 4, 0x3c0, 0, 0x09, 0x2, 130 + 200 },
	{ "jumps", 4, TBPU_ESCR0, 2, 0x04, 0x1, 30 - 17 - 4 - 3 },
	{ "conditional", 4, TBPU_ESCR0, 2, 0x04, 0x2, 17 },
	{ "calls", 4, TBPU_ESCR0, 2, 0x04, 0x4, 4 },
	{ "returns", 4, TBPU_ESCR0, 2, 0x04, 0x8, 3 },
	{ "indirect", 4, TBPU_ESCR0, 2, 0x04, 0x10, 2 + 3 },
	{ "conditional and calls", 4, TBPU_ESCR0, 2, 0x04, 0x6, 21 },
	{ "mispredicted jumps", 4, TBPU_ESCR0, 2, 0x05, 0x1, 10 - 5 - 2 - 1 },
	{ "mispredicted conditional", 4, TBPU_ESCR0, 2, 0x05, 0x2, 5 },
	{ "mispredicted calls", 4, TBPU_ESCR0, 2, 0x05, 0x4, 2 },
	{ "mispredicted returns", 4, TBPU_ESCR0, 2, 0x05, 0x8, 1 },
	{ "mispredicted indirect", 4, TBPU_ESCR0, 2, 0x05, 0x10, 3 + 1 },
	{ "instructions", 12, CRU_ESCR0, 4, 0x02, 0x1, 80 },
	{ "instructions, all", 12, CRU_ESCR0, 4, 0x02, 0x3, 80 },
	{ "instructions completed", 12, CRU_ESCR0, 4, 0x07, 0x1, 80 },
	{ "uops retired", 12, CRU_ESCR0, 4, 0x01, 0x1, 130 },
	{ "mispredicted branches", 12, CRU_ESCR0, 4, 0x03, 0x1, 10 },
	{ "not taken, predicted", 12, CRU_ESCR2, 5, 0x06, 0x1, 30 - 19 - 4 },
	{ "not taken, mispredicted", 12, CRU_ESCR2, 5, 0x06, 0x2, 4 },
	{ "taken, predicted", 12, CRU_ESCR2, 5, 0x06, 0x4, 13 },
	{ "taken, mispredicted", 12, CRU_ESCR2, 5, 0x06, 0x8, 6 },
	{ "branches", 12, CRU_ESCR2, 5, 0x06, 0xf, 30 },
	/* 20 micro-ops, one for a stage, behind each of the 10 mispredicted branches */
	{ "bogus uops", 12, CRU_ESCR0, 4, 0x01, 0x2, 200 },
	{ "uops of both paths", 12, CRU_ESCR0, 4, 0x01, 0x3, 330 },
	{ "bogus instructions", 12, CRU_ESCR0, 4, 0x02, 0x4, 200 },
	{ "instructions of both paths", 12, CRU_ESCR0, 4, 0x02, 0xf, 280 },
	{ "bogus instructions completed", 12, CRU_ESCR0, 4, 0x07, 0x2, 200 },
	{ "L3 misses", 0, BSU_ESCR0, 7, 0x0c, 0x200, 0 },
	{ "L2 read misses and L3", 0, BSU_ESCR0, 7, 0x0c, 0x300, 244 },
};

static void events_count_what_their_table_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *s = &samples[i];
		uint64_t got;

		count_on(s->counter, s->escr, ESCR(s->event, s->mask), CCCR_OF(s->select));
		known_clocks();
		got = rd(COUNTER(s->counter));
		wr(CCCR(s->counter), 0);
		if (got != s->expected)
			fail_msg("%s: %u, expected %u", s->name, (unsigned int)got, s->expected);
	}
	assert_int_equal(t.s->violation_count, 0);
}

/* The same event in the second ESCR of its pair and on that one's counters. */
static void the_second_escr_counts_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *s = &samples[i];

		count_on(s->counter + 2, s->escr + 1, ESCR(s->event, s->mask),
			 CCCR_OF(s->select));
		known_clocks();
		assert_int_equal(rd(COUNTER(s->counter + 2)), s->expected);
		wr(CCCR(s->counter + 2), 0);
	}
}

/* The bus events are printed with CCCR select 3, which is ITLB; FSB has 6. */
static void the_map_of_escrs_decides_about_the_bus_events(void **state)
{
	(void)state;
	wr(0x3b6, ESCR(0x18, 2));	/* ITLB misses */
	count_on(0, FSB_ESCR0, ESCR(0x16, 2), CCCR_OF(3));
	known_clocks();
	assert_int_equal(rd(COUNTER(0)), 6);
}

/* ---- tags ---- */

static uint64_t tagged(uint64_t downstream)
{
	uint64_t got;

	count_on(12, CRU_ESCR2, downstream, CCCR_OF(5));
	known_clocks();
	got = rd(COUNTER(12));
	wr(CCCR(12), 0);
	return got;
}

#define FRONT_END_EVENT ESCR(0x08, 0x1)
#define EXECUTION_EVENT(tags) ESCR(0x0c, tags)
#define REPLAY_EVENT ESCR(0x09, 0x1)
#define TAG(value) ((uint64_t)(value) << 5 | 0x10)

/* Locked accesses are not taggable: 31 - 2 loads, 13 - 2 stores. */
static void the_front_end_tags_loads_and_stores(void **state)
{
	(void)state;
	assert_int_equal(tagged(FRONT_END_EVENT), 0);
	wr(RAT_ESCR0, 0x0400040c);	/* uop_type.TAGLOADS: the worked example */
	assert_int_equal(tagged(FRONT_END_EVENT), 29);
	wr(RAT_ESCR0, ESCR(0x02, 0x4));
	assert_int_equal(tagged(FRONT_END_EVENT), 11);
	wr(RAT_ESCR1, ESCR(0x02, 0x2));
	assert_int_equal(tagged(FRONT_END_EVENT), 40);
	wr(RAT_ESCR1, ESCR(0x02, 0x6));	/* stores twice: the same uops */
	assert_int_equal(tagged(FRONT_END_EVENT), 40);
	wr(RAT_ESCR0, 0);
	wr(RAT_ESCR1, 0x04000401);	/* loads of LP1 */
	assert_int_equal(tagged(FRONT_END_EVENT), 0);
}

static void uop_type_itself_counts_nothing(void **state)
{
	(void)state;
	count_on(13, RAT_ESCR0, ESCR(0x02, 0x6), CCCR_OF(2));
	known_clocks();
	assert_int_equal(rd(COUNTER(13)), 0);
	assert_int_equal(t.s->undriven_count, 0);
}

static void power_flame(void)
{
	wr(CCCR(8), 0x00033000);	/* FIRM, enabled: the worked example */
}

/* 0x1900003C as in the worked example: packed_DP_uop.ALL, tag value 1. */
static void execution_tags_are_counted_at_retirement(void **state)
{
	(void)state;
	power_flame();
	wr(FIRM_ESCR0, 0x1900003c);
	assert_int_equal(tagged(0x1800020c), 26);
	assert_int_equal(tagged(EXECUTION_EVENT(0x2)), 0);
	wr(FIRM_ESCR0, 0x1900002c);	/* TAG_ENABLE off */
	assert_int_equal(tagged(EXECUTION_EVENT(0x1)), 0);
	wr(FIRM_ESCR0, ESCR(0x2e, 0x18) | TAG(1));
	assert_int_equal(tagged(EXECUTION_EVENT(0x1)), 22);
	wr(FIRM_ESCR0, ESCR(0x2e, 0x08) | TAG(1));	/* stores only: not distinguished */
	assert_int_equal(tagged(EXECUTION_EVENT(0x1)), 0);
}

static void two_tagging_escrs_add_up(void **state)
{
	(void)state;
	power_flame();
	wr(FIRM_ESCR0, ESCR(0x0c, 0x8000) | TAG(1));	/* packed double: tag 0 */
	wr(FIRM_ESCR1, ESCR(0x0e, 0x8000) | TAG(6));	/* scalar double: tags 1 and 2 */
	assert_int_equal(tagged(EXECUTION_EVENT(0x1)), 26);
	assert_int_equal(tagged(EXECUTION_EVENT(0x2)), 28);
	assert_int_equal(tagged(EXECUTION_EVENT(0x6)), 28);
	assert_int_equal(tagged(EXECUTION_EVENT(0x3)), 54);
	assert_int_equal(tagged(EXECUTION_EVENT(0x8)), 0);
	wr(FIRM_ESCR1, ESCR(0x0c, 0x8000) | TAG(2));	/* both the same uops */
	assert_int_equal(tagged(EXECUTION_EVENT(0x3)), 26);
}

/* 18.15.5.9: without an enabled counter of FIRM's group nothing is tagged; which counter, and what
 * it selects, does not matter. */
static void a_tagging_escr_needs_an_enabled_counter(void **state)
{
	(void)state;
	wr(FIRM_ESCR0, 0x1900003c);
	assert_int_equal(tagged(0x1800020c), 0);
	wr(CCCR(0), CCCR_OF(6));	/* of another group */
	assert_int_equal(tagged(0x1800020c), 0);
	wr(CCCR(11), CCCR_OF(1));	/* of the paired ESCR */
	assert_int_equal(tagged(0x1800020c), 26);
	wr(CCCR(11), CCCR_OF(1) & ~ENABLE);
	assert_int_equal(tagged(0x1800020c), 0);
}

/* Table 19-33. Of 10 mispredicted branches the one return is not taggable. */
static void replay_tags_follow_the_pebs_registers(void **state)
{
	static const struct { uint32_t enable, vert, expected; } cases[] = {
		{ 0x01000001, 0x1, 16 },	/* 1stL_cache_load_miss_retired */
		{ 0x01000002, 0x1, 7 },		/* 2ndL_cache_load_miss_retired */
		{ 0x01000004, 0x1, 3 },		/* DTLB_load_miss_retired */
		{ 0x01000004, 0x2, 2 },		/* DTLB_store_miss_retired */
		{ 0x01000004, 0x3, 5 },		/* DTLB_all_miss_retired */
		{ 0x01018000, 0x10, 9 },	/* Tagged_mispred_branch */
		{ 0x01008000, 0x10, 0 },	/* half of its bits */
		{ 0x00000001, 0x1, 0 },		/* no UOP_TAG */
		{ 0x01000001, 0x2, 0 },		/* the L1 has no bit for stores */
		{ 0x01000000, 0x13, 0 },
		{ 0x01000003, 0x1, 16 },	/* what missed the L2 missed the L1 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		wr(PEBS_ENABLE, cases[i].enable);
		wr(PEBS_MATRIX_VERT, cases[i].vert);
		assert_int_equal(tagged(REPLAY_EVENT), cases[i].expected);
	}
	assert_int_equal(t.s->violation_count, 0);
}

static void split_replays_need_their_upstream_escr(void **state)
{
	(void)state;
	wr(PEBS_ENABLE, 0x01000400);
	wr(PEBS_MATRIX_VERT, 0x1);
	assert_int_equal(tagged(REPLAY_EVENT), 0);
	wr(SAAT_ESCR1, ESCR(0x04, 0x2));
	assert_int_equal(tagged(REPLAY_EVENT), 0);	/* no enabled counter of its group */
	wr(CCCR(10), CCCR_OF(2));
	assert_int_equal(tagged(REPLAY_EVENT), 5);
	wr(PEBS_MATRIX_VERT, 0x2);
	assert_int_equal(tagged(REPLAY_EVENT), 0);
	wr(SAAT_ESCR0, ESCR(0x05, 0x2));
	assert_int_equal(tagged(REPLAY_EVENT), 4);
}

/* 29 tagged loads: 80 instructions are 29 tagged and 51 untagged. */
static void instructions_are_tagged_or_not(void **state)
{
	(void)state;
	wr(RAT_ESCR0, ESCR(0x02, 0x2));
	count_on(12, CRU_ESCR0, ESCR(0x02, 0x1), CCCR_OF(4));
	count_on(14, CRU_ESCR1, ESCR(0x02, 0x2), CCCR_OF(4));
	known_clocks();
	assert_int_equal(rd(COUNTER(12)), 51);
	assert_int_equal(rd(COUNTER(14)), 29);
}

/* Each of the four tags, as by execution; what replays tag is among them as far as it goes. */
static void instructions_have_any_tag(void **state)
{
	(void)state;
	power_flame();
	count_on(12, CRU_ESCR0, ESCR(0x02, 0x1), CCCR_OF(4));
	count_on(14, CRU_ESCR1, ESCR(0x02, 0x2), CCCR_OF(4));
	for (uint32_t tag = 1; tag <= 8; tag *= 2) {
		wr(FIRM_ESCR0, ESCR(0x0c, 0x8000) | TAG(tag));
		wr(COUNTER(12), 0);
		wr(COUNTER(14), 0);
		known_clocks();
		assert_int_equal(rd(COUNTER(12)), 80 - 26);
		assert_int_equal(rd(COUNTER(14)), 26);
	}
	wr(PEBS_ENABLE, 0x01000001);
	wr(PEBS_MATRIX_VERT, 0x1);
	known_clocks();
	assert_int_equal(rd(COUNTER(14)), 26 + 26);
	wr(FIRM_ESCR0, 0);
	known_clocks();
	assert_int_equal(rd(COUNTER(14)), 26 + 26 + 16);
}

/* ---- what is not driven is said ---- */

static void said(const char *event, const char *reason)
{
	char text[256] = "";

	assert_int_equal(t.s->undriven_count, 1);
	vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[0], text, sizeof(text));
	if (!strstr(text, event) || !strstr(text, reason))
		fail_msg("'%s' lacks '%s' or '%s'", text, event, reason);
	wr(CCCR(0), 0);
	wr(CCCR(8), 0);
	wr(CCCR(12), 0);
	t.s->undriven_count = 0;
}

static void undriven_events_are_named(void **state)
{
	(void)state;
	count_on(12, CRU_ESCR2, ESCR(0x02, 0x1), CCCR_OF(5));
	said("machine_clear.CLEAR on MSR_IQ_CCCR0", "not modelled");
	count_on(12, CRU_ESCR0, ESCR(0x02, 0xf), CCCR_OF(4));
	said("instr_retired.BOGUSTAG", "wrong path carry no tag");
	count_on(12, CRU_ESCR0, ESCR(0x3f, 0x1), CCCR_OF(4));
	said("MSR_IQ_CCCR0", "not an event");
	count_on(12, CRU_ESCR0, 0, CCCR_OF(4));
	said("MSR_IQ_CCCR0", "selects no event");
	count_on(8, FIRM_ESCR0, ESCR(0x04, 0x8000), CCCR_OF(4));
	said("MSR_FLAME_CCCR0", "selects no ESCR");
	count_on(12, CRU_ESCR0, 0x04000208, CCCR_OF(4));
	said("MSR_IQ_CCCR0", "user level");
	count_on(12, CRU_ESCR2, REPLAY_EVENT, CCCR_OF(5));
	said("replay_event.NBOGUS", "MSR_PEBS_ENABLE");
	count_on(0, FSB_ESCR0, ESCR(0x03, 0x20), CCCR_OF(6));
	said("IOQ_allocation.ALL_READ on MSR_BPU_CCCR0", "memory type");
	count_on(8, FIRM_ESCR0, ESCR(0x2e, 0x8), CCCR_OF(1));
	said("x87_SIMD_moves_uop.ALLP0", "told apart");
}

/* An ESCR alone, whatever it holds, enables nothing. */
static void without_an_enabled_counter_nothing_is_noted(void **state)
{
	(void)state;
	for (uint32_t address = 0x3a0; address <= 0x3e1; address++)
		if (!vpmu_wrmsr(t.s, 0, address, ESCR(0x3f, 0xffff)))
			assert_int_equal(rd(address), ESCR(0x3f, 0xffff));
	for (uint32_t i = 0; i < 18; i++)
		wr(CCCR(i), CCCR_OF(0) & ~ENABLE);
	assert_int_equal(t.s->undriven_count, 0);
}

/* Table 19-33: each metric needs its bits of both registers, and UOP_TAG. */
static void replays_that_nothing_tags_are_named(void **state)
{
	static const struct { uint64_t enable, vert; bool tags; } cases[] = {
		{ 0x01000400, 0, false }, { 0x01000004, 0, false }, { 0x01018000, 0, false },
		{ 0x01000000, 0x1, false }, { 0x01000000, 0x2, false }, { 0x01000000, 0x10, false },
		{ 0x01008000, 0x10, false }, { 0x01000001, 0x2, false }, { 0x00000001, 0x1, false },
		{ 0x01000001, 0x1, true }, { 0x01000400, 0x2, true }, { 0x01018000, 0x10, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		wr(PEBS_ENABLE, cases[i].enable);
		wr(PEBS_MATRIX_VERT, cases[i].vert);
		count_on(12, CRU_ESCR2, REPLAY_EVENT, CCCR_OF(5));
		if (cases[i].tags)
			assert_int_equal(t.s->undriven_count, 0);
		else
			said("replay_event.NBOGUS", "MSR_PEBS_ENABLE");
		wr(CCCR(12), 0);
	}
}

/* ---- the list ---- */

static void check_counters(const char *name, const char *have, const char *want)
{
	if (strcmp(have, want))
		fail_msg("%s: counters %s, expected %s", name, have, want);
}

static void the_events_are_those_of_the_table(void **state)
{
	struct tsv table;
	uint32_t rows = 0;

	(void)state;
	tsv_open(&table, "netburst/events.tsv");
	while (tsv_next(&table)) {
		struct vpmu_event_info e = { .name = NULL };
		char name[80], unit[24];
		uint32_t i = 0;

		snprintf(name, sizeof(name), "%s.%s", tsv_cell(&table, "event"),
			 tsv_cell(&table, "mask_bit_name"));
		while (vpmu_model_event(&t.s->machine, i, &e) && strcmp(e.name, name))
			i++;
		if (!e.name || strcmp(e.name, name))
			fail_msg("the model has no %s", name);
		assert_int_equal(e.code, tsv_number(&table, "event_select"));
		assert_int_equal(e.umask, 1u << tsv_number(&table, "mask_bit"));
		check_counters(name, e.counters, tsv_cell(&table, "counters"));
		snprintf(unit, sizeof(unit), "MSR_%.*s", (int)strcspn(e.unit, "012"), e.unit);
		assert_int_equal(strncmp(tsv_cell(&table, "escr_list"), unit, strlen(unit)), 0);
		assert_true(e.driven || e.why);
		rows++;
	}
	assert_int_equal(rows, 181);
}

/* The ESCR that is first in the row's list. */
static uint32_t first_escr(const struct tsv *table)
{
	const char *list = tsv_cell(table, "escr_list");
	struct vpmu_register_info info;
	char name[40];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(list, ";"), list);
	assert_int_equal(vpmu_model_find(&t.s->machine, name, &info), 0);
	return info.address;
}

/* Bus events have CCCR select 6, whatever is printed. */
static uint32_t cccr_of(const struct tsv *table)
{
	bool bus = strncmp(tsv_cell(table, "escr_list"), "MSR_FSB", 7) == 0;

	return CCCR_OF(bus ? 6 : tsv_number(table, "cccr_select"));
}

/* With all taggings in use every line either counts or is noted; those that can do neither are a
 * tagging event, and modes in which no other thread is there. */
static void every_line_counts_or_is_noted(void **state)
{
	struct tsv table;

	(void)state;
	wr(RAT_ESCR1, ESCR(0x02, 0x2));
	wr(FIRM_ESCR1, ESCR(0x0c, 0x8000) | TAG(15));
	wr(CCCR(10), CCCR_OF(1));
	wr(PEBS_ENABLE, 0x01000001);
	wr(PEBS_MATRIX_VERT, 0x1);
	tsv_open(&table, "netburst/events.tsv");
	while (tsv_next(&table)) {
		uint32_t counter = (uint32_t)strtoul(tsv_cell(&table, "counters"), NULL, 10);
		uint32_t bit = (uint32_t)tsv_number(&table, "mask_bit");
		const char *event = tsv_cell(&table, "event");
		bool neither = strcmp(event, "uop_type") == 0 ||
			       (strcmp(event, "TC_deliver_mode") == 0 && (bit == 0 || bit == 6));
		bool moves = strcmp(event, "x87_SIMD_moves_uop") == 0;
		bool counted;

		t.s->undriven_count = 0;
		count_on(counter, first_escr(&table),
			 ESCR(tsv_number(&table, "event_select"), moves ? 0x18 : 1u << bit),
			 cccr_of(&table));
		known_clocks();
		counted = rd(COUNTER(counter)) > 0;
		if (counted + t.s->undriven_count != !neither)
			fail_msg("%s, bit %u: counted %d, %u notes", event, bit, counted,
				 (uint32_t)t.s->undriven_count);
		wr(CCCR(counter), 0);
		wr(first_escr(&table), 0);
	}
	assert_int_equal(t.s->violation_count, 0);
}

/* TI or TS as the table says: with the bits of LP1 only, LP0's occurrences count for TI. */
static void thread_independence_is_as_in_the_table(void **state)
{
	struct tsv table;
	uint32_t checked = 0;

	(void)state;
	tsv_open(&table, "netburst/events.tsv");
	while (tsv_next(&table)) {
		uint32_t counter = (uint32_t)strtoul(tsv_cell(&table, "counters"), NULL, 10);
		uint64_t escr = ESCR(tsv_number(&table, "event_select"),
				     1u << tsv_number(&table, "mask_bit")) & ~UINT64_C(0xf);
		bool own;

		count_on(counter, first_escr(&table), escr | 4, cccr_of(&table));
		known_clocks();
		own = rd(COUNTER(counter)) > 0;
		count_on(counter, first_escr(&table), escr | 1, cccr_of(&table));
		known_clocks();
		assert_int_equal(rd(COUNTER(counter)) > 0,
				 own && strcmp(tsv_cell(&table, "ts_ti"), "TI") == 0);
		checked += own;
		wr(CCCR(counter), 0);
		wr(first_escr(&table), 0);
	}
	assert_true(checked > 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(events_count_what_their_table_says),
		CASE(the_second_escr_counts_the_same),
		CASE(the_map_of_escrs_decides_about_the_bus_events),
		CASE(the_front_end_tags_loads_and_stores),
		CASE(uop_type_itself_counts_nothing),
		CASE(execution_tags_are_counted_at_retirement),
		CASE(two_tagging_escrs_add_up),
		CASE(a_tagging_escr_needs_an_enabled_counter),
		CASE(replay_tags_follow_the_pebs_registers),
		CASE(split_replays_need_their_upstream_escr),
		CASE(instructions_are_tagged_or_not),
		CASE(instructions_have_any_tag),
		CASE(undriven_events_are_named),
		CASE(without_an_enabled_counter_nothing_is_noted),
		CASE(replays_that_nothing_tags_are_named),
		CASE(the_events_are_those_of_the_table),
		CASE(every_line_counts_or_is_noted),
		CASE(thread_independence_is_as_in_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
