/* SPDX-License-Identifier: MIT */
/* Ranges of addresses, against an array with an object for each address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "virtual_pmu/feed/profile/ranges.h"

#define ADDRESSES 600u

static uint32_t expected[ADDRESSES];	/* 0: in no range */
static uint64_t starts[ADDRESSES];	/* of its range */

static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % limit;
}

static void cut(uint32_t start, uint32_t end)
{
	for (uint32_t i = start; i < end; i++)
		expected[i] = 0;
	for (uint32_t i = end; start < end && i < ADDRESSES && expected[i] && starts[i] < end; i++)
		starts[i] = end;
}

static void put(uint32_t start, uint32_t end, uint32_t object)
{
	cut(start, end);
	for (uint32_t i = start; i < end; i++) {
		expected[i] = object;
		starts[i] = start;
	}
}

static void check_all(const struct vpmu_ranges *r)
{
	for (uint32_t i = 0; i < ADDRESSES; i++) {
		struct vpmu_range found;
		bool there = vpmu_ranges_find(r, i, &found);

		assert_int_equal(there, expected[i] != 0);
		if (!there)
			continue;
		assert_int_equal(found.object, expected[i]);
		assert_int_equal(found.start, starts[i]);
		assert_true(found.end > i);
	}
}

static void random_changes_agree_with_an_array(void **state)
{
	struct vpmu_ranges r = { 0 };

	(void)state;
	check_all(&r);
	for (uint32_t step = 1; step <= 20000; step++) {
		uint32_t start = below(ADDRESSES), end = start + below(40);
		struct vpmu_range taken;

		end = end < ADDRESSES ? end : ADDRESSES;
		switch (below(4)) {
		case 0:
			vpmu_ranges_remove(&r, start, end);
			cut(start, end);
			break;
		case 1:
			assert_int_equal(vpmu_ranges_take(&r, start, &taken),
					 expected[start] && starts[start] == start);
			for (uint32_t i = start; i < ADDRESSES && expected[i] &&
			     starts[start] == start && starts[i] == start; i++)
				expected[i] = 0;
			break;
		default:
			assert_true(vpmu_ranges_add(&r, start, end, step));
			put(start, end, step);
			break;
		}
		if (step % 50 == 0)
			check_all(&r);
	}
	vpmu_ranges_free(&r);
}

/* As a program's heap: in order, and of the same size. */
static void a_million_blocks_are_found(void **state)
{
	struct vpmu_ranges r = { 0 };
	struct vpmu_range found;

	(void)state;
	for (uint64_t i = 0; i < 1000000; i++)
		assert_true(vpmu_ranges_add(&r, i * 32, i * 32 + 24, (uint32_t)i + 1));
	for (uint64_t i = 0; i < 1000000; i += 3)
		assert_true(vpmu_ranges_take(&r, i * 32, &found));
	for (uint64_t i = 0; i < 1000000; i++) {
		assert_int_equal(vpmu_ranges_find(&r, i * 32 + 23, &found), i % 3 != 0);
		assert_false(vpmu_ranges_find(&r, i * 32 + 24, &found));
	}
	vpmu_ranges_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_changes_agree_with_an_array),
		cmocka_unit_test(a_million_blocks_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
