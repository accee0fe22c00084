/* SPDX-License-Identifier: MIT */
/* Results of ipmu-check that are right, wrong or noise, at the edges of the tolerance. */
#include "component/check/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct {
	double count, expected, factor, units, noise;
	enum check_verdict verdict;
	const char *remark;	/* words in it */
} cases[] = {
	{ 1000, 1000, 1.1, 1000, 0, PASS, "" },
	{ 1100, 1000, 1.1, 1000, 0, PASS, "" },
	{ 1101, 1000, 1.1, 1000, 0, FAIL, "not what" },
	{ 910, 1000, 1.1, 1000, 0, PASS, "" },
	{ 909, 1000, 1.1, 1000, 0, FAIL, "not what" },
	/* The idle machine's counts excuse what they can explain, and no more. */
	{ 1200, 1000, 1.1, 1000, 100, NOISE, "counts 100" },
	{ 1201, 1000, 1.1, 1000, 100, FAIL, "not what" },
	/* Nothing is expected: a part of the work is allowed. */
	{ 0, 0, 1.1, 1000, 0, PASS, "" },
	{ 100, 0, 1.1, 1000, 0, PASS, "" },
	{ 102, 0, 1.1, 1000, 0, FAIL, "not what" },
	{ 102, 0, 1.1, 1000, 50, NOISE, "counts 50" },
	{ 0, 1000, 1.1, 1000, 0, FAIL, "dead" },
	{ 2000, 1000, 1.1, 1000, 0, FAIL, "2 times as much" },
	{ 510, 1000, 1.1, 1000, 0, FAIL, "0.5 times as much" },
	{ 600, 1000, 1.1, 1000, 0, FAIL, "not what" },
	{ 8000, 1000, 16, 1000, 0, PASS, "" },
	{ 17000, 1000, 16, 1000, 0, FAIL, "" },
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

static void verdicts(void **state)
{
	(void)state;
	for (size_t i = 0; i < CASES; i++) {
		struct result *r = result_add("pmu.EVENT", "read", "one");

		r->count = cases[i].count;
		r->expected = cases[i].expected;
		result_judge(r, cases[i].factor, cases[i].units, cases[i].noise);
		if (r->verdict != cases[i].verdict || !strstr(r->remark, cases[i].remark))
			fail_msg("case %zu: verdict %d, '%s'", i, (int)r->verdict, r->remark);
	}
}

static void rows_are_found_and_counted(void **state)
{
	int failed = results_of(FAIL);
	struct result *r = result_add("pmu.OTHER", "wrap", "one");

	(void)state;
	assert_ptr_equal(result_find("pmu.OTHER", "wrap", "one"), r);
	assert_null(result_find("pmu.OTHER", "wrap", "all"));
	result_fail(r, "%d bits", 40);
	assert_string_equal(r->remark, "40 bits");
	assert_int_equal(results_of(FAIL), failed + 1);
	result_skip(r, "this CPU is another; supported: many");
	assert_string_equal(r->remark, "this CPU is another");
	assert_int_equal(results_of(FAIL), failed);
	assert_int_equal(results_of(SKIPPED), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts),
		cmocka_unit_test(rows_are_found_and_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
