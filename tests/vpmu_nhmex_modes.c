/* SPDX-License-Identifier: MIT */
/* Wrap and count modes of the M-Box counters (323535-001 Table 2-67), and the fill-victim index. */
#include "vpmu_nhmex.h"

static void count_mode_1_counts_down(void **state)
{
	(void)state;
	start(ALL_COMMANDS | WRAP | DOWN);
	wr(CNT(0), 3);
	reads(3);
	assert_int_equal(rd(CNT(0)), 0);
	assert_int_equal(rd(STATUS), 0);	/* 0 is no underflow yet */
	reads(1);
	assert_int_equal(rd(CNT(0)), TOP - 1);
	assert_int_equal(rd(STATUS), 1);
	reads(1);
	assert_int_equal(rd(CNT(0)), TOP - 2);
}

static void an_underflow_stops_without_wrap(void **state)
{
	(void)state;
	start(CYCLES | DOWN);
	wr(CNT(0), 9);
	vpmu_clock(t.s, 0, 100);
	assert_int_equal(rd(CNT(0)), TOP - 1);
	assert_int_equal(rd(STATUS), 1);
}

/* Such a count can increase and decrease. Of the known commands six open a page and three close
 * one; each comes into flight and leaves it. */
static void count_mode_2_counts_up_and_down(void **state)
{
	(void)state;
	assert_int_equal(count_commands(ALL_COMMANDS | BOTH), 12);
	assert_int_equal(count_commands(INFLIGHT | BOTH), 0);
	assert_int_equal(count_commands(INFLIGHT), 12);
	wr(PGT, 1);
	assert_int_equal(count_commands(PGT_PAGE_EV), 6);
	assert_int_equal(rd(STATUS), 0);
	assert_int_equal(count_commands(PGT_PAGE_EV | BOTH), 6 - 3);
	assert_int_equal(rd(STATUS), 0);
	wr(PGT, 0);
	assert_int_equal(count_commands(PGT_PAGE_EV | BOTH), TOP + 3 - 6);
	assert_int_equal(rd(STATUS), 1);	/* it went below 0 */
}

static void an_underflow_stops_both_ways(void **state)
{
	(void)state;
	wr(PGT, 0);
	start(PGT_PAGE_EV | BOTH);
	command(false, VPMU_PAGE_EMPTY, 0);
	command(false, VPMU_PAGE_EMPTY, 0);
	command(false, VPMU_PAGE_MISS, 0);
	assert_int_equal(rd(CNT(0)), TOP - 1);
}

/* ZDP_CTL_FVC.fvid, of five or six bits: the model's commands have no index to match it with. */
static void fill_victim_index(void **state)
{
	char text[256];

	(void)state;
	wr(FVC, 0x2800);
	assert_int_equal(count_commands(FVC_EV0), 7);
	assert_int_equal(t.s->undriven_count, 0);
	wr(FVC, 0x2801);
	assert_int_equal(count_commands(FVC_EV0), 0);
	assert_int_equal(t.s->undriven_count, 1);
	vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[0], text, sizeof(text));
	assert_non_null(strstr(text, "fvid"));
	wr(FVC, 0x2810);
	assert_int_equal(count_commands(FVC_EV0), 0);
}

static void fill_victim_index_of_westmere(void **state)
{
	(void)state;
	wr(FVC, 0x5020);
	assert_int_equal(count_commands(FVC_EV0), 0);
}

static void wrap_mode_0_stops_at_the_overflow(void **state)
{
	(void)state;
	start(ALL_COMMANDS);
	wr(CNT(0), TOP - 2);
	reads(5);
	assert_int_equal(rd(CNT(0)), 0);
	assert_int_equal(rd(STATUS), 1);
	wr(OVF_CTL, 1);
	reads(3);
	assert_int_equal(rd(CNT(0)), 3);
}

static void wrap_mode_0_stops_a_clock_counter_too(void **state)
{
	(void)state;
	start(CYCLES);
	wr(CNT(0), TOP - 40);
	wr(CTL(1), CYCLES | WRAP | EN);
	wr(CNT(1), TOP - 40);
	wr(GLOBAL_CTL, 3);
	vpmu_clock(t.s, 0, 100);
	assert_int_equal(rd(CNT(0)), 0);
	assert_int_equal(rd(CNT(1)), 60);
	assert_int_equal(rd(STATUS), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(wrap_mode_0_stops_at_the_overflow),
		CASE(wrap_mode_0_stops_a_clock_counter_too),
		CASE(count_mode_1_counts_down), CASE(an_underflow_stops_without_wrap),
		CASE(count_mode_2_counts_up_and_down), CASE(an_underflow_stops_both_ways),
		CASE(fill_victim_index),
		cmocka_unit_test_setup_teardown(fill_victim_index_of_westmere, setup_westmere,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
