/* SPDX-License-Identifier: MIT */
/* How PAPI's clients end: threads that go or whose sets others stop, children that count afresh,
 * processes that exit without a stop, as those of PAPI's high-level interface do. */
#include "tests/clients/two_machines.h"
#include "on_machine.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- 4 */

static void *ending_thread(void *arg)
{
	int set = *(int *)arg;
	long long v = -1;

	OK(PAPI_stop(set, &v));
	IS(v, 7);
	clients_end_set(set);
	return NULL;
}

static void demand_4_another_thread_stops_and_cleans_up(void **state)
{
	int set = clients_set_of(&clients_on->first, 1);
	pthread_t thread;

	(void)state;
	OK(PAPI_start(set));
	clients_on->raise(7);
	assert_int_equal(pthread_create(&thread, NULL, ending_thread, &set), 0);
	pthread_join(thread, NULL);
	clients_no_failures();
}

static void *leaving_thread(void *arg)
{
	int set = clients_set_of(&clients_on->first, 1);

	(void)arg;
	OK(PAPI_start(set));
	OK(PAPI_unregister_thread());
	return NULL;
}

static void demand_4_a_thread_goes_without_a_stop(void **state)
{
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, leaving_thread, NULL), 0);
	pthread_join(thread, NULL);
	clients_nothing_is_left();
	clients_no_failures();
}

static int child(int (*run)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(HANG_SECONDS);
		exit(run());
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static int leave_running(void)
{
	int set;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	set = clients_set_of(&clients_on->first, 1);
	return PAPI_start(set) == PAPI_OK &&
	       engine_fixture_peek(&clients_fixture, clients_on->global) ? 0 : 2;
}

static int shut_down_running(void)
{
	int rc = leave_running();

	PAPI_shutdown();
	return rc;
}

static void demand_4_processes_exit_without_a_stop(void **state)
{
	(void)state;
	IS(child(leave_running), 0);
	clients_nothing_is_left();
	IS(child(shut_down_running), 0);
	clients_nothing_is_left();
	clients_no_failures();
}

/* ---- 8 */

static int count_afresh(void)
{
	long long v = -1;
	int set;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	set = clients_set_of(&clients_on->forked, 1);
	OK(PAPI_start(set));
	clients_on->raise_forked(9);
	OK(PAPI_stop(set, &v));
	IS(v, 9);
	clients_end_set(set);
	PAPI_shutdown();
	return clients_failures;
}

static int shut_down_and_count_afresh(void)
{
	PAPI_shutdown();
	return count_afresh();
}

static void demand_8_children_count_and_parents_go_on(void **state)
{
	int set = clients_set_of(&clients_on->parent, 1);
	long long v = -1;

	(void)state;
	OK(PAPI_start(set));
	clients_on->raise_parent(3);
	for (int i = 0; i < 3; i++) {
		IS(child(count_afresh), 0);
		clients_on->raise_parent(2);
		IS(child(shut_down_and_count_afresh), 0);
	}
	OK(PAPI_read(set, &v));
	IS(v, 9);
	clients_on->raise_parent(1);
	OK(PAPI_stop(set, &v));
	IS(v, 10);
	clients_end_set(set);
	clients_no_failures();
}

/* ---- PAPI's high-level interface, which ends without a stop */

static char folder[] = "/tmp/papi_clients_ends.XXXXXX";

static int high_level(void)
{
	char both[2 * PAPI_MAX_STR_LEN];

	snprintf(both, sizeof(both), "%s,%s", clients_on->first, clients_on->unlike);
	setenv("PAPI_EVENTS", both, 1);
	setenv("PAPI_OUTPUT_DIRECTORY", folder, 1);
	for (int i = 0; i < 3; i++) {
		OK(PAPI_hl_region_begin("region"));
		clients_on->raise(20);
		OK(PAPI_hl_region_end("region"));
	}
	return clients_failures;
}

/* The report has a line for each of three regions. */
static void reported(const char *event, int n)
{
	char command[400];
	FILE *f;
	int found = -1;

	snprintf(command, sizeof(command), "grep -rh '\"%s\": *\"%d\"' %s | wc -l", event, n,
		 folder);
	f = popen(command, "r");
	assert_non_null(f);
	clients_is(fscanf(f, "%d", &found), 1, command);
	clients_is(found, 3, command);
	pclose(f);
}

static void the_high_level_interface(void **state)
{
	(void)state;
	IS(child(high_level), 0);
	clients_nothing_is_left();
	reported(clients_on->first, 20);
	reported(clients_on->unlike, 0);
	clients_no_failures();
}

static int clear_folder(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static int make_folder(void **state)
{
	(void)state;
	clients_fixture.segment = on_machine_segment();
	return mkdtemp(folder) ? 0 : -1;
}

/* Processes that end in their own way come first: PAPI must not have been started before them. */
static int run_all(void)
{
	const struct CMUnitTest apart[] = {
		cmocka_unit_test(the_high_level_interface),
		cmocka_unit_test(demand_4_processes_exit_without_a_stop),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(demand_4_another_thread_stops_and_cleans_up,
					  clients_check),
		cmocka_unit_test_teardown(demand_4_a_thread_goes_without_a_stop, clients_check),
		cmocka_unit_test_teardown(demand_8_children_count_and_parents_go_on, clients_check),
	};
	int failed = cmocka_run_group_tests(apart, make_folder, clear_folder);

	return failed + cmocka_run_group_tests(tests, clients_open, clients_close);
}

int main(int argc, char **argv)
{
	(void)argc;
	return clients_main(argv, run_all);
}
