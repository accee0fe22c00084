/* SPDX-License-Identifier: MIT */
/* 64-bit values from 32-, 44- and 48-bit counters, with several readers at once. */
#include "counting/slot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <pthread.h>

#include <cmocka.h>

static _Atomic uint64_t hardware;	/* as if the counter had 64 bits */

static int read_hardware(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box,
			 int ctr, uint64_t *raw)
{
	(void)p, (void)box, (void)ctr;
	*raw = atomic_load(&hardware) & (~0ull >> (64 - ipmu_type_width(type)));
	return 0;
}

static const struct ipmu_ops ops = { .read = read_hardware };

static struct ipmu_box box_of(struct ipmu_pmu_type *type, int width)
{
	static struct ipmu_unit unit;
	static struct ipmu_reg counter;

	counter.width = (uint8_t)width;
	*type = (struct ipmu_pmu_type){ .name = "t", .ctr = &counter, .counters = 1, .ops = &ops,
					.per_clock = 1, .clock_mhz = 1 };
	return (struct ipmu_box){ .unit = &unit, .type = type };
}

/* The value where a count begins. */
static uint64_t begin(struct ipmu_box *box)
{
	uint64_t first;

	assert_int_equal(ipmu_slot_read(box, 0, &first), 0);
	atomic_store(&box->slots[0].watched, true);
	return first;
}

static void wraps_are_counted_once(void **state)
{
	static const int widths[] = { 32, 40, 44, 48 };

	(void)state;
	for (int w = 0; w < 4; w++) {
		struct ipmu_pmu_type type;
		struct ipmu_box box = box_of(&type, widths[w]);
		uint64_t start = (1ull << widths[w]) - 5, first, now;
		uint64_t step = (1ull << (widths[w] - 1)) - 1;	/* the most that is a count */

		atomic_store(&hardware, start);
		first = begin(&box);
		for (uint64_t i = 1; i <= 10; i++) {
			atomic_store(&hardware, start + i * step);
			assert_int_equal(ipmu_slot_read(&box, 0, &now), 0);
			assert_true(now - first == i * step);
		}
	}
}

/* Half of the range or more is a counter that was set back: it is lost, and stays where it was. */
static void a_step_back_is_no_wrap(void **state)
{
	static const uint64_t backs[] = { 1, 1000, 1ull << 31 };

	(void)state;
	for (int b = 0; b < 3; b++) {
		struct ipmu_pmu_type type;
		struct ipmu_box box = box_of(&type, 32);
		uint64_t was, now = 77;

		atomic_store(&hardware, 5000 + (1ull << 31));
		was = begin(&box);
		atomic_fetch_sub(&hardware, backs[b]);
		assert_int_equal(ipmu_slot_read(&box, 0, &now), -ESTALE);
		assert_int_equal(now, 77);
		assert_int_equal(atomic_load(&box.slots[0].lost), ESTALE);
		assert_true(atomic_load(&box.slots[0].value) == was);
		assert_int_equal(ipmu_slot_begin(&box, 0, &now), -ESTALE);
	}
}

/* Before a count begins a counter may hold anything; a counter that is modulo 2^16 by its document
 * may make any step; so may one that is measured from a value that is not the newest. */
static void what_is_no_step_back(void **state)
{
	struct ipmu_pmu_type type;
	struct ipmu_box box = box_of(&type, 32);
	uint64_t now;

	(void)state;
	atomic_store(&hardware, 5000);
	assert_int_equal(ipmu_slot_read(&box, 0, &now), 0);
	atomic_store(&hardware, 10);
	assert_int_equal(ipmu_slot_read(&box, 0, &now), 0);
	assert_int_equal(now & 0xFFFFFFFF, 10);
	atomic_store(&box.slots[0].watched, true);
	assert_int_equal(ipmu_slot_take(&box, 0, now - 20, 5, &now), -EAGAIN);
	assert_int_equal(atomic_load(&box.slots[0].lost), 0);
	box = box_of(&type, 16);
	type.per_clock = 0;
	atomic_store(&hardware, 60000);
	now = begin(&box);
	atomic_store(&hardware, 65536 + 59999);
	assert_int_equal(ipmu_slot_read(&box, 0, &now), 0);
	assert_int_equal(now, 65536 + 59999);
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
	first = begin(&box);
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
	first = begin(&box);
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
	first = begin(&shared_box);
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
		cmocka_unit_test(a_step_back_is_no_wrap),
		cmocka_unit_test(what_is_no_step_back),
		cmocka_unit_test(counters_that_count_down_give_events),
		cmocka_unit_test(counters_that_go_both_ways_give_a_balance),
		cmocka_unit_test(readers_agree_and_never_go_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
