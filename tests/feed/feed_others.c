/* SPDX-License-Identifier: MIT */
/* Whether other cores have a line, asked without their locks. */
#include "virtual_pmu/feed/cache/other_cores.h"
#include "virtual_pmu/feed/cache/private_caches.h"

#include "feed_runners.h"

#define SECOND 2u		/* bit of the second core */

static bool lack(uint64_t line)
{
	uint64_t tag = vpmu_runner_tag(&runner[0], line * 64);

	return vpmu_others_lack(&caches, &runner[0], SECOND, tag);
}

/* An L1 of 2 ways, an L2 of 4, of one set each. */
static int fresh(void **state)
{
	struct vpmu_machine m = one_set_machine(2, 4, 16);

	(void)state;
	start(&m);
	return 0;
}

static int done(void **state)
{
	(void)state;
	stop_runners();
	return 0;
}

static void a_line_is_in_one_level_or_another(void **state)
{
	(void)state;
	assert_true(lack(1));
	load(1, 1);
	assert_false(lack(1));
	load(1, 2);
	load(1, 3);		/* the first is in the L2 only */
	assert_false(lack(1));
	load(1, 4);
	load(1, 5);
	assert_true(lack(1));
	assert_false(lack(5));
	access_line(1, 6, VPMU_CODE);
	for (uint64_t line = 10; line < 14; line++)
		load(1, line);	/* the L1 for code still has it */
	assert_false(lack(6));
}

static void nothing_is_known_of_a_core_that_is_being_changed(void **state)
{
	struct vpmu_core *core = vpmu_caches_core(&caches, 0, 1);

	(void)state;
	assert_true(lack(1));
	vpmu_core_lock(core, &runner[1]);
	assert_false(lack(1));
	vpmu_core_unlock(core);
	assert_true(lack(1));
}

/* The thread that held the lock was killed. */
static void the_next_change_ends_one_that_was_cut_off(void **state)
{
	struct vpmu_core *core = vpmu_caches_core(&caches, 0, 1);

	(void)state;
	vpmu_core_lock(core, &runner[1]);
	core->lock = 0;
	assert_false(lack(1));
	vpmu_core_lock(core, &runner[1]);
	assert_false(lack(1));
	vpmu_core_unlock(core);
	assert_true(lack(1));
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, fresh, done)
	const struct CMUnitTest tests[] = {
		CASE(a_line_is_in_one_level_or_another),
		CASE(nothing_is_known_of_a_core_that_is_being_changed),
		CASE(the_next_change_ends_one_that_was_cut_off),
	};

	return cmocka_run_group_tests_name("what other cores lack", tests, NULL, NULL);
}
