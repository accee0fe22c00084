/* SPDX-License-Identifier: MIT */
/* Overflow handlers on several events of an event set, on a virtual Core 2 whose events this test
 * raises itself. PAPI polls: at most one call a tick of 10 ms of CPU time. */
#include "papi_machine.h"

#include <signal.h>
#include <time.h>

#define C "intel_core:::"
#define INST C "core.INSTRUCTION_RETIRED:cpu=1"
#define BRANCHES C "core.BRANCH_INSTRUCTIONS_RETIRED:cpu=1"
#define LOCAL C "core_fixed.INST_RETIRED:ANY:cpu=2"

static volatile sig_atomic_t calls, of_event[4], wrong;
static volatile int expected_set;

static void on_overflow(int set, void *address, long long vector, void *context)
{
	int which[4], n = 4;

	wrong += set != expected_set || !address || !context ||
		 PAPI_get_overflow_event_index(set, vector, which, &n) != PAPI_OK;
	calls++;
	for (int i = 0; i < n && !wrong; i++)
		of_event[which[i]]++;
}

/* The handler reads registers: not while this thread has the machine. */
static void raise_events(uint32_t cpu, enum vpmu_core_event event, uint32_t n)
{
	sigset_t timer, old;

	sigemptyset(&timer);
	sigaddset(&timer, SIGPROF);
	sigprocmask(SIG_BLOCK, &timer, &old);
	engine_fixture_raise(&machine, cpu, event, n, n);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

/* Raise n of an event on a CPU again and again for 0.1 s of CPU time while the set counts, and
 * longer while there were too few calls: how late a tick comes is the system's choice. */
static void run(int set, uint32_t cpu, enum vpmu_core_event event, uint32_t n, int wanted)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 10, limit = end + 5 * CLOCKS_PER_SEC;
	long long v[4];

	calls = wrong = 0;
	memset((void *)of_event, 0, sizeof(of_event));
	expected_set = set;
	assert_papi(PAPI_start(set), PAPI_OK);
	do
		raise_events(cpu, event, n);
	while (clock() < end || (calls < wanted && clock() < limit));
	assert_papi(PAPI_stop(set, v), PAPI_OK);
	print_message("%d calls: %d %d %d\n", (int)calls, (int)of_event[0], (int)of_event[1],
		      (int)of_event[2]);
	assert_int_equal(wrong, 0);
}

static void the_event_that_happened_is_named(void **state)
{
	static const char *const names[] = { LOCAL, INST, BRANCHES };
	int set = papi_sets_of(names, 3);

	(void)state;
	for (int i = 1; i < 3; i++)
		assert_papi(PAPI_overflow(set, papi_sets_code(names[i]), 1000, 0, on_overflow),
			    PAPI_OK);
	for (int round = 0; round < 2; round++) {
		run(set, 1, VPMU_INSTRUCTIONS, 100, 3);
		assert_in_range(of_event[1], 3, 30);
		assert_int_equal(of_event[0] + of_event[2], 0);
		run(set, 1, VPMU_BRANCHES, 100, 3);
		assert_in_range(of_event[2], 3, 30);
		assert_int_equal(of_event[0] + of_event[1], 0);
	}
	run(set, 2, VPMU_INSTRUCTIONS, 100, 0);	/* counted by the event without a handler */
	assert_int_equal(calls, 0);
	papi_sets_end(set);
}

/* 0.1 s are ten ticks: a threshold of as much as is counted in all is passed at most once. */
static void thresholds_matter(void **state)
{
	int set = papi_sets_one(INST), code = papi_sets_code(INST);

	(void)state;
	assert_papi(PAPI_overflow(set, code, 2147483647, 0, on_overflow), PAPI_OK);
	run(set, 1, VPMU_INSTRUCTIONS, 1, 0);
	assert_int_equal(calls, 0);
	assert_papi(PAPI_overflow(set, code, 1, 0, on_overflow), PAPI_OK);
	run(set, 1, VPMU_INSTRUCTIONS, 1, 3);
	assert_in_range(calls, 3, 30);
	papi_sets_end(set);
}

/* Until there were as many calls, or for so many tenths of a second of CPU time. */
static void wait_for(int wanted, int tenths)
{
	for (clock_t end = clock() + tenths * CLOCKS_PER_SEC / 10; calls < wanted && clock() < end;)
		;
}

/* As often as a threshold is passed, however many ticks find it passed. */
static void a_passed_threshold_is_told_once(void **state)
{
	int set = papi_sets_one(INST);
	long long v;

	(void)state;
	assert_papi(PAPI_overflow(set, papi_sets_code(INST), 1000, 0, on_overflow), PAPI_OK);
	expected_set = set;
	for (int round = 0; round < 2; round++) {
		calls = wrong = 0;
		assert_papi(PAPI_start(set), PAPI_OK);
		raise_events(1, VPMU_INSTRUCTIONS, 1500);
		wait_for(1, 50);
		wait_for(2, 1);
		assert_int_equal(calls, 1);
		assert_papi(PAPI_stop(set, &v), PAPI_OK);
		assert_int_equal(v, 1500);
		assert_int_equal(wrong, 0);
	}
	papi_sets_end(set);
}

static void threshold_zero_ends_it(void **state)
{
	static const char *const names[] = { INST, BRANCHES };
	int set = papi_sets_of(names, 2);

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_papi(PAPI_overflow(set, papi_sets_code(names[i]), 1000, 0, on_overflow),
			    PAPI_OK);
	assert_papi(PAPI_overflow(set, papi_sets_code(INST), 0, 0, on_overflow), PAPI_OK);
	run(set, 1, VPMU_INSTRUCTIONS, 100, 0);
	assert_int_equal(calls, 0);
	run(set, 1, VPMU_BRANCHES, 100, 3);
	assert_in_range(of_event[1], 3, 30);
	assert_papi(PAPI_overflow(set, papi_sets_code(BRANCHES), 0, 0, on_overflow), PAPI_OK);
	run(set, 1, VPMU_BRANCHES, 100, 0);
	assert_int_equal(calls, 0);
	papi_sets_end(set);
}

static void a_set_that_lost_an_event_overflows(void **state)
{
	static const char *const names[] = { LOCAL, INST, BRANCHES };
	int set = papi_sets_of(names, 3);

	(void)state;
	assert_papi(PAPI_remove_named_event(set, LOCAL), PAPI_OK);
	assert_papi(PAPI_overflow(set, papi_sets_code(BRANCHES), 1000, 0, on_overflow), PAPI_OK);
	run(set, 1, VPMU_BRANCHES, 100, 3);
	assert_in_range(of_event[1], 3, 30);
	assert_int_equal(of_event[0], 0);
	papi_sets_end(set);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_event_that_happened_is_named),
		cmocka_unit_test(thresholds_matter),
		cmocka_unit_test(a_passed_threshold_is_told_once),
		cmocka_unit_test(threshold_zero_ends_it),
		cmocka_unit_test(a_set_that_lost_an_event_overflows),
	};

	(void)argc;
	on_machine(argv, "core2-4c");
	return cmocka_run_group_tests(tests, papi_machine_open, papi_machine_close);
}
