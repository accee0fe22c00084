/* SPDX-License-Identifier: MIT */
/* ways CPUS WORK [EVENT...]: counts with PAPI, whatever the component, while each of CPUS (a list
 * as 2,3) does the same piece of known work (work.h) at the same time; nothing counts its
 * preparation. Printed are lines "EVENT count COMPONENT hits"; EVENT@N is PAPI_overflow each N, and
 * hits are the times that PAPI called. A word / ends a round of events, which are counted together;
 * the work is done again for the next ones.
 *
 * The last thing that happens before is that the arrays are written, so that all of a cache is
 * modified: otherwise what a component reads at its first use would evict lines.
 *
 * PERF_CONTROL=PATH: PATH.ask and PATH.answer are the pipes of `perf stat --delay=-1 --control`,
 * which then counts the same work. An empty interval is counted first, with PAPI as with perf: the
 * driver for p4 needs it, as guest_core.sh says. */
#include <fcntl.h>
#include <papi.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "work.h"

#define EVENTS_MAX 32
#define CPUS_MAX 64

static int sets[EVENTS_MAX], nsets, set_of[EVENTS_MAX];
static int cpus[CPUS_MAX], ncpus;
static struct work works[CPUS_MAX];
static pthread_barrier_t barrier;
static volatile long hits;

static void must(int rc, const char *what)
{
	if (rc == PAPI_OK)
		return;
	fprintf(stderr, "ways: %s: %s\n", what, PAPI_strerror(rc));
	exit(1);
}

static void hit(int set, void *address, long long which, void *context)
{
	(void)set, (void)address, (void)which, (void)context;
	hits++;
}

/* Events of a component share a set. */
static void add(int event, const char *text)
{
	char *name = strdup(text), *every = name ? strchr(name, '@') : NULL;
	int code = 0, component;

	if (!name)
		exit(1);
	if (every)
		*every++ = '\0';
	must(PAPI_event_name_to_code(name, &code), name);
	component = PAPI_get_event_component(code);
	for (set_of[event] = 0; set_of[event] < nsets; set_of[event]++)
		if (PAPI_get_eventset_component(sets[set_of[event]]) == component)
			break;
	if (set_of[event] == nsets) {
		sets[nsets] = PAPI_NULL;
		must(PAPI_create_eventset(&sets[nsets]), name);
		nsets++;
	}
	must(PAPI_add_event(sets[set_of[event]], code), name);
	if (every)
		must(PAPI_overflow(sets[set_of[event]], code, atoi(every), 0, hit), text);
	free(name);
}

static void bind_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("ways: no such CPU");
		exit(1);
	}
}

static void *worker(void *number)
{
	const int *cpu = number;

	bind_to(*cpu);
	pthread_barrier_wait(&barrier);
	work_do(&works[cpu - cpus]);
	return NULL;
}

static void tell_perf(const char *order)
{
	const char *base = getenv("PERF_CONTROL");
	char path[256], answer[16];
	int ask, wait;

	if (!base)
		return;
	snprintf(path, sizeof(path), "%s.ask", base);
	ask = open(path, O_WRONLY);
	snprintf(path, sizeof(path), "%s.answer", base);
	wait = open(path, O_RDONLY);
	if (ask < 0 || wait < 0 || write(ask, order, strlen(order)) < 0 ||
	    read(wait, answer, sizeof(answer)) <= 0) {
		perror("ways: perf's pipes");
		exit(1);
	}
	close(ask);
	close(wait);
}

static void run(void)
{
	pthread_t threads[CPUS_MAX];

	pthread_barrier_init(&barrier, NULL, (unsigned int)ncpus);
	for (int i = 1; i < ncpus; i++)
		if (pthread_create(&threads[i], NULL, worker, &cpus[i]))
			exit(1);
	worker(&cpus[0]);
	for (int i = 1; i < ncpus; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
}

static void print(int n, char **names, long long values[EVENTS_MAX][EVENTS_MAX])
{
	int at[EVENTS_MAX] = { 0 };

	for (int i = 0; i < n; i++) {
		int set = set_of[i], component = PAPI_get_eventset_component(sets[set]);

		printf("%s %lld %s %ld\n", names[i], values[set][at[set]++],
		       PAPI_get_component_info(component)->name, hits);
	}
	fflush(stdout);
}

static void count_round(int n, char **names)
{
	long long values[EVENTS_MAX][EVENTS_MAX];

	nsets = 0;
	for (int i = 0; i < n; i++)
		add(i, names[i]);
	for (int i = 0; i < nsets; i++) {
		must(PAPI_start(sets[i]), names[0]);
		must(PAPI_stop(sets[i], values[i]), "PAPI_stop");
	}
	for (int i = 0; i < ncpus; i++)
		work_prepare(&works[i]);
	hits = 0;
	for (int i = 0; i < nsets; i++)
		must(PAPI_start(sets[i]), names[0]);
	tell_perf("enable\n");
	tell_perf("disable\n");
	tell_perf("enable\n");
	run();
	tell_perf("disable\n");
	for (int i = nsets - 1; i >= 0; i--)
		must(PAPI_stop(sets[i], values[i]), "PAPI_stop");
	print(n, names, values);
	for (int i = 0; i < nsets; i++) {
		PAPI_cleanup_eventset(sets[i]);
		PAPI_destroy_eventset(&sets[i]);
	}
}

int main(int argc, char **argv)
{
	int first = 3;

	if (argc < 3)
		return 2;
	for (char *word = strtok(argv[1], ","); word && ncpus < CPUS_MAX; word = strtok(NULL, ","))
		cpus[ncpus++] = atoi(word);
	bind_to(cpus[0]);
	if (argc > 3 && PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 3;
	for (int i = 0; i < ncpus; i++)
		works[i] = work_of(argv[2]);
	for (int i = 3; i <= argc; i++)
		if (i == argc || strcmp(argv[i], "/") == 0) {
			if (i - first > EVENTS_MAX)
				return 2;
			count_round(i - first, argv + first);
			first = i + 1;
		}
	return 0;
}
