/* SPDX-License-Identifier: MIT */
/* The caches that CPUID leaf 04H tells of (325462, volume 2A, CPUID) are those of the machine's
 * shape: sizes by the manual's own formula, and by how many CPUs each is shared. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>

#include "virtual_pmu/model/model.h"

struct wanted { uint32_t type, level, bytes, ways, sharers; };

static uint32_t field(uint32_t value, int high, int low)
{
	return value >> low & ((UINT32_C(1) << (high - low + 1)) - 1);
}

static void check(const char *name, const struct wanted *wanted, uint32_t count)
{
	struct vpmu_machine m;
	uint32_t r[4], bytes;
	char why[256];

	assert_int_equal(vpmu_machine_parse(name, &m, why, sizeof(why)), 0);
	for (uint32_t i = 0; i < count; i++) {
		const struct wanted *w = &wanted[i];

		assert_true(vpmu_cpuid(&m, 4, i, r));
		assert_int_equal(field(r[0], 4, 0), w->type);
		assert_int_equal(field(r[0], 7, 5), w->level);
		assert_int_equal(field(r[0], 25, 14) + 1, w->sharers);
		bytes = (field(r[1], 31, 22) + 1) * (field(r[1], 21, 12) + 1) *
			(field(r[1], 11, 0) + 1) * (r[2] + 1);
		assert_int_equal(bytes, w->bytes);
		assert_int_equal(field(r[1], 31, 22) + 1, w->ways);
	}
	assert_true(vpmu_cpuid(&m, 4, count, r));
	assert_int_equal(field(r[0], 4, 0), 0);		/* no more caches */
}

enum { DATA = 1, CODE, BOTH };

/* Sizes: 248966 (Skylake client, Core 2, Gracemont), 328207 (Knights Corner),
 * 322568 (Xeon 7500). */
static void caches(void **state)
{
	static const struct wanted skl[] = { { DATA, 1, 32 << 10, 8, 2 },
		{ CODE, 1, 32 << 10, 8, 2 }, { BOTH, 2, 256 << 10, 4, 2 },
		{ BOTH, 3, 8 << 20, 16, 8 } };
	static const struct wanted core2[] = { { DATA, 1, 32 << 10, 8, 1 },
		{ CODE, 1, 32 << 10, 8, 1 }, { BOTH, 2, 4 << 20, 16, 2 } };
	static const struct wanted knc[] = { { DATA, 1, 32 << 10, 8, 4 },
		{ CODE, 1, 32 << 10, 8, 4 }, { BOTH, 2, 512 << 10, 8, 4 } };
	/* Ten cores take the numbers of sixteen. */
	static const struct wanted comet[] = { { DATA, 1, 32 << 10, 8, 2 },
		{ CODE, 1, 32 << 10, 8, 2 }, { BOTH, 2, 256 << 10, 4, 2 },
		{ BOTH, 3, 20 << 20, 16, 32 } };
	/* A cluster of four shares an L2. */
	static const struct wanted little[] = { { DATA, 1, 32 << 10, 8, 1 },
		{ CODE, 1, 64 << 10, 8, 1 }, { BOTH, 2, 2 << 20, 16, 4 },
		{ BOTH, 3, 6 << 20, 12, 8 } };

	(void)state;
	check("adln-8e8t", little, 4);
	check("skl-4c8t", skl, 4);
	check("core2-2c", core2, 3);
	check("knc-4c16t", knc, 3);
	check("cml-10c20t", comet, 4);
}

static void other_leaves(void **state)
{
	struct vpmu_machine m;
	uint32_t r[4];
	char why[256];

	(void)state;
	assert_int_equal(vpmu_machine_parse("skl-4c8t", &m, why, sizeof(why)), 0);
	assert_true(vpmu_cpuid(&m, 2, 0, r));
	assert_int_equal(r[0] & 0xff, 1);		/* one query is enough */
	assert_int_equal(r[0] >> 8 & 0xff, 0xff);	/* leaf 04H has the caches */
	assert_true(vpmu_cpuid(&m, 0x80000006, 0, r));
	assert_int_equal(r[2] >> 16, 256);		/* KB of L2 */
	assert_int_equal(r[2] & 0xff, 64);
	assert_false(vpmu_cpuid(&m, 1, 0, r));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(caches),
					    cmocka_unit_test(other_leaves) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
