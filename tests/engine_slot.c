/* SPDX-License-Identifier: MIT */
/* 64-bit values from 32-, 44- and 48-bit counters, with several readers at once. */
#include "counting/system.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <pthread.h>

#include <cmocka.h>

static _Atomic uint64_t hardware;	/* as if the counter had 64 bits */

static int read_hardware(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box,
			 int ctr, uint64_t *raw)
{
	(void)p, (void)box, (void)ctr;
	*raw = atomic_load(&hardware) & (~0ull >> (64 - type->width));
	return 0;
}

static const struct ipmu_ops ops = { .read = read_hardware };

static struct ipmu_box box_of(struct ipmu_pmu_type *type, int width)
{
	static struct ipmu_unit unit;

	*type = (struct ipmu_pmu_type){ .name = "t", .width = width, .counters = 1, .ops = &ops };
	return (struct ipmu_box){ .unit = &unit, .type = type };
}

static void wraps_are_counted_once(void **state)
{
	static const int widths[] = { 32, 40, 44, 48 };

	(void)state;
	for (int w = 0; w < 4; w++) {
		struct ipmu_pmu_type type;
		struct ipmu_box box = box_of(&type, widths[w]);
		uint64_t start = (1ull << widths[w]) - 5, first, now;
		uint64_t step = (1ull << widths[w]) - 1;	/* the most that one read can see */

		atomic_store(&hardware, start);
		assert_int_equal(ipmu_slot_read(&box, 0, &first), 0);
		for (uint64_t i = 1; i <= 10; i++) {
			atomic_store(&hardware, start + i * step);
			assert_int_equal(ipmu_slot_read(&box, 0, &now), 0);
			assert_true(now - first == i * step);
		}
	}
}

/* From 2 the counter goes 5 down, through 0. */
static void counters_that_count_down_give_events(void **state)
{
	struct ipmu_pmu_type type;
	struct ipmu_box box = box_of(&type, 48);
	uint64_t first, now;

	(void)state;
	box.slots[0].choice.direction = IPMU_DOWN;
	atomic_store(&hardware, 2);
	assert_int_equal(ipmu_slot_read(&box, 0, &first), 0);
	atomic_store(&hardware, 0ull - 3);
	assert_int_equal(ipmu_slot_read(&box, 0, &now), 0);
	assert_int_equal(now - first, 5);
}

static void counters_that_go_both_ways_give_a_balance(void **state)
{
	static const int64_t steps[] = { 7, -10, -1000, 2000, -(1ll << 46) };
	struct ipmu_pmu_type type;
	struct ipmu_box box = box_of(&type, 48);
	uint64_t first, now;
	int64_t sum = 0;

	(void)state;
	box.slots[0].choice.direction = IPMU_UP_DOWN;
	atomic_store(&hardware, 1);
	assert_int_equal(ipmu_slot_read(&box, 0, &first), 0);
	for (int i = 0; i < 5; i++) {
		sum += steps[i];
		atomic_fetch_add(&hardware, (uint64_t)steps[i]);
		assert_int_equal(ipmu_slot_read(&box, 0, &now), 0);
		assert_true((int64_t)(now - first) == sum);
	}
}

#define READERS 4
#define READS 200000

static struct ipmu_pmu_type shared_type;
static struct ipmu_box shared_box;

static void *reader(void *arg)
{
	uint64_t last = 0, now;

	(void)arg;
	for (int i = 0; i < READS; i++) {
		atomic_fetch_add(&hardware, 1u << 20);	/* wraps 32 bits every 4,096 times */
		if (ipmu_slot_read(&shared_box, 0, &now) || now < last)
			return (void *)1;
		last = now;
	}
	return NULL;
}

static void readers_agree_and_never_go_back(void **state)
{
	pthread_t threads[READERS];
	uint64_t first, now;

	(void)state;
	shared_box = box_of(&shared_type, 32);
	atomic_store(&hardware, 12345);
	assert_int_equal(ipmu_slot_read(&shared_box, 0, &first), 0);
	for (int i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, reader, NULL), 0);
	for (int i = 0; i < READERS; i++) {
		void *bad;

		pthread_join(threads[i], &bad);
		assert_null(bad);
	}
	assert_int_equal(ipmu_slot_read(&shared_box, 0, &now), 0);
	assert_true(now - first == (uint64_t)READERS * READS << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wraps_are_counted_once),
		cmocka_unit_test(counters_that_count_down_give_events),
		cmocka_unit_test(counters_that_go_both_ways_give_a_balance),
		cmocka_unit_test(readers_agree_and_never_go_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
