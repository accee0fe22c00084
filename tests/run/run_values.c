/* SPDX-License-Identifier: MIT */
/* Metrics, times, means and deviations of made-up counts, against arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/groups/formula.h"
#include "measure/report/report.h"

/* Two events of two packages, and a clock; two runs of two passes: A and the clock in the first, B
 * and the clock in the second. */
static struct part packages[] = { { 0, -1, -1, 0 }, { 1, -1, -1, 0 } };
static const struct event events[] = {
	{ .name = "a", .uncore = true, .parts = packages, .nparts = 2, .first = 0 },
	{ .name = "b", .uncore = true, .parts = packages, .nparts = 2, .first = 2 },
	{ .name = "clock", .uncore = true, .parts = packages, .nparts = 2, .first = 4 },
};
static bool member[] = { true, false, true, false, true, true };
static const struct passes passes = { .n = 2, .nevents = 3, .member = member };
static struct count counts[] = {
	{ 100, true }, { 20, true }, { 0, false }, { 0, false }, { 1000, true }, { 4000, true },
	{ 0, false }, { 0, false }, { 30, true }, { 10, true }, { 2000, true }, { 1000, true },
	{ 200, true }, { 40, true }, { 0, false }, { 0, false }, { 1000, true }, { 8000, true },
	{ 0, false }, { 0, false }, { 60, true }, { 0, true }, { 4000, true }, { 1000, true },
};
static uint64_t run_ns[] = { 10, 20, 30, 40 };
static struct group_event group_events[] = {
	{ .id = (char[]){ "A" }, .name = (char[]){ "a" } },
	{ .id = (char[]){ "AB" }, .name = (char[]){ "b" } },
	{ .id = (char[]){ "C" }, .name = (char[]){ "clock" }, .clock = true },
};
static struct group_metric metrics[] = {
	{ .name = (char[]){ "ratio" }, .unit = (char[]){ "1" }, .formula = (char[]){ "A / AB" } },
	{ .name = (char[]){ "rate" }, .unit = (char[]){ "1/s" },
	  .formula = (char[]){ "A / time" } },
	{ .name = (char[]){ "both" }, .unit = (char[]){ "1/s" },
	  .formula = (char[]){ "(A + AB) / time" } },
	{ .name = (char[]){ "undefined" }, .unit = (char[]){ "1" },
	  .formula = (char[]){ "A / (AB - AB)" } },
};
static struct group group = { .events = group_events, .nevents = 3, .metrics = metrics,
			      .nmetrics = 4 };
static const int indices[] = { 0, 1, 2 };
static const struct report_group row = { &group, indices, 3 };
static struct machine machine;
static struct measurement m = { .events = events, .nevents = 3, .nparts = 6, .passes = &passes,
				.runs = 2, .done = 2, .counts = counts, .run_ns = run_ns };
static const struct report r = { .machine = &machine, .m = &m, .groups = &row, .ngroups = 1,
				 .command = "app", .formula = formula_value };

static int reset(void **state)
{
	(void)state;
	m.done = 2;
	machine.is_virtual = m.of_machine = false;
	counts[0].known = true;
	return 0;
}

static void near(struct value v, double mean, double deviation)
{
	if (!v.known || fabs(v.mean - mean) > 1e-9 * fabs(mean) ||
	    fabs(v.deviation - deviation) > 1e-9 * fabs(deviation) + 1e-12)
		fail_msg("got %d %.15g +- %.15g, not %.15g +- %.15g", v.known, v.mean, v.deviation,
			 mean, deviation);
}

static void test_events(void **state)
{
	(void)state;
	/* 120 and 240; their deviation is 120 / sqrt 2. */
	near(report_event(&r, 0, -1), 180, 120 / sqrt(2));
	near(report_event(&r, 0, 1), 30, 20 / sqrt(2));
	near(report_event(&r, 1, -1), 50, 20 / sqrt(2));
	m.done = 1;
	near(report_event(&r, 1, 0), 30, 0);
	m.done = 0;
	assert_false(report_event(&r, 1, 0).known);
}

static void test_metrics(void **state)
{
	(void)state;
	near(report_metric(&r, &row, 0, NULL), (3.0 + 4.0) / 2, 1 / sqrt(2));
	m.done = 1;
	near(report_metric(&r, &row, 0, &packages[1]), 2, 0);
	assert_ptr_equal(report_metric_event(&r, &row, 0), &events[1]);
	assert_false(report_metric(&r, &row, 3, NULL).known);
}

/* A is of the first pass alone; A and B of both, whose mean counts. */
static void test_wall_time(void **state)
{
	(void)state;
	m.done = 1;
	near(report_metric(&r, &row, 1, NULL), 120 / 10e-9, 0);
	near(report_metric(&r, &row, 2, NULL), 160 / 15e-9, 0);
	near(report_seconds(&r), 10e-9, 0);
}

/* Packages run at the same time: the longest clock, or the package's own. */
static void test_machine_time(void **state)
{
	(void)state;
	m.done = 1;
	machine.is_virtual = true;
	near(report_metric(&r, &row, 1, NULL), 120 / 4000e-9, 0);
	near(report_metric(&r, &row, 1, &packages[0]), 100 / 1000e-9, 0);
	near(report_metric(&r, &row, 2, NULL), 160 / 3000e-9, 0);
	near(report_seconds(&r), 4000e-9, 0);
	m.done = 2;
	near(report_seconds(&r), 6000e-9, 4000e-9 / sqrt(2));
}

/* Beside a machine the runs' times are its clock's, and there is no other. */
static void test_time_beside(void **state)
{
	(void)state;
	m.done = 1;
	machine.is_virtual = m.of_machine = true;
	near(report_metric(&r, &row, 1, NULL), 120 / 10e-9, 0);
	near(report_metric(&r, &row, 1, &packages[0]), 100 / 10e-9, 0);
	near(report_seconds(&r), 10e-9, 0);
}

/* A lost count is not known, neither as a part nor within a sum. */
/* Two of the four metrics are per time. On silicon the order is the file's. */
static void test_order(void **state)
{
	static const int silicon[] = { 0, 1, 2, 3 }, virtual[] = { 0, 3, 1, 2 };

	int at[2] = { -1, -1 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		machine.is_virtual = false;
		at[0] = report_metric_next(&r, &row, at[0]);
		assert_int_equal(at[0], silicon[i]);
		assert_false(report_is_rate(&r, &metrics[i]));
		machine.is_virtual = true;
		at[1] = report_metric_next(&r, &row, at[1]);
		assert_int_equal(at[1], virtual[i]);
		assert_int_equal(report_is_rate(&r, &metrics[virtual[i]]), i >= 2);
	}
	assert_int_equal(report_metric_next(&r, &row, at[1]), -1);
	machine.is_virtual = false;
	assert_int_equal(report_metric_next(&r, &row, at[0]), -1);
}

static void test_lost(void **state)
{
	(void)state;
	counts[0].known = false;
	assert_false(report_event(&r, 0, -1).known);
	assert_false(report_event(&r, 0, 0).known);
	near(report_event(&r, 0, 1), 30, 20 / sqrt(2));
	assert_false(report_metric(&r, &row, 0, NULL).known);
	assert_false(report_metric(&r, &row, 1, NULL).known);
	m.done = 1;
	near(report_metric(&r, &row, 0, &packages[1]), 2, 0);
}

static void test_names(void **state)
{
	char text[64];

	(void)state;
	report_part_name(&(struct part){ 1, 3, -1, 0 }, text);
	assert_string_equal(text, "package 1 box 3");
	report_part_name(&(struct part){ -1, -1, 12, 0 }, text);
	assert_string_equal(text, "cpu 12");
	report_part_name(NULL, text);
	assert_string_equal(text, "all");
}

int main(void)
{
	const struct group_metric *wrong;
	char why[GROUP_WHY_MAX];

	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_events, reset),
		cmocka_unit_test_setup(test_metrics, reset),
		cmocka_unit_test_setup(test_wall_time, reset),
		cmocka_unit_test_setup(test_machine_time, reset),
		cmocka_unit_test_setup(test_time_beside, reset),
		cmocka_unit_test_setup(test_order, reset),
		cmocka_unit_test_setup(test_lost, reset),
		cmocka_unit_test_setup(test_names, reset),
	};

	if (group_parse(&group, &wrong, why)) {
		fprintf(stderr, "run_values: %s: %s\n", wrong->name, why);
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
