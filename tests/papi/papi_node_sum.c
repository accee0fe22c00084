/* SPDX-License-Identifier: MIT */
/* IPMU_NODE_SUM=first inside one process, on a virtual Skylake client whose lookups this test
 * raises itself. Between processes: mpi_naive.sh. */
#include "entries.h"
#include "papi_machine.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>

#define LOOKUPS "intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I"
#define READS "intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I"

static long long counted(int set)
{
	long long n;

	assert_papi(PAPI_start(set), PAPI_OK);
	engine_fixture_misses(&machine, 1, 100);
	assert_papi(PAPI_stop(set, &n), PAPI_OK);
	return n;
}

/* The event is free for the next set as soon as one stops. */
static void set_after_set(void **state)
{
	int first = papi_sets_one(LOOKUPS), second = papi_sets_one(LOOKUPS);

	(void)state;
	assert_int_equal(counted(first), 100);
	assert_int_equal(counted(second), 100);
	papi_sets_end(first);
	papi_sets_end(second);
}

/* A set that another thread runs, as PAPI runs one of a component in each. */
static struct other {
	const char *const *names;
	int n;
	const char *removed;
	long long v[2];
	pthread_t thread;
	pthread_barrier_t meet;
} other;

static void *run_other(void *arg)
{
	int set = papi_sets_of(other.names, other.n);

	(void)arg;
	if (other.removed)
		assert_papi(PAPI_remove_named_event(set, other.removed), PAPI_OK);
	assert_papi(PAPI_start(set), PAPI_OK);
	pthread_barrier_wait(&other.meet);
	pthread_barrier_wait(&other.meet);
	assert_papi(PAPI_stop(set, other.v), PAPI_OK);
	papi_sets_end(set);
	PAPI_unregister_thread();
	return NULL;
}

static void other_starts(const char *const *names, int n, const char *removed)
{
	other.names = names;
	other.n = n;
	other.removed = removed;
	assert_papi(PAPI_thread_init(pthread_self), PAPI_OK);
	pthread_barrier_init(&other.meet, NULL, 2);
	assert_int_equal(pthread_create(&other.thread, NULL, run_other, NULL), 0);
	pthread_barrier_wait(&other.meet);
}

static void other_stops(void)
{
	pthread_barrier_wait(&other.meet);
	pthread_join(other.thread, NULL);
	pthread_barrier_destroy(&other.meet);
}

static const char *const lookups[] = { LOOKUPS }, *const reads[] = { READS },
	*const both[] = { LOOKUPS, READS };

/* Each event has its own reporter: here another set already reports one of the two. */
static void event_by_event(void **state)
{
	int set = papi_sets_of(both, 2);
	long long v[2] = { -1, -1 };

	(void)state;
	other_starts(lookups, 1, NULL);
	assert_papi(PAPI_start(set), PAPI_OK);
	engine_fixture_misses(&machine, 1, 100);
	assert_papi(PAPI_read(set, v), PAPI_OK);
	assert_int_equal(v[0], 0);
	assert_int_equal(v[1], 100);
	assert_papi(PAPI_stop(set, v), PAPI_OK);
	assert_int_equal(v[0], 0);
	other_stops();
	assert_int_equal(other.v[0], 100);
	papi_sets_end(set);
}

/* An event that a set has removed can be reported by any other set. */
static void an_event_that_was_removed(void **state)
{
	int set = papi_sets_one(LOOKUPS);

	(void)state;
	other_starts(both, 2, LOOKUPS);
	assert_int_equal(counted(set), 100);
	other_stops();
	assert_int_equal(other.v[0], 100);
	papi_sets_end(set);
}

static uint64_t accesses(void)
{
	return machine.segment->accesses.rdmsr + machine.segment->accesses.wrmsr;
}

/* All that this set still has is another's, so it does not count. */
static void nothing_is_left_to_report(void **state)
{
	int set = papi_sets_of(both, 2);
	uint64_t before;
	long long v = -1;

	(void)state;
	assert_papi(PAPI_remove_named_event(set, LOOKUPS), PAPI_OK);
	other_starts(reads, 1, NULL);
	before = accesses();
	assert_papi(PAPI_start(set), PAPI_OK);
	assert_papi(PAPI_stop(set, &v), PAPI_OK);
	assert_int_equal(v, 0);
	assert_int_equal(accesses(), before);
	other_stops();
	assert_true(accesses() > before);
	papi_sets_end(set);
}

#define REGISTERS_MAX 256

static void registers_stay(const uint64_t *before, int n)
{
	uint64_t now[REGISTERS_MAX];

	assert_int_equal(engine_fixture_registers(&machine, 0, now, REGISTERS_MAX), n);
	assert_memory_equal(now, before, (size_t)n * sizeof(*now));
}

/* Its event is nobody else's, so that it would need counters of its own. */
static void report_nothing(void)
{
	int set = papi_sets_one(READS), n;
	uint64_t before[REGISTERS_MAX];
	long long v = -1;

	n = engine_fixture_registers(&machine, 0, before, REGISTERS_MAX);
	assert_papi(PAPI_start(set), PAPI_OK);
	registers_stay(before, n);
	assert_papi(PAPI_read(set, &v), PAPI_OK);
	assert_int_equal(v, 0);
	registers_stay(before, n);
	assert_papi(PAPI_reset(set), PAPI_OK);
	registers_stay(before, n);
	v = -1;
	assert_papi(PAPI_stop(set, &v), PAPI_OK);
	assert_int_equal(v, 0);
	registers_stay(before, n);
	papi_sets_end(set);
}

/* Sets that another process starts meanwhile read 0 and touch no register. */
static void one_process_reports(void **state)
{
	int first = papi_sets_one(LOOKUPS), status = -1;
	long long v;
	pid_t child;

	(void)state;
	assert_papi(PAPI_start(first), PAPI_OK);
	engine_fixture_misses(&machine, 1, 100);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
		report_nothing();
		PAPI_shutdown();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_papi(PAPI_read(first, &v), PAPI_OK);
	assert_int_equal(v, 100);
	engine_fixture_misses(&machine, 1, 7);
	assert_papi(PAPI_stop(first, &v), PAPI_OK);
	assert_int_equal(v, 107);
	papi_sets_end(first);
}

/* The first process holds a file open, which must not replace the program's standard input. */
static void standard_input_stays(void **state)
{
	int ends[2], set = papi_sets_one(LOOKUPS);
	char word[8] = "";

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(counted(set), 100);
	assert_int_equal(write(ends[1], "input", 5), 5);
	assert_int_equal(read(STDIN_FILENO, word, sizeof(word)), 5);
	assert_string_equal(word, "input");
	papi_sets_end(set);
	close(ends[0]);
	close(ends[1]);
}

/* A process that starts PAPI again and again is first each time, and opens no more files than after
 * the first time. */
static void the_end_closes_the_file(void **state)
{
	int open_before = 0;

	(void)state;
	for (int round = 0; round < 3; round++) {
		int set = papi_sets_one(LOOKUPS);

		assert_int_equal(counted(set), 100);
		papi_sets_end(set);
		PAPI_shutdown();
		open_before = round ? open_before : entries("/proc/self/fd");
		assert_int_equal(entries("/proc/self/fd"), open_before);
		assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(standard_input_stays),		/* first: before any claim */
		cmocka_unit_test(set_after_set),
		cmocka_unit_test(event_by_event),
		cmocka_unit_test(an_event_that_was_removed),
		cmocka_unit_test(nothing_is_left_to_report),
		cmocka_unit_test(one_process_reports),
		cmocka_unit_test(the_end_closes_the_file),
	};

	(void)argc;
	setenv("IPMU_NODE_SUM", "first", 1);
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, papi_machine_open, papi_machine_close);
}
