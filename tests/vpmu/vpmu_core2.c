/* SPDX-License-Identifier: MIT */
/* The Core 2 model against SDM page 18-17 and the sections around it: expected values are worked
 * out by hand. */
#include "vpmu_core.h"

#include <errno.h>

#include "tsv.h"

#define FIXED0 0x309u
#define FIXED1 0x30au
#define FIXED2 0x30bu
#define FIXED_CTRL 0x38du
#define STATUS 0x38eu
#define GLOBAL 0x38fu
#define OVF_CTRL 0x390u
#define PMC0 0xc1u
#define PMC1 0xc2u
#define SEL0 0x186u
#define SEL1 0x187u
#define PEBS_ENABLE 0x3f1u
#define MISC_ENABLE 0x1a0u
#define DEBUGCTL 0x1d9u
#define USR (UINT64_C(1) << 16)
#define OS (UINT64_C(1) << 17)
#define EDGE (UINT64_C(1) << 18)
#define INT (UINT64_C(1) << 20)
#define EN (UINT64_C(1) << 22)
#define INV (UINT64_C(1) << 23)
#define CMASK(n) ((uint64_t)(n) << 24)
#define ON (EN | USR)
#define ALL_ON UINT64_C(0x700000003)
#define FULL UINT64_C(0xffffffffff)
#define FREEZE (UINT64_C(1) << 12)
#define BRANCHES 0x00c4u
#define INSTRUCTIONS 0x00c0u
#define UOPS 0x0fc2u
#define CLOCKS 0x003cu

/* Packages of two cores: CPUs 0 and 1, CPUs 2 and 3. */
static int setup(void **state)
{
	(void)state;
	return setup_on("core2-4c");
}

/* `instructions` in `clocks` clocks. */
static void run(uint32_t cpu, uint32_t instructions, uint32_t clocks)
{
	happen(cpu, VPMU_INSTRUCTIONS, instructions, clocks);
}

static void start_fixed(uint64_t control)
{
	wr(0, GLOBAL, 0);
	for (uint32_t i = 0; i < 3; i++)
		wr(0, FIXED0 + i, 0);
	wr(0, FIXED_CTRL, control);
	wr(0, GLOBAL, ALL_ON);
}

static void start(uint64_t select)
{
	wr(0, GLOBAL, 0);
	wr(0, PMC0, 0);
	wr(0, SEL0, select);
	wr(0, GLOBAL, ALL_ON);
}

static void fixed_is(uint64_t first, uint64_t second, uint64_t third)
{
	assert_int_equal(rd(0, FIXED0), first);
	assert_int_equal(rd(0, FIXED1), second);
	assert_int_equal(rd(0, FIXED2), third);
}

/* ---- fixed counters ---- */

static void fixed_counters_need_their_field(void **state)
{
	(void)state;
	start_fixed(0x333);
	run(0, 70, 100);
	fixed_is(70, 100, 100);
	start_fixed(0x222);		/* user only */
	run(0, 70, 100);
	fixed_is(70, 100, 100);
	start_fixed(0x111);		/* ring 0 only */
	run(0, 70, 100);
	fixed_is(0, 0, 0);
	start_fixed(0x020);
	run(0, 70, 100);
	fixed_is(0, 100, 0);
	start_fixed(0x002);
	run(0, 70, 100);
	fixed_is(70, 0, 0);
	start_fixed(0);
	run(0, 70, 100);
	fixed_is(0, 0, 0);
}

static void fixed_counters_need_their_global_bit(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		start_fixed(0x333);
		wr(0, GLOBAL, UINT64_C(1) << (32 + i));
		run(0, 100, 100);
		fixed_is(i == 0 ? 100 : 0, i == 1 ? 100 : 0, i == 2 ? 100 : 0);
	}
	start_fixed(0x333);
	wr(0, GLOBAL, 3);
	run(0, 100, 100);
	fixed_is(0, 0, 0);
}

static void contents_are_arbitrary_after_reset_and_init(void **state)
{
	static const uint32_t counters[] = { FIXED0, FIXED1, FIXED2, PMC0, PMC1 };

	(void)state;
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		for (uint32_t i = 0; i < 5; i++) {
			uint64_t junk = rd(cpu, counters[i]);

			assert_true(junk > UINT64_C(0xffffff) && junk <= FULL);
			assert_int_not_equal(junk, rd((cpu + 1) % 4, counters[i]));
			assert_int_not_equal(junk, rd(cpu, counters[(i + 1) % 5]));
		}
	start_fixed(0x333);
	wr(0, SEL0, ON | CLOCKS);
	vpmu_model_init(t.s);
	assert_true(rd(0, FIXED0) > UINT64_C(0xffffff));
	assert_int_equal(rd(0, FIXED_CTRL), 0x333);	/* INIT leaves the controls */
	assert_int_equal(rd(0, SEL0), ON | CLOCKS);
	vpmu_model_reset(t.s);
	assert_true(rd(0, FIXED0) > UINT64_C(0xffffff));
	assert_int_equal(rd(0, FIXED_CTRL), 0);
	assert_int_equal(rd(0, GLOBAL), 0);
}

static void fixed_counters_take_forty_bits(void **state)
{
	(void)state;
	wr(0, FIXED1, UINT64_C(0x80000000));
	assert_int_equal(rd(0, FIXED1), UINT64_C(0x80000000));
	wr(0, FIXED1, FULL);
	assert_int_equal(rd(0, FIXED1), FULL);
	assert_int_equal(t.s->violation_count, 0);
	wr(0, FIXED1, FULL + 2);
	assert_int_equal(rd(0, FIXED1), 1);
	assert_int_equal(t.s->violations[0].bad_bits, FULL + 1);
}

/* ---- general counters ---- */

static uint64_t count_branches(uint64_t modifiers, uint32_t times, uint32_t clocks)
{
	start(ON | modifiers | BRANCHES);
	happen(0, VPMU_BRANCHES, times, clocks);
	return rd(0, PMC0);
}

static uint64_t count_stalls(uint64_t select)
{
	start(ON | select);
	stalls_happen(0);
	return rd(0, PMC0);
}

static void stalls_have_an_edge_each_and_no_occurrences(void **state)
{
	(void)state;
	assert_int_equal(count_stalls(INSTRUCTIONS | CMASK(1) | INV), 320);
	assert_int_equal(count_stalls(INSTRUCTIONS | CMASK(1) | INV | EDGE), 10);
	assert_int_equal(count_stalls(INSTRUCTIONS | CMASK(1) | EDGE), 10);
	assert_int_equal(count_stalls(UOPS | CMASK(1) | INV), 320);
	assert_int_equal(count_stalls(UOPS | CMASK(1) | INV | EDGE), 10);
	assert_int_equal(count_stalls(UOPS | CMASK(2)), 50);
	assert_int_equal(count_stalls(UOPS), 150);
	assert_int_equal(count_stalls(CLOCKS | CMASK(1)), 420);
	assert_int_equal(count_stalls(CLOCKS | EDGE), 1);
}

static void every_enable_is_needed(void **state)
{
	(void)state;
	assert_int_equal(count_branches(0, 5, 10), 5);
	assert_int_equal(count_branches(OS, 5, 10), 5);
	start(USR | BRANCHES);
	happen(0, VPMU_BRANCHES, 5, 10);
	assert_int_equal(rd(0, PMC0), 0);
	start(EN | OS | BRANCHES);
	happen(0, VPMU_BRANCHES, 5, 10);
	assert_int_equal(rd(0, PMC0), 0);
	start(ON | BRANCHES);
	wr(0, GLOBAL, ALL_ON - 1);
	happen(0, VPMU_BRANCHES, 5, 10);
	assert_int_equal(rd(0, PMC0), 0);
}

static void modifiers_look_at_clocks(void **state)
{
	(void)state;
	assert_int_equal(count_branches(CMASK(1), 3, 10), 3);
	assert_int_equal(count_branches(CMASK(2), 3, 10), 0);
	assert_int_equal(count_branches(CMASK(3), 25, 10), 5);
	assert_int_equal(count_branches(CMASK(1) | INV, 3, 10), 7);
	assert_int_equal(count_branches(INV, 3, 10), 3);
	assert_int_equal(count_branches(EDGE, 3, 10), 3);
	assert_int_equal(count_branches(EDGE, 9, 10), 1);
	assert_int_equal(count_branches(EDGE | CMASK(1) | INV, 9, 10), 1);
	start(ON | EDGE | BRANCHES);
	clock_by_clock(0, VPMU_BRANCHES, "1101001");
	assert_int_equal(rd(0, PMC0), 3);
}

static void writes_of_pmc_repeat_bit_31(void **state)
{
	static const struct { uint64_t wrote, reads; bool bad; } cases[] = {
		{ 5, 5, false },
		{ 0x7fffffff, 0x7fffffff, false },
		{ 0x80000000, UINT64_C(0xff80000000), false },
		{ 0xfffffff0, UINT64_C(0xfffffffff0), false },
		{ UINT64_C(0xfffffffff0), UINT64_C(0xfffffffff0), false },
		{ UINT64_C(0xfffffffffffffff0), UINT64_C(0xfffffffff0), false },
		{ UINT64_C(0x100000005), 5, true },	/* 40-bit values do not fit */
		{ UINT64_C(0xff7fffffff), 0x7fffffff, true },
	};
	uint64_t violations = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		wr(0, PMC1, cases[i].wrote);
		assert_int_equal(rd(0, PMC1), cases[i].reads);
		violations += cases[i].bad;
		assert_int_equal(t.s->violation_count, violations);
	}
}

/* ---- overflow ---- */

static void overflow_sets_the_counters_bit(void **state)
{
	static const struct { uint32_t address; uint64_t preset, bit; } counters[] = {
		{ PMC0, 0xffffffff, 1 }, { PMC1, 0xffffffff, 2 },
		{ FIXED0, FULL, UINT64_C(1) << 32 }, { FIXED1, FULL, UINT64_C(1) << 33 },
		{ FIXED2, FULL, UINT64_C(1) << 34 },
	};

	(void)state;
	wr(0, SEL0, ON | CLOCKS);
	wr(0, SEL1, ON | INSTRUCTIONS);
	start_fixed(0x222);
	for (uint32_t i = 0; i < 5; i++) {
		for (uint32_t n = 0; n < 5; n++)
			wr(0, counters[n].address, n == i ? counters[n].preset : 0);
		run(0, 3, 3);
		assert_int_equal(rd(0, STATUS), counters[i].bit);
		assert_int_equal(rd(0, counters[i].address), 2);
		wr(0, OVF_CTRL, ALL_ON & ~counters[i].bit);
		assert_int_equal(rd(0, STATUS), counters[i].bit);	/* sticky */
		wr(0, OVF_CTRL, counters[i].bit);
		assert_int_equal(rd(0, STATUS), 0);
	}
	assert_int_equal(rd(0, OVF_CTRL), 0);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 0);
	assert_int_equal(rd(1, STATUS), 0);
	assert_int_equal(t.s->violation_count, 0);
}

static void interrupts_need_their_bit(void **state)
{
	(void)state;
	start_fixed(0x2a2);			/* PMI of the clock counter alone */
	wr(0, FIXED0, FULL);
	run(0, 2, 2);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 0);
	wr(0, FIXED1, FULL);
	run(0, 2, 2);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 1);
	start(ON | INT | BRANCHES);
	wr(0, PMC0, 0xffffffff);
	happen(0, VPMU_BRANCHES, 1, 1);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 2);
	assert_int_equal(rd(0, GLOBAL), ALL_ON);	/* no freeze unless asked for */
}

/* DEBUGCTL bit 12: all stop in the clock of the overflow. */
static void freeze_stops_in_the_clock_of_the_overflow(void **state)
{
	(void)state;
	wr(0, DEBUGCTL, FREEZE);
	start_fixed(0x222);
	start(ON | INT | INSTRUCTIONS);
	wr(0, PMC0, 0xfffffffb);		/* the fifth instruction */
	run(0, 10, 10);
	assert_int_equal(rd(0, PMC0), 0);
	fixed_is(5, 5, 5);
	assert_int_equal(rd(0, GLOBAL), 0);
	assert_int_equal(rd(0, STATUS), 1);
	run(0, 10, 10);
	fixed_is(5, 5, 5);
	/* Five in ten clocks: the second is in clock 4. */
	wr(0, OVF_CTRL, 1);
	start_fixed(0x222);
	wr(0, PMC0, 0xfffffffe);
	run(0, 5, 10);
	fixed_is(2, 4, 4);
	assert_int_equal(rd(0, GLOBAL), 0);
	/* In the first clock, and in the last one. */
	start_fixed(0x222);
	wr(0, PMC0, 0xffffffff);
	run(0, 10, 10);
	fixed_is(1, 1, 1);
	start_fixed(0x222);
	wr(0, PMC0, 0xfffffff6);
	run(0, 10, 10);
	fixed_is(10, 10, 10);
	assert_int_equal(rd(0, GLOBAL), 0);
}

static void without_pmi_nothing_freezes(void **state)
{
	(void)state;
	wr(0, DEBUGCTL, FREEZE);
	start_fixed(0x222);
	start(ON | INSTRUCTIONS);
	wr(0, PMC0, 0xfffffffb);
	run(0, 10, 10);
	assert_int_equal(rd(0, PMC0), 5);
	fixed_is(10, 10, 10);
	assert_int_equal(rd(0, GLOBAL), ALL_ON);
	wr(0, FIXED_CTRL, 0x2a2);		/* PMI of fixed counter 1 */
	wr(0, FIXED1, FULL - 2);
	run(0, 10, 10);
	fixed_is(13, 0, 13);
	assert_int_equal(rd(0, GLOBAL), 0);
}

/* ---- cores ---- */

static void every_core_has_its_registers(void **state)
{
	(void)state;
	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		wr(cpu, FIXED0, 0);
		wr(cpu, FIXED_CTRL, 2);
		wr(cpu, GLOBAL, ALL_ON);
	}
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		run(cpu, 10 + cpu, 100);
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		assert_int_equal(rd(cpu, FIXED0), 10 + cpu);
}

/* Occurrences: 1 on CPU 0, 10 on CPU 1, 100 on CPU 2, 1000 on CPU 3. */
static uint64_t count_powers(uint64_t select, enum vpmu_core_event kind)
{
	start(ON | select);
	for (uint32_t cpu = 0, times = 1; cpu < 4; cpu++, times *= 10)
		happen(cpu, kind, times, 5000);
	return rd(0, PMC0);
}

static void core_and_agent_choose_whose(void **state)
{
	(void)state;
	assert_int_equal(count_powers(0x4f29, VPMU_L2_READ_MISS), 1);	/* this core */
	assert_int_equal(count_powers(0xcf29, VPMU_L2_READ_MISS), 11);	/* both cores */
	assert_int_equal(count_powers(0x4065, VPMU_FILL_READ_MEMORY), 1);
	assert_int_equal(count_powers(0xc065, VPMU_FILL_READ_MEMORY), 11);
	assert_int_equal(count_powers(0xe065, VPMU_FILL_READ_MEMORY), 1111);
	assert_int_equal(count_powers(BRANCHES, VPMU_BRANCHES), 1);	/* has no CORE field */
	assert_int_equal(t.s->undriven_count, 0);
	assert_int_equal(count_powers(0x0f29, VPMU_L2_READ_MISS), 0);	/* 00 and 10: reserved */
	assert_int_equal(count_powers(0x8f29, VPMU_L2_READ_MISS), 0);
	assert_int_equal(t.s->undriven_count, 2);
}

/* ---- sub-fields of the unit mask ---- */

/* Occurrences: 1 in M, 10 in E, 100 in S, 1000 misses. */
static uint64_t count_states(uint64_t select, enum vpmu_core_event m, enum vpmu_core_event e,
			     enum vpmu_core_event s, enum vpmu_core_event i)
{
	start(ON | select);
	happen(0, m, 1, 5000);
	happen(0, e, 10, 5000);
	happen(0, s, 100, 5000);
	happen(0, i, 1000, 5000);
	return rd(0, PMC0);
}

static uint64_t count_reads(uint64_t select)
{
	return count_states(select, VPMU_L2_READ_HIT_M, VPMU_L2_READ_HIT_E, VPMU_L2_READ_HIT_S,
			    VPMU_L2_READ_MISS);
}

static uint64_t count_writes(uint64_t select)
{
	return count_states(select, VPMU_L2_WRITE_HIT_M, VPMU_L2_WRITE_HIT_E, VPMU_L2_WRITE_HIT_S,
			    VPMU_L2_WRITE_MISS);
}

static void mesi_chooses_states(void **state)
{
	(void)state;
	assert_int_equal(count_reads(0x4829), 1);
	assert_int_equal(count_reads(0x4429), 10);
	assert_int_equal(count_reads(0x4229), 100);
	assert_int_equal(count_reads(0x4129), 1000);
	assert_int_equal(count_reads(0x4a29), 101);
	assert_int_equal(count_reads(0x4f29), 1111);
	assert_int_equal(count_reads(0x4f2a), 0);
	assert_int_equal(count_writes(0x482a), 1);
	assert_int_equal(count_writes(0x452a), 1010);
	assert_int_equal(count_writes(0x4f29), 0);
	assert_int_equal(count_reads(0x4f2e), 1111);	/* LLC Reference */
	assert_int_equal(count_writes(0x4f2e), 1111);
	assert_int_equal(count_reads(0x412e), 1000);	/* LLC Misses */
	assert_int_equal(count_reads(0x482e), 1);
	assert_int_equal(count_writes(0x482e), 1);
	assert_int_equal(count_reads(0x442e), 10);
	assert_int_equal(count_writes(0x442e), 10);
	assert_int_equal(count_reads(0x422e), 100);
	assert_int_equal(count_writes(0x422e), 100);
	assert_int_equal(t.s->undriven_count, 0);
	assert_int_equal(count_reads(0x4029), 0);	/* no state, no counts */
	assert_int_equal(t.s->undriven_count, 1);
}

static void prefetch_chooses_nothing_here(void **state)
{
	(void)state;
	assert_int_equal(count_reads(0x7f29), 1111);	/* all of them: demand, no prefetches */
	assert_int_equal(t.s->undriven_count, 0);
	assert_int_equal(count_reads(0x5f29), 0);	/* only prefetches */
	assert_int_equal(count_reads(0x6f29), 0);	/* reserved */
	assert_int_equal(t.s->undriven_count, 2);
	assert_int_equal(count_writes(0x7f2a), 0);	/* L2_ST has no such field */
	assert_int_equal(t.s->undriven_count, 3);
}

/* Core 0 was snooped 30 times for a read and 4 times for a write, and read 700 lines of memory. */
static uint64_t count_snoops(uint64_t select)
{
	uint32_t counts[VPMU_CORE_EVENTS] = { 0 };

	counts[VPMU_SNOOPED_FOR_READ] = 30;
	counts[VPMU_SNOOPED_FOR_WRITE] = 4;
	counts[VPMU_FILL_READ_MEMORY] = 500;
	counts[VPMU_FILL_WRITE_MEMORY] = 150;
	counts[VPMU_FILL_CODE_MEMORY] = 50;
	start(ON | select);
	vpmu_core_events(t.s, 0, counts, 0);
	return rd(0, PMC0);
}

static void snoops_by_type_and_response(void **state)
{
	(void)state;
	assert_int_equal(count_snoops(0x4178), 30);	/* SHARE */
	assert_int_equal(count_snoops(0x4278), 4);	/* INVALIDATE */
	assert_int_equal(count_snoops(0x4378), 34);
	assert_int_equal(count_snoops(0x0177), 700);	/* CLEAN */
	assert_int_equal(count_snoops(0x0b77), 700);
	assert_int_equal(t.s->undriven_count, 0);
	assert_int_equal(count_snoops(0x0a77), 0);	/* HIT, HITM */
	assert_int_equal(count_snoops(0x4078), 0);	/* no type */
	assert_int_equal(t.s->undriven_count, 2);
}

/* 1,000 loads of which 300 miss. */
static uint64_t count_loads(uint64_t select)
{
	uint32_t counts[VPMU_CORE_EVENTS] = { 0 };

	counts[VPMU_LOADS] = 1000;
	counts[VPMU_L1D_READ_MISSES] = 300;
	start(ON | select);
	vpmu_core_events(t.s, 0, counts, 5000);
	return rd(0, PMC0);
}

static void l1d_hits_are_of_any_state(void **state)
{
	(void)state;
	assert_int_equal(count_loads(0x0f40), 1000);
	assert_int_equal(count_loads(0x0140), 300);
	assert_int_equal(count_loads(0x0e40), 700);
	assert_int_equal(t.s->undriven_count, 0);
	assert_int_equal(count_loads(0x0840), 0);
	assert_int_equal(count_loads(0x0940), 300);
	assert_int_equal(t.s->undriven_count, 2);
}

/* ---- events ---- */

#define END VPMU_CORE_EVENTS

static const struct { uint64_t select; uint32_t counter; enum vpmu_core_event kinds[5]; }
mapped[] = {
	{ 0x00c0, 0, { VPMU_INSTRUCTIONS, END } },
	{ 0x00c4, 1, { VPMU_BRANCHES, END } },
	{ 0x00c5, 0, { VPMU_MISPREDICTED, END } },
	{ 0x412e, 1, { VPMU_L2_READ_MISS, VPMU_L2_WRITE_MISS, VPMU_L2_CODE_MISS, END } },
	{ 0x7024, 0, { VPMU_L2_LINES_IN, END } },
	{ 0x7026, 0, { VPMU_L2_LINES_OUT, END } },
	{ 0x4027, 0, { VPMU_L2_LINES_OUT_M, END } },
	{ 0x4f28, 0, { VPMU_L2_CODE_HIT, VPMU_L2_CODE_MISS, END } },
	{ 0x4128, 0, { VPMU_L2_CODE_MISS, END } },
	{ 0x0143, 0, { VPMU_LOADS, VPMU_STORES, END } },
	{ 0x0141, 0, { VPMU_L1D_WRITE_MISSES, END } },
	{ 0x0f45, 0, { VPMU_L1D_READ_MISSES, VPMU_L1D_WRITE_MISSES, END } },
	{ 0x0047, 0, { VPMU_L1D_WRITE_BACKS, END } },
	{ 0x4066, 0, { VPMU_FILL_WRITE_MEMORY, END } },
	{ 0x4067, 0, { VPMU_L2_LINES_OUT_M, END } },
	{ 0x4068, 0, { VPMU_FILL_CODE_MEMORY, END } },
	{ 0x406f, 0, { VPMU_FILL_READ_MEMORY, VPMU_FILL_WRITE_MEMORY, VPMU_FILL_CODE_MEMORY,
		       VPMU_L2_LINES_OUT_M, END } },
	{ 0x0080, 0, { VPMU_CODE_READS, END } },
	{ 0x0081, 0, { VPMU_CODE_MISSES, END } },
	{ 0x0108, 0, { VPMU_DTLB_READ_MISSES, VPMU_DTLB_WRITE_MISSES, END } },
	{ 0x008b, 0, { VPMU_BRANCHES_CONDITIONAL, END } },
	{ 0x0090, 0, { VPMU_MISPREDICTED_RETURN, END } },
	{ 0x0cc4, 0, { VPMU_BRANCHES_TAKEN, END } },
	{ 0x0012, 1, { VPMU_MULTIPLIES, END } },
	{ 0x0013, 1, { VPMU_DIVIDES, END } },
	{ 0x01cb, 0, { VPMU_LOADS_L1_MISSED, END } },
	{ 0x04cb, 0, { VPMU_LOADS_L2_MISSED, END } },
	{ 0x10cb, 0, { VPMU_LOADS_DTLB_MISSED, END } },
	{ 0x00c9, 0, { VPMU_ITLB_MISSES, END } },
};

static uint64_t expected_of(const enum vpmu_core_event *kinds)
{
	uint64_t sum = 0;

	for (uint32_t k = 0; k < 5 && kinds[k] != END; k++)
		sum += number_of(kinds[k]);
	return sum;
}

static void events_are_what_happens(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(mapped) / sizeof(mapped[0]); i++) {
		uint32_t n = mapped[i].counter;

		wr(0, GLOBAL, 0);
		wr(0, SEL0 + n, ON | mapped[i].select);
		wr(0, PMC0 + n, 0);
		wr(0, GLOBAL, ALL_ON);
		everything_happens(0, 50000);
		if (rd(0, PMC0 + n) != expected_of(mapped[i].kinds))
			fail_msg("0x%04x: %llu", (unsigned int)mapped[i].select,
				 (unsigned long long)rd(0, PMC0 + n));
	}
	start(ON | CLOCKS);
	everything_happens(0, 50000);
	assert_int_equal(rd(0, PMC0), 50000);
	start(ON | 0x013c);
	everything_happens(0, 50000);
	assert_int_equal(rd(0, PMC0), 50000);
	assert_int_equal(t.s->undriven_count, 0);
}

/* In user mode nobody takes interrupts, nor says so to an emulator of another version. */
static void interrupts_are_of_booted_machines(void **state)
{
	(void)state;
	start(ON | 0x00c8);
	assert_int_equal(t.s->undriven_count, 1);
	t.s->interrupts_told = 1;
	start(ON | OS | 0x00c8);
	assert_int_equal(t.s->undriven_count, 1);
	happen(0, VPMU_INTERRUPTS, 3, 1000);
	happen(1, VPMU_INTERRUPTS, 7, 1000);
	assert_int_equal(rd(0, PMC0), 3);
	start(ON | 0x01c8);	/* the event has no unit mask */
	assert_int_equal(t.s->undriven_count, 2);
}

/* Table 19-23 has a bit for each kind of retired branch, predicted or not and taken or not, and one
 * for each kind of SIMD instruction: several bits count each of their kinds. */
static void kinds_are_joined(void **state)
{
	static const uint64_t branches[4] = { 30, 10, 40, 20 };
	static const uint64_t simd[5] = { 1, 20, 300, 4000, 50000 };
	uint32_t counts[VPMU_CORE_EVENTS] = {
		[VPMU_BRANCHES] = 100, [VPMU_BRANCHES_TAKEN] = 60, [VPMU_MISPREDICTED] = 30,
		[VPMU_MISPREDICTED_TAKEN] = 20, [VPMU_SSE_PACKED_SINGLE] = 1,
		[VPMU_SSE_SCALAR_SINGLE] = 20, [VPMU_SSE_PACKED_DOUBLE] = 300,
		[VPMU_SSE_SCALAR_DOUBLE] = 4000, [VPMU_SSE_INTEGER] = 50000,
	};

	(void)state;
	for (uint32_t umask = 1; umask < 32; umask++) {
		static const uint32_t codes[] = { 0xc4, 0xc7, 0xca };

		for (uint32_t i = 0; i < 3; i++) {
			uint64_t want = 0;

			if (umask >= 16 && i != 1)
				continue;
			for (uint32_t bit = 0; bit < 5; bit++)
				if (umask >> bit & 1)
					want += i ? simd[bit] : branches[bit];
			start(ON | umask << 8 | codes[i]);
			vpmu_core_events(t.s, 0, counts, 100000);
			assert_int_equal(rd(0, PMC0), want);
		}
	}
	assert_int_equal(t.s->undriven_count, 0);
	start(ON | 0x10c4);
	start(ON | 0x00c7);
	assert_int_equal(t.s->undriven_count, 2);
}

/* Table 19-23: computational are additions, multiplications, divisions, not logic and moves.
 * SIMD_INST_RETIRED are all that use XMM registers. */
static void what_computes_nothing_is_not_computational(void **state)
{
	static const struct { uint64_t select, want; } events[] = {
		{ 0x0010, 22221 + 100000 }, { 0xfec1, 100000 }, { 0x01ca, 1 }, { 0x02ca, 20 },
		{ 0x04ca, 200 }, { 0x08ca, 22000 }, { 0x0fca, 22221 },
		{ 0x01c7, 5 }, { 0x02c7, 52 }, { 0x04c7, 503 }, { 0x08c7, 27004 },
		{ 0x10c7, 5 }, { 0x1fc7, 27569 },
	};
	uint32_t counts[VPMU_CORE_EVENTS] = {
		[VPMU_SSE_PACKED_SINGLE] = 4, [VPMU_SSE_PACKED_SINGLE_REST] = 3,
		[VPMU_SSE_SCALAR_SINGLE] = 50, [VPMU_SSE_SCALAR_SINGLE_REST] = 30,
		[VPMU_SSE_PACKED_DOUBLE] = 500, [VPMU_SSE_PACKED_DOUBLE_REST] = 300,
		[VPMU_SSE_SCALAR_DOUBLE] = 27000, [VPMU_SSE_SCALAR_DOUBLE_REST] = 5000,
		[VPMU_X87] = 160000, [VPMU_X87_REST] = 60000,
		[VPMU_SSE_PACKED_SINGLE_MOVES] = 1, [VPMU_SSE_SCALAR_SINGLE_MOVES] = 2,
		[VPMU_SSE_PACKED_DOUBLE_MOVES] = 3, [VPMU_SSE_SCALAR_DOUBLE_MOVES] = 4,
		[VPMU_SSE_INTEGER_MOVES] = 5, [VPMU_X87_SIMD_MOVES] = 1000,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		start(ON | events[i].select);
		vpmu_core_events(t.s, 0, counts, 200000);
		assert_int_equal(rd(0, PMC0), events[i].want);
	}
	assert_int_equal(t.s->undriven_count, 0);
}

static void some_events_have_one_counter(void **state)
{
	char text[256];

	(void)state;
	start(ON | 0x0012);			/* MUL is counter 1's */
	everything_happens(0, 5000);
	assert_int_equal(rd(0, PMC0), 0);
	wr(0, SEL1, ON | 0x01cb);		/* MEM_LOAD_RETIRED is counter 0's */
	wr(0, PMC1, 0);
	everything_happens(0, 5000);
	assert_int_equal(rd(0, PMC1), 0);
	assert_int_equal(t.s->undriven_count, 2);
	vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[0], text, sizeof(text));
	assert_non_null(strstr(text, "IA32_PERFEVTSEL0"));
	assert_non_null(strstr(text, "counter 1 alone"));
	vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[1], text, sizeof(text));
	assert_non_null(strstr(text, "counter 0 alone"));
}

static bool find_event(const char *name, struct vpmu_event_info *e)
{
	for (uint32_t i = 0; vpmu_model_event(&t.s->machine, i, e); i++)
		if (strcmp(e->name, name) == 0)
			return true;
	return false;
}

/* A unit mask that asks for all of an event: the table's example, or its only one. */
static uint64_t select_of(const struct tsv *table)
{
	bool example = strcmp(tsv_cell(table, "example_umask"), "-") != 0;
	const char *umask = example ? "example_umask" : "umask";

	return tsv_number(table, umask) << 8 | tsv_number(table, "code");
}

/* Each event of the table of facts is in the model, and counts or is reported as undriven. */
static void every_event_counts_or_is_told(void **state)
{
	struct vpmu_event_info e;
	uint32_t rows = 0;
	struct tsv table;

	(void)state;
	for (tsv_open(&table, "core2-fixed/events.tsv"); tsv_next(&table); rows++) {
		uint64_t before = t.s->undriven_count;
		uint32_t n;

		if (!find_event(tsv_cell(&table, "event"), &e))
			fail_msg("the model has no %s", tsv_cell(&table, "event"));
		assert_string_equal(e.counters, tsv_cell(&table, "counters"));
		if (strncmp(e.counters, "FIXED", 5) == 0)
			continue;
		assert_int_equal(e.code, tsv_number(&table, "code"));
		assert_int_equal(e.umask, tsv_number(&table, "umask"));
		assert_true(e.driven || strlen(e.why) > 10);
		if (before >= VPMU_UNDRIVEN_KEPT)
			before = t.s->undriven_count = 0;
		n = strcmp(e.counters, "1") == 0;
		wr(0, GLOBAL, 0);
		wr(0, PMC0 + n, 0);
		wr(0, SEL0 + n, ON | select_of(&table));
		wr(0, GLOBAL, ALL_ON);
		everything_happens(0, 50000);
		assert_int_equal(rd(0, PMC0 + n) != 0, e.driven);
		assert_int_equal(t.s->undriven_count, before + !e.driven);
		wr(0, SEL0 + n, 0);
	}
	assert_int_equal(rows, 60);
}

static void registers_keep_their_rules(void **state)
{
	(void)state;
	assert_int_equal(rd(0, MISC_ENABLE), 0x1880);	/* monitoring, but no BTS and no PEBS */
	wr(0, FIXED_CTRL, 0xfff);			/* AnyThread is reserved here */
	assert_int_equal(rd(0, FIXED_CTRL), 0xbbb);
	assert_int_equal(t.s->violations[0].bad_bits, 0x444);
	wr(0, SEL1, UINT64_C(0x200000));
	assert_int_equal(t.s->violations[1].bad_bits, 0x200000);
	wr(0, GLOBAL, 4);
	assert_int_equal(t.s->violations[2].bad_bits, 4);
	wr(0, PEBS_ENABLE, 3);
	assert_int_equal(rd(0, PEBS_ENABLE), 1);
	assert_int_equal(vpmu_wrmsr(t.s, 0, STATUS, 1), -EIO);
	assert_int_equal(t.s->violation_count, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(fixed_counters_need_their_field),
		T(fixed_counters_need_their_global_bit),
		T(contents_are_arbitrary_after_reset_and_init),
		T(fixed_counters_take_forty_bits),
		T(stalls_have_an_edge_each_and_no_occurrences),
		T(every_enable_is_needed),
		T(modifiers_look_at_clocks),
		T(writes_of_pmc_repeat_bit_31),
		T(overflow_sets_the_counters_bit),
		T(interrupts_need_their_bit),
		T(freeze_stops_in_the_clock_of_the_overflow),
		T(without_pmi_nothing_freezes),
		T(every_core_has_its_registers),
		T(core_and_agent_choose_whose),
		T(mesi_chooses_states),
		T(prefetch_chooses_nothing_here),
		T(l1d_hits_are_of_any_state),
		T(snoops_by_type_and_response),
		T(events_are_what_happens),
		T(interrupts_are_of_booted_machines),
		T(kinds_are_joined),
		T(what_computes_nothing_is_not_computational),
		T(some_events_have_one_counter),
		T(every_event_counts_or_is_told),
		T(registers_keep_their_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
