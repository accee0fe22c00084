/* SPDX-License-Identifier: MIT */
/* Which of two ways a trial chooses, with made-up times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "virtual_pmu/feed/thread/trial.h"

#define TRIAL (VPMU_TRIAL_WINDOWS * VPMU_TRIAL_EVENTS)

/* Events that take so long in either way, of which one in `disturbed` is a million longer. */
struct world {
	struct vpmu_trial trial;
	uint32_t event, disturbed;
	uint64_t time, cost[2], taken[2];
};

static void pass(struct world *w, uint32_t events)
{
	for (uint32_t i = 0; i < events; i++, w->event++) {
		if ((int32_t)(w->event - w->trial.until) >= 0)
			vpmu_trial_go_on(&w->trial, w->event, w->time);
		w->time += w->cost[w->trial.second];
		w->taken[w->trial.second]++;
		if (w->disturbed && w->event % w->disturbed == 0)
			w->time += 1000000;
	}
}

static void both_ways_are_tried_alike(void **state)
{
	struct world w = { .cost = { 100, 100 } };

	(void)state;
	pass(&w, TRIAL);
	assert_int_equal(w.taken[0], TRIAL / 2);
	assert_int_equal(w.taken[1], TRIAL / 2);
}

static void the_cheaper_one_stays(void **state)
{
	for (int better = 0; better < 2; better++) {
		struct world w = { .cost = { 100, 100 } };

		(void)state;
		w.cost[better] = 99;
		pass(&w, TRIAL);
		memset(w.taken, 0, sizeof(w.taken));
		pass(&w, VPMU_TRIAL_LASTS);
		assert_int_equal(w.taken[better], VPMU_TRIAL_LASTS);
	}
}

static void of_two_alike_the_first_stays(void **state)
{
	struct world w = { .cost = { 100, 100 } };

	(void)state;
	pass(&w, TRIAL);
	memset(w.taken, 0, sizeof(w.taken));
	pass(&w, VPMU_TRIAL_LASTS);
	assert_int_equal(w.taken[0], VPMU_TRIAL_LASTS);
}

static void what_disturbs_some_windows_does_not_matter(void **state)
{
	struct world w = { .cost = { 100, 80 }, .disturbed = 300 };

	(void)state;
	pass(&w, TRIAL);
	memset(w.taken, 0, sizeof(w.taken));
	pass(&w, VPMU_TRIAL_LASTS);
	assert_int_equal(w.taken[1], VPMU_TRIAL_LASTS);
}

static void the_choice_is_made_again(void **state)
{
	struct world w = { .cost = { 100, 80 } };

	(void)state;
	pass(&w, TRIAL + VPMU_TRIAL_LASTS);
	w.cost[1] = 120;
	pass(&w, TRIAL);
	memset(w.taken, 0, sizeof(w.taken));
	pass(&w, VPMU_TRIAL_LASTS);
	assert_int_equal(w.taken[0], VPMU_TRIAL_LASTS);
}

static void a_window_without_events_tells_nothing(void **state)
{
	struct vpmu_trial t = { 0 };

	(void)state;
	vpmu_trial_go_on(&t, 5, 0);
	vpmu_trial_go_on(&t, 5, 1);
	assert_int_equal(t.windows, VPMU_TRIAL_WINDOWS);
}

/* A trial that began just before the number of events starts from 0. */
static void numbers_of_events_wrap(void **state)
{
	struct world w = { .cost = { 100, 80 }, .event = UINT32_MAX - 1000 };

	(void)state;
	w.trial.until = w.event;
	pass(&w, TRIAL);
	memset(w.taken, 0, sizeof(w.taken));
	pass(&w, VPMU_TRIAL_LASTS);
	assert_int_equal(w.taken[1], VPMU_TRIAL_LASTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways_are_tried_alike),
		cmocka_unit_test(the_cheaper_one_stays),
		cmocka_unit_test(of_two_alike_the_first_stays),
		cmocka_unit_test(what_disturbs_some_windows_does_not_matter),
		cmocka_unit_test(the_choice_is_made_again),
		cmocka_unit_test(a_window_without_events_tells_nothing),
		cmocka_unit_test(numbers_of_events_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
