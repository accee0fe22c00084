/* SPDX-License-Identifier: MIT */
/* Reading while a program runs: intervals do not drift and have no gaps, whatever fails. The
 * counters are made up here: they count nanoseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../ipmu_run/counting/watch.h"

#define MS 1000000ull

void *__real_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static bool known, no_memory;
static uint64_t reading_ns;
static int reads;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void wait_ns(uint64_t ns)
{
	nanosleep(&(struct timespec){ (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) }, NULL);
}

void sets_read(struct sets *s, struct count *counts)
{
	(void)s;
	counts[0] = (struct count){ (long long)now(), known };
	counts[1] = (struct count){ ++reads, true };
	wait_ns(reading_ns);
}

void *__wrap_realloc(void *old, size_t bytes)
{
	return no_memory ? NULL : __real_realloc(old, bytes);
}

static int reset(void **state)
{
	(void)state;
	known = true;
	no_memory = false;
	reading_ns = 0;
	reads = 0;
	return 0;
}

/* Watches for that long and ends the timeline with 1000 as the second count. */
static uint64_t run(const struct watch *watch, struct timeline *t, uint64_t ns)
{
	const struct count last[2] = { { 0, true }, { 1000, true } };
	struct watcher *w = watcher_start(watch, NULL, 2, t);
	uint64_t began = now();

	wait_ns(ns);
	watcher_stop(w);
	ns = now() - began;
	timeline_end(t, began, ns, 2, last);
	return ns;
}

/* A reading that takes an eighth of the interval makes the next one come later if deadlines are
 * counted from the last reading: then a quarter of them would be within a quarter of the interval
 * after its multiple. */
static void test_no_drift(void **state)
{
	const struct watch watch = { .interval_ms = 32 };
	struct timeline t = { 0 };
	size_t punctual = 0;
	uint64_t ns;

	(void)state;
	reading_ns = 4 * MS;
	ns = run(&watch, &t, 32 * 20 * MS);
	assert_true(t.n >= 5);
	for (size_t i = 0; i + 1 < t.n; i++)
		punctual += t.end_ns[i] % (32 * MS) < 8 * MS;
	if (3 * punctual < 2 * (t.n - 1))
		fail_msg("%zu of %zu readings are on time", punctual, t.n - 1);
	assert_int_equal(t.end_ns[t.n - 1], ns);
	assert_int_equal(t.counts[2 * (t.n - 1) + 1].value, 1000);
	for (size_t i = 1; i < t.n; i++)
		assert_true(t.end_ns[i - 1] < t.end_ns[i]);
	timeline_free(&t);
}

/* What was read after the end is the end. */
static void test_late_reading(void **state)
{
	const struct count last[1] = { { 9, true } };
	uint64_t ends[64] = { 110, 120, 131 };
	struct count counts[64] = { { 1, true }, { 2, true }, { 9, true } };
	struct timeline t = { .n = 3, .room = 64, .end_ns = ends, .counts = counts };

	(void)state;
	timeline_end(&t, 100, 30, 1, last);
	assert_int_equal(t.n, 3);
	assert_int_equal(t.end_ns[0], 10);
	assert_int_equal(t.end_ns[1], 20);
	assert_int_equal(t.end_ns[2], 30);
	assert_int_equal(t.counts[2].value, 9);
}

/* Without memory the last interval is longer, and the sum the same. */
static void test_no_memory(void **state)
{
	const struct watch watch = { .interval_ms = 1 };
	const struct count last[2] = { { 5, true }, { 7, true } };
	struct timeline t = { 0 };

	(void)state;
	t.end_ns = calloc(64, sizeof(*t.end_ns));
	t.counts = calloc(64 * 3, sizeof(*t.counts));
	t.n = t.room = 64;
	assert_true(t.end_ns && t.counts);
	for (size_t i = 0; i < 64; i++)
		t.end_ns[i] = i + 1;
	no_memory = true;
	timeline_end(&t, 0, 100, 2, last);
	no_memory = false;
	assert_int_equal(t.n, 64);
	assert_int_equal(t.end_ns[62], 63);
	assert_int_equal(t.end_ns[63], 100);
	assert_int_equal(t.counts[2 * 63 + 1].value, 7);
	assert_true(t.cut);
	timeline_free(&t);

	no_memory = true;
	run(&watch, &t, 5 * MS);
	no_memory = false;
	assert_int_equal(t.n, 0);
	timeline_free(&t);
}

static void test_unknown(void **state)
{
	const struct watch watch = { .interval_ms = 2 };
	struct timeline t = { 0 };

	(void)state;
	known = false;
	run(&watch, &t, 30 * MS);
	assert_true(t.n >= 2);
	assert_false(t.counts[0].known);
	assert_true(t.counts[1].known);
	timeline_free(&t);
}

static void count_shows(void *arg, uint64_t ns, const struct count *counts)
{
	uint64_t *shown = arg;

	assert_true(counts[1].known);
	if (!shown[0]++)
		shown[1] = ns;
}

/* The first time after two seconds; nobody reads in between. */
static void test_show(void **state)
{
	uint64_t shown[2] = { 0, 0 };
	const struct watch watch = { .show = count_shows, .arg = shown };
	const struct watch nothing = { .interval_ms = 0 };
	struct timeline t = { 0 };
	struct watcher *w;

	(void)state;
	assert_null(watcher_start(&nothing, NULL, 2, &t));
	assert_null(watcher_start(NULL, NULL, 2, &t));
	watcher_stop(NULL);
	w = watcher_start(&watch, NULL, 2, &t);
	assert_non_null(w);
	wait_ns(1500 * MS);
	assert_int_equal(reads, 0);
	wait_ns(900 * MS);
	watcher_stop(w);
	assert_int_equal(shown[0], 1);
	assert_int_equal(reads, 1);
	assert_true(shown[1] >= 2000 * MS);
	assert_int_equal(t.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_no_drift, reset),
		cmocka_unit_test_setup(test_late_reading, reset),
		cmocka_unit_test_setup(test_no_memory, reset),
		cmocka_unit_test_setup(test_unknown, reset),
		cmocka_unit_test_setup(test_show, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
