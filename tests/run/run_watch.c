/* SPDX-License-Identifier: MIT */
/* Reading while a program runs: intervals do not drift and have no gaps, whatever fails. The
 * counters are made up here: they count nanoseconds. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "measure/counting/virtual.h"
#include "measure/counting/watch.h"

#define MS 1000000ull
#define WAKES 20

int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static bool known, no_memory;
static uint64_t now_ns, late_ns, reading_ns, deadlines[WAKES];
static int reads;
static atomic_int wakes;

/* The machine that is beside: how much faster than the wall's its clock runs; 0: there is none. */
static double machine_speed;
static uint64_t machine_ns, stopped_ns;
static bool stopped;

/* Time passes where somebody waits or reads, and nowhere else. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	assert_int_equal(clock, CLOCK_MONOTONIC);
	*t = (struct timespec){ (time_t)(now_ns / 1000000000u), (long)(now_ns % 1000000000u) };
	return 0;
}

/* Wakes at each deadline, and late; then waits to be ended. */
int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t)
{
	uint64_t deadline = (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;

	if (wakes >= WAKES) {
		wakes = WAKES + 1;
		return pthread_cond_wait(c, m);
	}
	deadlines[wakes] = deadline;
	now_ns = (deadline > now_ns ? deadline : now_ns) + late_ns;
	wakes++;
	return ETIMEDOUT;
}

bool virtual_is_beside(void)
{
	return machine_speed > 0;
}

uint64_t virtual_clock_ns(void)
{
	return machine_ns + (uint64_t)((double)(now_ns - stopped_ns) * machine_speed);
}

void virtual_stop(void)
{
	assert_false(stopped);
	stopped = true;
}

/* Reading takes time of the wall, and none of the machine's. */
void virtual_pause(bool on)
{
	(void)on;
}

void virtual_go(void)
{
	assert_true(stopped);
	stopped = false;
	stopped_ns = machine_speed > 0 ? stopped_ns + reading_ns : 0;
}

void sets_read(struct sets *s, struct count *counts)
{
	(void)s;
	assert_true(stopped);
	if (machine_speed > 0) {
		counts[0] = (struct count){ (long long)virtual_clock_ns(), known };
		counts[1] = (struct count){ ++reads, true };
		return;
	}
	counts[0] = (struct count){ (long long)now_ns, known };
	counts[1] = (struct count){ ++reads, true };
	now_ns += reading_ns;
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
	now_ns = 7000000123;
	late_ns = reading_ns = 0;
	reads = 0;
	wakes = 0;
	machine_speed = 0;
	return 0;
}

/* Until all wakes have been; ends the timeline with 1000 as the second count. */
static void run(const struct watch *watch, struct timeline *t)
{
	const struct count last[2] = { { 0, true }, { 1000, true } };
	uint64_t began = now_ns;
	struct watcher *w = watcher_start(watch, NULL, 2, t);

	assert_non_null(w);
	while (wakes <= WAKES)
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	watcher_stop(w);
	now_ns += 1;
	timeline_end(t, began, now_ns - began, 2, last);
}

/* However late a reading is and however long it takes, the next one is due at a multiple. */
static void test_no_drift(void **state)
{
	const struct watch watch = { .interval_ms = 32 };
	struct timeline t = { 0 };
	uint64_t began = now_ns;

	(void)state;
	late_ns = 5 * MS;
	reading_ns = 4 * MS;
	run(&watch, &t);
	for (size_t i = 0; i < WAKES; i++) {
		assert_int_equal(deadlines[i], began + (i + 1) * 32 * MS);
		assert_int_equal(t.end_ns[i], (i + 1) * 32 * MS + 7 * MS);
	}
	assert_int_equal(t.n, WAKES + 1);
	assert_int_equal(t.end_ns[WAKES], now_ns - began);
	assert_int_equal(t.counts[2 * WAKES + 1].value, 1000);
	timeline_free(&t);
}

/* A multiple that has passed is left out. */
static void test_too_late(void **state)
{
	const struct watch watch = { .interval_ms = 10 };
	struct timeline t = { 0 };
	uint64_t began = now_ns;

	(void)state;
	late_ns = 25 * MS;
	run(&watch, &t);
	for (size_t i = 0; i < WAKES; i++)
		assert_int_equal(deadlines[i], began + 10 * MS + i * 30 * MS);
	timeline_free(&t);
}

/* A reading made after the program's end becomes the last one, at that end. */
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

/* A host that does not let the program start has an interval end before it does. */
static void test_early_reading(void **state)
{
	const struct count last[2] = { { 9, true }, { 90, true } };
	uint64_t ends[64] = { 90, 100, 110 };
	struct count counts[64] = { { 1, true }, { 10, true }, { 2, true }, { 20, true },
				    { 3, true }, { 30, true } };
	struct timeline t = { .n = 3, .room = 16, .end_ns = ends, .counts = counts };

	(void)state;
	timeline_end(&t, 100, 30, 2, last);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.end_ns[0], 10);
	assert_int_equal(t.end_ns[1], 30);
	assert_int_equal(t.counts[1].value, 30);
	assert_int_equal(t.counts[3].value, 90);
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
	wakes = 0;
	run(&watch, &t);
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
	run(&watch, &t);
	assert_int_equal(t.n, WAKES + 1);
	assert_false(t.counts[0].known);
	assert_true(t.counts[1].known);
	timeline_free(&t);
}

static void count_shows(void *arg, uint64_t elapsed_ns, uint64_t ns, const struct count *counts)
{
	int *shown = arg;

	assert_true(counts[1].known);
	assert_int_equal(elapsed_ns, (uint64_t)(2 + *shown) * 1000 * MS);
	assert_int_equal(ns, machine_speed > 0 ?
			 (uint64_t)((double)elapsed_ns * machine_speed) : elapsed_ns);
	++*shown;
}

/* From the second second on, each second; nobody reads in between. */
static void test_show(void **state)
{
	int shown = 0;
	const struct watch watch = { .show = count_shows, .arg = &shown };
	const struct watch nothing = { .interval_ms = 0 };
	struct timeline t = { 0 };

	(void)state;
	assert_null(watcher_start(&nothing, NULL, 2, &t));
	assert_null(watcher_start(NULL, NULL, 2, &t));
	watcher_stop(NULL);
	run(&watch, &t);
	assert_int_equal(shown, WAKES);
	assert_int_equal(reads, WAKES);
	assert_int_equal(t.n, 1);
	timeline_free(&t);
}

/* A single reading serves the timeline and the display. */
static void test_both(void **state)
{
	int shown = 0;
	const struct watch watch = { .interval_ms = 500, .show = count_shows, .arg = &shown };
	struct timeline t = { 0 };

	(void)state;
	run(&watch, &t);
	assert_int_equal(t.n, WAKES + 1);
	assert_int_equal(reads, WAKES);
	assert_int_equal(shown, 9);
	timeline_free(&t);
}

/* Intervals of a machine's clock end on its multiples, at any speed of it, and have the values of
 * the moment at which they end. */
static void test_machine(void **state)
{
	/* Checks are 10 ms apart at most, so an interval takes 4 of a slow machine. */
	static const struct { double speed; size_t least, most; } rows[] = {
		{ 0.25, WAKES / 4 - 1, WAKES / 4 }, { 0.004, 0, 0 },
		{ 1, WAKES / 2, WAKES }, { 3, WAKES / 2, WAKES },
	};
	const struct watch watch = { .interval_ms = 10 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct timeline t = { 0 };
		uint64_t began;
		struct watcher *w;

		reset(state);
		machine_speed = rows[i].speed;
		machine_ns = 5000;
		stopped_ns = now_ns;
		began = virtual_clock_ns();
		w = watcher_start(&watch, NULL, 2, &t);
		assert_non_null(w);
		while (wakes <= WAKES)
			nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
		watcher_stop(w);
		assert_int_equal(t.n, reads);
		assert_in_range(t.n, rows[i].least, rows[i].most);
		for (size_t n = 0; n < t.n; n++) {
			uint64_t end = t.end_ns[n] - began, off = end % (10 * MS);

			assert_int_equal(t.counts[2 * n].value, t.end_ns[n]);
			assert_true(end >= 10 * MS && off <= MS);
		}
		timeline_free(&t);
	}
}

/* The status line's seconds are the wall's, its rates the machine's. */
static void test_machine_show(void **state)
{
	int shown = 0;
	const struct watch watch = { .show = count_shows, .arg = &shown };
	struct timeline t = { 0 };

	(void)state;
	machine_speed = 0.5;
	machine_ns = 0;
	stopped_ns = now_ns;
	run(&watch, &t);
	assert_int_equal(shown, WAKES);
	timeline_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_no_drift, reset),
		cmocka_unit_test_setup(test_too_late, reset),
		cmocka_unit_test_setup(test_late_reading, reset),
		cmocka_unit_test_setup(test_early_reading, reset),
		cmocka_unit_test_setup(test_no_memory, reset),
		cmocka_unit_test_setup(test_unknown, reset),
		cmocka_unit_test_setup(test_show, reset),
		cmocka_unit_test_setup(test_both, reset),
		cmocka_unit_test_setup(test_machine, reset),
		cmocka_unit_test_setup(test_machine_show, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
