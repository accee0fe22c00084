/* SPDX-License-Identifier: MIT */
/* Lines that several cores write at the same time: each store of the one that is behind in time
 * takes the line and loses it, until it has passed the other one's last use. */
#include "feed_runners.h"

static struct vpmu_machine machine;

/* Core 0 has executed `clocks` clocks, with a store to line 1 in each. */
static void begin(uint64_t clocks)
{
	machine = one_set_machine(4, 4, 8);
	start(&machine);
	store(0, 1);
	runner[0].clock = clocks;
	vpmu_runner_number(&runner[0]);
	store(0, 1);
	forget();
}

static void each_store_of_the_one_behind_moves_the_line_twice(void **state)
{
	(void)state;
	begin(10000);
	for (int i = 0; i < 10; i++)
		store(1, 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 20);
	assert_int_equal(all_snoops(), 20);
	assert_int_equal(READS(VPMU_M) + READS(VPMU_E), 20);
	forget();
	store(0, 1);			/* it has the line as before */
	assert_int_equal(all_lookups(), 0);
	assert_int_equal(seen.requests, 0);
	stop();
}

static void an_increment_is_a_load_and_a_store(void **state)
{
	(void)state;
	begin(10000);
	for (int i = 0; i < 10; i++) {
		load(1, 1);
		store(1, 1);
	}
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 20);
	stop();
}

static void once_the_clocks_have_met_the_line_stays(void **state)
{
	(void)state;
	begin(10000);
	store(1, 1);
	runner[1].clock = 20000;
	forget();
	for (int i = 0; i < 10; i++)
		store(1, 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	assert_int_equal(all_lookups(), 1);
	stop();
}

/* What a core used long before is not contended, however far its clock is. */
static void a_line_that_was_left_moves_once(void **state)
{
	(void)state;
	begin(100);
	runner[0].clock = 100000;
	vpmu_runner_number(&runner[0]);
	store(0, 2);
	runner[1].clock = 50000;
	forget();
	for (int i = 0; i < 10; i++)
		store(1, 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	stop();
}

static void loads_alone_share_the_line(void **state)
{
	(void)state;
	begin(10000);
	for (int i = 0; i < 10; i++)
		load(1, 1);
	assert_int_equal(XCORE(VPMU_SNOOP_HITM), 1);
	assert_int_equal(all_snoops(), 1);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_store_of_the_one_behind_moves_the_line_twice),
		cmocka_unit_test(an_increment_is_a_load_and_a_store),
		cmocka_unit_test(once_the_clocks_have_met_the_line_stays),
		cmocka_unit_test(a_line_that_was_left_moves_once),
		cmocka_unit_test(loads_alone_share_the_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
