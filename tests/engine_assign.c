/* SPDX-License-Identifier: MIT */
/* Counter assignment against exhaustive search. */
#include "counting/assign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ipmu_pmu_type type_of(int counters)
{
	return (struct ipmu_pmu_type){ .name = "box", .counters = counters, .width = 44 };
}

/* Is there any way to give each want a counter of its own? Tries them all. */
static bool possible(const struct ipmu_want *wants, int n, uint64_t taken, int counters)
{
	if (n == 0)
		return true;
	for (int c = 0; c < counters; c++) {
		uint64_t bit = 1ull << c;

		if ((wants->counters & bit) && !(taken & bit) &&
		    possible(wants + 1, n - 1, taken | bit, counters))
			return true;
	}
	return false;
}

static void check_solution(const struct ipmu_want *wants, int n)
{
	uint64_t taken = 0;

	for (int i = 0; i < n; i++) {
		uint64_t bit = 1ull << wants[i].ctr;

		assert_true(wants[i].counters & bit);
		assert_false(taken & bit);
		taken |= bit;
	}
}

static void finds_a_solution_whenever_there_is_one(void **state)
{
	unsigned seed = 20260;
	int solved = 0, refused = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		int counters = 2 + rand_r(&seed) % 5, n = 1 + rand_r(&seed) % counters;
		struct ipmu_pmu_type type = type_of(counters);
		struct ipmu_want wants[8];
		char why[IPMU_WHY_MAX] = "";
		int rc;

		for (int i = 0; i < n; i++)
			wants[i] = (struct ipmu_want){
				.select = (uint64_t)i + 1, .event = "e",
				.counters = 1 + (uint64_t)rand_r(&seed) % ((1u << counters) - 1),
			};
		rc = ipmu_assign(NULL, &type, 0, wants, n, why);
		if (possible(wants, n, 0, counters)) {
			assert_int_equal(rc, 0);
			check_solution(wants, n);
			solved++;
		} else {
			assert_int_equal(rc, -ENOSPC);
			refused++;
		}
	}
	assert_true(solved > 1000 && refused > 1000);
}

static void names_the_events_that_collide(void **state)
{
	struct ipmu_pmu_type type = type_of(2);
	struct ipmu_want wants[] = {
		{ .select = 1, .counters = 3, .event = "first" },
		{ .select = 2, .counters = 3, .event = "second" },
		{ .select = 3, .counters = 3, .event = "third" },
	};
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	assert_int_equal(ipmu_assign(NULL, &type, 4, wants, 3, why), -ENOSPC);
	assert_non_null(strstr(why, "third collides with"));
	assert_non_null(strstr(why, "first"));
	assert_non_null(strstr(why, "second"));
	assert_non_null(strstr(why, "box 4"));
}

static void running_counters_stay_where_they_are(void **state)
{
	static struct ipmu_box box;
	struct ipmu_pmu_type type = type_of(2);
	struct ipmu_want same = { .select = 7, .counters = 3, .event = "same" };
	struct ipmu_want other = { .select = 8, .counters = 3, .event = "other" };
	struct ipmu_want only0 = { .select = 9, .counters = 1, .event = "only0" };
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	box.type = &type;
	box.slots[0] = (struct ipmu_slot){ .programmed = true, .users = 1, .select = 7,
					   .counters = 3, .event = "running" };
	assert_int_equal(ipmu_assign(&box, &type, 0, &same, 1, why), 0);
	assert_int_equal(same.ctr, 0);
	assert_int_equal(ipmu_assign(&box, &type, 0, &other, 1, why), 0);
	assert_int_equal(other.ctr, 1);
	assert_int_equal(ipmu_assign(&box, &type, 0, &only0, 1, why), -ENOSPC);
	assert_non_null(strstr(why, "running"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_a_solution_whenever_there_is_one),
		cmocka_unit_test(names_the_events_that_collide),
		cmocka_unit_test(running_counters_stay_where_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
