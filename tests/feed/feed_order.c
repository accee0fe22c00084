/* SPDX-License-Identifier: MIT */
/* The order of a process's threads: who runs next, until when, and what makes a thread ready. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "virtual_pmu/feed/thread/turns.h"

#define SLICE VPMU_SLICE_CLOCKS
#define PLACES 4u

static uint64_t waited;

static struct vpmu_turn *thread(unsigned int vcpu)
{
	return vpmu_turn_find(vcpu);
}

/* Threads 0 to 3, of which the first one has the turn since clock 1000. */
static int fresh(void **state)
{
	(void)state;
	waited = 0;
	vpmu_turns.waited = &waited;
	for (unsigned int i = 0; i < PLACES; i++)
		if (!vpmu_turn_add(i, 1000, i ? VPMU_TURN_FUTEX : VPMU_TURN_RUNS))
			return -1;
	vpmu_turns.owner = thread(0);
	vpmu_turn_set_end();
	return 0;
}

static int done(void **state)
{
	(void)state;
	while (vpmu_turns.first)
		vpmu_turn_remove(vpmu_turns.first);
	return vpmu_turns.count || vpmu_turns_spinning;
}

static void ready(unsigned int vcpu, uint64_t clock)
{
	thread(vcpu)->state = VPMU_TURN_READY;
	thread(vcpu)->clock = clock;
	vpmu_turn_set_end();
}

static void the_smallest_clock_is_next(void **state)
{
	(void)state;
	assert_null(vpmu_turn_least(NULL));
	ready(3, 7000);
	assert_ptr_equal(vpmu_turn_least(NULL), thread(3));
	ready(1, 7001);
	assert_ptr_equal(vpmu_turn_least(NULL), thread(3));
	assert_ptr_equal(vpmu_turn_least(thread(3)), thread(1));
	ready(2, 7000);		/* the older one of two */
	assert_ptr_equal(vpmu_turn_least(NULL), thread(2));
}

static void a_turn_ends_a_slice_past_the_next_one(void **state)
{
	(void)state;
	assert_int_equal(vpmu_turn_end, UINT64_MAX);
	ready(1, 5000);
	assert_int_equal(vpmu_turn_end, 5000 + SLICE);
	ready(1, 500);		/* or past its own begin */
	assert_int_equal(vpmu_turn_end, 1000 + SLICE);
	assert_false(vpmu_turn_is_over(1000 + SLICE - 1));
	assert_true(vpmu_turn_is_over(1000 + SLICE));
}

static void a_sleeper_ends_it_at_its_time(void **state)
{
	(void)state;
	ready(1, 1000);
	thread(2)->until = 3000;
	thread(3)->until = 2000;
	vpmu_turn_set_end();
	assert_ptr_equal(vpmu_turn_sleeper(), thread(3));
	assert_int_equal(vpmu_turn_end, 2000);
	waited = 500;		/* so much has passed without a clock */
	vpmu_turn_set_end();
	assert_int_equal(vpmu_turn_end, 1500);
	waited = 2500;
	assert_int_equal(vpmu_turn_wakes_at(thread(3)), 0);
}

static void a_thread_that_waits_for_a_file_is_checked_each_slice(void **state)
{
	(void)state;
	thread(2)->state = VPMU_TURN_FILES_WAIT;
	vpmu_turn_set_end();
	assert_int_equal(vpmu_turn_end, 1000 + SLICE);
}

static void waiters_are_woken_in_their_order(void **state)
{
	static const uint64_t queued[PLACES] = { 0, 3, 1, 2 };

	(void)state;
	for (unsigned int i = 1; i < PLACES; i++) {
		thread(i)->address = 0x100;
		thread(i)->queued = queued[i];
		thread(i)->bitset = i == 2 ? 2 : 3;
	}
	assert_int_equal(vpmu_turn_wake(0x200, 9, UINT32_MAX, 4000), 0);
	assert_int_equal(vpmu_turn_wake(0x100, 1, 1, 4000), 1);		/* not thread 2 */
	assert_int_equal(thread(3)->state, VPMU_TURN_READY);
	assert_int_equal(thread(3)->clock, 4000);
	thread(1)->clock = 9000;	/* a waker that is behind does not take it back */
	assert_int_equal(vpmu_turn_wake(0x100, 9, UINT32_MAX, 4000), 2);
	assert_int_equal(thread(1)->clock, 9000);
	assert_int_equal(vpmu_turn_end, 4000 + SLICE);
}

static void a_spinner_waits_until_its_core_is_snooped(void **state)
{
	const struct vpmu_core *core = (const void *)0x1000, *other = (const void *)0x2000;

	(void)state;
	ready(1, 90000);
	vpmu_turn_spin(thread(1), core, 3000);
	assert_int_equal(vpmu_turns_spinning, 1);
	vpmu_turns_snooped(other, 3500);
	assert_int_equal(thread(1)->clock, 90000);
	vpmu_turns_snooped(core, 3500);
	assert_int_equal(thread(1)->clock, 3500);
	assert_int_equal(vpmu_turns_spinning, 0);
	assert_int_equal(vpmu_turn_end, 3500 + SLICE);
	ready(1, 90000);
	vpmu_turn_spin(thread(1), core, 3000);
	vpmu_turns_snooped(core, 2000);		/* a store before it began to spin */
	assert_int_equal(thread(1)->clock, 3000);
}

static void one_thread_is_left_after_a_fork(void **state)
{
	struct vpmu_turn *kept = thread(2);

	(void)state;
	ready(1, 1000);
	vpmu_turn_spin(thread(1), (const void *)0x1000, 1000);
	vpmu_turns.outside = 1;
	vpmu_turns_keep(kept);
	assert_int_equal(vpmu_turns.count, 1);
	assert_int_equal(vpmu_turns.outside, 0);
	assert_int_equal(vpmu_turns_spinning, 0);
	assert_ptr_equal(vpmu_turns.owner, kept);
	assert_int_equal(kept->state, VPMU_TURN_RUNS);
	assert_int_equal(vpmu_turn_end, UINT64_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_smallest_clock_is_next),
		TEST(a_turn_ends_a_slice_past_the_next_one),
		TEST(a_sleeper_ends_it_at_its_time),
		TEST(a_thread_that_waits_for_a_file_is_checked_each_slice),
		TEST(waiters_are_woken_in_their_order),
		TEST(a_spinner_waits_until_its_core_is_snooped),
		TEST(one_thread_is_left_after_a_fork),
	};

	return cmocka_run_group_tests_name("feed order", tests, NULL, NULL);
}
