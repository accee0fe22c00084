/* SPDX-License-Identifier: MIT */
/* Whether other cores have a line. */
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

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, fresh, done)
	const struct CMUnitTest tests[] = {
		CASE(a_line_is_in_one_level_or_another),
	};

	return cmocka_run_group_tests_name("what other cores lack", tests, NULL, NULL);
}
