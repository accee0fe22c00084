/* SPDX-License-Identifier: MIT */
/* sharing HOW: four threads count instructions at the same time, two rounds. HOW is free: where
 * they may run; bound: each on a CPU of its own; pair: two of them on one CPU; named: on cpu=0 all;
 * alone: free, one after the other. Prints "F failures". */
#include <papi.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define EVENT "intel_core:::core_fixed.INST_RETIRED:ANY"
enum { THREADS = 4, ROUNDS = 2 };

static const char *how;
static _Atomic int failures;
static pthread_barrier_t all;
static pthread_mutex_t one_by_one = PTHREAD_MUTEX_INITIALIZER;

static void must(int rc)
{
	if (rc == PAPI_OK)
		return;
	failures++;
	fprintf(stderr, "%s\n", PAPI_strerror(rc));
}

static void bind_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	failures += sched_setaffinity(0, sizeof(set), &set) != 0;
}

static void count(int set)
{
	long long v;

	must(PAPI_start(set));
	if (strcmp(how, "alone"))
		pthread_barrier_wait(&all);	/* all of them count */
	must(PAPI_stop(set, &v));
}

static void *run(void *arg)
{
	int n = (int)(size_t)arg, set = PAPI_NULL;

	if (strcmp(how, "bound") == 0)
		bind_to(n);
	if (strcmp(how, "pair") == 0)
		bind_to(n % 3);
	pthread_mutex_lock(&one_by_one);
	must(PAPI_create_eventset(&set));
	must(PAPI_add_named_event(set, strcmp(how, "named") ? EVENT : EVENT ":cpu=0"));
	pthread_mutex_unlock(&one_by_one);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&all);
		if (strcmp(how, "alone") == 0)
			pthread_mutex_lock(&one_by_one);
		count(set);
		if (strcmp(how, "alone") == 0)
			pthread_mutex_unlock(&one_by_one);
	}
	must(PAPI_unregister_thread());
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	how = argc > 1 ? argv[1] : "";
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
	    PAPI_thread_init(pthread_self) != PAPI_OK)
		return 1;
	pthread_barrier_init(&all, NULL, THREADS);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d failures\n", failures);
	return failures != 0;
}
