/* SPDX-License-Identifier: MIT */
/* phases papi ROUNDS NAME...     counts with PAPI,
 * phases kernel ROUNDS EVENT...  or by events of the kernel's drivers (kernel_event.h).
 *
 * After each phase its name is printed, and a line of stdin awaited: its writer can inspect the
 * machine meanwhile. Before ROUNDS there is one with work, of which every event must count some. */
#include <papi.h>

#include "kernel_event.h"
#include "work.h"

#define EVENTS_MAX 32

static char **names;
static int count, set = PAPI_NULL, fds[EVENTS_MAX];
static long long values[EVENTS_MAX];

static void must(int rc, const char *what)
{
	if (rc == PAPI_OK)
		return;
	fprintf(stderr, "phases: %s: %s\n", what, PAPI_strerror(rc));
	exit(1);
}

static void end_phase(const char *name)
{
	char line[16];

	puts(name);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

/* ---- PAPI ---- */

static void papi_open(void)
{
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		exit(1);
	must(PAPI_create_eventset(&set), "a set");
	for (int i = 0; i < count; i++)
		must(PAPI_add_named_event(set, names[i]), names[i]);
}

static void papi_start(void)
{
	must(PAPI_start(set), "start");
}

static void papi_read(void)
{
	must(PAPI_read(set, values), "read");
}

static void papi_stop(void)
{
	must(PAPI_stop(set, values), "stop");
}

static void papi_close(void)
{
	must(PAPI_cleanup_eventset(set), "cleanup");
	must(PAPI_destroy_eventset(&set), "destroy");
	PAPI_shutdown();
}

/* ---- the kernel's drivers ---- */

static void open_events(void)
{
	for (int i = 0; i < count; i++)
		fds[i] = kernel_open(names[i]);
}

static void switch_events(unsigned long request)
{
	for (int i = 0; i < count; i++)
		if (ioctl(fds[i], request, 0))
			kernel_failed(names[i], "cannot be switched");
}

static void start_events(void)
{
	switch_events(PERF_EVENT_IOC_ENABLE);
}

static void read_events(void)
{
	for (int i = 0; i < count; i++)
		values[i] = (long long)kernel_read(names[i], fds[i]);
}

/* PAPI_stop returns the counts, too. */
static void stop_events(void)
{
	switch_events(PERF_EVENT_IOC_DISABLE);
	read_events();
}

static void close_events(void)
{
	for (int i = 0; i < count; i++)
		close(fds[i]);
}

static const struct way {
	const char *name;
	void (*open)(void), (*start)(void), (*read)(void), (*stop)(void), (*close)(void);
} ways[] = {
	{ "papi", papi_open, papi_start, papi_read, papi_stop, papi_close },
	{ "kernel", open_events, start_events, read_events, stop_events, close_events },
};

static void count_once(const struct way *way)
{
	way->start();
	end_phase("start");
	end_phase("idle");
	way->read();
	end_phase("read");
	way->stop();
	end_phase("stop");
}

static void try_once(const struct way *way, const struct work *work)
{
	way->start();
	end_phase("first");
	work_do(work);
	way->stop();
	end_phase("work");
	for (int i = 0; i < count; i++)
		if (values[i] <= 0) {
			fprintf(stderr, "phases: %s has counted nothing\n", names[i]);
			exit(1);
		}
}

int main(int argc, char **argv)
{
	const struct way *way = argc > 3 && strcmp(argv[1], "kernel") == 0 ? &ways[1] : &ways[0];
	struct work work;
	int rounds;

	if (argc < 4 || argc - 3 > EVENTS_MAX || strcmp(argv[1], way->name) ||
	    (rounds = atoi(argv[2])) < 1)
		return 2;
	count = argc - 3;
	names = argv + 3;
	work = work_of("triad:500000");
	end_phase(way->name);
	way->open();
	end_phase("open");
	try_once(way, &work);
	for (int i = 0; i < rounds; i++)
		count_once(way);
	way->close();
	end_phase("close");
	return 0;
}
