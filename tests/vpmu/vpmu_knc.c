/* SPDX-License-Identifier: MIT */
/* The Knights Corner model against 327357-001: expected values are worked out by hand. */
#include "vpmu_core.h"

#include <errno.h>

#include "tsv.h"

#define TSC 0x10u
#define CNT0 0x20u
#define CNT1 0x21u
#define SEL0 0x28u
#define SEL1 0x29u
#define SPFLT 0x2cu
#define STATUS 0x2du
#define OVF_CTRL 0x2eu
#define GLOBAL 0x2fu
#define USR (UINT64_C(1) << 16)
#define OS (UINT64_C(1) << 17)
#define EDGE (UINT64_C(1) << 18)
#define INT (UINT64_C(1) << 20)
#define ANY (UINT64_C(1) << 21)
#define EN (UINT64_C(1) << 22)
#define INV (UINT64_C(1) << 23)
#define CMASK(n) ((uint64_t)(n) << 24)
#define USER_PREF (UINT64_C(1) << 63)
#define ON (EN | USR)
#define BRANCHES 0x0012u
#define INSTRUCTIONS 0x0016u
#define CLOCKS 0x002au
#define FE_STALLED 0x002du
#define L2_READ_MISS 0x10cbu
#define SNP_HIT_L2 0x10e6u
#define FULL UINT64_C(0xffffffffff)

/* Cores have the CPUs 0 to 3, 4 to 7, ... */
static int setup(void **state)
{
	(void)state;
	return setup_on("knc-4c16t");
}

/* Counter 0 of CPU 0 on this select, from zero. */
static void start(uint64_t select)
{
	wr(0, GLOBAL, 0);
	wr(0, CNT0, 0);
	wr(0, SEL0, select);
	wr(0, GLOBAL, 3);
}

static uint64_t count_branches(uint64_t modifiers, uint32_t times, uint32_t clocks)
{
	start(ON | modifiers | BRANCHES);
	happen(0, VPMU_BRANCHES, times, clocks);
	return rd(0, CNT0);
}

/* ---- enables ---- */

static void every_enable_is_needed(void **state)
{
	(void)state;
	assert_int_equal(count_branches(0, 5, 10), 5);
	start(USR | BRANCHES);
	happen(0, VPMU_BRANCHES, 5, 10);
	assert_int_equal(rd(0, CNT0), 0);
	start(ON | BRANCHES);
	wr(0, GLOBAL, 2);
	happen(0, VPMU_BRANCHES, 5, 10);
	assert_int_equal(rd(0, CNT0), 0);
}

static void all_of_it_is_user_level(void **state)
{
	(void)state;
	start(EN | OS | BRANCHES);
	happen(0, VPMU_BRANCHES, 5, 10);
	assert_int_equal(rd(0, CNT0), 0);
	start(EN | BRANCHES);
	happen(0, VPMU_BRANCHES, 5, 10);
	assert_int_equal(rd(0, CNT0), 0);
	start(EN | OS | USR | BRANCHES);
	happen(0, VPMU_BRANCHES, 5, 10);
	assert_int_equal(rd(0, CNT0), 5);
}

static void counters_are_apart(void **state)
{
	(void)state;
	start(ON | BRANCHES);
	wr(0, SEL1, ON | CLOCKS);
	happen(0, VPMU_BRANCHES, 5, 10);
	assert_int_equal(rd(0, CNT0), 5);
	assert_int_equal(rd(0, CNT1), 10);
}

static void the_user_preference_is_obeyed_where_enabled(void **state)
{
	(void)state;
	wr(0, SEL1, ON | BRANCHES);
	start(ON | BRANCHES);
	wr(0, SPFLT, 1);			/* counter 0 obeys, and is not wanted */
	happen(0, VPMU_BRANCHES, 5, 10);
	assert_int_equal(rd(0, CNT0), 0);
	assert_int_equal(rd(0, CNT1), 5);
	wr(0, SPFLT, USER_PREF | 1);
	happen(0, VPMU_BRANCHES, 3, 10);
	assert_int_equal(rd(0, CNT0), 3);
	assert_int_equal(rd(0, CNT1), 8);
	wr(0, SPFLT, USER_PREF);		/* nobody looks at it */
	happen(0, VPMU_BRANCHES, 2, 10);
	assert_int_equal(rd(0, CNT0), 5);
	wr(0, SPFLT, 2);
	happen(0, VPMU_BRANCHES, 1, 10);
	assert_int_equal(rd(0, CNT0), 6);
	assert_int_equal(rd(0, CNT1), 10);
}

/* ---- CMASK, INV, edge ---- */

static void cmask_counts_clocks(void **state)
{
	(void)state;
	assert_int_equal(count_branches(CMASK(1), 3, 10), 3);
	assert_int_equal(count_branches(CMASK(2), 3, 10), 0);
	/* 25 in 10 clocks: two in each, and three in five of them. */
	assert_int_equal(count_branches(0, 25, 10), 25);
	assert_int_equal(count_branches(CMASK(1), 25, 10), 10);
	assert_int_equal(count_branches(CMASK(2), 25, 10), 10);
	assert_int_equal(count_branches(CMASK(3), 25, 10), 5);
	assert_int_equal(count_branches(CMASK(4), 25, 10), 0);
	assert_int_equal(count_branches(CMASK(255), 2550, 10), 10);
}

static void inv_counts_the_other_clocks(void **state)
{
	(void)state;
	assert_int_equal(count_branches(CMASK(1) | INV, 3, 10), 7);
	assert_int_equal(count_branches(CMASK(2) | INV, 3, 10), 10);
	assert_int_equal(count_branches(CMASK(3) | INV, 25, 10), 5);
	assert_int_equal(count_branches(INV, 3, 10), 3);	/* without CMASK: no effect */
}

static void occurrences_without_clocks_have_their_own(void **state)
{
	(void)state;
	assert_int_equal(count_branches(0, 4, 0), 4);
	assert_int_equal(count_branches(CMASK(1), 4, 0), 4);
	assert_int_equal(count_branches(CMASK(2), 4, 0), 0);
	assert_int_equal(count_branches(CMASK(1) | INV, 4, 0), 0);
	assert_int_equal(count_branches(EDGE, 0, 0), 0);
}

static void edges_are_those_of_isolated_clocks(void **state)
{
	(void)state;
	assert_int_equal(count_branches(EDGE, 3, 10), 3);
	happen(0, VPMU_BRANCHES, 1, 1);				/* the last clock was without */
	assert_int_equal(rd(0, CNT0), 4);
	assert_int_equal(count_branches(EDGE, 5, 10), 5);
	happen(0, VPMU_BRANCHES, 1, 1);				/* the last clock was with */
	assert_int_equal(rd(0, CNT0), 5);
	assert_int_equal(count_branches(EDGE, 7, 10), 3);	/* three clocks without */
	assert_int_equal(count_branches(EDGE | CMASK(2), 3, 10), 0);
	assert_int_equal(count_branches(EDGE | CMASK(3), 25, 10), 5);
	assert_int_equal(count_branches(EDGE | CMASK(1) | INV, 4, 10), 4);
	assert_int_equal(count_branches(EDGE, 10, 10), 1);
	happen(0, VPMU_BRANCHES, 10, 10);			/* goes on from the last clock */
	assert_int_equal(rd(0, CNT0), 1);
	happen(0, VPMU_BRANCHES, 0, 10);
	happen(0, VPMU_BRANCHES, 1, 1);
	assert_int_equal(rd(0, CNT0), 2);
}

static uint64_t count_by_clock(uint64_t modifiers, const char *digits)
{
	start(ON | modifiers | BRANCHES);
	clock_by_clock(0, VPMU_BRANCHES, digits);
	return rd(0, CNT0);
}

static void single_clocks_are_exact(void **state)
{
	static const char crafted[] = "0110200312";	/* sum 10 */

	(void)state;
	assert_int_equal(count_by_clock(0, crafted), 10);
	assert_int_equal(count_by_clock(CMASK(1), crafted), 6);
	assert_int_equal(count_by_clock(CMASK(2), crafted), 3);
	assert_int_equal(count_by_clock(CMASK(2) | INV, crafted), 7);
	assert_int_equal(count_by_clock(EDGE, crafted), 3);		/* at 11, 2, 312 */
	assert_int_equal(count_by_clock(EDGE | CMASK(2), crafted), 3);	/* at 2, 3, 2 */
	assert_int_equal(count_by_clock(EDGE | CMASK(2) | INV, crafted), 3);	/* 011 0, 00, 1 */
}

static uint64_t count_stalls(uint64_t select)
{
	start(ON | select);
	stalls_happen(0);
	return rd(0, CNT0);
}

/* 327357-001 Table 1-5: clocks divided by edges are the average length. */
static void stalls_have_an_edge_each(void **state)
{
	(void)state;
	assert_int_equal(count_stalls(FE_STALLED), 320);
	assert_int_equal(count_stalls(FE_STALLED | CMASK(1)), 320);
	assert_int_equal(count_stalls(FE_STALLED | EDGE), 10);
	assert_int_equal(count_stalls(INSTRUCTIONS | CMASK(1) | INV), 320);
	assert_int_equal(count_stalls(INSTRUCTIONS | CMASK(1) | INV | EDGE), 10);
	assert_int_equal(count_stalls(CLOCKS | EDGE), 1);
}

static void enabling_amid_a_burst_is_no_edge(void **state)
{
	(void)state;
	start(ON | EDGE | BRANCHES);
	wr(0, GLOBAL, 0);
	clock_by_clock(0, VPMU_BRANCHES, "11");
	wr(0, GLOBAL, 1);
	clock_by_clock(0, VPMU_BRANCHES, "1101");
	assert_int_equal(rd(0, CNT0), 1);
}

/* ---- threads ---- */

static void thread_count_mode_counts_the_core(void **state)
{
	(void)state;
	start(ON | BRANCHES);
	wr(0, SEL1, ON | ANY | BRANCHES);
	happen(0, VPMU_BRANCHES, 1, 10);
	happen(1, VPMU_BRANCHES, 20, 30);
	happen(3, VPMU_BRANCHES, 300, 400);
	happen(4, VPMU_BRANCHES, 4000, 5000);	/* another core */
	happen(15, VPMU_BRANCHES, 50000, 60000);
	assert_int_equal(rd(0, CNT0), 1);
	assert_int_equal(rd(0, CNT1), 321);
	assert_int_equal(rd(1, CNT1), 0);
}

static void every_thread_has_its_registers(void **state)
{
	(void)state;
	for (uint32_t cpu = 0; cpu < 16; cpu++) {
		wr(cpu, SEL0, ON | BRANCHES);
		wr(cpu, GLOBAL, 1);
	}
	for (uint32_t cpu = 0; cpu < 16; cpu++)
		happen(cpu, VPMU_BRANCHES, 100 + cpu, 1000);
	for (uint32_t cpu = 0; cpu < 16; cpu++)
		assert_int_equal(rd(cpu, CNT0), 100 + cpu);
}

static void events_without_a_thread_count_everywhere(void **state)
{
	(void)state;
	start(ON | SNP_HIT_L2);
	wr(2, SEL0, ON | SNP_HIT_L2);
	wr(2, GLOBAL, 1);
	wr(5, SEL0, ON | SNP_HIT_L2);
	wr(5, GLOBAL, 1);
	happen(1, VPMU_SNOOPED_HIT, 6, 0);
	assert_int_equal(rd(0, CNT0), 6);
	assert_int_equal(rd(2, CNT0), 6);
	assert_int_equal(rd(5, CNT0), 0);
}

/* ---- width, overflow, interrupts ---- */

static void writes_take_all_forty_bits(void **state)
{
	(void)state;
	wr(0, CNT0, UINT64_C(0x80000000));
	assert_int_equal(rd(0, CNT0), UINT64_C(0x80000000));	/* no sign extension */
	wr(0, CNT0, FULL);
	assert_int_equal(rd(0, CNT0), FULL);
	assert_int_equal(t.s->violation_count, 0);
	wr(0, CNT0, UINT64_C(0x10000000005));
	assert_int_equal(rd(0, CNT0), 5);
	assert_int_equal(t.s->violation_count, 1);
	assert_int_equal(t.s->violations[0].bad_bits, UINT64_C(0x10000000000));
}

static void counters_wrap_and_say_so(void **state)
{
	(void)state;
	start(ON | BRANCHES);
	wr(0, CNT0, FULL - 2);
	happen(0, VPMU_BRANCHES, 2, 10);
	assert_int_equal(rd(0, CNT0), FULL);
	assert_int_equal(rd(0, STATUS), 0);
	happen(0, VPMU_BRANCHES, 4, 10);
	assert_int_equal(rd(0, CNT0), 3);
	assert_int_equal(rd(0, STATUS), 1);			/* without INT as well */
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 0);
	happen(0, VPMU_BRANCHES, 4, 10);			/* goes on, bit stays */
	assert_int_equal(rd(0, CNT0), 7);
	assert_int_equal(rd(0, STATUS), 1);
	wr(0, OVF_CTRL, 2);
	assert_int_equal(rd(0, STATUS), 1);
	wr(0, OVF_CTRL, 1);
	assert_int_equal(rd(0, STATUS), 0);
	assert_int_equal(rd(1, STATUS), 0);
}

/* Both counters 1 before their overflow, with INT. */
static void near_overflow(void)
{
	wr(0, GLOBAL, 0);
	wr(0, SEL0, ON | INT | BRANCHES);
	wr(0, SEL1, ON | INT | CLOCKS);
	wr(0, CNT0, FULL);
	wr(0, CNT1, FULL);
	wr(0, GLOBAL, 3);
}

static void two_overflows_at_once_are_one_interrupt(void **state)
{
	(void)state;
	near_overflow();
	happen(0, VPMU_BRANCHES, 1, 1);
	assert_int_equal(rd(0, STATUS), 3);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 1);
	assert_int_equal(vpmu_model_interrupts(t.s, 1), 0);
}

/* 1.4.3.9: the line must fall to zero before it can rise again. */
static void a_line_left_up_interrupts_no_more(void **state)
{
	(void)state;
	near_overflow();
	happen(0, VPMU_INSTRUCTIONS, 1, 1);	/* counter 1 by the clock alone */
	assert_int_equal(rd(0, STATUS), 2);
	happen(0, VPMU_BRANCHES, 1, 1);		/* in quick succession, counter 0 */
	assert_int_equal(rd(0, STATUS), 3);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 1);
	wr(0, OVF_CTRL, 2);			/* only one of the two: the line stays up */
	wr(0, CNT1, FULL);
	happen(0, VPMU_INSTRUCTIONS, 1, 1);
	assert_int_equal(rd(0, STATUS), 3);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 1);
	wr(0, GLOBAL, 0);
	wr(0, OVF_CTRL, 3);
	assert_int_equal(rd(0, STATUS), 0);
	near_overflow();
	happen(0, VPMU_BRANCHES, 1, 1);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 2);
}

/* ---- the TSC, write-only, read-only, reserved ---- */

static void the_tsc_is_the_cores_and_never_stops(void **state)
{
	(void)state;
	vpmu_clock(t.s, 0, 1000);
	assert_int_equal(rd(0, TSC), 1000);
	wr(1, TSC, 5);
	assert_int_equal(rd(0, TSC), 5);	/* same core */
	assert_int_equal(rd(4, TSC), 1000);	/* another one */
	wr(0, GLOBAL, 0);
	vpmu_clock(t.s, 0, 1600);
	assert_int_equal(rd(3, TSC), 605);
	assert_int_equal(rd(4, TSC), 1600);
	t.s->waited += 50;		/* programs have waited: it runs */
	assert_int_equal(rd(3, TSC), 655);
}

static void write_only_reads_zero_and_is_a_violation(void **state)
{
	(void)state;
	wr(0, OVF_CTRL, 3);
	assert_int_equal(rd(0, OVF_CTRL), 0);
	assert_int_equal(t.s->violation_count, 1);
	assert_int_equal(t.s->violations[0].kind, VPMU_V_WRITE_ONLY);
}

static void reserved_and_read_only_bits_are_violations(void **state)
{
	static const struct { uint32_t address; uint64_t value, bad; } writes[] = {
		{ SEL0, UINT64_C(0xffffffff), 0x80000 },	/* bit 19 */
		{ SEL1, UINT64_C(0x100000000), UINT64_C(0x100000000) },
		{ SPFLT, 4, 4 }, { OVF_CTRL, 4, 4 }, { GLOBAL, 7, 4 },
	};
	uint32_t n = sizeof(writes) / sizeof(writes[0]);

	(void)state;
	for (uint32_t i = 0; i < n; i++) {
		wr(2, writes[i].address, writes[i].value);
		assert_int_equal(t.s->violations[i].bad_bits, writes[i].bad);
		assert_int_equal(t.s->violations[i].cpu, 2);
	}
	assert_int_equal(vpmu_wrmsr(t.s, 0, STATUS, 1), -EIO);
	assert_int_equal(t.s->violations[n].kind, VPMU_V_READ_ONLY);
	assert_int_equal(vpmu_wrmsr(t.s, 0, 0xc1, 1), -EIO);	/* not the architectural ones */
	assert_int_equal(t.s->violations[n + 1].kind, VPMU_V_UNKNOWN_MSR);
}

static void warm_reset_clears_and_init_does_not(void **state)
{
	static const uint32_t addresses[] = { CNT0, CNT1, SEL0, SEL1, SPFLT, STATUS, GLOBAL };

	(void)state;
	vpmu_clock(t.s, 0, 77);
	near_overflow();
	wr(0, SPFLT, USER_PREF | 3);
	happen(0, VPMU_BRANCHES, 2, 3);
	vpmu_model_init(t.s);
	assert_int_equal(rd(0, CNT0), 1);
	assert_int_equal(rd(0, CNT1), 2);
	assert_int_equal(rd(0, SEL0), ON | INT | BRANCHES);
	assert_int_equal(rd(0, SPFLT), USER_PREF | 3);
	assert_int_equal(rd(0, STATUS), 3);
	assert_int_equal(rd(0, GLOBAL), 3);
	assert_int_equal(rd(0, TSC), 77);
	happen(0, VPMU_BRANCHES, 2, 3);
	assert_int_equal(rd(0, CNT0), 3);
	vpmu_model_reset(t.s);
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		assert_int_equal(rd(0, addresses[i]), 0);
	assert_int_equal(rd(0, TSC), 0);
	vpmu_clock(t.s, 0, 80);
	assert_int_equal(rd(0, TSC), 3);
}

/* ---- events ---- */

#define END VPMU_CORE_EVENTS

/* Document's events and what of the execution they are; clocks and those below are apart. */
static const struct { uint32_t code; enum vpmu_core_event kinds[4]; } mapped[] = {
	{ 0x0000, { VPMU_LOADS, END } },
	{ 0x0001, { VPMU_STORES, END } },
	{ 0x0002, { VPMU_DTLB_READ_MISSES, VPMU_DTLB_WRITE_MISSES, END } },
	{ 0x0003, { VPMU_L1D_READ_MISSES, END } },
	{ 0x0004, { VPMU_L1D_WRITE_MISSES, END } },
	{ 0x0006, { VPMU_L1D_WRITE_BACKS, END } },
	{ 0x000c, { VPMU_CODE_READS, END } },
	{ 0x000d, { VPMU_ITLB_MISSES, END } },
	{ 0x000e, { VPMU_CODE_MISSES, END } },
	{ 0x0011, { VPMU_PREFETCH1, END } },
	{ 0x0012, { VPMU_BRANCHES, END } },
	{ 0x0015, { VPMU_MISPREDICTED, END } },
	{ 0x0016, { VPMU_INSTRUCTIONS, END } },
	{ 0x001c, { VPMU_PREFETCH1_MISSES, END } },
	{ 0x0028, { VPMU_LOADS, VPMU_STORES, END } },
	{ 0x0029, { VPMU_L1D_READ_MISSES, VPMU_L1D_WRITE_MISSES, END } },
	{ 0x002b, { VPMU_MISPREDICTED, END } },
	{ 0x002e, { VPMU_INSTRUCTIONS, END } },
	{ 0x0037, { VPMU_PREFETCH2, END } },
	{ 0x0038, { VPMU_PREFETCH1_L2_MISSES, END } },
	{ 0x003a, { VPMU_DTLB_LONG_WALKS, END } },
	{ 0x003b, { VPMU_ITLB_LONG_WALKS, END } },
	{ 0x10c8, { VPMU_L2_READ_HIT_E, END } },
	{ 0x10c9, { VPMU_L2_READ_HIT_M, END } },
	{ 0x10ca, { VPMU_L2_READ_HIT_S, END } },
	{ 0x10cb, { VPMU_L2_READ_MISS, END } },
	{ 0x10cc, { VPMU_L2_WRITE_HIT_M, VPMU_L2_WRITE_HIT_E, VPMU_L2_WRITE_HIT_S, END } },
	{ 0x10d7, { VPMU_L2_LINES_OUT_M, END } },
	{ 0x10e6, { VPMU_SNOOPED_HIT, END } },
	{ 0x10e7, { VPMU_SNOOPED_HITM, END } },
	{ 0x10f0, { VPMU_FILL_CODE_CACHE, END } },
	{ 0x10f1, { VPMU_FILL_READ_CACHE, END } },
	{ 0x10f2, { VPMU_FILL_WRITE_CACHE, END } },
	{ 0x10f5, { VPMU_FILL_CODE_MEMORY, END } },
	{ 0x10f6, { VPMU_FILL_READ_MEMORY, END } },
	{ 0x10f7, { VPMU_FILL_WRITE_MEMORY, END } },
	{ 0x10fc, { VPMU_PREFETCH2, END } },
	{ 0x10fe, { VPMU_PREFETCH2_MISSES, END } },
	{ 0x2000, { VPMU_VECTOR_LOADS, END } },
	{ 0x2001, { VPMU_VECTOR_STORES, END } },
	{ 0x2003, { VPMU_VECTOR_READ_MISSES, END } },
	{ 0x2004, { VPMU_VECTOR_WRITE_MISSES, END } },
	{ 0x2016, { VPMU_VECTOR, END } },
	{ 0x2018, { VPMU_VECTOR_ELEMENTS, END } },
};
#define MAPPED (sizeof(mapped) / sizeof(mapped[0]))

static void events_are_what_happens(void **state)
{
	(void)state;
	for (size_t i = 0; i < MAPPED; i++) {
		uint64_t expected = 0;

		for (uint32_t k = 0; mapped[i].kinds[k] != END; k++)
			expected += number_of(mapped[i].kinds[k]);
		start(ON | mapped[i].code);
		everything_happens(0, 5000);
		if (rd(0, CNT0) != expected)
			fail_msg("0x%04x: %llu, expected %llu", mapped[i].code,
				 (unsigned long long)rd(0, CNT0), (unsigned long long)expected);
	}
	start(ON | CLOCKS);
	everything_happens(0, 5000);
	assert_int_equal(rd(0, CNT0), 5000);
	start(ON | 0x002d);			/* FE_STALLED: INSTRUCTIONS is kind 0, 1000 */
	everything_happens(0, 5000);
	assert_int_equal(rd(0, CNT0), 4000);
	assert_int_equal(t.s->undriven_count, 0);
}

static bool is_mapped(uint32_t code)
{
	for (size_t i = 0; i < MAPPED; i++)
		if (mapped[i].code == code)
			return true;
	return code == CLOCKS || code == 0x002d;
}

/* The list is the table of facts. An event that is not driven counts nothing and has a reason. */
static void the_other_events_are_told(void **state)
{
	struct vpmu_event_info e;
	uint32_t index = 0;
	struct tsv table;
	char text[256];

	(void)state;
	for (tsv_open(&table, "knc/events.tsv"); tsv_next(&table); index++) {
		uint32_t code = (uint32_t)(tsv_number(&table, "umask") << 8 |
					   tsv_number(&table, "code"));
		uint64_t before = t.s->undriven_count;

		assert_true(vpmu_model_event(&t.s->machine, index, &e));
		assert_string_equal(e.name, tsv_cell(&table, "event"));
		assert_int_equal(e.umask << 8 | e.code, code);
		assert_string_equal(e.counters, tsv_cell(&table, "counters"));
		assert_int_equal(e.driven, is_mapped(code));
		assert_true(e.driven || strlen(e.why) > 10);
		start(ON | code);
		everything_happens(0, 5000);
		assert_int_equal(rd(0, CNT0) != 0, e.driven);
		assert_int_equal(t.s->undriven_count, before + !e.driven);
		if (e.driven)
			continue;
		vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[before], text, sizeof(text));
		assert_non_null(strstr(text, e.why));
	}
	assert_int_equal(index, 63);
	assert_false(vpmu_model_event(&t.s->machine, index, &e));
}

static void unknown_codes_count_nothing(void **state)
{
	char text[256];

	(void)state;
	start(ON | 0x0055);
	everything_happens(0, 5000);
	assert_int_equal(rd(0, CNT0), 0);
	start(ON | 0x1012);			/* BRANCHES with another unit's mask */
	everything_happens(0, 5000);
	assert_int_equal(rd(0, CNT0), 0);
	assert_int_equal(t.s->undriven_count, 2);
	assert_int_equal(t.s->violation_count, 0);
	for (int i = 0; i < 2; i++) {
		vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[i], text, sizeof(text));
		assert_non_null(strstr(text, "not an event of the document"));
	}
}

static void some_events_are_counter_zeros(void **state)
{
	char text[256];

	(void)state;
	wr(0, SEL1, ON | L2_READ_MISS);
	wr(0, GLOBAL, 3);
	happen(0, VPMU_L2_READ_MISS, 5, 10);
	assert_int_equal(rd(0, CNT1), 0);
	assert_int_equal(t.s->undriven_count, 1);
	vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[0], text, sizeof(text));
	assert_non_null(strstr(text, "IA32_PerfEvtSel1"));
	assert_non_null(strstr(text, "counter 0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(every_enable_is_needed),
		T(all_of_it_is_user_level),
		T(counters_are_apart),
		T(the_user_preference_is_obeyed_where_enabled),
		T(cmask_counts_clocks),
		T(inv_counts_the_other_clocks),
		T(occurrences_without_clocks_have_their_own),
		T(edges_are_those_of_isolated_clocks),
		T(stalls_have_an_edge_each),
		T(single_clocks_are_exact),
		T(enabling_amid_a_burst_is_no_edge),
		T(thread_count_mode_counts_the_core),
		T(every_thread_has_its_registers),
		T(events_without_a_thread_count_everywhere),
		T(writes_take_all_forty_bits),
		T(counters_wrap_and_say_so),
		T(two_overflows_at_once_are_one_interrupt),
		T(a_line_left_up_interrupts_no_more),
		T(the_tsc_is_the_cores_and_never_stops),
		T(write_only_reads_zero_and_is_a_violation),
		T(reserved_and_read_only_bits_are_violations),
		T(warm_reset_clears_and_init_does_not),
		T(events_are_what_happens),
		T(the_other_events_are_told),
		T(unknown_codes_count_nothing),
		T(some_events_are_counter_zeros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
