/* SPDX-License-Identifier: MIT */
/* Wrap and count modes of the M-Box counters (323535-001 Table 2-67), the fill-victim index, and
 * the scheduler's queue, which holds a read for 220 clocks and a write for 70: the latencies that
 * `vpmu machines` states. */
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
 * one; each comes into flight, the five writes leave after 70 clocks, the seven reads after 220. */
static void count_mode_2_counts_up_and_down(void **state)
{
	(void)state;
	assert_int_equal(count_commands(ALL_COMMANDS | BOTH), 12);
	vpmu_clock(t.s, 0, 1000);
	assert_int_equal(count_commands(INFLIGHT | BOTH), 12);
	vpmu_clock(t.s, 0, 1069);
	assert_int_equal(rd(CNT(0)), 12);
	vpmu_clock(t.s, 0, 1070);
	assert_int_equal(rd(CNT(0)), 7);
	vpmu_clock(t.s, 0, 1219);
	assert_int_equal(rd(CNT(0)), 7);
	vpmu_clock(t.s, 0, 2000);
	assert_int_equal(rd(CNT(0)), 0);
	assert_int_equal(count_commands(INFLIGHT), 12);
	vpmu_clock(t.s, 0, 3000);
	assert_int_equal(rd(CNT(0)), 12);
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

/* ---- the scheduler's queue ---- */

/* Reads in the clocks 10 and 15 behind the present one, a write in 20. */
static uint64_t three_commands(uint64_t ctl, uint64_t map)
{
	uint64_t begin = t.s->uclk[0];

	wr(MAP, map);
	start(ctl | WRAP);
	command(false, VPMU_PAGE_HIT, begin + 10);
	command(false, VPMU_PAGE_MISS, begin + 15);
	command(true, VPMU_PAGE_HIT, begin + 20);
	return begin;
}

static void the_queue_holds_a_command_for_its_latency(void **state)
{
	static const uint32_t expected[] = { 220 + 220, 70, [8] = 220 + 220 + 70 };

	(void)state;
	for (uint32_t kind = 0; kind <= 8; kind += kind ? 7 : 1) {
		uint64_t begin = three_commands(SCHEDQ_OCCUPANCY, kind << 5);

		vpmu_clock(t.s, 0, begin + 1000);
		assert_int_equal(rd(CNT(0)), expected[kind]);
		assert_int_equal(rd(CNT(0) + BOX_STRIDE), 0);
	}
	assert_int_equal(t.s->undriven_count, 0);
}

static void the_queue_is_counted_up_to_the_present_clock(void **state)
{
	(void)state;
	three_commands(SCHEDQ_OCCUPANCY, 0);
	vpmu_clock(t.s, 0, 100);
	assert_int_equal(rd(CNT(0)), 90 + 85);
	start(SCHEDQ_OCCUPANCY);	/* from now on: until the clocks 230 and 235 */
	vpmu_clock(t.s, 0, 233);
	assert_int_equal(rd(CNT(0)), 130 + 133);
	wr(GLOBAL_CTL, 0);		/* it empties while nothing counts */
	vpmu_clock(t.s, 0, 500);
	start(SCHEDQ_OCCUPANCY);
	vpmu_clock(t.s, 0, 600);
	assert_int_equal(rd(CNT(0)), 0);
}

/* Those of a thread that is behind keep their length, however many there are. */
static void late_commands_are_held_as_long(void **state)
{
	(void)state;
	vpmu_clock(t.s, 0, 5000);
	wr(MAP, 0);
	start(SCHEDQ_OCCUPANCY | WRAP);
	for (uint32_t i = 0; i < 3000; i++)
		command(false, VPMU_PAGE_HIT, i);
	vpmu_clock(t.s, 0, 6000);
	assert_int_equal(rd(CNT(0)), 3000 * 220);
	for (uint32_t i = 0; i < 3000; i++)		/* and of one that is in front */
		command(false, VPMU_PAGE_HIT, 7000 + i);
	vpmu_clock(t.s, 0, 20000);
	assert_int_equal(rd(CNT(0)), 6000 * 220);
}

/* Two commands in each clock from 15 on, one from 10 to 14: 5 + 2 * 3 >= 10 in clock 17. */
static void an_occupancy_freezes_in_the_clock_of_its_overflow(void **state)
{
	(void)state;
	wr(MAP, 0);
	start(SCHEDQ_OCCUPANCY | WRAP | PMI_EN);
	wr(CNT(0), TOP - 10);
	wr(CTL(1), CYCLES | EN);
	wr(GLOBAL_CTL, 3);
	wr(U_CTL, EN_ALL | FRZ_ALL);
	command(false, VPMU_PAGE_HIT, 10);
	command(false, VPMU_PAGE_HIT, 15);
	vpmu_clock(t.s, 0, 1000);
	assert_int_equal(rd(U_CTL), FRZ_ALL);
	assert_int_equal(rd(CNT(0)), 1);
	assert_int_equal(rd(CNT(1)), 18);
}

/* Commands that leave take the count below 0, and so freeze as well: in clock 10 + 220. */
static void leaving_freezes_at_an_underflow(void **state)
{
	(void)state;
	start(INFLIGHT | BOTH | WRAP | PMI_EN);
	command(false, VPMU_PAGE_HIT, 10);
	wr(CNT(0), 0);
	wr(CTL(1), CYCLES | EN);
	wr(GLOBAL_CTL, 3);
	wr(U_CTL, EN_ALL | FRZ_ALL);
	vpmu_clock(t.s, 0, 1000);
	assert_int_equal(rd(U_CTL), FRZ_ALL);
	assert_int_equal(rd(CNT(0)), TOP - 1);
	assert_int_equal(rd(CNT(1)), 231 - 10);
}

static void the_queue_is_a_condition_too(void **state)
{
	(void)state;
	three_commands(SCHEDQ_OCCUPANCY | STORAGE | CYCLES, 0);
	vpmu_clock(t.s, 0, 1000);
	assert_int_equal(rd(CNT(0)), 235 - 10);
}

static void the_queue_of_other_indices_and_moves_is_named(void **state)
{
	static const struct { uint64_t map; const char *why; } cases[] = {
		{ 1, "fvid" }, { 2 << 5, "read and write commands only" },
		{ 9 << 5, "no documented state" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[256];

		three_commands(SCHEDQ_OCCUPANCY, cases[i].map);
		vpmu_clock(t.s, 0, t.s->uclk[0] + 1000);
		assert_int_equal(rd(CNT(0)), 0);
		assert_int_equal(t.s->undriven_count, i + 1);
		vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[i], text, sizeof(text));
		assert_non_null(strstr(text, cases[i].why));
	}
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
		CASE(the_queue_holds_a_command_for_its_latency),
		CASE(the_queue_is_counted_up_to_the_present_clock),
		CASE(late_commands_are_held_as_long),
		CASE(an_occupancy_freezes_in_the_clock_of_its_overflow),
		CASE(leaving_freezes_at_an_underflow),
		CASE(the_queue_is_a_condition_too),
		CASE(the_queue_of_other_indices_and_moves_is_named),
		cmocka_unit_test_setup_teardown(fill_victim_index_of_westmere, setup_westmere,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
