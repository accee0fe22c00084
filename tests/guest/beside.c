/* SPDX-License-Identifier: MIT */
/* beside WORK [CPU] <LIST: counts a piece of known work by events of the kernel's drivers and
 * by PAPI's, one after the other, and prints "ROUND EVENT NAME kernel COUNT papi COUNT" lines.
 *
 * LIST has lines "ROUND EVENT NAME": those of a round are counted together. EVENT: see
 * kernel_event.h; a PMU that ends in * is all boxes with such a name, added up. NAME: PAPI's.
 *
 * The work: HANDED lines of the cache are written by one core, read and written by another, and
 * read by the first one; SWEPT lines are written twice and read; then WORK, see work.h. It is done
 * once uncounted, for its caches, on CPU (0 unless given), and what another core does on the last
 * one, or if CPU is given, on the first. Of several counts the least is taken, because what else
 * the machine does can only add to it. */
#include "kernel_event.h"
#include "work.h"

#include <glob.h>
#include <papi.h>
#include <stdbool.h>

#define ROUND_MAX 32	/* events of a round */
#define BOXES_MAX 32
#define TIMES 2
#define HANDED 1024	/* lines, which an L2 has room for */
#define SWEPT 16384	/* and which only the last level cache has */

struct pair {
	int round;
	char event[64], name[128];
	int boxes, fds[BOXES_MAX];
	uint64_t kernel, papi;
};

static struct pair pairs[ROUND_MAX];
static int count;
static struct work given;
static int home, other;		/* CPUs of different cores */
static uint64_t *handed, *swept;

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "beside: %s: %s\n", what, why);
	exit(1);
}

static void must(int rc, const char *what)
{
	if (rc != PAPI_OK)
		fail(what, PAPI_strerror(rc));
}

/* ---- the work ---- */

static void *memory(size_t bytes)
{
	void *at = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

	if (!at)
		fail("memory", strerror(errno));
	memset(at, 1, bytes);
	return at;
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("a CPU", strerror(errno));
}

static void touch(volatile uint64_t *at, long lines, bool write)
{
	for (long i = 0; i < lines; i++)
		if (write)
			at[8 * i] = 1;
		else
			(void)at[8 * i];
}

static void work(void)
{
	touch(handed, HANDED, true);
	run_on(other);
	touch(handed, HANDED, false);
	touch(handed, HANDED, true);
	run_on(home);
	touch(handed, HANDED, false);
	for (int i = 0; i < 3; i++)
		touch(swept, SWEPT, i < 2);
	work_do(&given);
}

static void keep_least(uint64_t *least, uint64_t now, int time)
{
	if (!time || now < *least)
		*least = now;
}

/* ---- the kernel's events ---- */

static void open_boxes(struct pair *p)
{
	char pattern[128], event[128];
	size_t pmu = strcspn(p->event, "*/");
	const char *rest = strchr(p->event, '/');
	glob_t found;

	snprintf(pattern, sizeof(pattern), "/sys/bus/event_source/devices/%.*s%s", (int)pmu,
		 p->event, p->event[pmu] == '*' ? "*" : "");
	if (!rest || glob(pattern, 0, NULL, &found) || found.gl_pathc > BOXES_MAX)
		fail(p->event, "the kernel has no such PMU");
	for (size_t i = 0; i < found.gl_pathc; i++) {
		snprintf(event, sizeof(event), "%s%s", strrchr(found.gl_pathv[i], '/') + 1, rest);
		p->fds[p->boxes++] = kernel_open(event);
	}
	globfree(&found);
}

static void switch_all(unsigned long request)
{
	for (int i = 0; i < count; i++)
		for (int b = 0; b < pairs[i].boxes; b++)
			ioctl(pairs[i].fds[b], request, 0);
}

static void read_kernel(uint64_t *values)
{
	for (int i = 0; i < count; i++) {
		values[i] = 0;
		for (int b = 0; b < pairs[i].boxes; b++)
			values[i] += kernel_read(pairs[i].event, pairs[i].fds[b]);
	}
}

static void count_by_kernel(void)
{
	uint64_t v[2][ROUND_MAX];

	for (int i = 0; i < count; i++)
		open_boxes(&pairs[i]);
	work();
	for (int time = 0; time < TIMES; time++) {
		read_kernel(v[0]);
		switch_all(PERF_EVENT_IOC_ENABLE);
		work();
		switch_all(PERF_EVENT_IOC_DISABLE);
		read_kernel(v[1]);
		for (int i = 0; i < count; i++)
			keep_least(&pairs[i].kernel, v[1][i] - v[0][i], time);
	}
	for (int i = 0; i < count; i++)
		for (int b = 0; b < pairs[i].boxes; b++)
			close(pairs[i].fds[b]);
}

/* ---- PAPI's ---- */

static void count_by_papi(void)
{
	long long v[ROUND_MAX];
	int set = PAPI_NULL;

	must(PAPI_create_eventset(&set), "an event set");
	for (int i = 0; i < count; i++)
		must(PAPI_add_named_event(set, pairs[i].name), pairs[i].name);
	work();
	for (int time = 0; time < TIMES; time++) {
		must(PAPI_start(set), "start");
		work();
		must(PAPI_stop(set, v), "stop");
		for (int i = 0; i < count; i++)
			keep_least(&pairs[i].papi, (uint64_t)v[i], time);
	}
	must(PAPI_cleanup_eventset(set), "cleanup");
	must(PAPI_destroy_eventset(&set), "destroy");
}

static void count_round(void)
{
	if (!count)
		return;
	count_by_kernel();
	count_by_papi();
	for (int i = 0; i < count; i++)
		printf("%d %s %s kernel %lld papi %lld\n", pairs[i].round, pairs[i].event,
		       pairs[i].name, (long long)pairs[i].kernel, (long long)pairs[i].papi);
	count = 0;
}

int main(int argc, char **argv)
{
	struct pair p = { .round = 0 };

	if (argc < 2 || argc > 3)
		return 2;
	given = work_of(argv[1]);
	home = argc > 2 ? atoi(argv[2]) : 0;
	other = home ? 0 : (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	handed = memory(HANDED * 64);
	swept = memory(SWEPT * 64);
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		fail("PAPI", "cannot be started");
	run_on(home);
	while (scanf("%d %63s %127s", &p.round, p.event, p.name) == 3) {
		if (count && pairs[count - 1].round != p.round)
			count_round();
		if (count == ROUND_MAX)
			fail("the list", "too many events in a round");
		pairs[count++] = p;
	}
	count_round();
	return 0;
}
