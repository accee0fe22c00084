/* SPDX-License-Identifier: MIT */
/* Rules of comparisons: limits, verdicts, what makes two reports incomparable, and files that are
 * no reports. Expected values are worked out by hand. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/report/compare.h"
#include "measure/report/headline.h"

/* ---- limits ---- */

static void test_limits(void **state)
{
	static const char *const bad[] = {
		"", "%", "+", "x", "1%%", "1 %", "1e3%", "-+1%", "0x1%", "nan%", "inf", "=1%",
		"A=", "A=x", "1.2.3%",
	};
	static const char *const bad_small[] = {
		"", "+3", "-3", "3%", "x", "1e3", "A=", "=3", "1.2.3",
	};
	struct limits l = { NULL, 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (limits_add(&l, bad[i]) != -EINVAL || l.n)
			fail_msg("taken: %s", bad[i]);
	assert_int_equal(limits_add(&l, "0.5%"), 0);
	assert_int_equal(limits_add(&l, "+2"), 0);
	assert_int_equal(limits_add(&l, "pmu.EVENT:c=1:e=1=-3%"), 0);
	assert_int_equal(limits_add(&l, "write bandwidth=0%"), 0);
	assert_int_equal(l.n, 3);
	assert_null(l.of[0].name);
	assert_true(l.of[0].worse == 2 && l.of[0].better == 0.5);
	assert_int_equal(limits_add(&l, "-0.25%"), 0);
	assert_true(l.of[0].worse == 2 && l.of[0].better == 0.25);
	assert_string_equal(l.of[1].name, "pmu.EVENT:c=1:e=1");
	assert_true(isnan(l.of[1].worse) && l.of[1].better == 3);
	assert_string_equal(l.of[2].name, "write bandwidth");
	assert_true(l.of[2].worse == 0 && l.of[2].better == 0);
	for (size_t i = 0; i < sizeof(bad_small) / sizeof(bad_small[0]); i++)
		if (limits_add_small(&l, bad_small[i]) != -EINVAL || l.n != 3)
			fail_msg("taken: %s", bad_small[i]);
	assert_true(isnan(l.of[0].small));
	assert_int_equal(limits_add_small(&l, "64"), 0);
	assert_int_equal(limits_add_small(&l, "write bandwidth=0.5"), 0);
	assert_int_equal(limits_add_small(&l, "pmu.E:c=1=3"), 0);
	assert_int_equal(l.n, 4);
	assert_true(l.of[0].small == 64 && l.of[0].worse == 2);
	assert_true(l.of[2].small == 0.5 && isnan(l.of[3].worse) && l.of[3].small == 3);
	limits_free(&l);
}

/* ---- names ---- */

static void test_spellings(void **state)
{
	static const char base[] = "intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=0";
	static const char *const same[] = {
		base, "intel_uncore:::skl_unc_cbo.unc_cbo_cache_lookup:read_i:box=0",
		"skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=0",
		"skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:READ_I:box=0",
		"skl_unc_cbo.UNC_CBO_CACHE_LOOKUP.READ_I:box=0",
		"UNC_CBO_CACHE_LOOKUP.READ_I:box=0", "UNC_CBO_CACHE_LOOKUP:box=0:READ_I",
		"intel_uncore:::UNC_CBO_CACHE_LOOKUP:READ_I:BOX=0",
	}, *const other[] = {
		"skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I", "READ_I:box=0", "", "skl_unc_cbo",
		"skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=1",
		"skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=0:package=0",
		"snb_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=0",
		"skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_ES:box=0",
		"skl_unc_cbo.UNC_CBO_CACHE:READ_I:box=0",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (!saved_same_event(base, same[i]) || !saved_same_event(same[i], base))
			fail_msg("not the same event: %s", same[i]);
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (saved_same_event(base, other[i]) || saved_same_event(other[i], base))
			fail_msg("the same event: %s", other[i]);
}

/* ---- verdicts ---- */

static void test_verdicts(void **state)
{
	static const struct {
		double old, new, old_spread, new_spread, worse, better;
		enum verdict verdict;
	} rows[] = {
		{ 200, 200, 0, 0, 0, 0, VERDICT_SAME },
		{ 200, 201, 0, 0, 0.5, 0.5, VERDICT_WITHIN },	/* 0.5 % exactly */
		{ 2000, 2011, 0, 0, 0.5, 0.5, VERDICT_BEYOND },	/* 0.55 % */
		{ 2000, 1989, 0, 0, 0.5, 0.5, VERDICT_BEYOND },
		{ 2000, 1990, 0, 0, 0.5, 0.5, VERDICT_WITHIN },
		{ 200, 100, 0, 0, 0.5, NAN, VERDICT_IMPROVED },
		{ 2000, 1999, 0, 0, 0.5, NAN, VERDICT_WITHIN },
		{ 200, 300, 0, 0, NAN, 0.5, VERDICT_CHANGED },
		{ 200, 100, 0, 0, NAN, 0.5, VERDICT_BEYOND },
		{ 200, 203, 0, 0, 2, 1, VERDICT_WITHIN },
		{ 200, 197, 0, 0, 2, 1, VERDICT_BEYOND },
		{ 0, 0, 0, 0, 1, 1, VERDICT_SAME },
		{ 0, 1, 0, 0, 1000, 1000, VERDICT_BEYOND },	/* no percentage allows it */
		{ 0, 1, 0, 0, NAN, 1, VERDICT_CHANGED },
		{ 5, 0, 0, 0, 50, 50, VERDICT_BEYOND },
		{ 5, 0, 0, 0, NAN, 100, VERDICT_WITHIN },
		{ -200, -201, 0, 0, 0.5, 0.5, VERDICT_WITHIN },
		{ -200, -202, 0, 0, NAN, 0.5, VERDICT_BEYOND },
		{ -200, -202, 0, 0, 0.5, NAN, VERDICT_IMPROVED },
		{ 200, 200, 0.6, 0, 0.5, 0.5, VERDICT_UNSTEADY },
		{ 200, 200, 0, 0.6, 0.5, 0.5, VERDICT_UNSTEADY },
		{ 200, 100, 0, 0.6, 0.5, NAN, VERDICT_UNSTEADY },
		{ 200, 300, 0, 0.6, 0.5, NAN, VERDICT_BEYOND },
		{ 200, 200, 1.5, 0, 2, 1, VERDICT_UNSTEADY },
		{ 200, 200, 0.5, 0.5, 0.5, 0.5, VERDICT_SAME },
		{ 0, 0, 0, HUGE_VAL, 0.5, 0.5, VERDICT_UNSTEADY },
	};
	const struct saved_value one = { true, 1, 0 }, two = { true, 2, 9 }, unknown = { 0 };
	const struct limit limit = { NULL, 1, 1, NAN };
	const struct rule rule = { &limit, BETTER_LOWER, 0 }, none = { NULL, BETTER_LOWER, 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct saved_value old = { true, rows[i].old, rows[i].old_spread };
		const struct saved_value new = { true, rows[i].new, rows[i].new_spread };
		const struct limit l = { NULL, rows[i].worse, rows[i].better, NAN };
		/* If higher values are better, each row holds with its limits exchanged, and
		 * so are the words for what has no limit. */
		const enum verdict other = rows[i].verdict == VERDICT_CHANGED ? VERDICT_IMPROVED :
					   rows[i].verdict == VERDICT_IMPROVED ? VERDICT_CHANGED :
					   rows[i].verdict;
		const struct limit turned = { NULL, rows[i].better, rows[i].worse, NAN };
		const struct rule lower = { &l, BETTER_LOWER, 0 };
		const struct rule neither = { &l, BETTER_NEITHER, 0 };
		const struct rule higher = { &turned, BETTER_HIGHER, 0 };

		if (compare_values(&old, &new, &lower) != rows[i].verdict ||
		    compare_values(&old, &new, &neither) != rows[i].verdict ||
		    compare_values(&old, &new, &higher) != other)
			fail_msg("row %zu: %d", i, compare_values(&old, &new, &lower));
	}
	assert_int_equal(compare_values(&one, &one, &none), VERDICT_SAME);
	assert_int_equal(compare_values(&one, &two, &none), VERDICT_CHANGED);
	assert_int_equal(compare_values(&one, NULL, &rule), VERDICT_MISSING);
	assert_int_equal(compare_values(NULL, &one, &rule), VERDICT_NEW);
	assert_int_equal(compare_values(&one, &unknown, &rule), VERDICT_LOST);
	assert_int_equal(compare_values(&unknown, &one, &rule), VERDICT_FOUND);
	assert_int_equal(compare_values(&unknown, &unknown, &rule), VERDICT_UNKNOWN);
}

/* A small change does not fail, and neither does a small distance of runs. */
static void test_small(void **state)
{
	static const struct {
		double old, new, new_spread, small;
		enum verdict verdict;
	} rows[] = {
		{ 4, 7, 0, 3, VERDICT_SMALL },
		{ 7, 4, 0, 3, VERDICT_SMALL },
		{ 4, 8, 0, 3, VERDICT_BEYOND },
		{ 0, 3, 0, 3, VERDICT_SMALL },
		{ 1000, 1002, 0, 3, VERDICT_WITHIN },
		{ 1000, 1010, 0, 9, VERDICT_BEYOND },
		{ 100, 100, 3, 3, VERDICT_SAME },	/* the runs are 3 apart */
		{ 100, 100, 4, 3, VERDICT_UNSTEADY },
	};
	const struct limit l = { NULL, 0.5, 0.5, NAN };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct saved_value old = { true, rows[i].old, 0 };
		const struct saved_value new = { true, rows[i].new, rows[i].new_spread };
		const struct rule rule = { &l, BETTER_LOWER, rows[i].small };

		if (compare_values(&old, &new, &rule) != rows[i].verdict)
			fail_msg("row %zu: %d", i, compare_values(&old, &new, &rule));
	}
}

/* ---- reports ---- */

#define ORIGIN "\"schema\":1,\"ipmu_version\":\"0.1.0\",\"command\":\"app\",\"machine\":\"m\"," \
	       "\"geometry\":\"g\",\"model_version\":1,\"program\":[\"app\"],\"status\":0," \
	       "\"runs\":1,\"clock_rule\":\"instruction\",\"complete\":true"
#define GROUP(name, events, metrics) "{\"pmu\":\"pmu\",\"name\":\"" name "\",\"events\":[" events \
	"],\"metrics\":[" metrics "]}"
#define EVENT(name, value) "{\"name\":\"" name "\",\"value\":" value "}"
#define METRIC(name, formula, value) "{\"name\":\"" name "\",\"unit\":\"1\",\"formula\":\"" \
	formula "\",\"value\":" value "}"
#define REPORT(origin, groups) "{" origin ",\"groups\":[" groups "]}"

static struct saved parsed(const char *path, const char *text)
{
	char why[SAVED_WHY_MAX] = "";
	struct saved s;

	if (saved_parse(path, text, strlen(text), &s, why))
		fail_msg("%s: %s", text, why);
	return s;
}

static void test_medians(void **state)
{
	static const struct {
		const char *value;
		bool known;
		double median, spread;
	} rows[] = {
		{ "7", true, 7, 0 },
		{ "null", false, 0, 0 },
		{ "20,\"values\":[10,40,20]", true, 20, 150 },
		{ "20,\"values\":[10,40,30,20]", true, 25, 120 },
		{ "0,\"values\":[0,0,4]", true, 0, HUGE_VAL },
		{ "0,\"values\":[0,0]", true, 0, 0 },
		{ "-2.5,\"values\":[-2,-2.5,-3]", true, -2.5, 40 },
		{ "1,\"values\":[1.7e308,1.7e308]", true, 1.7e308, 0 },
		{ "null,\"values\":[1,null]", false, 0, 0 },
		{ "5,\"values\":[]", true, 5, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[1000];
		struct saved s;

		snprintf(text, sizeof(text), "{" ORIGIN ",\"groups\":[{\"pmu\":null,\"name\":null,"
			 "\"events\":[{\"name\":\"c:::e\",\"value\":%s}],\"metrics\":[]}]}",
			 rows[i].value);
		s = parsed("f", text);
		assert_int_equal(s.n, 1);
		assert_string_equal(s.items[0].group, "");
		assert_string_equal(saved_short_name(&s.items[0]), "e");
		if (s.items[0].v.known != rows[i].known || s.items[0].v.value != rows[i].median ||
		    s.items[0].v.spread != rows[i].spread)
			fail_msg("%s: %d %g %g", rows[i].value, s.items[0].v.known,
				 s.items[0].v.value, s.items[0].v.spread);
		saved_free(&s);
	}
}

static void test_items(void **state)
{
	struct saved old = parsed("old", REPORT(ORIGIN, GROUP("G", EVENT("c:::A", "100") ","
			EVENT("c:::B", "50") "," EVENT("c:::C", "7"), METRIC("A", "x", "1"))));
	struct saved new = parsed("new", REPORT(ORIGIN, GROUP("G", EVENT("c:::D", "1") ","
			EVENT("c:::A", "101") "," EVENT("c:::B", "60"), METRIC("A", "x", "null"))));
	struct limits limits = { NULL, 0 };
	struct comparison c;

	(void)state;
	limits_add(&limits, "c:::A=2%");
	limits_add(&limits, "B=+50%");
	assert_null(limits_unused(&limits, &old, &new));
	assert_int_equal(compare(&old, &new, &limits, false, &c), 0);
	assert_int_equal(c.n, 5);
	assert_int_equal(c.ndifferences, 0);
	assert_int_equal(c.failed, 0);	/* without a limit what is missing does not fail */
	assert_int_equal(c.items[0].verdict, VERDICT_WITHIN);
	assert_int_equal(c.items[1].verdict, VERDICT_WITHIN);
	assert_int_equal(c.items[2].verdict, VERDICT_MISSING);
	assert_int_equal(c.items[3].verdict, VERDICT_LOST);
	assert_int_equal(c.items[4].verdict, VERDICT_NEW);
	comparison_free(&c);

	limits_add(&limits, "0%");
	limits_add(&limits, "A=+0.5%");	/* the metric has this name as well */
	assert_int_equal(compare(&old, &new, &limits, false, &c), 0);
	assert_int_equal(c.failed, 2);	/* they stand first */
	assert_true(c.items[0].failed && c.items[0].verdict == VERDICT_MISSING);
	assert_true(c.items[1].failed && c.items[1].verdict == VERDICT_LOST);
	assert_false(c.items[2].failed || c.items[3].failed || c.items[4].failed);
	comparison_free(&c);

	limits_add(&limits, "B=+10%");	/* of 50, 60 are 20 % more */
	assert_int_equal(compare(&old, &new, &limits, false, &c), 0);
	assert_int_equal(c.failed, 3);
	assert_string_equal(c.items[0].old->name, "c:::B");
	comparison_free(&c);

	limits_add(&limits, "E=1%");
	assert_string_equal(limits_unused(&limits, &old, &new), "E");
	limits_free(&limits);
	saved_free(&old);
	saved_free(&new);
}

/* ---- gains and losses ---- */

#define METRIC_OF(name, unit, better, formula, value) "{\"name\":\"" name "\",\"unit\":\"" unit \
	"\",\"formula\":\"" formula "\",\"better\":\"" better "\",\"value\":" value "}"

/* Counts of a program, for a group with metrics as MEM and CPI have them: 64 bytes a line, a second
 * for 1e9 clocks. */
struct work {
	double instructions, clocks, lines, wide;
};

static struct saved report_of_work(const char *path, const struct work *w)
{
	static const char format[] = REPORT(ORIGIN, "{\"pmu\":\"p\",\"name\":\"G\",\"ids\":{"
		"\"I\":\"c:::core.INST_RETIRED:ANY\",\"C\":\"c:::core.CPU_CLK_UNHALTED:CORE\","
		"\"L\":\"u:::imc.DRAM_DATA_READS\",\"W\":\"c:::core.WIDE\"},\"events\":["
		"{\"name\":\"c:::core.INST_RETIRED:ANY\",\"better\":\"lower\",\"value\":%.17g},"
		"{\"name\":\"c:::core.CPU_CLK_UNHALTED:CORE\",\"better\":\"lower\","
		"\"value\":%.17g},"
		"{\"name\":\"u:::imc.DRAM_DATA_READS\",\"better\":\"lower\",\"value\":%.17g},"
		"{\"name\":\"c:::core.WIDE\",\"better\":\"neither\",\"value\":%.17g}],\"metrics\":["
		METRIC_OF("data", "MB", "lower", "64e-6 * L", "%.17g") ","
		METRIC_OF("bandwidth", "GB/s", "neither", "64e-9 * L / time", "%.17g") ","
		METRIC_OF("instructions per clock", "1", "neither", "I / C", "%.17g") ","
		METRIC_OF("score", "1", "higher", "1e9 / C", "%.17g") "]}");
	char text[4000];

	snprintf(text, sizeof(text), format, w->instructions, w->clocks, w->lines, w->wide,
		 64e-6 * w->lines, 64e-3 * w->lines / w->clocks, w->instructions / w->clocks,
		 1e9 / w->clocks);
	return parsed(path, text);
}

/* Gains never fail a limit on what is worse, although rates, ratios and counts of what is neither
 * rise by them. Each loss fails it, and is a gain from the other side. */
static void test_gains(void **state)
{
	static const struct {
		struct work slow, fast;
		int worse;			/* items of which fast is better */
		const char *headline;		/* from fast to slow */
	} rows[] = {
		/* a comparator that copies: the same lines in less time */
		{ { 173e6, 172e6, 5000, 0 }, { 1e8, 1e8, 5000, 0 }, 3,
		  "instructions +73 %, memory traffic unchanged, clocks +72 %" },
		/* blocked loops: more instructions, fewer clocks would be no pure gain */
		{ { 1e8, 2e8, 1e6, 0 }, { 1e8, 1e8, 1e5, 0 }, 4,
		  "instructions unchanged, memory traffic +900 %, clocks +100 %" },
		/* vectors: as much data with a quarter of the instructions */
		{ { 4e8, 4e8, 9e4, 0 }, { 1e8, 1e8, 9e4, 1e8 }, 3,
		  "instructions +300 %, memory traffic unchanged, clocks +300 %" },
		/* work that waited alone */
		{ { 1e8, 9e8, 4000, 7 }, { 1e8, 3e8, 4000, 7 }, 2,
		  "instructions unchanged, memory traffic unchanged, clocks +200 %" },
		/* 1.2 % of everything */
		{ { 101.2e6, 101.2e6, 5060, 7 }, { 1e8, 1e8, 5000, 7 }, 5,
		  "instructions +1.2 %, memory traffic +1.2 %, clocks +1.2 %" },
	};
	struct limits limits = { NULL, 0 };

	(void)state;
	limits_add(&limits, "+0.5%");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct saved slow = report_of_work("slow", &rows[i].slow);
		struct saved fast = report_of_work("fast", &rows[i].fast);
		struct comparison gain, loss;
		char *text;
		size_t bytes;
		FILE *f = open_memstream(&text, &bytes);

		assert_int_equal(compare(&slow, &fast, &limits, false, &gain), 0);
		assert_int_equal(compare(&fast, &slow, &limits, false, &loss), 0);
		assert_int_equal(gain.ndifferences + loss.ndifferences, 0);
		if (gain.failed || loss.failed != rows[i].worse)
			fail_msg("row %zu: a gain fails %d, a loss %d", i, gain.failed,
				 loss.failed);
		assert_non_null(f);
		headline_write(f, &loss);
		fclose(f);
		assert_string_equal(text, rows[i].headline);
		free(text);
		comparison_free(&gain);
		comparison_free(&loss);
		saved_free(&slow);
		saved_free(&fast);
	}
	limits_free(&limits);
}

/* A limit by name holds for rates as well; of what is neither, + is for a rise. */
static void test_named_rates(void **state)
{
	static const struct {
		const char *limit;
		int slower, faster;		/* items that fail */
	} rows[] = {
		{ "bandwidth=+5%", 0, 1 }, { "bandwidth=-5%", 1, 0 }, { "bandwidth=5%", 1, 1 },
		{ "score=+5%", 1, 0 }, { "score=-5%", 0, 1 },
	};
	const struct work slow = { 1e8, 2e8, 5000, 0 }, fast = { 1e8, 1e8, 5000, 0 };
	struct saved a = report_of_work("slow", &slow), b = report_of_work("fast", &fast);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct limits limits = { NULL, 0 };
		struct comparison faster, slower;

		limits_add(&limits, rows[i].limit);
		assert_int_equal(compare(&a, &b, &limits, false, &faster), 0);
		assert_int_equal(compare(&b, &a, &limits, false, &slower), 0);
		if (slower.failed != rows[i].slower || faster.failed != rows[i].faster)
			fail_msg("%s: %d %d", rows[i].limit, slower.failed, faster.failed);
		comparison_free(&faster);
		comparison_free(&slower);
		limits_free(&limits);
	}
	saved_free(&a);
	saved_free(&b);
}

/* A metric of small counts is small as well, one of others is not. */
static void test_small_metrics(void **state)
{
	const struct work before = { 1e8, 1e8, 4, 7 }, after = { 1e8, 1e8, 7, 7 };
	struct saved old = report_of_work("old", &before), new = report_of_work("new", &after);
	struct limits limits = { NULL, 0 };
	struct comparison c;

	(void)state;
	limits_add(&limits, "+0.5%");
	limits_add(&limits, "bandwidth=0%");
	assert_int_equal(compare(&old, &new, &limits, false, &c), 0);
	assert_int_equal(c.failed, 3);		/* lines, data, bandwidth */
	comparison_free(&c);
	limits_add_small(&limits, "3");
	assert_int_equal(compare(&old, &new, &limits, false, &c), 0);
	assert_int_equal(c.failed, 1);		/* bandwidth, which is of the time, too */
	assert_string_equal(c.items[0].old->name, "bandwidth");
	comparison_free(&c);
	limits_add_small(&limits, "u:::imc.DRAM_DATA_READS=2");
	assert_int_equal(compare(&old, &new, &limits, false, &c), 0);
	assert_int_equal(c.failed, 3);
	comparison_free(&c);
	limits_free(&limits);
	saved_free(&old);
	saved_free(&new);
}

/* An event of several groups is one row, and what no subject shows is in the headline. */
static void test_once(void **state)
{
	struct saved old = parsed("old", REPORT(ORIGIN, GROUP("G", EVENT("p.A", "10") ","
			EVENT("p.CLK", "9"), "") "," GROUP("H", EVENT("p.B", "8") ","
			EVENT("p.CLK", "9"), METRIC("m", "x", "1"))));
	struct saved new = parsed("new", REPORT(ORIGIN, GROUP("G", EVENT("p.A", "10") ","
			EVENT("p.CLK", "9"), "") "," GROUP("H", EVENT("p.B", "10") ","
			EVENT("p.CLK", "9"), METRIC("m", "x", "4"))));
	struct limits limits = { NULL, 0 };
	struct comparison c;
	char *text;
	size_t bytes;

	(void)state;
	limits_add(&limits, "+1%");
	for (int same = 0; same < 2; same++) {
		FILE *f = open_memstream(&text, &bytes);

		assert_int_equal(compare(&old, same ? &old : &new, &limits, false, &c), 0);
		assert_int_equal(c.n, 4);
		assert_int_equal(c.failed, !same);	/* B alone: a metric without a direction */
		assert_string_equal(c.items[0].old->name, same ? "p.A" : "p.B");
		assert_non_null(f);
		headline_write(f, &c);
		fclose(f);
		assert_string_equal(text, same ? "nothing changed" : "B +25 %");
		free(text);
		comparison_free(&c);
	}
	limits_free(&limits);
	saved_free(&old);
	saved_free(&new);
}

/* ---- what is compared with what ---- */

#define ONE GROUP("G", EVENT("A", "1"), METRIC("M", "A", "1"))

static void test_comparable(void **state)
{
	static const struct {
		const char *text, *what;
	} rows[] = {
		{ REPORT(ORIGIN, ONE), NULL },
		{ REPORT("\"command\":\"app\",\"complete\":true", ONE), "age" },
		{ REPORT(ORIGIN, ONE "," GROUP("H", EVENT("A", "1"), "")), "groups" },
		{ REPORT(ORIGIN, GROUP("H", EVENT("A", "1"), "")), "groups" },
		{ REPORT(ORIGIN, GROUP("G", EVENT("A", "1"), METRIC("M", "2 * A", "1"))),
		  "formula" },
		{ REPORT(ORIGIN, GROUP("G", EVENT("A", "1"), "{\"name\":\"M\",\"unit\":\"s\","
				       "\"formula\":\"A\",\"value\":1}")), "formula" },
		{ REPORT(ORIGIN, GROUP("G", EVENT("B", "1"), METRIC("M", "A", "1"))), NULL },
		{ REPORT(ORIGIN ",\"ranks\":4", ONE), "number of ranks" },
		{ REPORT(ORIGIN ",\"name\":\"app\"", ONE), NULL },
		{ REPORT(ORIGIN ",\"name\":null", ONE), NULL },
		{ REPORT(ORIGIN ",\"name\":\"other\"", ONE), "program" },
	};
	static const struct {
		const char *member, *other, *what;
		bool at_end;
	} members[] = {
		{ "\"machine\":\"m\"", "\"machine\":\"n\"", "machine", false },
		{ "\"geometry\":\"g\"", "\"geometry\":\"h\"", "geometry", false },
		{ "\"model_version\":1", "\"model_version\":2", "model version", false },
		{ "\"program\":[\"app\"]", "\"program\":[\"ap\",\"p\"]", "program", false },
		{ "\"program\":[\"app\"]", "\"program\":[\"app\",\"\"]", "program", false },
		{ "\"program\":[\"app\"]", "\"program\":[\"app-1f3c\"]", "program", false },
		{ "\"program\":[\"app\"]", "\"program\":[]", "program", false },
		{ "\"program\":[\"app\"]", "\"program\":[\"app\"],\"seed\":3", "seed", false },
		{ "\"program\":[\"app\"]", "\"program\":[\"app\"],\"only\":\"a\"",
		  "program that is counted", false },
		{ "\"clock_rule\":\"instruction\"", "\"clock_rule\":\"estimate\"",
		  "rule of the clock", false },
		{ "\"status\":0", "\"status\":3", "exit status", true },
		{ "\"complete\":true", "\"complete\":null", "completeness", true },
	};
	struct saved old = parsed("old", REPORT(ORIGIN, ONE)), new;
	const struct limits none = { NULL, 0 };
	struct comparison c;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		new = parsed("new", rows[i].text);
		assert_int_equal(compare(&old, &new, &none, false, &c), 0);
		if (c.ndifferences != (rows[i].what != NULL) ||
		    (rows[i].what && strcmp(c.differences[0].what, rows[i].what)))
			fail_msg("row %zu: %d %s", i, c.ndifferences,
				 c.ndifferences ? c.differences[0].text : "");
		comparison_free(&c);
		assert_int_equal(compare(&new, &old, &none, false, &c), 0);
		assert_int_equal(c.ndifferences, rows[i].what != NULL);
		comparison_free(&c);
		saved_free(&new);
	}
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const char *same = REPORT(ORIGIN, ONE), *at = strstr(same, members[i].member);
		char text[2000];

		assert_non_null(at);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - same), same, members[i].other,
			 at + strlen(members[i].member));
		new = parsed("new", text);
		assert_int_equal(compare(&old, &new, &none, false, &c), 0);
		assert_int_equal(c.ndifferences, 1);
		assert_string_equal(c.differences[0].what, members[i].what);
		assert_non_null(strstr(c.differences[0].text, "new"));
		comparison_free(&c);
		assert_int_equal(compare(&old, &new, &none, true, &c), 0);
		assert_int_equal(c.ndifferences, !members[i].at_end);
		comparison_free(&c);
		assert_int_equal(compare(&new, &old, &none, false, &c), 0);
		assert_int_equal(c.ndifferences, 1);
		comparison_free(&c);
		saved_free(&new);
	}
	saved_free(&old);
}

/* ---- programs ---- */

#define PROGRAM(name, words) "{\"schema\":1,\"ipmu_version\":\"0.1.0\",\"command\":\"app\"," \
	"\"name\":" name ",\"program\":[" words "],\"complete\":true,\"groups\":[]}"

static void test_programs(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} rows[] = {
		{ PROGRAM("null", "\"./build/app\",\"4\""),
		  PROGRAM("null", "\"/w/ci/app\",\"4\""), true },
		{ PROGRAM("null", "\"./app\",\"in/x\""), PROGRAM("null", "\"app\",\"x\""), false },
		{ PROGRAM("null", "\"./app-1a\""), PROGRAM("null", "\"./app-2b\""), false },
		{ PROGRAM("\"app\"", "\"./app-1a\""), PROGRAM("\"app\"", "\"./app-2b\""), true },
		{ PROGRAM("\"app\"", "\"./app-1a\""), PROGRAM("null", "\"x/app\""), true },
		{ PROGRAM("\"a\"", "\"./app\""), PROGRAM("\"b\"", "\"./app\""), false },
		{ PROGRAM("\"app\"", "\"a\",\"1\""), PROGRAM("\"app\"", "\"a\",\"2\""), false },
		{ PROGRAM("null", "7"), PROGRAM("null", "\"7\""), true },
		{ PROGRAM("null", "null"), PROGRAM("null", ""), false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct saved a = parsed("a", rows[i].a), b = parsed("b", rows[i].b);

		if (saved_same_program(&a, &b) != rows[i].same ||
		    saved_same_program(&b, &a) != rows[i].same)
			fail_msg("row %zu: %s, %s", i, saved_program_name(&a),
				 saved_program_name(&b));
		saved_free(&a);
		saved_free(&b);
	}
}

/* ---- files that are no reports ---- */

static void test_bad(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", "cut" },
		{ "nonsense", "no JSON at byte" },
		{ "[]", "no report of ipmu-run" },
		{ "7", "no report of ipmu-run" },
		{ "null", "no report of ipmu-run" },
		{ "{\"groups\":[]}", "no report of ipmu-run" },
		{ "{\"command\":\"app\",\"groups\":{}}", "no report of ipmu-run" },
		{ "{\"schema\":2,\"command\":\"app\",\"groups\":[]}", "schema: 2" },
		{ REPORT(ORIGIN, ONE) "x", "at byte" },
		{ REPORT(ORIGIN, ONE) "/* */", "at byte" },
		{ "{" ORIGIN ",\"groups\":[", "cut" },
		{ "{" ORIGIN ",\"schema\":1,\"groups\":[]}", "two members of the same name" },
		{ REPORT(ORIGIN, "7"), "groups[0]:" },
		{ REPORT(ORIGIN, "{}"), "groups[0]:" },
		{ REPORT(ORIGIN, "{\"pmu\":null,\"name\":\"a\"}"), "groups[0]:" },
		{ REPORT(ORIGIN, "{\"pmu\":\"a\",\"name\":\"b\"}"), "groups[0].events:" },
		{ REPORT(ORIGIN, GROUP("G", "7", "")), "groups[0].events[0]:" },
		{ REPORT(ORIGIN, GROUP("G", "{\"value\":1}", "")), "groups[0].events[0].name:" },
		{ REPORT(ORIGIN, GROUP("G", "{\"name\":7}", "")), "groups[0].events[0].name:" },
		{ REPORT(ORIGIN, GROUP("G", "{\"name\":\"A\"}", "")),
		  "events[0].value: it is missing" },
		{ REPORT(ORIGIN, GROUP("G", EVENT("A", "\"1\""), "")), "events[0].value:" },
		{ REPORT(ORIGIN, GROUP("G", EVENT("A", "1e999"), "")), "events[0].value:" },
		/* "the number is too large", which json-c 0.19 does not take for a number */
		{ REPORT(ORIGIN, GROUP("G", EVENT("A", "99999999999999999999"), "")), "number" },
		{ REPORT(ORIGIN, GROUP("G", EVENT("A", "-99999999999999999999"), "")), "number" },
		{ REPORT(ORIGIN, GROUP("G", EVENT("A", "NaN"), "")), "f: cannot read" },
		{ REPORT(ORIGIN, GROUP("G", EVENT("A", "1,\"values\":7"), "")),
		  "events[0].values:" },
		{ REPORT(ORIGIN, GROUP("G", EVENT("A", "1,\"values\":[1,{}]"), "")),
		  "events[0].values:" },
		{ REPORT(ORIGIN, GROUP("G", EVENT("A", "1") "," EVENT("A", "2"), "")),
		  "groups[0].events[1]: A is there twice" },
		{ REPORT(ORIGIN, ONE "," ONE), "groups[1].events[0]: A is there twice" },
		{ REPORT(ORIGIN, GROUP("G", "", EVENT("M", "1"))), "groups[0].metrics[0].unit:" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char why[SAVED_WHY_MAX] = "";
		struct saved s;

		if (saved_parse("f", rows[i].text, strlen(rows[i].text), &s, why) != -EINVAL ||
		    strncmp(why, "f: cannot read ", 15) || !strstr(why, rows[i].why))
			fail_msg("row %zu: %s: %s", i, rows[i].text, why);
		assert_null(s.path);
	}
}

static void test_odd(void **state)
{
	struct saved s = parsed("f", REPORT(ORIGIN, GROUP("G", EVENT("M", "1") ","
			EVENT("\\\"a:\\\"", "2"), METRIC("M", "x", "3"))));

	(void)state;
	assert_int_equal(s.n, 3);
	assert_string_equal(s.items[1].name, "\"a:\"");
	saved_free(&s);
}

static void test_many(void **state)
{
	char *text, why[SAVED_WHY_MAX];
	size_t bytes;
	struct saved s;

	(void)state;
	for (int most = 8192; most <= 8193; most++) {
		FILE *f = open_memstream(&text, &bytes);

		assert_non_null(f);
		fprintf(f, "{" ORIGIN ",\"groups\":[{\"pmu\":\"p\",\"name\":\"G\",\"events\":[");
		for (int i = 0; i < most; i++)
			fprintf(f, "%s{\"name\":\"%d\",\"value\":1}", i ? "," : "", i);
		fprintf(f, "],\"metrics\":[]}]}");
		fclose(f);
		assert_int_equal(saved_parse("f", text, bytes, &s, why),
				 most == 8192 ? 0 : -EINVAL);
		saved_free(&s);
		free(text);
	}
	assert_non_null(strstr(why, "groups[0].events[8192]: more than 8192"));
}

/* Wherever a file is cut, it is refused, and where a byte differs nothing breaks. */
static void test_damaged(void **state)
{
	static const char whole[] = REPORT(ORIGIN, ONE);
	char text[sizeof(whole)], why[SAVED_WHY_MAX];
	struct saved s;

	(void)state;
	for (size_t n = 0; n + 1 < sizeof(whole); n++) {
		memcpy(text, whole, n);
		text[n] = '\0';
		assert_int_equal(saved_parse("f", text, n, &s, why), -EINVAL);
	}
	for (size_t n = 0; n + 1 < sizeof(whole); n++)
		for (int byte = 0; byte < 256; byte += 5) {
			memcpy(text, whole, sizeof(whole));
			text[n] = (char)byte;
			if (!saved_parse("f", text, sizeof(whole) - 1, &s, why))
				saved_free(&s);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_spellings),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_medians),
		cmocka_unit_test(test_items),
		cmocka_unit_test(test_gains),
		cmocka_unit_test(test_named_rates),
		cmocka_unit_test(test_small_metrics),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_comparable),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_odd),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
