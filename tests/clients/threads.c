/* SPDX-License-Identifier: MIT */
/* threads N CYCLES [idle]: N threads start, read, reset, read and stop sets of the same events,
 * while the first thread's set counts all the time; something, or on an idle machine nothing.
 * Prints "N x CYCLES cycles, F failures". */
#include <papi.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define C "intel_uncore:::"

static const char *const events[] = {
	C "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I", C "skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL",
	C "skl_unc_imc.DRAM_DATA_READS",
};
enum { EVENTS = sizeof(events) / sizeof(events[0]) };

static int cycles, witness;
static _Atomic long failures;

static void must(int rc, const char *what)
{
	if (rc == PAPI_OK)
		return;
	if (failures++ < 5)
		fprintf(stderr, "%s: %s\n", what, PAPI_strerror(rc));
}

static int make_set(void)
{
	int set = PAPI_NULL;

	must(PAPI_create_eventset(&set), "create");
	for (int i = 0; i < EVENTS; i++)
		must(PAPI_add_named_event(set, events[i]), events[i]);
	return set;
}

/* Not more than the set that has counted for longer, and not less than before. */
static void cycle(int set)
{
	long long v[EVENTS], again[EVENTS], all[EVENTS];

	must(PAPI_start(set), "start");
	must(PAPI_read(set, v), "read");
	must(PAPI_read(set, again), "read");
	must(PAPI_read(witness, all), "read of another thread's set");
	for (int i = 0; i < EVENTS; i++)
		failures += v[i] < 0 || again[i] < v[i] || again[i] > all[i];
	must(PAPI_reset(set), "reset");
	must(PAPI_stop(set, v), "stop");
	must(PAPI_read(witness, all), "read of another thread's set");
	for (int i = 0; i < EVENTS; i++)
		failures += v[i] < 0 || v[i] > all[i];
}

static void *run(void *arg)
{
	int set = *(int *)arg;

	for (int i = 0; i < cycles; i++)
		cycle(set);
	must(PAPI_unregister_thread(), "unregister");	/* with its set */
	return NULL;
}

static pthread_mutex_t one_by_one = PTHREAD_MUTEX_INITIALIZER;

/* PAPI's own table of sets moves when it grows, while threads read it: make all sets first. */
static pthread_barrier_t made;

static void *begin(void *arg)
{
	int set;

	(void)arg;
	pthread_mutex_lock(&one_by_one);
	set = make_set();
	pthread_mutex_unlock(&one_by_one);
	pthread_barrier_wait(&made);
	return run(&set);
}

int main(int argc, char **argv)
{
	int n = argc >= 3 ? atoi(argv[1]) : 0;
	pthread_t thread[256];
	long long all[EVENTS];

	cycles = argc >= 3 ? atoi(argv[2]) : 0;
	if (n < 1 || n > 256 || cycles < 1) {
		fprintf(stderr, "Usage: threads N CYCLES [idle]\n");
		return 2;
	}
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	must(PAPI_thread_init(pthread_self), "threads");
	pthread_barrier_init(&made, NULL, (unsigned)n);
	witness = make_set();
	must(PAPI_start(witness), "start");
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, begin, NULL))
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	must(PAPI_stop(witness, all), "stop");
	for (int i = 0; i < EVENTS; i++)
		failures += argc > 3 ? all[i] != 0 : all[i] <= 0;
	printf("%d x %d cycles, %ld failures\n", n, cycles, failures);
	PAPI_shutdown();
	return failures != 0;
}
