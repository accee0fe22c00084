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
	return (struct ipmu_pmu_type){ .name = "box", .counters = counters };
}

static struct ipmu_request want_of(const struct ipmu_choice *choices, int n, const char *event)
{
	return (struct ipmu_request){ .choices = choices, .nchoices = n, .event = event };
}

/* Is there any way to give each want a counter of its own? Tries them all. */
static bool possible(const struct ipmu_request *wants, int n, uint64_t taken, int counters)
{
	if (n == 0)
		return true;
	for (int c = 0; c < counters; c++) {
		uint64_t bit = 1ull << c;

		if ((wants->choices[0].counters & bit) && !(taken & bit) &&
		    possible(wants + 1, n - 1, taken | bit, counters))
			return true;
	}
	return false;
}

static void check_solution(const struct ipmu_request *wants, int n)
{
	uint64_t taken = 0;

	for (int i = 0; i < n; i++) {
		uint64_t bit = 1ull << wants[i].ctr;

		assert_true(wants[i].choices[wants[i].choice].counters & bit);
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
		struct ipmu_request wants[8];
		struct ipmu_choice choices[8];
		char why[IPMU_WHY_MAX] = "";
		int rc;

		for (int i = 0; i < n; i++) {
			uint64_t mask = 1 + (uint64_t)rand_r(&seed) % ((1u << counters) - 1);

			choices[i] = (struct ipmu_choice){ .counters = mask,
							   .select = (uint64_t)i + 1 };
			wants[i] = want_of(&choices[i], 1, "e");
		}
		rc = ipmu_assign(NULL, &type, type.counters, 0, wants, n, NULL, why);
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
	struct ipmu_choice choices[] = {
		{ .select = 1, .counters = 3 }, { .select = 2, .counters = 3 },
		{ .select = 3, .counters = 3 },
	};
	struct ipmu_request wants[] = {
		want_of(&choices[0], 1, "first"), want_of(&choices[1], 1, "second"),
		want_of(&choices[2], 1, "third"),
	};
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	assert_int_equal(ipmu_assign(NULL, &type, type.counters, 4, wants, 3, NULL, why), -ENOSPC);
	assert_non_null(strstr(why, "third collides with"));
	assert_non_null(strstr(why, "first"));
	assert_non_null(strstr(why, "second"));
	assert_non_null(strstr(why, "box 4"));
}

static void running_counters_stay_where_they_are(void **state)
{
	static struct ipmu_box box;
	struct ipmu_pmu_type type = type_of(2);
	struct ipmu_choice seven = { .select = 7, .counters = 3 };
	struct ipmu_choice eight = { .select = 8, .counters = 3 };
	struct ipmu_choice nine = { .select = 9, .counters = 1 };
	struct ipmu_request same = want_of(&seven, 1, "same");
	struct ipmu_request other = want_of(&eight, 1, "other");
	struct ipmu_request only0 = want_of(&nine, 1, "only0");
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	box.type = &type;
	box.slots[0] = (struct ipmu_slot){ .programmed = true, .users = 1, .choice = seven,
					   .event = "running" };
	assert_int_equal(ipmu_assign(&box, &type, type.counters, 0, &same, 1, NULL, why), 0);
	assert_int_equal(same.ctr, 0);
	assert_int_equal(ipmu_assign(&box, &type, type.counters, 0, &other, 1, NULL, why), 0);
	assert_int_equal(other.ctr, 1);
	assert_int_equal(ipmu_assign(&box, &type, type.counters, 0, &only0, 1, NULL, why), -ENOSPC);
	assert_non_null(strstr(why, "running"));
}

/* Two ways to count, each on counters of its own, through registers that are shared. */
static void shared_registers_agree_or_are_refused(void **state)
{
	static const struct ipmu_reg shared = { .name = "SHARED" }, pair = { .name = "PAIR" };
	struct ipmu_pmu_type type = type_of(6);
	struct ipmu_choice a[2] = {
		{ .counters = 7, .nextra = 1, .extra = { { &shared, 0, 0xF0, 0x10 } } },
		{ .counters = 0x38, .nextra = 1, .extra = { { &pair, 0, 0xF0, 0x10 } } },
	};
	struct ipmu_choice b[2], c[2];
	struct ipmu_request wants[3];
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	memcpy(b, a, sizeof(b));
	memcpy(c, a, sizeof(c));
	b[0].extra[0].value = b[1].extra[0].value = 0x20;
	c[0].extra[0].value = c[1].extra[0].value = 0x40;
	wants[0] = want_of(a, 2, "a");
	wants[1] = want_of(b, 2, "b");
	wants[2] = want_of(c, 2, "c");
	/* the second goes to the other register, for the third there is none left */
	assert_int_equal(ipmu_assign(NULL, &type, type.counters, 1, wants, 2, NULL, why), 0);
	assert_int_not_equal(wants[0].choice, wants[1].choice);
	assert_int_equal(ipmu_assign(NULL, &type, type.counters, 1, wants, 3, NULL, why), -ENOSPC);
	assert_non_null(strstr(why, "c collides with"));
	assert_non_null(strstr(why, "PAIR"));
	/* values of other bits of the register do not matter */
	c[0].extra[0] = (struct ipmu_extra_reg){ &shared, 0, 0x0F, 0x01 };
	assert_int_equal(ipmu_assign(NULL, &type, type.counters, 1, wants, 3, NULL, why), 0);
}

static void companions_take_a_counter(void **state)
{
	struct ipmu_pmu_type type = type_of(3);
	struct ipmu_choice tag = { .counters = 1, .select = 1, .companions = 6 };
	struct ipmu_choice plain = { .counters = 2, .select = 2 };
	struct ipmu_choice third = { .counters = 4, .select = 3 };
	struct ipmu_request wants[] = { want_of(&tag, 1, "tag"), want_of(&plain, 1, "plain"),
				     want_of(&third, 1, "third") };
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	assert_int_equal(ipmu_assign(NULL, &type, type.counters, 0, wants, 2, NULL, why), 0);
	assert_int_equal(wants[0].companion, 2);
	assert_int_equal(wants[1].ctr, 1);
	assert_int_equal(ipmu_assign(NULL, &type, type.counters, 0, wants, 3, NULL, why), -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_a_solution_whenever_there_is_one),
		cmocka_unit_test(names_the_events_that_collide),
		cmocka_unit_test(running_counters_stay_where_they_are),
		cmocka_unit_test(shared_registers_agree_or_are_refused),
		cmocka_unit_test(companions_take_a_counter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
