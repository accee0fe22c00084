/* SPDX-License-Identifier: MIT */
/* A thread that misses often reserves the machine lock. Tested is which threads go before it, which
 * ones wait, and which one gets the lock next. */
#include "feed_runners.h"

#include <pthread.h>

#define MISSES 300000u

static void start_two(void)
{
	struct vpmu_machine m = one_set_machine(2, 2, 4);

	start(&m);
	segment->runners = 2;
	for (int i = 0; i < 2; i++) {
		runner[i].tid = vpmu_gettid() + (uint32_t)i;	/* the first one lives */
		runner[i].may_keep = true;
		runner[i].clock = 1u << 20;
	}
}

static void stop_two(void)
{
	vpmu_runner_let_go(segment, &runner[0]);
	vpmu_runner_let_go(segment, &runner[1]);
	stop_runners();
}

static uint32_t reserved(int i)
{
	return runner[i].tid | VPMU_LOCK_RESERVED;
}

static void reserve(uint64_t line)
{
	load(0, line);
	load(0, line + 1);
	assert_int_equal(segment->lock.owner, reserved(0));
}

static void who_misses_often_reserves_it(void **state)
{
	(void)state;
	start_two();
	load(0, 1);
	assert_int_equal(segment->lock.owner, 0);
	runner[0].clock += VPMU_OFTEN_CLOCKS - 1;
	load(0, 2);
	assert_int_equal(segment->lock.owner, reserved(0));
	runner[0].clock += VPMU_OFTEN_CLOCKS;
	load(0, 3);
	assert_int_equal(segment->lock.owner, 0);
	assert_int_equal(all_lookups(), 3);
	stop_two();
}

static void others_go_before_it(void **state)
{
	(void)state;
	start_two();
	reserve(1);
	load(1, 11);		/* its first miss for a long time */
	assert_int_equal(all_lookups(), 3);
	assert_int_equal(segment->lock.owner, reserved(0));
	vpmu_lock(segment);
	assert_true(vpmu_lock_held(segment));
	vpmu_unlock(segment);
	reserve(21);
	assert_true(vpmu_feed_lock(segment, vpmu_gettid()));
	vpmu_feed_unlock(segment);
	stop_two();
}

static void who_does_not_go_on_loses_it(void **state)
{
	(void)state;
	start_two();
	reserve(1);
	load(1, 11);
	load(1, 12);
	assert_int_equal(segment->lock.owner, reserved(1));
	assert_int_equal(segment->lock.waiting, 0);
	assert_int_equal(all_lookups(), 4);
	stop_two();
}

static void a_turn_ends_by_waking_one_that_waits(void **state)
{
	uint32_t turn;

	(void)state;
	start_two();
	reserve(1);
	turn = segment->lock.turn;
	segment->lock.uses = VPMU_TURN_USES - 1;
	load(0, 3);
	assert_int_equal(segment->lock.turn, turn);
	segment->lock.uses = VPMU_TURN_USES - 1;
	segment->lock.waiting = 1;
	load(0, 4);
	assert_int_equal(segment->lock.turn, turn + 1);
	load(0, 5);
	assert_int_equal(segment->lock.turn, turn + 1);
	assert_int_equal(segment->lock.owner, reserved(0));	/* that one has not come yet */
	segment->lock.waiting = 0;
	assert_int_equal(all_lookups(), 5);
	stop_two();
}

static void a_system_call_gives_it_up(void **state)
{
	uint32_t turn;

	(void)state;
	start_two();
	reserve(1);
	turn = segment->lock.turn;
	segment->lock.waiting = 1;
	vpmu_runner_let_go(segment, &runner[0]);
	assert_int_equal(segment->lock.owner, 0);
	assert_int_equal(segment->lock.turn, turn + 1);
	segment->lock.waiting = 0;
	stop_two();
}

static uint32_t lost[2];		/* how often another one has had the lock meanwhile */
static pthread_barrier_t begin;

static void *miss_often(void *number)
{
	int i = *(int *)number;

	runner[i].tid = vpmu_gettid();
	pthread_barrier_wait(&begin);
	for (uint64_t line = 0; line < MISSES; line++) {
		lost[i] += __atomic_load_n(&segment->lock.owner, __ATOMIC_RELAXED) != reserved(i);
		load(i, line + (i ? 1ull << 24 : 0));
	}
	vpmu_runner_let_go(segment, &runner[i]);
	return NULL;
}

static void two_threads_take_turns(void **state)
{
	int first = 0, second = 1;
	pthread_t thread;

	(void)state;
	start_two();
	assert_int_equal(pthread_barrier_init(&begin, NULL, 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, miss_often, &first), 0);
	miss_often(&second);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_barrier_destroy(&begin);
	assert_int_equal(all_lookups(), 2 * MISSES);
	assert_int_equal(segment->lock.uses, 2 * (MISSES - 1));
	assert_in_range(lost[0] + lost[1], 2, MISSES / 10);
	assert_int_equal(segment->lock.waiting, 0);
	stop_runners();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_misses_often_reserves_it),
		cmocka_unit_test(others_go_before_it),
		cmocka_unit_test(who_does_not_go_on_loses_it),
		cmocka_unit_test(a_turn_ends_by_waking_one_that_waits),
		cmocka_unit_test(a_system_call_gives_it_up),
		cmocka_unit_test(two_threads_take_turns),
	};

	return cmocka_run_group_tests_name("the reserved lock", tests, NULL, NULL);
}
