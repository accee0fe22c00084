/* SPDX-License-Identifier: MIT */
/* A counter that is fed with stretches of equal clocks: in which of them it wraps, by arithmetic,
 * and by going clock by clock. */
#include "model/counter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define WIDTH 4u
#define THRESHOLD(n) ((uint64_t)(n) << 24)

static void by_arithmetic(void **state)
{
	const struct vpmu_counter plain = { .value = 12 };
	const struct vpmu_counter last = { .value = 15, .select = SELECT_E };

	(void)state;
	assert_int_equal(vpmu_counter_wraps_in(&plain, WIDTH, 2, 1), 0);	/* 14 */
	assert_int_equal(vpmu_counter_wraps_in(&plain, WIDTH, 2, 2), 2);	/* 16 */
	assert_int_equal(vpmu_counter_wraps_in(&plain, WIDTH, 3, 9), 2);	/* 18 */
	assert_int_equal(vpmu_counter_wraps_in(&plain, WIDTH, 0, 9), 0);
	assert_int_equal(vpmu_counter_wraps_in(&last, WIDTH, 1, 9), 1);		/* one edge */
	assert_int_equal(vpmu_counter_wraps_in(&last, WIDTH, 0, 9), 0);
}

/* The number of the first clock that wraps it. */
static uint64_t clock_by_clock(struct vpmu_counter c, uint64_t increment, uint64_t n)
{
	for (uint64_t clock = 1; clock <= n; clock++)
		if (vpmu_counter_apply(&c, WIDTH, increment, 1))
			return clock;
	return 0;
}

static void compare(const struct vpmu_counter *c)
{
	for (uint64_t increment = 0; increment < 6; increment++)
		for (uint64_t n = 0; n < 20; n++)
			assert_int_equal(vpmu_counter_wraps_in(c, WIDTH, increment, n),
					 clock_by_clock(*c, increment, n));
}

static void by_single_clocks(void **state)
{
	static const uint64_t selects[] = {
		0, THRESHOLD(1), THRESHOLD(3), THRESHOLD(3) | SELECT_INV, SELECT_E,
		THRESHOLD(3) | SELECT_E, THRESHOLD(3) | SELECT_INV | SELECT_E,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(selects) / sizeof(selects[0]); i++)
		for (uint64_t value = 0; value < 1u << WIDTH; value++)
			for (uint32_t active = 0; active < 2; active++)
				compare(&(struct vpmu_counter){
					.select = selects[i], .value = value, .active = active });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_arithmetic),
		cmocka_unit_test(by_single_clocks),
	};

	return cmocka_run_group_tests_name("stretches of clocks", tests, NULL, NULL);
}
