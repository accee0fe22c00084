/* SPDX-License-Identifier: MIT */
/* Named regions in every order. The counters are made up: each reading has 1 more of one event and
 * 10 more of the other, so counts say how many readings were made from a begin to its end. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/counting/phases.h"

static long long readings;
static struct phases *phases;

void sets_read(struct sets *s, struct count *counts)
{
	(void)s;
	readings++;
	counts[0] = (struct count){ readings, true };
	counts[1] = (struct count){ 10 * readings, true };
}

static struct region_message message(int rank, int process, int thread, const char *name)
{
	struct region_message m = { .rank = rank, .process = process, .thread = thread };

	assert_true(strlen(name) < sizeof(m.name));
	memcpy(m.name, name, strlen(name));
	return m;
}

/* Thread and process have the rank's number, and 1 more. */
static int enter(int rank, const char *name)
{
	const struct region_message m = message(rank, rank + 1, rank + 1, name);

	return phases_enter(phases, &m);
}

static int leave(int rank, const char *name)
{
	const struct region_message m = message(rank, rank + 1, rank + 1, name);

	return phases_leave(phases, &m);
}

static const struct phase *found(const char *name)
{
	const struct phase *p = phase_find(phases_list(phases), name);

	assert_non_null(p);
	return p;
}

static void counted(const char *name, int place, uint64_t calls, long long count)
{
	const struct phase *p = found(name);

	assert_int_equal(p->calls[place], calls);
	assert_int_equal(p->counts[2 * place].value, count);
	assert_int_equal(p->counts[2 * place + 1].value, 10 * count);
	assert_true(p->counts[2 * place].known);
}

static int open_them(void **state)
{
	(void)state;
	readings = 0;
	phases = phases_new(2, 2, false);
	phases_begin(phases, NULL, 0);
	return !phases;
}

static int close_them(void **state)
{
	(void)state;
	phases_free(phases);
	return 0;
}

/* ---- the cases ---- */

static void one_call_is_two_readings(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(enter(0, "a"), 0);
		assert_int_equal(leave(0, "a"), 0);
	}
	counted("a", 0, 3, 3);
	assert_int_equal(readings, 6);
	counted("a", 1, 0, 0);
}

/* a from reading 1 to 4, b from 2 to 3. */
static void nested_regions_have_each_their_own(void **state)
{
	(void)state;
	enter(0, "a"), enter(0, "b"), leave(0, "b"), leave(0, "a");
	counted("a", 0, 1, 3);
	counted("b", 0, 1, 1);
}

/* a from 1 to 3, b from 2 to 4. */
static void regions_may_overlap(void **state)
{
	(void)state;
	enter(0, "a"), enter(0, "b"), leave(0, "a"), leave(0, "b");
	counted("a", 0, 1, 2);
	counted("b", 0, 1, 2);
	assert_int_equal(phases_list(phases)->strays, 0);
}

static void a_region_inside_itself_counts_once(void **state)
{
	(void)state;
	enter(0, "a"), enter(0, "a"), leave(0, "a"), leave(0, "a");
	counted("a", 0, 2, 1);
	assert_int_equal(readings, 2);
}

/* The counters are the node's. */
static void ranks_count_together_from_the_first_to_the_last(void **state)
{
	const struct phase *p;

	(void)state;
	enter(0, "a"), enter(1, "a"), enter(1, "b"), leave(0, "a"), leave(1, "b"), leave(1, "a");
	counted("a", 0, 2, 3);
	p = found("a");
	assert_int_equal(p->nranks, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(p->ranks[i].calls, 1);
		assert_true(p->ranks[i].ns <= p->ns[0]);
	}
	assert_int_equal(p->ranks[0].inside, 0);
}

static void threads_have_their_own_regions(void **state)
{
	const struct region_message first = message(0, 1, 11, "a"), second = message(0, 1, 12, "a");

	(void)state;
	assert_int_equal(phases_enter(phases, &first), 0);
	assert_int_equal(phases_leave(phases, &second), -ENOENT);
	assert_int_equal(phases_enter(phases, &second), 0);
	assert_int_equal(phases_leave(phases, &first), 0);
	assert_int_equal(phases_leave(phases, &second), 0);
	counted("a", 0, 2, 1);
	assert_int_equal(phases_list(phases)->strays, 1);
	assert_string_equal(phases_list(phases)->stray, "a");
}

static void an_end_without_a_begin_changes_nothing(void **state)
{
	(void)state;
	assert_int_equal(leave(0, "a"), -ENOENT);
	enter(0, "a");
	assert_int_equal(leave(0, "b"), -ENOENT);
	assert_int_equal(leave(1, "a"), -ENOENT);
	assert_int_equal(leave(0, "a"), 0);
	counted("a", 0, 1, 1);
	assert_int_equal(phases_list(phases)->n, 1);
	assert_int_equal(phases_list(phases)->strays, 3);
}

static void what_is_open_ends_with_its_process(void **state)
{
	(void)state;
	enter(0, "a"), enter(0, "b"), enter(1, "b");
	phases_gone(phases, 0, 1);
	counted("a", 0, 1, 2);
	assert_int_equal(found("a")->unfinished, 1);
	assert_int_equal(found("b")->unfinished, 1);
	assert_int_equal(found("b")->inside, 1);
	assert_int_equal(leave(1, "b"), 0);
	assert_int_equal(found("b")->unfinished, 1);
	phases_gone(phases, 0, 1);
	phases_gone(phases, 1, 2);
	assert_int_equal(readings, 4);
}

/* A job may have containers, in which processes have the same numbers. */
static void processes_of_other_ranks_are_others(void **state)
{
	const struct region_message here = message(0, 7, 7, "a"), there = message(1, 7, 7, "a");

	(void)state;
	phases_enter(phases, &here);
	phases_enter(phases, &there);
	phases_gone(phases, 1, 7);
	assert_int_equal(found("a")->inside, 1);
	assert_int_equal(phases_leave(phases, &here), 0);
}

static void what_is_open_ends_with_the_run(void **state)
{
	(void)state;
	enter(0, "a"), enter(1, "a");
	phases_end(phases);
	counted("a", 0, 2, 1);
	assert_int_equal(found("a")->unfinished, 2);
	phases_begin(phases, NULL, 1);
	assert_int_equal(leave(0, "a"), -ENOENT);
	enter(0, "a"), leave(0, "a");
	counted("a", 1, 1, 1);
	counted("a", 0, 2, 1);
}

/* A report in between: 1 to 2, then to 3. */
static void an_open_region_can_be_reported(void **state)
{
	(void)state;
	phases_settle(phases);
	assert_int_equal(readings, 0);
	enter(0, "a");
	phases_settle(phases);
	counted("a", 0, 1, 1);
	assert_int_equal(found("a")->ranks[0].ns, found("a")->ns[0]);
	assert_int_equal(leave(0, "a"), 0);
	counted("a", 0, 1, 2);
	assert_int_equal(found("a")->ranks[0].ns, found("a")->ns[0]);
	assert_int_equal(found("a")->unfinished, 0);
}

static void names_are_text(void **state)
{
	static const struct { const char *given, *shown; } names[] = {
		{ "a b,\"c\" <d>&", "a b,\"c\" <d>&" },
		{ "tab\there\n", "tab?here?" },
		{ "\x1b[31mred", "?[31mred" },
		{ "gr\xc3\xb6\xc3\x9f" "e", "gr\xc3\xb6\xc3\x9f" "e" },
		{ "\xe2\x82\xac \xf0\x9d\x84\x9e", "\xe2\x82\xac \xf0\x9d\x84\x9e" },
		{ "\xff\xfe", "??" },
		{ "cut \xc3", "cut ?" },
		{ "\xc0\xaf", "??" },			/* a slash in two bytes */
		{ "\xed\xa0\x80", "???" },		/* a surrogate */
		{ "\xf4\x90\x80\x80", "????" },		/* beyond the last character */
		{ "\xc2\x85", "??" },			/* a control character */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(enter(0, names[i].given), 0);
		assert_int_equal(leave(0, names[i].given), 0);
		assert_true(found(names[i].shown)->calls[0] > 0);
	}
}

static void more_names_than_there_is_room_for_are_ignored(void **state)
{
	char name[32];

	(void)state;
	for (int i = 0; i < PHASES_MAX; i++) {
		snprintf(name, sizeof(name), "region %d", i);
		assert_int_equal(enter(0, name), 0);
	}
	assert_int_equal(enter(0, "one more"), -ENOSPC);
	assert_int_equal(leave(0, "one more"), -ENOSPC);
	assert_int_equal(phases_list(phases)->beyond, 1);
	assert_int_equal(phases_list(phases)->strays, 0);
	assert_string_equal(phases_list(phases)->stray, "one more");
	assert_int_equal(leave(0, "region 0"), 0);
	counted("region 0", 0, 1, PHASES_MAX);
	assert_int_equal(enter(0, "region 0"), 0);
}

/* From the first region's begin to its end, then that of the next: 1 to 4, and 5 to 6. */
static void with_only_the_run_is_its_regions(void **state)
{
	struct count counts[2] = { { 999, true }, { 999, true } };
	uint64_t ns = 0;

	(void)state;
	phases_apply(phases, counts, &ns);
	assert_int_equal(counts[0].value, 999);
	phases_free(phases);
	phases = phases_new(2, 1, true);
	phases_begin(phases, NULL, 0);
	enter(0, "a"), enter(1, "b"), leave(0, "a"), leave(1, "b");
	enter(0, "a"), leave(0, "a");
	phases_end(phases);
	phases_apply(phases, counts, &ns);
	assert_int_equal(counts[0].value, 3 + 1);
	assert_int_equal(counts[1].value, 10 * (3 + 1));
	assert_true(ns >= found("a")->ns[0] && ns >= found("b")->ns[0]);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, open_them, close_them)
	const struct CMUnitTest tests[] = {
		CASE(one_call_is_two_readings),
		CASE(nested_regions_have_each_their_own),
		CASE(regions_may_overlap),
		CASE(a_region_inside_itself_counts_once),
		CASE(ranks_count_together_from_the_first_to_the_last),
		CASE(threads_have_their_own_regions),
		CASE(an_end_without_a_begin_changes_nothing),
		CASE(what_is_open_ends_with_its_process),
		CASE(processes_of_other_ranks_are_others),
		CASE(what_is_open_ends_with_the_run),
		CASE(an_open_region_can_be_reported),
		CASE(names_are_text),
		CASE(more_names_than_there_is_room_for_are_ignored),
		CASE(with_only_the_run_is_its_regions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
