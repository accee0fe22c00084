/* SPDX-License-Identifier: MIT */
/* The architectural PMU's model against SDM 18.2: expected values are worked out by hand. The
 * machine has four cores of two threads, CPUs 0 and 4 on the first. */
#include "vpmu_core.h"

#include <errno.h>

#define PMC(n) (0xc1u + (n))
#define A_PMC(n) (0x4c1u + (n))
#define SEL(n) (0x186u + (n))
#define FIXED(n) (0x309u + (n))
#define GP_CTR(n) (0x1900u + 4 * (n))
#define GP_CFG_A(n) (0x1901u + 4 * (n))
#define FX_CTR(n) (0x1980u + 4 * (n))
#define DEBUGCTL 0x1d9u
#define CAPABILITIES 0x345u
#define FIXED_CTRL 0x38du
#define STATUS 0x38eu
#define GLOBAL 0x38fu
#define STATUS_RESET 0x390u
#define STATUS_SET 0x391u
#define IN_USE 0x392u
#define USR (UINT64_C(1) << 16)
#define OS (UINT64_C(1) << 17)
#define INT (UINT64_C(1) << 20)
#define ANY (UINT64_C(1) << 21)
#define EN (UINT64_C(1) << 22)
#define INV (UINT64_C(1) << 23)
#define CMASK(n) ((uint64_t)(n) << 24)
#define ON (EN | USR)
#define ALL_ON UINT64_C(0x70000000f)
#define FULL UINT64_C(0xffffffffffff)
#define FREEZE (UINT64_C(1) << 12)
#define FROZEN (UINT64_C(1) << 59)
#define INSTRUCTIONS 0x00c0u
#define BRANCHES 0x00c4u
#define CLOCKS 0x003cu
#define CRYSTAL 0x013cu
#define SIBLING 4

static int setup(void **state)
{
	(void)state;
	return setup_on("skl-4c8t");
}

static int setup_single(void **state)
{
	(void)state;
	return setup_on("skl-4c4t");
}

static void start(uint32_t counter, uint64_t select)
{
	wr(0, A_PMC(counter), 0);
	wr(0, SEL(counter), select);
	wr(0, GLOBAL, ALL_ON);
}

static void run(uint32_t cpu, uint32_t instructions, uint32_t clocks)
{
	happen(cpu, VPMU_INSTRUCTIONS, instructions, clocks);
}

static void every_general_counter_counts(void **state)
{
	(void)state;
	for (uint32_t n = 0; n < 4; n++)
		start(n, ON | INSTRUCTIONS);
	run(0, 70, 100);
	for (uint32_t n = 0; n < 4; n++) {
		assert_int_equal(rd(0, PMC(n)), 70);
		assert_int_equal(rd(0, A_PMC(n)), 70);
	}
	run(SIBLING, 30, 30);		/* registers are a thread's */
	run(1, 30, 30);
	assert_int_equal(rd(0, PMC(0)), 70);
	assert_int_equal(t.s->violation_count, 0);
}

static void fixed_counters_need_both_enables(void **state)
{
	static const uint64_t fields[] = { 0x333, 0x222, 0x111, 0x020, 0 };
	static const uint64_t counts[][3] = { { 70, 100, 100 }, { 70, 100, 100 }, { 0, 0, 0 },
					      { 0, 100, 0 }, { 0, 0, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		for (uint32_t n = 0; n < 3; n++)
			wr(0, FIXED(n), 0);
		wr(0, FIXED_CTRL, fields[i]);
		wr(0, GLOBAL, 0xf);		/* as a reset leaves it */
		run(0, 70, 100);
		assert_int_equal(rd(0, FIXED(0)) | rd(0, FIXED(1)) | rd(0, FIXED(2)), 0);
		wr(0, GLOBAL, ALL_ON);
		run(0, 70, 100);
		for (uint32_t n = 0; n < 3; n++)
			assert_int_equal(rd(0, FIXED(n)), counts[i][n]);
	}
}

static void a_reset_enables_the_general_counters_alone(void **state)
{
	(void)state;
	assert_int_equal(rd(0, GLOBAL), 0xf);
	assert_int_equal(rd(0, SEL(0)) | rd(0, FIXED_CTRL) | rd(0, STATUS), 0);
	assert_int_not_equal(rd(0, PMC(0)), rd(0, PMC(1)));
	assert_int_equal(rd(0, CAPABILITIES), 1 << 13);	/* full-width writes */
	assert_int_equal(t.s->core_counting, 0);
}

static void one_thread_a_core_has_eight(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(rd(0, GLOBAL), 0xff);
	wr(0, A_PMC(7), 0);
	wr(0, SEL(7), ON | INSTRUCTIONS);
	run(0, 70, 100);
	assert_int_equal(rd(0, PMC(7)), 70);
	assert_int_equal(vpmu_rdmsr(t.s, 0, PMC(8), &value), -EIO);
	assert_int_equal(vpmu_rdpmc(t.s, 0, 7, &value), 0);
	assert_int_equal(value, 70);
	assert_int_equal(vpmu_rdpmc(t.s, 0, 8, &value), -EIO);
}

static void two_threads_a_core_have_four_each(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(vpmu_rdmsr(t.s, 0, PMC(4), &value), -EIO);
	assert_int_equal(vpmu_wrmsr(t.s, 0, A_PMC(4), 0), -EIO);
	assert_int_equal(vpmu_wrmsr(t.s, 0, SEL(4), 0), -EIO);
	assert_int_equal(vpmu_rdpmc(t.s, 0, 4, &value), -EIO);
	assert_int_equal(vpmu_rdpmc(t.s, 0, 1u << 30 | 2, &value), 0);
	assert_int_equal(vpmu_rdpmc(t.s, 0, 1u << 30 | 3, &value), -EIO);
	wr(0, GLOBAL, 0x10);
	assert_int_equal(t.s->violations[t.s->violation_count - 1].bad_bits, 0x10);
	assert_int_equal(rd(0, GLOBAL), 0);
}

/* A write of IA32_PMCx takes 32 bits and repeats the last of them; of IA32_A_PMCx, all 48. */
static void writes_have_two_widths(void **state)
{
	(void)state;
	wr(0, PMC(0), 0x80000000);
	assert_int_equal(rd(0, PMC(0)), UINT64_C(0xffff80000000));
	wr(0, PMC(0), 0x7fffffff);
	assert_int_equal(rd(0, PMC(0)), 0x7fffffff);
	wr(0, A_PMC(0), UINT64_C(0x123456789abc));
	assert_int_equal(rd(0, PMC(0)), UINT64_C(0x123456789abc));
	assert_int_equal(t.s->violation_count, 0);
	wr(0, A_PMC(0), FULL + 1);
	assert_int_equal(t.s->violation_count, 1);
}

static void an_overflow_sets_its_bit_and_interrupts(void **state)
{
	(void)state;
	start(2, ON | INT | INSTRUCTIONS);
	wr(0, A_PMC(2), FULL - 9);
	wr(0, FIXED(1), FULL);
	wr(0, FIXED_CTRL, 0x030);		/* no PMI */
	run(0, 10, 20);
	assert_int_equal(rd(0, STATUS), UINT64_C(1) << 33 | 1 << 2);
	assert_int_equal(rd(0, PMC(2)), 0);
	assert_int_equal(rd(0, FIXED(1)), 19);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 1);
	assert_int_equal(vpmu_model_interrupts(t.s, SIBLING), 0);
	wr(0, STATUS_RESET, 1 << 2);
	assert_int_equal(rd(0, STATUS), UINT64_C(1) << 33);
	wr(0, STATUS_SET, 1 << 3);
	assert_int_equal(rd(0, STATUS), UINT64_C(1) << 33 | 1 << 3);
	run(0, 10, 20);
	assert_int_equal(rd(0, PMC(2)), 10);
}

/* SDM 17.4.7, version 4: the status freezes, and the global control stays. */
static void a_freeze_ends_with_its_bit(void **state)
{
	(void)state;
	wr(0, DEBUGCTL, FREEZE);
	start(0, ON | INT | INSTRUCTIONS);
	start(1, ON | CLOCKS);
	wr(0, A_PMC(0), FULL - 4);
	run(0, 10, 20);				/* the fifth is in the tenth clock */
	assert_int_equal(rd(0, PMC(0)), 0);
	assert_int_equal(rd(0, PMC(1)), 10);
	assert_int_equal(rd(0, STATUS), FROZEN | 1);
	assert_int_equal(rd(0, GLOBAL), ALL_ON);
	run(0, 10, 20);
	assert_int_equal(rd(0, PMC(1)), 10);
	wr(0, STATUS_RESET, FROZEN | 1);
	run(0, 10, 20);
	assert_int_equal(rd(0, PMC(0)), 10);
	assert_int_equal(rd(0, PMC(1)), 30);
}

static void levels_and_thresholds(void **state)
{
	const uint32_t counts[VPMU_CORE_EVENTS] = { [VPMU_INSTRUCTIONS] = 40 };

	(void)state;
	start(0, EN | OS | INSTRUCTIONS);
	start(1, ON | CMASK(1) | INSTRUCTIONS);
	start(2, ON | CMASK(1) | INV | INSTRUCTIONS);
	run(0, 70, 100);
	vpmu_core_events_at(t.s, 0, VPMU_KERNEL, counts, 50);
	assert_int_equal(rd(0, PMC(0)), 40);
	assert_int_equal(rd(0, PMC(1)), 70);
	assert_int_equal(rd(0, PMC(2)), 30);
}

/* ANY: the sibling's as well; the clocks of both are not joined, and are refused by name. */
static void any_thread(void **state)
{
	char text[256];

	(void)state;
	start(0, ON | ANY | INSTRUCTIONS);
	start(1, ON | ANY | CLOCKS);
	wr(0, FIXED_CTRL, 0x066);
	wr(0, FIXED(0), 0);
	wr(0, FIXED(1), 0);
	wr(0, GLOBAL, ALL_ON);
	run(0, 70, 100);
	run(SIBLING, 30, 30);
	run(1, 5, 5);
	assert_int_equal(rd(0, PMC(0)), 100);
	assert_int_equal(rd(0, FIXED(0)), 100);
	assert_int_equal(rd(0, PMC(1)) | rd(0, FIXED(1)), 0);
	assert_int_equal(t.s->undriven_count, 1);
	vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[0], text, sizeof(text));
	assert_string_equal(text, "code 0x3c umask 0x00 on IA32_PERFEVTSEL1: the clocks of a "
			    "core's threads are not joined: with ANY it stays 0");
}

static void the_crystal_is_slower(void **state)
{
	(void)state;
	start(0, ON | CRYSTAL);
	for (int i = 0; i < 10; i++)
		run(0, 0, 91);
	assert_int_equal(rd(0, PMC(0)), 910 / 92);
	run(0, 0, 10);
	assert_int_equal(rd(0, PMC(0)), 10);
}

/* A number for each kind that no small sum of others gives. */
static void events_are_their_kinds(void **state)
{
	static const struct { uint32_t select; enum vpmu_core_event kinds[5]; } events[] = {
		{ 0x00c0, { VPMU_INSTRUCTIONS } },
		{ 0x00c4, { VPMU_BRANCHES } },
		{ 0x00c5, { VPMU_MISPREDICTED } },
		{ 0x4f2e, { VPMU_L2_READ_MISS, VPMU_L2_WRITE_MISS, VPMU_L2_CODE_MISS,
			    VPMU_L2_WRITE_HIT_S } },
		{ 0x412e, { VPMU_FILL_READ_MEMORY, VPMU_FILL_WRITE_MEMORY,
			    VPMU_FILL_CODE_MEMORY } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		uint64_t wanted = 0;

		for (uint32_t k = 0; k < 5; k++)	/* number 0 is INSTRUCTIONS, and an end */
			if (!k || events[i].kinds[k])
				wanted += number_of(events[i].kinds[k]);
		start(0, ON | events[i].select);
		everything_happens(0, 5000);
		assert_int_equal(rd(0, PMC(0)), wanted);
	}
}

static void what_is_in_use_is_told(void **state)
{
	(void)state;
	assert_int_equal(rd(0, IN_USE), 0);
	wr(0, SEL(1), INSTRUCTIONS);		/* the code counts, EN does not */
	wr(0, FIXED_CTRL, 0x200);
	assert_int_equal(rd(0, IN_USE), UINT64_C(1) << 34 | 1 << 1);
	wr(0, FIXED_CTRL, 0xa00);
	assert_int_equal(rd(0, IN_USE), UINT64_C(1) << 63 | UINT64_C(1) << 34 | 1 << 1);
	assert_int_equal(vpmu_wrmsr(t.s, 0, IN_USE, 0), -EIO);
}

/* The feed reports what cores do only then. */
static void a_counter_that_counts_is_announced(void **state)
{
	(void)state;
	wr(5, FIXED_CTRL, 0x2);			/* the global bit is off after a reset */
	assert_int_equal(t.s->core_counting, VPMU_CORE_NOTHING);
	wr(5, GLOBAL, ALL_ON);
	assert_int_equal(t.s->core_counting, VPMU_CORE_RETIRED);
	wr(0, SEL(0), ON | INSTRUCTIONS);	/* and on for these counters */
	assert_int_equal(t.s->core_counting, VPMU_CORE_RETIRED);
	wr(0, SEL(0), ON | BRANCHES);
	assert_int_equal(t.s->core_counting, VPMU_CORE_ALL);
	wr(0, GLOBAL, 0);
	assert_int_equal(t.s->core_counting, VPMU_CORE_RETIRED);
	wr(5, FIXED_CTRL, 0);
	assert_int_equal(t.s->core_counting, VPMU_CORE_NOTHING);
}

/* Instructions and clocks tell no more than their sum: no moment, and no neighbours. */
static void what_a_counter_wants_is_announced(void **state)
{
	static const struct { uint64_t select; uint32_t level; } rows[] = {
		{ 0xc0, VPMU_CORE_RETIRED }, { 0x3c, VPMU_CORE_RETIRED },
		{ 0x13c, VPMU_CORE_RETIRED }, { 0x1c0, VPMU_CORE_ALL }, { 0x23c, VPMU_CORE_ALL },
		{ 0x4f2e, VPMU_CORE_ALL }, { 0xc5, VPMU_CORE_ALL },
		{ 1 << 18 | 0xc0, VPMU_CORE_ALL }, { 1 << 20 | 0xc0, VPMU_CORE_ALL },
		{ 1 << 23 | 0xc0, VPMU_CORE_ALL }, { 1 << 24 | 0x3c, VPMU_CORE_ALL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		wr(1, SEL(2), ON | rows[i].select);
		assert_int_equal(t.s->core_counting, rows[i].level);
	}
	wr(1, SEL(2), 0);
	wr(1, GLOBAL, ALL_ON);
	for (uint64_t field = 0; field < 16; field++) {
		wr(1, FIXED_CTRL, field);
		assert_int_equal(t.s->core_counting, !(field & 3) ? VPMU_CORE_NOTHING :
				 field & 0xc ? VPMU_CORE_ALL : VPMU_CORE_RETIRED);
	}
	wr(1, FIXED_CTRL, 0);
}

static int setup_hybrid(void **state)
{
	(void)state;
	return setup_on("lnl-4p4e8t");
}

/* CPU 0 is a Lion Cove, CPU 7 a Skymont: ten counters and eight, four fixed ones and six. */
static void kinds_of_cores_differ(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(rd(0, GLOBAL), 0x3ff);
	assert_int_equal(rd(7, GLOBAL), 0xff);
	wr(0, SEL(9), ON | INSTRUCTIONS);
	assert_int_equal(vpmu_wrmsr(t.s, 7, SEL(9), 0), -EIO);
	assert_int_equal(vpmu_rdmsr(t.s, 0, FIXED(4), &value), -EIO);
	assert_int_equal(vpmu_rdmsr(t.s, 7, FIXED(4), &value), 0);
	assert_int_equal(vpmu_rdmsr(t.s, 7, FIXED(3), &value), -EIO);
	wr(0, A_PMC(9), 0);
	run(0, 70, 100);
	run(7, 5, 5);
	assert_int_equal(rd(0, PMC(9)), 70);
	t.s->violation_count = 0;
	wr(0, SEL(0), ON | ANY | INSTRUCTIONS);	/* reserved from version 5 on */
	assert_int_equal(t.s->violation_count, 1);
	assert_int_equal(rd(0, SEL(0)), ON | INSTRUCTIONS);
	wr(7, SEL(0), ON | 0x01a4);		/* slots, of P cores alone */
	assert_int_equal(t.s->undriven_count, 1);
}

/* PerfMon 6, as Linux uses it: the same counters and selects at addresses four apart. */
static void second_addresses_are_the_same_registers(void **state)
{
	uint64_t value;

	(void)state;
	wr(0, GP_CFG_A(9), ON | INSTRUCTIONS);
	wr(0, GP_CTR(9), FULL);
	assert_int_equal(rd(0, SEL(9)), ON | INSTRUCTIONS);
	assert_int_equal(rd(0, PMC(9)), FULL);
	wr(0, PMC(9), 7);
	run(0, 70, 100);
	assert_int_equal(rd(0, GP_CTR(9)), 77);
	wr(7, FIXED(4), 3);
	assert_int_equal(rd(7, FX_CTR(4)), 3);
	assert_int_equal(vpmu_rdmsr(t.s, 0, FX_CTR(4), &value), -EIO);
	assert_int_equal(vpmu_rdmsr(t.s, 7, GP_CFG_A(8), &value), -EIO);
	wr(7, GP_CFG_A(0), ON | 0x01a4);	/* slots, of P cores alone */
	assert_int_equal(t.s->undriven_count, 1);
}

static void second_addresses_are_not_there_before(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(vpmu_rdmsr(t.s, 0, GP_CTR(0), &value), -EIO);
	assert_int_equal(vpmu_rdmsr(t.s, 0, FX_CTR(0), &value), -EIO);
}

/* Sums less what they have too much; bits of a unit mask that are kinds are joined. */
static void events_of_skylake(void **state)
{
	static const struct { uint64_t select; enum vpmu_core_event plus[4], minus; } events[] = {
		{ 0x10c4, { VPMU_BRANCHES_CONDITIONAL }, VPMU_BRANCHES_CONDITIONAL_TAKEN },
		{ 0x04d1, { VPMU_LOADS_L2_MISSED }, VPMU_LOADS_L3_MISSED },
		{ 0x0151, { VPMU_L1D_READ_MISSES, VPMU_L1D_WRITE_MISSES }, 0 },
		{ 0x0e08, { VPMU_DTLB_LONG_WALKS }, VPMU_DTLB_WRITE_LONG_WALKS },
		{ 0x2049, { VPMU_DTLB_WRITE_MISSES }, VPMU_DTLB_WRITE_LONG_WALKS },
		{ 0x05c7, { VPMU_FP_SCALAR_DOUBLE, VPMU_FP_128_DOUBLE }, 0 },
		{ 0x18c7, { VPMU_FP_128_SINGLE, VPMU_FP_256_DOUBLE }, 0 },
		{ 0x010e, { VPMU_UOPS_ISSUED }, 0 },
		{ 0x02c2, { VPMU_UOPS_ISSUED }, 0 },
		{ 0x04c2, { VPMU_UOPS_FUSED }, 0 },
		{ 0x01b1, { VPMU_UOPS_EXECUTED }, 0 },
		{ 0x0148, { VPMU_L1_PENDING }, 0 },
		{ 0x0248, { VPMU_FILLS_FULL }, 0 },
		{ 0x0160, { VPMU_L2_PENDING }, 0 },
		{ 0x1060, { VPMU_L3_PENDING }, 0 },
		/* with the thresholds of their names */
		{ CMASK(1) | 0x0148, { VPMU_L1_PENDING_CLOCKS }, 0 },
		{ CMASK(1) | 0x0160, { VPMU_L2_PENDING_CLOCKS }, 0 },
		{ CMASK(1) | 0x1060, { VPMU_L3_PENDING_CLOCKS }, 0 },
		{ CMASK(1) | 0x0114, { VPMU_DIVIDER_CLOCKS }, 0 },
		{ CMASK(8) | 0x08a3, { VPMU_L1_PENDING_CLOCKS }, 0 },
		{ CMASK(1) | 0x01a3, { VPMU_L2_PENDING_CLOCKS }, 0 },
		{ CMASK(2) | 0x02a3, { VPMU_L3_PENDING_CLOCKS }, 0 },
		{ CMASK(12) | 0x0ca3, { VPMU_L1_PENDING_STALLS }, 0 },
		{ CMASK(5) | 0x05a3, { VPMU_L2_PENDING_STALLS }, 0 },
		{ CMASK(6) | 0x06a3, { VPMU_L3_PENDING_STALLS }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		uint64_t plus = 0, minus = events[i].minus ? number_of(events[i].minus) : 0;

		for (uint32_t k = 0; k < 4 && events[i].plus[k]; k++)
			plus += number_of(events[i].plus[k]);
		start(0, ON | events[i].select);
		everything_happens(0, 5000);
		assert_int_equal(rd(0, PMC(0)), plus > minus ? plus - minus : 0);
	}
	assert_int_equal(t.s->undriven_count, 0);
	start(0, ON | 0x01a2);			/* resource stalls */
	assert_int_equal(t.s->undriven_count, 1);
}

/* 5000 clocks: 320 of 10 stalls, and 100 with a micro-op. */
static void clocks_without_micro_ops(void **state)
{
	static const struct { uint64_t select, want; } events[] = {
		{ CMASK(1) | INV | 0x010e, 4900 }, { CMASK(1) | INV | 0x02c2, 4900 },
		{ CMASK(1) | INV | 0x01b1, 4950 }, { CMASK(4) | 0x04a3, 4950 },
		{ CMASK(1) | 0x010e, 100 }, { CMASK(2) | 0x010e, 0 },
	};
	uint32_t counts[VPMU_CORE_EVENTS] = {
		[VPMU_UOPS_ISSUED] = 100, [VPMU_UOPS_EXECUTED] = 50,
		[VPMU_STALLS] = 10, [VPMU_STALL_CLOCKS] = 320,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		start(0, ON | events[i].select);
		vpmu_core_events(t.s, 0, counts, 5000);
		assert_int_equal(rd(0, PMC(0)), events[i].want);
	}
	assert_int_equal(t.s->undriven_count, 0);
}

/* ... whose threshold is a part of their names. */
static void other_thresholds_are_refused(void **state)
{
	static const uint64_t selects[] = {
		CMASK(2) | 0x0148, CMASK(1) | INV | 0x0148, CMASK(1) | (1 << 18) | 0x0148,
		CMASK(1) | 0x0248, CMASK(4) | INV | 0x04a3, CMASK(1) | ANY | 0x0148,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(selects) / sizeof(selects[0]); i++) {
		start(0, ON | selects[i]);
		everything_happens(0, 5000);
		assert_int_equal(rd(0, PMC(0)), 0);
		assert_int_equal(t.s->undriven_count, i + 1);
	}
}

/* Registers that tools read first: bits 0, 7, 11 and 12 as SDM Table 35-2 has them, and no PEBS.
 * Power is not modelled: a read of its registers is refused, a write is a violation. */
static void tools_find_what_they_read_first(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(rd(0, 0x1a0), 0x1881);
	assert_int_equal(vpmu_wrmsr(t.s, 0, 0x3f1, 0), 0);
	assert_int_equal(vpmu_rdmsr(t.s, 0, 0x606, &value), -EIO);
	assert_int_equal(vpmu_rdmsr(t.s, 0, 0xce, &value), -EIO);
	assert_int_equal(t.s->violation_count, 0);
	assert_int_equal(vpmu_rdmsr(t.s, 0, 0x607, &value), -EIO);
	assert_int_equal(t.s->violation_count, 1);
	assert_int_equal(vpmu_wrmsr(t.s, 0, 0x606, 0), -EIO);
	assert_int_equal(t.s->violation_count, 2);
	assert_int_equal(vpmu_wrmsr(t.s, 0, 0x3f1, 1), 0);
	assert_int_equal(vpmu_wrmsr(t.s, 0, 0x1a0, 0x1881 ^ 1 << 7), 0);
	assert_int_equal(rd(0, 0x1a0), 0x1881);
	assert_int_equal(t.s->violation_count, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(every_general_counter_counts),
		T(fixed_counters_need_both_enables),
		T(a_reset_enables_the_general_counters_alone),
		cmocka_unit_test_setup_teardown(one_thread_a_core_has_eight, setup_single,
						teardown),
		T(two_threads_a_core_have_four_each),
		T(writes_have_two_widths),
		T(an_overflow_sets_its_bit_and_interrupts),
		T(a_freeze_ends_with_its_bit),
		T(levels_and_thresholds),
		T(any_thread),
		T(the_crystal_is_slower),
		T(events_are_their_kinds),
		T(what_is_in_use_is_told),
		T(a_counter_that_counts_is_announced), T(what_a_counter_wants_is_announced),
		T(events_of_skylake), T(clocks_without_micro_ops), T(other_thresholds_are_refused),
		T(second_addresses_are_not_there_before),
		T(tools_find_what_they_read_first),
		cmocka_unit_test_setup_teardown(second_addresses_are_the_same_registers,
						setup_hybrid, teardown),
		cmocka_unit_test_setup_teardown(kinds_of_cores_differ, setup_hybrid, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
