/* SPDX-License-Identifier: MIT */
/* When a thread may take the machine lock. A thread that wants it seldom goes before the one that
 * has reserved it, which may never stop. A thread that wants it often waits until that one has
 * finished. */
#include "virtual_pmu/feed/thread/machine_lock.c"

#include "feed_machine.h"

#define OTHER 4711u
#define MINE 4712u
#define RESERVED_BY(tid) ((tid) | VPMU_LOCK_RESERVED)

static struct wait w;

static int fresh(void **state)
{
	struct vpmu_machine m = one_set_machine(2, 2, 4);

	*state = segment_of(&m);
	w = (struct wait){ .s = *state, .tid = MINE };
	return 0;
}

static int done(void **state)
{
	free(*state);
	return 0;
}

static void whose_it_is(void **state)
{
	(void)state;
	for (int polite = 0; polite < 2; polite++) {
		assert_true(may_take(&w, 0, polite));
		assert_true(may_take(&w, RESERVED_BY(MINE), polite));
		assert_false(may_take(&w, OTHER, polite));
		assert_false(may_take(&w, OTHER | VPMU_LOCK_KEPT, polite));
	}
}

/* However often the other one uses it. */
static void who_wants_it_seldom_goes_first(void **state)
{
	(void)state;
	for (w.polls = 0; w.polls < 10; w.polls++) {
		w.s->lock.uses++;
		assert_true(may_take(&w, RESERVED_BY(OTHER), false));
	}
}

static void who_wants_it_often_waits_until_it_is_not_used(void **state)
{
	(void)state;
	assert_false(may_take(&w, RESERVED_BY(OTHER), true));	/* nothing to compare with yet */
	for (w.polls = 1; w.polls < 10; w.polls++) {
		w.s->lock.uses++;
		assert_false(may_take(&w, RESERVED_BY(OTHER), true));
	}
	assert_true(may_take(&w, RESERVED_BY(OTHER), true));
}

/* However often the other one uses it, but not while it does. */
static void who_was_woken_takes_its_turn(void **state)
{
	(void)state;
	w.turn = 1;
	for (w.polls = 0; w.polls < 10; w.polls++) {
		w.s->lock.uses++;
		assert_true(may_take(&w, RESERVED_BY(OTHER), true));
		assert_false(may_take(&w, OTHER, true));
		assert_false(may_take(&w, OTHER | VPMU_LOCK_KEPT, true));
	}
}

static void a_turn_that_is_not_taken_passes(void **state)
{
	(void)state;
	w.turn = POLLS_OF_TURN;
	for (uint32_t i = 0; i < POLLS_OF_TURN; i++) {
		assert_true(may_take(&w, RESERVED_BY(OTHER), true));
		pass_time(&w, true);
	}
	w.polls = 1;
	w.s->lock.uses++;
	assert_false(may_take(&w, RESERVED_BY(OTHER), true));
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, fresh, done)
	const struct CMUnitTest tests[] = {
		CASE(whose_it_is),
		CASE(who_wants_it_seldom_goes_first),
		CASE(who_wants_it_often_waits_until_it_is_not_used),
		CASE(who_was_woken_takes_its_turn),
		CASE(a_turn_that_is_not_taken_passes),
	};

	return cmocka_run_group_tests_name("whose turn it is", tests, NULL, NULL);
}
