/* SPDX-License-Identifier: MIT */
/* The table of a lease's states, by what lease_state.h says of them. */
#include "lease/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define STATES (IPMU_LEASE_UNRESTORED + 1)
#define EVENTS (IPMU_LEASE_LOSE + 1)

/* The state that follows; -1: the event does not happen there. */
static int next(int state, int event)
{
	struct ipmu_lease lease = { .state = (enum ipmu_lease_state)state };
	bool moved = ipmu_lease_state_move(&lease, (enum ipmu_lease_event)event);

	assert_true(moved || (int)lease.state == state);
	return moved ? (int)lease.state : -1;
}

static bool is_inside(int state)
{
	return state == IPMU_LEASE_VISITING || state == IPMU_LEASE_ENTERED;
}

static bool is_joined(int state)
{
	struct ipmu_lease lease = { .state = (enum ipmu_lease_state)state };

	return ipmu_lease_joined(&lease);
}

static void one_enters_and_leaves_by_these_events(void **state)
{
	(void)state;
	for (int from = 0; from < STATES; from++)
		for (int event = 0; event < EVENTS; event++) {
			int to = next(from, event);

			if (to < 0)
				continue;
			assert_int_equal(is_inside(to) && !is_inside(from),
					 event == IPMU_LEASE_ENTER);
			assert_int_equal(is_inside(from) && !is_inside(to),
					 event == IPMU_LEASE_LEAVE);
		}
}

static void one_takes_part_from_joining_to_the_end(void **state)
{
	(void)state;
	for (int from = 0; from < STATES; from++)
		for (int event = 0; event < EVENTS; event++) {
			int to = next(from, event);

			if (to < 0)
				continue;
			assert_int_equal(is_joined(to) && !is_joined(from),
					 event == IPMU_LEASE_JOIN);
			if (is_joined(from) && !is_joined(to))
				assert_true(event >= IPMU_LEASE_END);
			assert_int_equal(to == IPMU_LEASE_UNRESTORED, event == IPMU_LEASE_FAIL);
		}
}

/* Entering is possible from outside, leaving from inside, whatever else has happened. */
static void no_state_is_a_trap(void **state)
{
	(void)state;
	for (int from = 0; from < STATES; from++) {
		assert_int_equal(next(from, IPMU_LEASE_ENTER) >= 0, !is_inside(from));
		assert_int_equal(next(from, IPMU_LEASE_LEAVE) >= 0, is_inside(from));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_enters_and_leaves_by_these_events),
		cmocka_unit_test(one_takes_part_from_joining_to_the_end),
		cmocka_unit_test(no_state_is_a_trap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
