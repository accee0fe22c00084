/* SPDX-License-Identifier: MIT */
/* The arbiter's model against 334060-001: entries of its tracker and requests, with thresholds,
 * edges and inversion. Expected values are worked out by hand in each test. */
#include "vpmu_skl.h"

/* Occupancy 0 0 1 1 2 2 2 1 0 0 in the clocks 0..9: sum 9, six clocks with any (2..7),
 * three with two or more (4..6), four clocks with none (0 1 8 9), one rising edge of any. */
static void known_occupancy(void)
{
	entry(2, 7);
	entry(4, 8);
}

static uint64_t count_occupancy(uint64_t select)
{
	wr(GLOBAL_CTRL, 0);
	wr(ARB_CTR0, 0);
	wr(ARB_SEL0, select | EN | OCCUPANCY_ALL);
	wr(GLOBAL_CTRL, GLOBAL_EN);
	known_occupancy();
	vpmu_clock(t.s, 0, 10);
	return rd(ARB_CTR0);
}

static void occupancy_sums_entries(void **state)
{
	(void)state;
	assert_int_equal(count_occupancy(0), 9);
}

/* Entries are reported when they end: the later clock of two neighbours often comes first. */
static void entries_are_told_in_any_order(void **state)
{
	static const uint64_t expected[] = { 7 + 3 + 2 + 2, 9 };	/* all; clocks with any */

	(void)state;
	for (uint64_t threshold = 0; threshold < 2; threshold++) {
		uint64_t begin = t.s->uclk[0];

		wr(GLOBAL_CTRL, 0);
		wr(ARB_CTR0, 0);
		wr(ARB_SEL0, EN | THR(threshold) | OCCUPANCY_ALL);
		wr(GLOBAL_CTRL, GLOBAL_EN);
		entry(begin + 3, begin + 10);
		entry(begin + 2, begin + 5);
		entry(begin + 2, begin + 4);
		entry(begin + 1, begin + 3);
		vpmu_clock(t.s, 0, begin + 40);
		assert_int_equal(rd(ARB_CTR0), expected[threshold]);
	}
}

/* Entries that are under way continue when the threshold is removed. */
static void entries_outlive_a_threshold(void **state)
{
	(void)state;
	wr(ARB_SEL0, EN | THR(1) | OCCUPANCY_ALL);
	wr(GLOBAL_CTRL, GLOBAL_EN);
	entry(10, 20);
	entry(9, 19);
	vpmu_clock(t.s, 0, 15);
	assert_int_equal(rd(ARB_CTR0), 15 - 9);
	wr(ARB_SEL0, EN | OCCUPANCY_ALL);
	wr(ARB_CTR0, 0);
	vpmu_clock(t.s, 0, 40);
	assert_int_equal(rd(ARB_CTR0), 2 * (19 - 15) + 1);
}

static void threshold_one_counts_busy_clocks(void **state)
{
	(void)state;
	assert_int_equal(count_occupancy(THR(1)), 6);
}

static void threshold_two_counts_clocks_with_two(void **state)
{
	(void)state;
	assert_int_equal(count_occupancy(THR(2)), 3);
}

static void invert_counts_idle_clocks(void **state)
{
	(void)state;
	assert_int_equal(count_occupancy(THR(1) | INV), 4);
}

static void invert_without_threshold_is_ignored(void **state)
{
	(void)state;
	assert_int_equal(count_occupancy(INV), 9);
}

static void edge_counts_bursts(void **state)
{
	(void)state;
	assert_int_equal(count_occupancy(THR(1) | EDGE), 1);
}

static void edge_needs_no_threshold(void **state)
{
	(void)state;
	assert_int_equal(count_occupancy(EDGE), 1);
}

static void edge_counts_every_burst(void **state)
{
	(void)state;
	wr(ARB_SEL0, EN | OCCUPANCY_ALL | EDGE | THR(1));
	wr(GLOBAL_CTRL, GLOBAL_EN);
	entry(3, 5);
	entry(5, 6);	/* goes on from the first: same burst */
	entry(9, 10);
	entry(20, 30);
	entry(22, 25);
	vpmu_clock(t.s, 0, 40);
	assert_int_equal(rd(ARB_CTR0), 3);
}

static void enabling_amid_a_burst_is_no_edge(void **state)
{
	(void)state;
	entry(5, 100);
	vpmu_clock(t.s, 0, 50);
	wr(ARB_SEL0, EN | OCCUPANCY_ALL | EDGE | THR(1));
	wr(GLOBAL_CTRL, GLOBAL_EN);
	entry(200, 210);
	vpmu_clock(t.s, 0, 300);
	assert_int_equal(rd(ARB_CTR0), 1);	/* the burst at 200 */
}

static void a_burst_begun_while_stopped_is_no_edge(void **state)
{
	(void)state;
	wr(ARB_SEL0, EN | OCCUPANCY_ALL | EDGE | THR(1));
	entry(5, 100);
	vpmu_clock(t.s, 0, 50);
	wr(GLOBAL_CTRL, GLOBAL_EN);
	vpmu_clock(t.s, 0, 300);
	assert_int_equal(rd(ARB_CTR0), 0);
}

static void threshold_above_31_does_not_exist(void **state)
{
	(void)state;
	wr(ARB_SEL0, EN | OCCUPANCY_ALL | UINT64_C(1) << 29);
	assert_int_equal(t.s->violation_count, 1);
	assert_int_equal(t.s->violations[0].bad_bits, UINT64_C(1) << 29);
}

static void entries_in_any_order_land_in_their_clocks(void **state)
{
	(void)state;
	wr(ARB_SEL0, EN | OCCUPANCY_ALL | THR(2));
	wr(GLOBAL_CTRL, GLOBAL_EN);
	entry(1000, 1100);
	entry(10, 20);		/* a thread that lags */
	entry(15, 17);
	entry(1050, 1060);
	vpmu_clock(t.s, 0, 2000);
	assert_int_equal(rd(ARB_CTR0), 2 + 10);
}

static void a_late_entry_keeps_its_length(void **state)
{
	(void)state;
	wr(ARB_SEL0, EN | OCCUPANCY_ALL);
	wr(GLOBAL_CTRL, GLOBAL_EN);
	vpmu_clock(t.s, 0, 5000);
	entry(100, 280);
	vpmu_clock(t.s, 0, 6000);
	assert_int_equal(rd(ARB_CTR0), 180);
}

static void far_apart_entries_pass_the_window(void **state)
{
	uint64_t clock = 7;

	(void)state;
	wr(ARB_SEL0, EN | OCCUPANCY_ALL);
	wr(ARB_SEL1, EN | REQUESTS_ALL);
	wr(GLOBAL_CTRL, GLOBAL_EN);
	for (int i = 0; i < 50; i++, clock += 40961)
		entry(clock, clock + 180);
	vpmu_clock(t.s, 0, clock + 1000000);
	assert_int_equal(rd(ARB_CTR0), 50 * 180);
	assert_int_equal(rd(ARB_CTR1), 50);
}

static void occupancy_counts_on_counter_0_only(void **state)
{
	(void)state;
	wr(ARB_SEL1, EN | OCCUPANCY_ALL);
	wr(GLOBAL_CTRL, GLOBAL_EN);
	known_occupancy();
	vpmu_clock(t.s, 0, 10);
	assert_int_equal(rd(ARB_CTR1), 0);
	assert_int_equal(t.s->undriven_count, 1);
	assert_int_equal(t.s->undriven[0].address, ARB_SEL1);
}

static void requests_by_kind(void **state)
{
	static const uint64_t select[4] = { 0x0181, 0x0281, 0x2081, 0x0184 };
	/* 3 data reads (2 coherent), 2 code reads (coherent), 4 writes (not) */
	static const uint64_t expected[4] = { 9, 3, 4, 4 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		wr(GLOBAL_CTRL, 0);
		wr(ARB_CTR1, 0);
		wr(ARB_SEL1, EN | select[i]);
		wr(GLOBAL_CTRL, GLOBAL_EN);
		for (uint64_t n = 0; n < 9; n++)
			vpmu_tracker(t.s, 0, n < 3 ? VPMU_TRK_DATA_READ : n < 5 ?
				     VPMU_TRK_CODE_READ : VPMU_TRK_WRITE, n >= 1 && n < 5,
				     100 + n, 200 + n);
		assert_int_equal(rd(ARB_CTR1), expected[i]);
	}
}

static void data_read_occupancy_leaves_others_out(void **state)
{
	(void)state;
	wr(ARB_SEL0, EN | 0x0280);
	wr(GLOBAL_CTRL, GLOBAL_EN);
	vpmu_tracker(t.s, 0, VPMU_TRK_WRITE, false, 0, 60);
	vpmu_tracker(t.s, 0, VPMU_TRK_CODE_READ, true, 10, 40);
	vpmu_tracker(t.s, 0, VPMU_TRK_DATA_READ, true, 20, 45);
	vpmu_clock(t.s, 0, 100);
	assert_int_equal(rd(ARB_CTR0), 25);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(occupancy_sums_entries), T(threshold_one_counts_busy_clocks),
		T(threshold_two_counts_clocks_with_two), T(invert_counts_idle_clocks),
		T(entries_are_told_in_any_order), T(entries_outlive_a_threshold),
		T(invert_without_threshold_is_ignored), T(edge_counts_bursts),
		T(edge_needs_no_threshold), T(edge_counts_every_burst),
		T(enabling_amid_a_burst_is_no_edge), T(a_burst_begun_while_stopped_is_no_edge),
		T(threshold_above_31_does_not_exist), T(entries_in_any_order_land_in_their_clocks),
		T(a_late_entry_keeps_its_length), T(far_apart_entries_pass_the_window),
		T(occupancy_counts_on_counter_0_only), T(requests_by_kind),
		T(data_read_occupancy_leaves_others_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
