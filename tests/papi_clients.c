/* SPDX-License-Identifier: MIT */
/* What TAU, Score-P, Caliper, GPTL, Extrae and PAPI's high-level interface do with a component, on
 * a virtual Skylake client and a virtual Core 2 whose events this test raises itself. The cases
 * are the nine demands of such clients, in order. */
#include "engine_fixture.h"
#include "on_machine.h"

#include <papi.h>

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define EVENTS 25
#define THREADS 8

/* ---- the two machines */

struct machine {
	const char *name, *component;
	const char *first;	/* the event that raise() moves, by n */
	const char *forked;	/* what a child counts while its parent counts `parent` */
	const char *parent;
	const char *unlike;	/* the same PMU, stays 0 */
	const char *global;	/* register, 0 while nothing is counted */
	int counters;		/* that the 25 events need */
	void (*raise)(uint32_t n);
	void (*raise_forked)(uint32_t n);
	void (*raise_parent)(uint32_t n);
	void (*wrap)(void);	/* moves `first` by 2^width, whatever it was */
	void (*list)(int i, char *name);	/* 25 events, the first is `first` */
};

static struct engine_fixture fixture;
static const struct machine *m;

#define CBO "intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:"
#define IMC "intel_uncore:::skl_unc_imc."

static void skl_raise(uint32_t n)
{
	engine_fixture_misses(&fixture, 1, (int)n);
}

static void dram(uint32_t reads)
{
	vpmu_lock(fixture.segment);
	vpmu_dram(fixture.segment, 0, reads, reads, 0);
	vpmu_unlock(fixture.segment);
}

static void skl_wrap(void)
{
	uint64_t now = engine_fixture_peek(&fixture, "MSR_UNC_CBO_1_PERFCTR0");
	long long v[EVENTS];

	for (int quarter = 1; quarter <= 4; quarter++) {
		engine_fixture_poke(&fixture, "MSR_UNC_CBO_1_PERFCTR0",
				    (now + ((uint64_t)quarter << 42)) & ((1ull << 44) - 1));
		PAPI_read(0, v);
	}
}

static void skl_list(int i, char *name)
{
	static const char *const more[] = {
		CBO "READ_I", CBO "ANY_M", IMC "DRAM_DATA_READS",
		"intel_uncore:::skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL",
		"intel_uncore:::skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL",
		"intel_uncore:::skl_unc_clk.UNC_CLOCK:SOCKET", IMC "DRAM_GT_REQUESTS",
		IMC "DRAM_IA_REQUESTS", IMC "DRAM_IO_REQUESTS", IMC "DRAM_DATA_WRITES",
		CBO "READ_I:package=0", CBO "ANY_M:package=0", IMC "DRAM_IA_REQUESTS:package=0",
		IMC "DRAM_DATA_READS:package=0", IMC "DRAM_DATA_READS:box=0",
		IMC "DRAM_DATA_WRITES:package=0", IMC "DRAM_DATA_WRITES:box=0",
	};
	int n = (int)(sizeof(more) / sizeof(more[0]));

	if (i < n)
		strcpy(name, more[i]);
	else
		sprintf(name, CBO "%s:box=%d", (i - n) % 2 ? "ANY_M" : "READ_I", (i - n) / 2);
}

static void core2_raise(uint32_t n)
{
	engine_fixture_raise(&fixture, 0, VPMU_INSTRUCTIONS, n, n);
}

static void core2_raise_next(uint32_t n)
{
	engine_fixture_raise(&fixture, 1, VPMU_INSTRUCTIONS, n, n);
}

static void core2_wrap(void)
{
	uint64_t now = engine_fixture_peek(&fixture, "MSR_PERF_FIXED_CTR0");
	long long v[EVENTS];

	for (int quarter = 1; quarter <= 4; quarter++) {
		engine_fixture_poke(&fixture, "MSR_PERF_FIXED_CTR0",
				    (now + ((uint64_t)quarter << 38)) & ((1ull << 40) - 1));
		PAPI_read(0, v);
	}
}

static void core2_list(int i, char *name)
{
	static const char *const events[] = {
		"core_fixed.INST_RETIRED.ANY", "core_fixed.CPU_CLK_UNHALTED.CORE",
		"core_fixed.CPU_CLK_UNHALTED.REF", "core.INSTRUCTION_RETIRED", "core.DIV",
		"core.INSTRUCTIONS_RETIRED", "core.INSTRUCTION_RETIRED:u:k",
	};

	sprintf(name, "intel_core:::%s:cpu=%d", events[i / 4], i % 4);
}

static const struct machine skl = {
	.name = "skl-4c8t", .component = "intel_uncore", .first = CBO "READ_I",
	.forked = IMC "DRAM_DATA_READS", .parent = CBO "READ_I", .unlike = CBO "ANY_M",
	.global = "MSR_UNC_PERF_GLOBAL_CTRL", .counters = 8 + 2 + 1,
	.raise = skl_raise, .raise_forked = dram, .raise_parent = skl_raise,
	.wrap = skl_wrap, .list = skl_list,
};
static const struct machine core2 = {
	.name = "core2-4c", .component = "intel_core",
	.first = "intel_core:::core_fixed.INST_RETIRED.ANY:cpu=0",
	.forked = "intel_core:::core_fixed.INST_RETIRED.ANY:cpu=0",
	.parent = "intel_core:::core_fixed.INST_RETIRED.ANY:cpu=1",
	.unlike = "intel_core:::core.DIV:cpu=0", .global = "MSR_PERF_GLOBAL_CTRL",
	.counters = 5 * 4, .raise = core2_raise, .raise_forked = core2_raise,
	.raise_parent = core2_raise_next, .wrap = core2_wrap, .list = core2_list,
};

/* ---- sets */

static _Atomic int failures;

static bool is(long long got, long long wanted, const char *what)
{
	if (got == wanted)
		return true;
	print_error("%s: %lld instead of %lld\n", what, got, wanted);
	failures++;
	return false;
}

#define OK(call) is(call, PAPI_OK, #call)
#define IS(expression, wanted) is(expression, wanted, #expression)

static int set_of(const char *const *names, int n)
{
	int set = PAPI_NULL;

	OK(PAPI_create_eventset(&set));
	for (int i = 0; i < n; i++)
		is(PAPI_add_named_event(set, names[i]), PAPI_OK, names[i]);
	return set;
}

static int set_of_many(void)
{
	int set = PAPI_NULL;

	OK(PAPI_create_eventset(&set));
	for (int i = 0; i < EVENTS; i++) {
		char name[PAPI_MAX_STR_LEN];

		m->list(i, name);
		is(PAPI_add_named_event(set, name), PAPI_OK, name);
	}
	return set;
}

static void end_set(int set)
{
	OK(PAPI_cleanup_eventset(set));
	OK(PAPI_destroy_eventset(&set));
}

static void nothing_is_left(void)
{
	IS((long long)engine_fixture_peek(&fixture, m->global), 0);
	IS((long long)fixture.segment->violation_count, 0);
}

static int check(void **state)
{
	(void)state;
	nothing_is_left();
	return atomic_exchange(&failures, 0) ? -1 : 0;
}

static void no_failures(void)
{
	assert_int_equal(atomic_exchange(&failures, 0), 0);
}

static int open_papi(void **state)
{
	(void)state;
	fixture.segment = on_machine_segment();
	return PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT &&
	       PAPI_thread_init(pthread_self) == PAPI_OK ? 0 : -1;
}

static int close_papi(void **state)
{
	PAPI_shutdown();
	return check(state);
}

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
			m->raise(100);
		if (step == 2)
			m->raise(10);
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
	int set = set_of(&m->first, 1);
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
	end_set(set);
	meet();
	OK(PAPI_unregister_thread());
	return NULL;
}

static void demand_1_threads_share_a_counter_with_baselines_of_their_own(void **state)
{
	(void)state;
	in_threads(counting_thread, THREADS);
	no_failures();
}

static void demand_2_a_reset_writes_no_register(void **state)
{
	int set = set_of_many();
	long long v[EVENTS];
	uint64_t writes;

	(void)state;
	OK(PAPI_start(set));
	writes = fixture.segment->accesses.wrmsr;
	for (int i = 1; i <= 10; i++) {		/* TAU at an enter or exit, Caliper */
		m->raise((uint32_t)i);
		OK(PAPI_read(set, v));
		IS(v[0], i);
		OK(PAPI_reset(set));
	}
	IS((long long)(fixture.segment->accesses.wrmsr - writes), 0);
	OK(PAPI_stop(set, v));
	IS(v[0], 0);
	end_set(set);
	no_failures();
}

/* ---- 3 */

static void demand_3_a_read_is_one_access_a_counter(void **state)
{
	int set = set_of_many();
	struct vpmu_access_counts was;
	long long v[EVENTS];

	(void)state;
	OK(PAPI_start(set));
	was = fixture.segment->accesses;
	for (int i = 0; i < 10; i++)
		OK(PAPI_read(set, v));
	IS((long long)(fixture.segment->accesses.rdmsr - was.rdmsr), 10 * m->counters);
	IS((long long)(fixture.segment->accesses.wrmsr - was.wrmsr), 0);
	IS((long long)(fixture.segment->accesses.pci_reads - was.pci_reads), 0);
	OK(PAPI_stop(set, v));
	end_set(set);
	no_failures();
}

/* Score-P never resets, and takes a falling count for an error. */
static void demand_3_counts_grow_across_wraps(void **state)
{
	const char *const wide[] = { m->first };
	int set = set_of(wide, 1), width = m == &skl ? 44 : 40;
	long long v, last = 0;

	(void)state;
	IS(set, 0);	/* wrap() reads it */
	OK(PAPI_start(set));
	m->raise(5);
	for (int i = 1; i <= 10; i++) {
		m->wrap();
		m->raise(1);
		OK(PAPI_read(set, &v));
		IS(v > last, true);
		IS(v, ((long long)i << width) + 5 + i);
		last = v;
	}
	OK(PAPI_stop(set, &v));
	IS(v, last);
	end_set(set);
	no_failures();
}

static int sampled = PAPI_NULL;
static volatile sig_atomic_t samples, bad_samples;

static void sample(int signal)
{
	long long v[EVENTS] = { 0 };

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
	long long v[EVENTS];

	(void)state;
	sampled = set_of_many();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &storm, NULL);
	while (samples < most && time(NULL) <= latest && !failures) {
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
	end_set(sampled);
	print_message("%d samples\n", (int)samples);
	IS(samples > 100, true);
	IS(bad_samples, 0);
	no_failures();
}

/* ---- 4 */

static void *ending_thread(void *arg)
{
	int set = *(int *)arg;
	long long v = -1;

	OK(PAPI_stop(set, &v));
	IS(v, 7);
	end_set(set);
	return NULL;
}

static void demand_4_another_thread_stops_and_cleans_up(void **state)
{
	int set = set_of(&m->first, 1);
	pthread_t thread;

	(void)state;
	OK(PAPI_start(set));
	m->raise(7);
	assert_int_equal(pthread_create(&thread, NULL, ending_thread, &set), 0);
	pthread_join(thread, NULL);
	no_failures();
}

static void *leaving_thread(void *arg)
{
	int set = set_of(&m->first, 1);

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
	nothing_is_left();
	no_failures();
}

static int child(int (*run)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(250);
		exit(run());
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static int leave_running(void)
{
	int set;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	set = set_of(&m->first, 1);
	return PAPI_start(set) == PAPI_OK && engine_fixture_peek(&fixture, m->global) ? 0 : 2;
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
	nothing_is_left();
	IS(child(shut_down_running), 0);
	nothing_is_left();
	no_failures();
}

/* ---- 5 */

static void demand_5_many_events_again_and_again(void **state)
{
	int set = set_of_many(), second = set_of_many();
	long long v[EVENTS];

	(void)state;
	for (int round = 0; round < 5; round++) {
		OK(PAPI_start(set));
		IS(PAPI_start(second), PAPI_EISRUN);
		m->raise(3);
		OK(PAPI_stop(set, v));
		IS(v[0], 3);
		OK(PAPI_start(second));
		m->raise(4);
		OK(PAPI_stop(second, v));
		IS(v[0], 4);
		OK(PAPI_remove_named_event(set, m->first));
		OK(PAPI_add_named_event(set, m->first));
		OK(PAPI_start(set));
		m->raise(2);
		OK(PAPI_stop(set, v));
		IS(v[EVENTS - 1], 2);
		end_set(set);
		set = set_of_many();
	}
	end_set(set);
	end_set(second);
	no_failures();
}

/* ---- 6, 7 */

static void demand_6_names_with_and_without_the_component(void **state)
{
	(void)state;
	for (int i = 0; i < EVENTS; i++) {
		char name[PAPI_MAX_STR_LEN], back[PAPI_MAX_STR_LEN];
		int code = 0, again = 0, bare = 0;

		m->list(i, name);
		OK(PAPI_event_name_to_code(name, &code));
		OK(PAPI_event_name_to_code(name, &again));
		IS(again, code);
		OK(PAPI_event_name_to_code(strstr(name, ":::") + 3, &bare));
		OK(PAPI_event_code_to_name(bare, back));
		IS(strcmp(back, name), 0);
		IS(PAPI_query_named_event(name), PAPI_OK);
	}
	no_failures();
}

static void demand_7_what_an_event_is(void **state)
{
	(void)state;
	for (int i = 0; i < EVENTS; i++) {
		char name[PAPI_MAX_STR_LEN];
		PAPI_event_info_t info;
		int code = 0;

		m->list(i, name);
		OK(PAPI_event_name_to_code(name, &code));
		OK(PAPI_get_event_info(code, &info));
		IS(info.data_type, PAPI_DATATYPE_UINT64);
		IS(info.units[0] != '\0', true);
		IS(info.long_descr[0] != '\0', true);
		IS(info.component_index, PAPI_get_component_index(m->component));
	}
	no_failures();
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
	OK(PAPI_event_name_to_code(m->first, &code));
	set = set_of(&m->first, 1);
	IS(done_or_refused(PAPI_overflow(set, code, 1000, PAPI_OVERFLOW_FORCE_SW, on_overflow)),
	   true);
	PAPI_overflow(set, code, 0, 0, on_overflow);
	end_set(set);
	set = set_of(&m->first, 1);
	IS(done_or_refused(PAPI_set_multiplex(set)), true);
	end_set(set);
	set = set_of(&m->first, 1);
	IS(done_or_refused(PAPI_attach(set, (unsigned long)getpid())), true);
	end_set(set);
	no_failures();
}

/* ---- 8 */

static int count_afresh(void)
{
	long long v = -1;
	int set;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	set = set_of(&m->forked, 1);
	OK(PAPI_start(set));
	m->raise_forked(9);
	OK(PAPI_stop(set, &v));
	IS(v, 9);
	end_set(set);
	PAPI_shutdown();
	return failures;
}

static int shut_down_and_count_afresh(void)
{
	PAPI_shutdown();
	return count_afresh();
}

static void demand_8_children_count_and_parents_go_on(void **state)
{
	int set = set_of(&m->parent, 1);
	long long v = -1;

	(void)state;
	OK(PAPI_start(set));
	m->raise_parent(3);
	for (int i = 0; i < 3; i++) {
		IS(child(count_afresh), 0);
		m->raise_parent(2);
		IS(child(shut_down_and_count_afresh), 0);
	}
	OK(PAPI_read(set, &v));
	IS(v, 9);
	m->raise_parent(1);
	OK(PAPI_stop(set, &v));
	IS(v, 10);
	end_set(set);
	no_failures();
}

/* ---- 9 */

static void demand_9_two_components(void **state)
{
	int core = PAPI_get_component_index("intel_core"), set;
	int uncore = PAPI_get_component_index("intel_uncore");

	(void)state;
	IS(core >= 0 && uncore >= 0 && core != uncore, true);
	set = set_of(&m->first, 1);
	IS(PAPI_add_named_event(set, m == &skl ? "intel_core:::core.DIV" : CBO "READ_I") != PAPI_OK,
	   true);
	end_set(set);
	no_failures();
}

/* ---- PAPI's high-level interface, which ends without a stop */

static char folder[] = "/tmp/papi_clients.XXXXXX";

static int high_level(void)
{
	char both[2 * PAPI_MAX_STR_LEN];

	snprintf(both, sizeof(both), "%s,%s", m->first, m->unlike);
	setenv("PAPI_EVENTS", both, 1);
	setenv("PAPI_OUTPUT_DIRECTORY", folder, 1);
	for (int i = 0; i < 3; i++) {
		OK(PAPI_hl_region_begin("region"));
		m->raise(20);
		OK(PAPI_hl_region_end("region"));
	}
	return failures;
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
	is(fscanf(f, "%d", &found), 1, command);
	is(found, 3, command);
	pclose(f);
}

static void the_high_level_interface(void **state)
{
	(void)state;
	IS(child(high_level), 0);
	nothing_is_left();
	reported(m->first, 20);
	reported(m->unlike, 0);
	no_failures();
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
	fixture.segment = on_machine_segment();
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
		cmocka_unit_test_teardown(demand_3_counts_grow_across_wraps, check),
		cmocka_unit_test_teardown(
			demand_1_threads_share_a_counter_with_baselines_of_their_own, check),
		cmocka_unit_test_teardown(demand_2_a_reset_writes_no_register, check),
		cmocka_unit_test_teardown(demand_3_a_read_is_one_access_a_counter, check),
		cmocka_unit_test_teardown(demand_3_a_signal_handler_may_read_at_any_moment, check),
		cmocka_unit_test_teardown(demand_4_another_thread_stops_and_cleans_up, check),
		cmocka_unit_test_teardown(demand_4_a_thread_goes_without_a_stop, check),
		cmocka_unit_test_teardown(demand_5_many_events_again_and_again, check),
		cmocka_unit_test_teardown(demand_6_names_with_and_without_the_component, check),
		cmocka_unit_test_teardown(demand_7_what_an_event_is, check),
		cmocka_unit_test_teardown(demand_7_more_than_counting_works_or_is_refused, check),
		cmocka_unit_test_teardown(demand_8_children_count_and_parents_go_on, check),
		cmocka_unit_test_teardown(demand_9_two_components, check),
	};
	int failed = cmocka_run_group_tests(apart, make_folder, clear_folder);

	return failed + cmocka_run_group_tests(tests, open_papi, close_papi);
}

int main(int argc, char **argv)
{
	const char *on = getenv("PAPI_CLIENTS_ON");
	int status;

	(void)argc;
	if (!on) {
		setenv("PAPI_CLIENTS_ON", skl.name, 1);
		if (fork() == 0)
			on_machine(argv, skl.name);
		if (wait(&status) < 0 || status)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		setenv("PAPI_CLIENTS_ON", core2.name, 1);
		on_machine(argv, core2.name);
	}
	m = strcmp(on, skl.name) == 0 ? &skl : &core2;
	return run_all();
}
