/* SPDX-License-Identifier: MIT */
/* Which event set of a process reports an event under IPMU_NODE_SUM: the first that runs it, until
 * it gives it back. */
#include "../component/papi_glue/node_sum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t claim(struct node_sum_share *s, const int codes[2])
{
	char why[IPMU_WHY_MAX] = "";

	if (node_sum_claim(s, codes, 2, (int)sizeof(codes[0]), why))
		fail_msg("%s", why);
	return s->reported;
}

static void what_is_given_back_is_the_next_ones(void **state)
{
	static const int ab[] = { 1, 2 }, bc[] = { 2, 3 }, cd[] = { 3, 4 };
	struct node_sum_share first = { 0 }, second = { 0 }, third = { 0 };

	(void)state;
	assert_int_equal(claim(&first, ab), 3);
	assert_int_equal(claim(&second, bc), 2);	/* event 2 is the first's */
	assert_int_equal(claim(&third, cd), 2);
	/* from the middle of those that run */
	node_sum_release(&second);
	assert_int_equal(second.reported, 0);
	assert_int_equal(first.reported, 3);
	assert_int_equal(third.reported, 2);
	assert_int_equal(claim(&second, bc), 2);	/* 3 is free again, 2 is not */
	/* the one that began */
	node_sum_release(&first);
	assert_int_equal(first.reported, 0);
	assert_int_equal(claim(&third, ab), 3);
	/* twice is as good as once */
	node_sum_release(&third);
	node_sum_release(&third);
	node_sum_release(&second);
	assert_int_equal(claim(&first, bc), 3);
	/* a set that starts again without a stop does not stand in its own way */
	assert_int_equal(claim(&first, bc), 3);
	node_sum_release(&first);
	node_sum_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_given_back_is_the_next_ones) };
	char job[32];

	/* The lock's name has the job's, and the node's first process is rank 0. */
	snprintf(job, sizeof(job), "test%d", (int)getpid());
	setenv("PMIX_NAMESPACE", job, 1);
	setenv("OMPI_COMM_WORLD_LOCAL_RANK", "0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
