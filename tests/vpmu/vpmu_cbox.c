/* SPDX-License-Identifier: MIT */
/* The C-Box model against 323535-001 and the SDM: expected values are worked out by hand. */
#include "vpmu_nhmex.h"

#include "model/bulk.h"

#define C_EN 0x400000u
#define C_PMI_EN 0x100000u
#define HITS(umask) (0x15u | (umask) << 8)
#define MISSES(umask) (0x14u | (umask) << 8)
#define ALL_HITS HITS(0x0fu)
#define ALL_MISSES MISSES(0x07u)
#define C_CTL(c) (box_at[c])
#define C_STATUS(c) (box_at[c] + 1)
#define C_OVF_CTL(c) (box_at[c] + 2)
#define C_SEL(c, i) (box_at[c] + 0x10 + 2 * (i))
#define C_CTR(c, i) (box_at[c] + 0x11 + 2 * (i))

/* MSR_C0_PMON_BOX_CTRL to MSR_C9_PMON_BOX_CTRL */
static const uint32_t box_at[] = {
	0xd00, 0xd80, 0xd40, 0xdc0, 0xd20, 0xda0, 0xd60, 0xde0, 0xf40, 0xfc0,
};

static void lookups(uint32_t slice, enum vpmu_mesi found, uint32_t n)
{
	while (n--)
		vpmu_llc_lookup(t.s, 0, slice, VPMU_READ, found, 0);
}

static void count(uint32_t cbox, uint32_t counter, uint64_t select)
{
	wr(C_SEL(cbox, counter), select | C_EN);
	wr(C_CTR(cbox, counter), 0);
	wr(C_CTL(cbox), rd(C_CTL(cbox)) | 1u << counter);
}

/* 2 requests find M, 3 E, 5 S and 7 nothing; 11 write-backs are no requests. */
static uint64_t counted(uint64_t select)
{
	count(0, 0, select);
	wr(U_CTL, EN_ALL);
	lookups(0, VPMU_M, 2);
	lookups(0, VPMU_E, 3);
	lookups(0, VPMU_S, 5);
	lookups(0, VPMU_I, 7);
	for (int i = 0; i < 11; i++)
		vpmu_llc_lookup(t.s, 0, 0, VPMU_WRITE, VPMU_M, 0);
	return rd(C_CTR(0, 0));
}

static void unit_masks_select_states(void **state)
{
	static const struct { uint32_t select, n; } rows[] = {
		{ HITS(1u), 2 }, { HITS(2u), 3 }, { HITS(4u), 5 }, { HITS(8u), 0 },
		{ ALL_HITS, 2 + 3 + 5 }, { HITS(3u), 2 + 3 }, { HITS(0u), 0 },
		{ MISSES(4u), 7 }, { ALL_MISSES, 7 }, { MISSES(1u), 0 }, { MISSES(2u), 0 },
		{ 0x0fffu, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (counted(rows[i].select) != rows[i].n)
			fail_msg("0x%x counts %llu", rows[i].select,
				 (unsigned long long)rd(C_CTR(0, 0)));
	assert_int_equal(t.s->violation_count, 0);
}

static void every_link_of_the_chain_is_needed(void **state)
{
	(void)state;
	count(3, 2, ALL_MISSES);
	lookups(3, VPMU_I, 1);		/* no en_all */
	wr(U_CTL, EN_ALL);
	lookups(3, VPMU_I, 1);
	assert_int_equal(rd(C_CTR(3, 2)), 1);
	wr(C_CTL(3), 0x3b);
	lookups(3, VPMU_I, 1);		/* not this counter */
	wr(C_CTL(3), 0x04);
	wr(C_SEL(3, 2), ALL_MISSES);
	lookups(3, VPMU_I, 1);		/* no en */
	assert_int_equal(rd(C_CTR(3, 2)), 1);
	wr(C_SEL(3, 2), ALL_MISSES | C_EN);
	lookups(3, VPMU_I, 1);
	assert_int_equal(rd(C_CTR(3, 2)), 2);
}

/* A slice's lookups come to the C-Box of its number, at the SDM's address, on all six counters. */
static void each_box_counts_its_slice(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < 8; c++)
		for (uint32_t i = 0; i < 6; i++)
			count(c, i, i % 2 ? ALL_HITS : ALL_MISSES);
	wr(U_CTL, EN_ALL);
	for (uint32_t c = 0; c < 8; c++) {
		lookups(c, VPMU_I, c + 1);
		lookups(c, VPMU_E, 100 + c);
	}
	for (uint32_t c = 0; c < 8; c++)
		for (uint32_t i = 0; i < 6; i++)
			assert_int_equal(rd(C_CTR(c, i)), i % 2 ? 100 + c : c + 1);
}

static void an_e7_has_two_more(void **state)
{
	uint64_t value;

	(void)state;
	wr(C_SEL(9, 5), ALL_HITS);
	assert_int_equal(rd(C_SEL(9, 5)), ALL_HITS);
	teardown(state);
	setup(state);
	assert_int_not_equal(vpmu_rdmsr(t.s, 0, C_SEL(9, 5), &value), 0);
	assert_int_not_equal(vpmu_rdmsr(t.s, 0, C_CTL(8), &value), 0);
}

/* Lookups that the feed only notes are in the registers before they are read or change. */
static void noted_lookups_are_counted_by_what_was_programmed(void **state)
{
	struct vpmu_bulk bulk;

	(void)state;
	assert_true(vpmu_bulk_of(t.s, 0, &bulk));
	count(5, 0, ALL_MISSES);
	bulk.llc->lookup[5][0][3] = 100;	/* before the start */
	wr(U_CTL, EN_ALL);
	bulk.llc->lookup[5][0][3] = 7;
	bulk.llc->lookup[5][0][0] = 9;
	bulk.llc->lookup[5][1][0] = 1000;	/* write-backs */
	wr(C_SEL(5, 0), ALL_HITS | C_EN);
	assert_int_equal(rd(C_CTR(5, 0)), 7);
	bulk.llc->lookup[5][0][1] = 11;
	assert_int_equal(rd(C_CTR(5, 0)), 7 + 11);
	assert_int_equal(*bulk.precise, 0);
	wr(U_CTL, EN_ALL | FRZ_ALL);
	assert_int_not_equal(*bulk.precise, 0);	/* an overflow freezes in its clock */
}

/* ov_s0 stands for M-Box 0 and the C-Boxes 0 to 3, ov_s1 for M-Box 1 and 4 to 7 (guide 2-47). */
static void overflows_wrap_and_come_through_the_s_boxes(void **state)
{
	(void)state;
	for (uint32_t c = 3; c < 5; c++) {
		count(c, 1, ALL_HITS);
		wr(C_CTR(c, 1), TOP - 2);
	}
	wr(U_CTL, EN_ALL);
	lookups(3, VPMU_S, 5);
	assert_int_equal(rd(C_CTR(3, 1)), 3);
	assert_int_equal(rd(C_STATUS(3)), 2);
	assert_int_equal(rd(U_STATUS), 8);
	lookups(4, VPMU_S, 2);
	assert_int_equal(rd(C_CTR(4, 1)), 0);
	assert_int_equal(rd(U_STATUS), 8 | 4);
	wr(C_OVF_CTL(4), 1);
	assert_int_equal(rd(U_STATUS), 8 | 4);	/* another counter's flag */
	wr(C_OVF_CTL(4), 2);
	assert_int_equal(rd(C_STATUS(4)), 0);
	assert_int_equal(rd(U_STATUS), 8);
	wr(CTL(0), ALL_COMMANDS | WRAP | EN);
	wr(CNT(0), TOP - 1);
	wr(GLOBAL_CTL, 1);
	reads(1);
	wr(C_OVF_CTL(3), 2);
	assert_int_equal(rd(U_STATUS), 8);	/* the M-Box's, behind the same S-Box */
	wr(OVF_CTL, 1);
	assert_int_equal(rd(U_STATUS), 0);
}

/* Clocks of an M-Box and lookups, one every ten clocks; either box's overflow freezes both. */
static void a_freeze_stops_boxes_of_both_kinds(void **state)
{
	(void)state;
	for (uint32_t by_cbox = 0; by_cbox < 2; by_cbox++) {
		uint64_t begin = t.s->uclk[0];

		wr(U_CTL, 0);
		wr(CTL(0), ALL_COMMANDS | WRAP | EN | (by_cbox ? 0 : PMI_EN));
		wr(CNT(0), by_cbox ? 0 : TOP - 3);
		wr(GLOBAL_CTL, 1);
		count(6, 0, ALL_MISSES | (by_cbox ? C_PMI_EN : 0));
		wr(C_CTR(6, 0), by_cbox ? TOP - 3 : 0);
		wr(U_CTL, EN_ALL | FRZ_ALL);
		for (uint64_t clock = begin + 10; clock <= begin + 90; clock += 10) {
			command(false, VPMU_PAGE_HIT, clock);
			vpmu_llc_lookup(t.s, 0, 6, VPMU_READ, VPMU_I, clock);
		}
		vpmu_clock(t.s, 0, begin + 100);
		assert_int_equal(rd(U_CTL), FRZ_ALL);
		assert_int_equal(rd(CNT(0)), by_cbox ? 3 : 0);
		assert_int_equal(rd(C_CTR(6, 0)), by_cbox ? 0 : 3);
		wr(OVF_CTL, 1);
		wr(C_OVF_CTL(6), 1);
	}
}

static void rst_all_clears_the_counters_of_all_boxes(void **state)
{
	(void)state;
	wr(CNT(2), 42);
	wr(C_CTR(7, 5), 43);
	wr(C_SEL(7, 5), ALL_HITS);
	wr(U_CTL, RST_ALL);
	assert_int_equal(rd(CNT(2)), 0);
	assert_int_equal(rd(C_CTR(7, 5)), 0);
	assert_int_equal(rd(C_SEL(7, 5)), ALL_HITS);
}

/* The list and what a select really counts say the same. */
static void driven_events_count_and_others_are_noted(void **state)
{
	struct vpmu_event_info e;
	uint32_t events = 0;

	(void)state;
	for (uint32_t i = 0; vpmu_model_event(&t.s->machine, i, &e); i++) {
		bool counts;

		if (strcmp(e.unit, "CBOX") != 0)
			continue;
		events++;
		t.s->undriven_count = 0;
		counts = counted(e.code | e.umask << 8) > 0;
		if (e.driven != counts || e.driven != (t.s->undriven_count == 0))
			fail_msg("%s: driven %d, counted %d", e.name, e.driven, counts);
	}
	assert_int_equal(events, 25);
}

/* Each counter on something that nothing drives is told once, with the reason. */
static void undriven_events_are_noted(void **state)
{
	static const struct { uint32_t select; const char *says[2]; } rows[] = {
		{ 0x010b, { "STARVED_EGRESS.P2C_AD_SB", "no ring" } },
		{ 0x001b, { "TRANS_IPQ", "do not snoop each other" } },
		{ 0x0327, { "SNPS.REMOTE_ANY", "do not snoop each other" } },
		{ HITS(8u), { "LLC_HITS.FORWARD", "no state F" } },
		{ MISSES(1u), { "LLC_MISSES.SHARED", "state I" } },
		{ ALL_HITS | 0x01000000, { "LLC_HITS.ALL", "threshold" } },
		{ ALL_HITS | 0x00040000, { "LLC_HITS.ALL", "threshold" } },
		{ 0x0118, { "0x18", "not an event that is known" } },
	};
	char text[256];

	(void)state;
	wr(U_CTL, EN_ALL);
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t before = t.s->undriven_count;

		count(2, 3, rows[i].select);
		lookups(2, VPMU_M, 9);
		assert_int_equal(rd(C_CTR(2, 3)), 0);
		if (i == 6)	/* the same event for the same reason */
			continue;
		assert_int_equal(t.s->undriven_count, before + 1);
		vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[before], text, sizeof(text));
		if (!strstr(text, rows[i].says[0]) || !strstr(text, rows[i].says[1]) ||
		    !strstr(text, "C2_MSR_PMON_EVT_SEL_3"))
			fail_msg("%s", text);
	}
}

static void reserved_bits_are_violations_ignored_ones_are_not(void **state)
{
	(void)state;
	wr(C_SEL(0, 0), UINT64_C(0x9fffffff00280000));	/* ig 63, 60:32, 21, 19 */
	assert_int_equal(rd(C_SEL(0, 0)), 0);
	assert_int_equal(t.s->violation_count, 0);
	wr(C_SEL(0, 0), UINT64_C(0x6000000000030000));	/* rsv 62:61; 17:16 */
	assert_int_equal(t.s->violation_count, 1);
	assert_int_equal(t.s->violations[0].bad_bits, UINT64_C(0x6000000000030000));
	assert_int_not_equal(vpmu_wrmsr(t.s, 0, C_STATUS(0), 1), 0);
	wr(C_CTR(0, 0), TOP);
	assert_int_equal(t.s->violation_count, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(unit_masks_select_states), CASE(every_link_of_the_chain_is_needed),
		CASE(each_box_counts_its_slice),
		cmocka_unit_test_setup_teardown(an_e7_has_two_more, setup_westmere, teardown),
		CASE(noted_lookups_are_counted_by_what_was_programmed),
		CASE(overflows_wrap_and_come_through_the_s_boxes),
		CASE(a_freeze_stops_boxes_of_both_kinds),
		CASE(rst_all_clears_the_counters_of_all_boxes),
		CASE(driven_events_count_and_others_are_noted),
		CASE(undriven_events_are_noted),
		CASE(reserved_bits_are_violations_ignored_ones_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
