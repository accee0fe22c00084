/* SPDX-License-Identifier: MIT */
/* Files of groups: what is read from a good one, what is said of a bad one and of which line, and
 * which one is found. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/groups/find.h"
#include "measure/groups/formula.h"

#define PATH "groups/skl_unc/MEM"

static int read_text(const char *text, size_t bytes, struct group **out, char why[GROUP_WHY_MAX])
{
	FILE *f = fmemopen((void *)(uintptr_t)text, bytes, "r");
	int rc;

	assert_non_null(f);
	why[0] = '\0';
	rc = group_read(f, PATH, out, why);
	fclose(f);
	return rc;
}

static const char good[] =
"# a comment\n"
"title: bytes\n"
"\n"
"event: READS = pmu.EVENT:MASK:c=1\n"
"event:  W_2=pmu.OTHER\n"
"clock: NS = pmu.CLOCK\n"
"metric: read bandwidth [GB/s] = 64e-9 * READS\n"
"\t/ time\n"
"metric: ratio [1] higher = READS > 0 ? W_2 / READS : 0\n"
"event: HITS  neither = pmu.HIT\n"
"metric: data [MB]lower= W_2 == 1 ? 2 : 1\n"
"metric: share [1] neither = W_2\n"
"tells: one line\n"
"  and: another\n"
"# within\n"
"\tand a third\n"
"misleads: never";

static void test_good(void **state)
{
	char why[GROUP_WHY_MAX];
	struct group *g;

	(void)state;
	assert_int_equal(read_text(good, strlen(good), &g, why), 0);
	assert_string_equal(g->pmu, "skl_unc");
	assert_string_equal(g->name, "MEM");
	assert_string_equal(g->title, "bytes");
	assert_int_equal(g->nevents, 4);
	assert_string_equal(g->events[0].id, "READS");
	assert_string_equal(g->events[0].name, "pmu.EVENT:MASK:c=1");
	assert_int_equal(g->events[0].line, 4);
	assert_string_equal(g->events[1].id, "W_2");
	assert_string_equal(g->events[1].name, "pmu.OTHER");
	assert_int_equal(group_clock(g), 2);
	assert_int_equal(group_event_find(g, "W_2"), 1);
	assert_int_equal(group_event_find(g, "W"), -1);
	assert_int_equal(g->events[0].better, BETTER_LOWER);
	assert_string_equal(g->events[3].id, "HITS");
	assert_int_equal(g->events[3].better, BETTER_NEITHER);
	assert_int_equal(g->nmetrics, 4);
	assert_int_equal(g->metrics[0].better, BETTER_NEITHER);	/* a rate, unless it says more */
	assert_int_equal(g->metrics[1].better, BETTER_HIGHER);
	assert_int_equal(g->metrics[2].better, BETTER_LOWER);
	assert_string_equal(g->metrics[2].unit, "MB");
	assert_string_equal(g->metrics[2].formula, "W_2 == 1 ? 2 : 1");
	assert_int_equal(g->metrics[3].better, BETTER_NEITHER);
	assert_string_equal(g->metrics[0].name, "read bandwidth");
	assert_string_equal(g->metrics[0].unit, "GB/s");
	assert_string_equal(g->metrics[0].formula, "64e-9 * READS / time");
	assert_int_equal(g->metrics[0].line, 7);
	assert_string_equal(g->tells, "one line and: another and a third");
	assert_string_equal(g->misleads, "never");
	group_free(g);
}

#define HEAD "title: t\nevent: A = p.E\n"
#define TAIL "tells: x\nmisleads: y\n"

static const struct { const char *text; int line; const char *says; } bad[] = {
	{ "", 0, "no 'title:'" },
	{ "title: t\n" TAIL, 3, "no 'event:'" },
	{ "title: t\nclock: C = p.E\n" TAIL, 4, "no 'event:'" },
	{ HEAD "tells: x\n", 3, "no 'misleads:'" },
	{ HEAD "misleads: x\n", 3, "no 'tells:'" },
	{ HEAD TAIL "title: u\n", 5, "a 'title' already" },
	{ HEAD TAIL "Event: B = p.E\n", 5, "'Event' is no key" },
	{ HEAD "just words\n" TAIL, 3, "'key: value'" },
	{ "  title: t\n" HEAD TAIL, 1, "nothing before it" },
	{ HEAD "tells:\n", 3, "says nothing" },
	{ HEAD "event: B\n" TAIL, 3, "ID = NAME" },
	{ HEAD "event: 2B = p.E\n" TAIL, 3, "'2B' is no id" },
	{ HEAD "event: B-C = p.E\n" TAIL, 3, "'B-C' is no id" },
	{ HEAD "event: = p.E\n" TAIL, 3, "'' is no id" },
	{ HEAD "event: time = p.E\n" TAIL, 3, "'time' is the time" },
	{ HEAD "event: A = p.F\n" TAIL, 3, "an event 'A' already" },
	{ HEAD "event: B = \n" TAIL, 3, "'' is no name" },
	{ HEAD "event: B = p.E p.F\n" TAIL, 3, "'p.E p.F' is no name" },
	{ HEAD "event: B = p.E,p.F\n" TAIL, 3, "'p.E,p.F' is no name" },
	{ HEAD "clock: C = p.E\nclock: D = p.F\n" TAIL, 4, "a clock already" },
	{ HEAD "metric: m = A\n" TAIL, 3, "NAME [UNIT] BETTER = FORMULA" },
	{ HEAD "metric: m [1 = A\n" TAIL, 3, "NAME [UNIT] BETTER = FORMULA" },
	{ HEAD "metric: m [1] A\n" TAIL, 3, "NAME [UNIT] BETTER = FORMULA" },
	{ HEAD "metric: m [1] more = A\n" TAIL, 3, "'more' does not say which values are better" },
	{ HEAD "metric: m [1] lower higher = A\n" TAIL, 3, "'lower higher' does not say" },
	{ HEAD "event: B C = p.E\n" TAIL, 3, "'C' does not say which values are better" },
	{ HEAD "metric: [1] = A\n" TAIL, 3, "a name, a unit" },
	{ HEAD "metric: m [] = A\n" TAIL, 3, "a name, a unit" },
	{ HEAD "metric: m [1] =\n" TAIL, 3, "a name, a unit" },
	{ HEAD "metric: m [1] = A +\n" TAIL, 3, "formula 'A +'" },
	{ HEAD "metric: m [1] = (A\n" TAIL, 3, "formula '(A'" },
	{ HEAD "metric: m [1] = A\n\t/ B\n" TAIL, 3, "\"B\"" },
	{ HEAD "metric: m [1] = a\n" TAIL, 3, "\"a\"" },
	{ HEAD "metric: m [1] = A / seconds\n" TAIL, 3, "it can name 'time' and the events" },
	{ HEAD "metric: m [1] = sin(A)\n" TAIL, 3, "sin" },
	{ HEAD "metric: m [1] = A * _pi\n" TAIL, 3, "_pi" },
	{ HEAD "metric: m [1] = A = 1\n" TAIL, 3, "an assignment" },
	{ HEAD "metric: m [1] = A, 1\n" TAIL, 3, "a comma" },
	{ HEAD "metric: m [1] = \"A\"\n" TAIL, 3, "a quotation mark" },
	{ HEAD "clock: C = p.E\nmetric: m [1] = C / time\n" TAIL, 4, "\"C\"" },
	{ HEAD "\n# x\nmetric: fine [1] = A\nmetric: m [1] = B\n" TAIL, 6, "\"B\"" },
};

static void test_bad(void **state)
{
	char why[GROUP_WHY_MAX], where[64];
	struct group *g;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		size_t bytes = strlen(bad[i].text);
		int rc = read_text(bytes ? bad[i].text : "\n", bytes ? bytes : 1, &g, why);

		snprintf(where, sizeof(where), PATH ":%d: ", bad[i].line);
		if (rc == 0 || strncmp(why, where, strlen(where)) || !strstr(why, bad[i].says))
			fail_msg("case %zu:\n%s\nwants '%s%s', got %d '%s'", i, bad[i].text, where,
				 bad[i].says, rc, why);
	}
}

static void test_no_text(void **state)
{
	static const char bytes[] = "title: t\nevent: A = \0x\n";
	char why[GROUP_WHY_MAX];
	struct group *g;

	(void)state;
	assert_int_not_equal(read_text(bytes, sizeof(bytes) - 1, &g, why), 0);
	assert_non_null(strstr(why, PATH ":2: this is no text"));
}

/* ---- limits: a file that is too large costs no time and no memory */

/* Pieces with '%' in the place of a number. */
static char *repeat(const char *head, const char *piece, int n, const char *tail)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	assert_non_null(f);
	fputs(head, f);
	for (int i = 0; i < n; i++)
		for (const char *p = piece; *p; p++)
			*p == '%' ? fprintf(f, "%d", i) : fputc(*p, f);
	fputs(tail, f);
	fclose(f);
	return text;
}

static const struct limit {
	const char *head, *piece;
	int n;
	const char *tail, *says;	/* NULL: nothing, as it is a good one */
} limits[] = {
	{ "title: t\n", "event: E% = p.E\n", 1000, TAIL, NULL },
	{ "title: t\n", "event: E% = p.E\n", 1001, TAIL, PATH ":1002: more than 1000 events" },
	{ HEAD, "metric: m% [1] = A\n", 1000, TAIL, NULL },
	{ HEAD, "metric: m% [1] = A\n", 1001, TAIL, PATH ":1003: more than 1000 metrics" },
	/* 300,000 continuation lines: copying the whole text for each took minutes. */
	{ HEAD "misleads: y\ntells: x\n", " x\n", 300000, "", NULL },
	{ HEAD TAIL "metric: m [1] = 1", " + 1", 1000, "\n", NULL },
	{ HEAD TAIL "metric: m [1] = 1", " + 1", 1100, "\n", "of more than 4096 characters" },
	{ HEAD TAIL, "# x\n", 240000, "", NULL },
	{ HEAD TAIL, "# x\n", 250000, "", "more than 1000000 bytes" },
};

static void test_limits(void **state)
{
	char why[GROUP_WHY_MAX];
	struct group *g;

	(void)state;
	for (const struct limit *l = limits; l < limits + sizeof(limits) / sizeof(limits[0]); l++) {
		char *text = repeat(l->head, l->piece, l->n, l->tail);
		int rc = read_text(text, strlen(text), &g, why);

		if (l->says ? !rc || !strstr(why, l->says) : rc)
			fail_msg("limit %td: got %d '%s'", l - limits, rc, why);
		if (!rc)
			group_free(g);
		free(text);
	}
}

/* ---- arithmetic */

static double value(const char *formula)
{
	static const char *const names[] = { "A", "B2", "time" };
	static const double ones[] = { 1, 1, 1 }, values[] = { 12, 5, 0.5 };
	char why[FORMULA_WHY_MAX] = "";
	struct formula *f;
	double out = -1;

	if (formula_parse(formula, 3, names, &f, why))
		fail_msg("%s: %s", formula, why);
	assert_int_equal(formula_value(f, ones, &out), 0);
	assert_int_equal(formula_value(f, values, &out), 0);
	formula_free(f);
	return out;
}

static void test_formulas(void **state)
{
	(void)state;
	assert_true(value("A - B2 - 1") == 6);
	assert_true(value("2 + 3 * B2") == 17);
	assert_true(value("-(A + B2) / time") == -34);
	assert_true(value("2 ^ 3 * 1e-1") == 8 * 1e-1);
	assert_true(value("A >= 12 ? 7 : 8") == 7);
	assert_true(value("A != 12 ? 7 : 8") == 8);
	assert_true(value("A == 12 ? 7 : 8") == 7);
	assert_true(value("A / (B2 - 5)") > 1e300);	/* infinite, and no error */
	assert_true(formula_uses("2*A+B2", "A"));
	assert_true(formula_uses("AB+(A)", "A"));
	assert_false(formula_uses("AB + A_ + BA", "A"));
	assert_false(formula_uses("1e5 + B", "e5"));
}

/* ---- finding */

static char folder[] = "/tmp/run-groups-XXXXXX";
static char last[GROUP_WHY_MAX];

static void note(const char *why)
{
	snprintf(last, sizeof(last), "%s", why);
}

static void put(const char *name, const char *title)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/ipmu/groups/%s", folder, name);
	for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "title: %s\nevent: A = p.E\n%s", title, TAIL);
	fclose(f);
}

/* This program is no installed command, so there are no installed groups beside it. */
static void test_find(void **state)
{
	struct group_list list = { 0 };

	(void)state;
	assert_non_null(mkdtemp(folder));
	setenv("XDG_CONFIG_HOME", folder, 1);
	put("p/ONE", "p1");
	put("p/TWO", "p2");
	put("q/ONE", "q1");
	put("q/.hidden", "h");
	put("q/ONE~", "backup");
	assert_int_equal(groups_find("ONE", &list, note), 0);
	assert_int_equal(list.n, 2);
	groups_free(&list);
	assert_int_equal(groups_find("q/ONE", &list, note), 0);
	assert_int_equal(list.n, 1);
	assert_string_equal(list.groups[0]->title, "q1");
	groups_free(&list);
	assert_int_equal(groups_find(NULL, &list, note), 0);
	assert_int_equal(list.n, 3);
	groups_free(&list);
	assert_int_equal(groups_find("THREE", &list, note), 0);
	assert_int_equal(groups_find("r/ONE", &list, note), 0);
	assert_int_equal(groups_find("NE", &list, note), 0);
	assert_int_equal(groups_find("", &list, note), 0);
	assert_int_equal(list.n, 0);
	assert_string_equal(last, "");
	put("r/BAD", "");
	assert_int_equal(groups_find("BAD", &list, note), 1);
	assert_non_null(strstr(last, "/ipmu/groups/r/BAD:1: 'title' says nothing"));
	assert_int_equal(list.n, 0);
	groups_free(&list);
	setenv("XDG_CONFIG_HOME", "relative", 1);
	setenv("HOME", "/nonexistent", 1);
	assert_int_equal(groups_find(NULL, &list, note), 0);
	assert_int_equal(list.n, 0);
	groups_free(&list);
}

/* A group may exist although no descriptor is left: the error says that this is unknown. */
static void test_no_descriptors(void **state)
{
	struct group_list list = { 0 };
	struct rlimit before, none;

	(void)state;
	setenv("XDG_CONFIG_HOME", folder, 1);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ 0, before.rlim_max };
	for (rlim_t left = 0; left < 3; left++) {
		int fd = open("/dev/null", O_RDONLY);

		none.rlim_cur = (rlim_t)fd + left;
		close(fd);
		last[0] = '\0';
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
		int said = groups_find("p/ONE", &list, note);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		assert_int_equal(said > 0, list.n == 0);
		assert_int_equal(strstr(last, "Too many open files") != NULL, list.n == 0);
		if (!left)
			assert_int_equal(list.n, 0);
		groups_free(&list);
	}
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_no_text),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_formulas),
		cmocka_unit_test(test_find),
		cmocka_unit_test_teardown(test_no_descriptors, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
