/* SPDX-License-Identifier: MIT */
/* Calls that TAU, Score-P, Caliper, GPTL and Extrae make while they count, on a virtual
 * Skylake client and a virtual Core 2 whose events this test raises itself. The cases are the nine
 * demands of such clients, in order; those of how they end are in papi_clients_ends.c. */
#include "tests/clients/two_machines.h"
#include "papi_sets.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <cmocka.h>

#define THREADS 8

static pthread_barrier_t barrier;

static void in_threads(void *(*run)(void *), int n)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&barrier, NULL, (unsigned)n + 1);
	for (long i = 0; i < n; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run, (void *)i), 0);
	for (int step = 0; step < 4; step++) {
		pthread_barrier_wait(&barrier);
		if (step == 1)
			clients_on->raise(100);
		if (step == 2)
			clients_on->raise(10);
		pthread_barrier_wait(&barrier);
	}
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
}

static void meet(void)
{
	pthread_barrier_wait(&barrier);
}

/* ---- 1, 2: TAU's threads, and GPTL's, which adds them up */

static void *counting_thread(void *arg)
{
	long n = (long)arg;
	int set = clients_set_of(&clients_on->first, 1);
	long long v = -1;

	meet();
	OK(PAPI_start(set));		/* all at once */
	meet();
	meet();				/* 100 are raised */
	meet();
	OK(PAPI_read(set, &v));
	IS(v, 100);
	if (n % 2)
		OK(PAPI_reset(set));	/* its own count only */
	meet();				/* 10 more */
	meet();
	OK(PAPI_read(set, &v));
	IS(v, n % 2 ? 10 : 110);
	meet();
	OK(PAPI_stop(set, &v));
	IS(v, n % 2 ? 10 : 110);
	clients_end_set(set);
	meet();
	OK(PAPI_unregister_thread());
	return NULL;
}

static void demand_1_threads_share_a_counter_with_baselines_of_their_own(void **state)
{
	(void)state;
	in_threads(counting_thread, THREADS);
	clients_no_failures();
}

static void demand_2_a_reset_writes_no_register(void **state)
{
	int set = clients_set_of_many();
	long long v[CLIENTS_EVENTS];
	uint64_t writes;

	(void)state;
	OK(PAPI_start(set));
	writes = clients_fixture.segment->accesses.wrmsr;
	for (int i = 1; i <= 10; i++) {		/* TAU at an enter or exit, Caliper */
		clients_on->raise((uint32_t)i);
		OK(PAPI_read(set, v));
		IS(v[0], i);
		OK(PAPI_reset(set));
	}
	IS((long long)(clients_fixture.segment->accesses.wrmsr - writes), 0);
	OK(PAPI_stop(set, v));
	IS(v[0], 0);
	clients_end_set(set);
	clients_no_failures();
}

/* ---- 3 */

static void demand_3_a_read_is_one_access_a_counter(void **state)
{
	int set = clients_set_of_many();
	struct vpmu_access_counts was;
	long long v[CLIENTS_EVENTS];

	(void)state;
	OK(PAPI_start(set));
	was = clients_fixture.segment->accesses;
	for (int i = 0; i < 10; i++)
		OK(PAPI_read(set, v));
	IS((long long)(clients_fixture.segment->accesses.rdmsr - was.rdmsr),
	   10 * clients_on->counters);
	IS((long long)(clients_fixture.segment->accesses.wrmsr - was.wrmsr), 0);
	IS((long long)(clients_fixture.segment->accesses.pci_reads - was.pci_reads), 0);
	OK(PAPI_stop(set, v));
	clients_end_set(set);
	clients_no_failures();
}

/* Score-P never resets, and takes a falling count for an error. */
static void demand_3_counts_grow_across_wraps(void **state)
{
	const char *const wide[] = { clients_on->first };
	int set = clients_set_of(wide, 1), width = clients_on == &clients_skl ? 44 : 40;
	long long v, last = 0;

	(void)state;
	IS(set, 0);	/* wrap() reads it */
	OK(PAPI_start(set));
	clients_on->raise(5);
	for (int i = 1; i <= 10; i++) {
		clients_on->wrap();
		clients_on->raise(1);
		OK(PAPI_read(set, &v));
		IS(v > last, true);
		IS(v, ((long long)i << width) + 5 + i);
		last = v;
	}
	OK(PAPI_stop(set, &v));
	IS(v, last);
	clients_end_set(set);
	clients_no_failures();
}

static int sampled = PAPI_NULL;
static volatile sig_atomic_t samples, bad_samples;

static void sample(int signal)
{
	long long v[CLIENTS_EVENTS] = { 0 };

	(void)signal;
	bad_samples += PAPI_read(sampled, v) != PAPI_OK || v[0] < 0 || v[0] > 1 << 20;
	samples++;
}

/* TAU with sampling: its handler reads the set that the thread is starting, resetting, stopping. */
static void demand_3_a_signal_handler_may_read_at_any_moment(void **state)
{
	struct itimerval storm = { { .tv_usec = 50 }, { .tv_usec = 50 } }, calm = { 0 };
	struct sigaction action = { .sa_handler = sample, .sa_flags = SA_RESTART };
	time_t latest = time(NULL) + 10;	/* timers may be coarse */
	int most = samples + 10000;
	long long v[CLIENTS_EVENTS];

	(void)state;
	sampled = clients_set_of_many();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &storm, NULL);
	while (samples < most && time(NULL) <= latest && !clients_failures) {
		char *p;

		OK(PAPI_start(sampled));
		p = malloc(1000);
		OK(PAPI_read(sampled, v));
		free(p);
		OK(PAPI_reset(sampled));
		OK(PAPI_stop(sampled, v));
		IS(v[0], 0);
	}
	setitimer(ITIMER_REAL, &calm, NULL);
	clients_end_set(sampled);
	print_message("%d samples\n", (int)samples);
	IS(samples > 100, true);
	IS(bad_samples, 0);
	clients_no_failures();
}

/* ---- 5 */

static void demand_5_many_events_again_and_again(void **state)
{
	int set = clients_set_of_many(), second = clients_set_of_many();
	long long v[CLIENTS_EVENTS];

	(void)state;
	for (int round = 0; round < 5; round++) {
		OK(PAPI_start(set));
		IS(PAPI_start(second), PAPI_EISRUN);
		clients_on->raise(3);
		OK(PAPI_stop(set, v));
		IS(v[0], 3);
		OK(PAPI_start(second));
		clients_on->raise(4);
		OK(PAPI_stop(second, v));
		IS(v[0], 4);
		OK(PAPI_remove_named_event(set, clients_on->first));
		OK(PAPI_add_named_event(set, clients_on->first));
		OK(PAPI_start(set));
		clients_on->raise(2);
		OK(PAPI_stop(set, v));
		IS(v[CLIENTS_EVENTS - 1], 2);
		clients_end_set(set);
		set = clients_set_of_many();
	}
	clients_end_set(set);
	clients_end_set(second);
	clients_no_failures();
}

/* ---- 6, 7 */

static void demand_6_names_with_and_without_the_component(void **state)
{
	(void)state;
	for (int i = 0; i < CLIENTS_EVENTS; i++) {
		char name[PAPI_MAX_STR_LEN], back[PAPI_MAX_STR_LEN];
		int code = 0, again = 0, bare = 0;

		clients_on->list(i, name);
		OK(PAPI_event_name_to_code(name, &code));
		OK(PAPI_event_name_to_code(name, &again));
		IS(again, code);
		if (PAPI_SETS_BARE_NAMES) {
			OK(PAPI_event_name_to_code(strstr(name, ":::") + 3, &bare));
			OK(PAPI_event_code_to_name(bare, back));
			IS(strcmp(back, name), 0);
		}
		IS(PAPI_query_named_event(name), PAPI_OK);
	}
	clients_no_failures();
}

static void demand_7_what_an_event_is(void **state)
{
	(void)state;
	for (int i = 0; i < CLIENTS_EVENTS; i++) {
		char name[PAPI_MAX_STR_LEN];
		PAPI_event_info_t info;
		int code = 0;

		clients_on->list(i, name);
		OK(PAPI_event_name_to_code(name, &code));
		OK(PAPI_get_event_info(code, &info));
		IS(info.data_type, PAPI_DATATYPE_UINT64);
		IS(info.units[0] != '\0', true);
		IS(info.long_descr[0] != '\0', true);
		IS(info.component_index, PAPI_get_component_index(clients_on->component));
	}
	clients_no_failures();
}

static void on_overflow(int set, void *address, long long vector, void *context)
{
	(void)set, (void)address, (void)vector, (void)context;
}

static bool done_or_refused(int rc)
{
	return rc == PAPI_OK || rc == PAPI_ENOSUPP || rc == PAPI_ECMP;
}

static void demand_7_more_than_counting_works_or_is_refused(void **state)
{
	int set, code = 0;

	(void)state;
	OK(PAPI_event_name_to_code(clients_on->first, &code));
	set = clients_set_of(&clients_on->first, 1);
	IS(done_or_refused(PAPI_overflow(set, code, 1000, PAPI_OVERFLOW_FORCE_SW, on_overflow)),
	   true);
	PAPI_overflow(set, code, 0, 0, on_overflow);
	clients_end_set(set);
	set = clients_set_of(&clients_on->first, 1);
	IS(done_or_refused(PAPI_set_multiplex(set)), true);
	clients_end_set(set);
	set = clients_set_of(&clients_on->first, 1);
	IS(done_or_refused(PAPI_attach(set, (unsigned long)getpid())), true);
	clients_end_set(set);
	clients_no_failures();
}

/* ---- 9 */

static void demand_9_two_components(void **state)
{
	int core = PAPI_get_component_index("intel_core"), set;
	int uncore = PAPI_get_component_index("intel_uncore");

	(void)state;
	IS(core >= 0 && uncore >= 0 && core != uncore, true);
	set = clients_set_of(&clients_on->first, 1);
	IS(PAPI_add_named_event(set, clients_on == &clients_skl ? "intel_core:::core.DIV" :
				CBO "READ_I") != PAPI_OK, true);
	clients_end_set(set);
	clients_no_failures();
}

static int run_all(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(demand_3_counts_grow_across_wraps, clients_check),
		cmocka_unit_test_teardown(
			demand_1_threads_share_a_counter_with_baselines_of_their_own,
			clients_check),
		cmocka_unit_test_teardown(demand_2_a_reset_writes_no_register, clients_check),
		cmocka_unit_test_teardown(demand_3_a_read_is_one_access_a_counter, clients_check),
		cmocka_unit_test_teardown(demand_3_a_signal_handler_may_read_at_any_moment,
					  clients_check),
		cmocka_unit_test_teardown(demand_5_many_events_again_and_again, clients_check),
		cmocka_unit_test_teardown(demand_6_names_with_and_without_the_component,
					  clients_check),
		cmocka_unit_test_teardown(demand_7_what_an_event_is, clients_check),
		cmocka_unit_test_teardown(demand_7_more_than_counting_works_or_is_refused,
					  clients_check),
		cmocka_unit_test_teardown(demand_9_two_components, clients_check),
	};

	return cmocka_run_group_tests(tests, clients_open, clients_close);
}

int main(int argc, char **argv)
{
	(void)argc;
	return clients_main(argv, run_all);
}
