/* SPDX-License-Identifier: MIT */
/* Copy, scale, add and triad over three long arrays, with the uncore's view of the triad beside
 * what arithmetic says it must move. Only PAPI's public interface; any PAPI event works. */
#include <errno.h>
#include <getopt.h>
#include <omp.h>
#include <papi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 64
#define SLICES_MAX 8
#define NAME_BYTES 128
#define LINE 64
#define BAR_WIDTH 32
#define COMPONENT "intel_uncore"
#define CBO_READ_I COMPONENT ":::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I"

struct event {
	char name[NAME_BYTES];
	int pass;			/* -1: not placed yet */
	long long count;
};

struct plan {
	struct event events[EVENTS_MAX];
	int nevents;
	int sets[EVENTS_MAX];		/* one PAPI event set per pass */
	int npasses;
};

struct arrays { double *a, *b, *c; size_t length; };

static const double scalar = 3.0;

/* ---- the four kernels ---- */

static void copy_kernel(const struct arrays *m)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < m->length; i++)
		m->c[i] = m->a[i];
}

static void scale_kernel(const struct arrays *m)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < m->length; i++)
		m->b[i] = scalar * m->c[i];
}

static void add_kernel(const struct arrays *m)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < m->length; i++)
		m->c[i] = m->a[i] + m->b[i];
}

static void triad_kernel(const struct arrays *m)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < m->length; i++)
		m->a[i] = m->b[i] + scalar * m->c[i];
}

static double *array_new(size_t length)
{
	size_t bytes = (length * sizeof(double) + LINE - 1) / LINE * LINE;

	return aligned_alloc(LINE, bytes);
}

static int arrays_init(struct arrays *m)
{
	m->a = array_new(m->length);
	m->b = array_new(m->length);
	m->c = array_new(m->length);
	if (!m->a || !m->b || !m->c)
		return -ENOMEM;
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < m->length; i++) {
		m->a[i] = 1.0;
		m->b[i] = 2.0;
		m->c[i] = 0.0;
	}
	return 0;
}

static void arrays_free(struct arrays *m)
{
	free(m->a);
	free(m->b);
	free(m->c);
}

/* Results of a round from a = 1: c = 1, b = 3, c = 1 + 3, a = 3 + 3 x 4; more triads change
 * nothing. */
static bool arrays_right(const struct arrays *m)
{
	for (size_t i = 0; i < m->length; i++)
		if (m->a[i] != 15.0 || m->b[i] != 3.0 || m->c[i] != 4.0)
			return false;
	return true;
}

static void kernel_time(const char *name, void (*kernel)(const struct arrays *),
			const struct arrays *m, int streams)
{
	double start = omp_get_wtime(), seconds;
	double bytes = (double)streams * sizeof(double) * (double)m->length;

	kernel(m);
	seconds = omp_get_wtime() - start;
	printf("%-6s %9.3f s %10.1f MB/s\n", name, seconds,
	       seconds > 0 ? bytes / seconds / 1e6 : 0.0);
}

/* ---- what to count, in as many passes as the counters need ---- */

static int papi_failed(const char *what, const char *name, int rc)
{
	int cidx = PAPI_get_component_index(COMPONENT);
	const PAPI_component_info_t *info = cidx >= 0 ? PAPI_get_component_info(cidx) : NULL;

	fprintf(stderr, "stream: %s%s%s: %s\n", what, *name ? " " : "", name, PAPI_strerror(rc));
	if (!info)
		fprintf(stderr, "stream: this PAPI has no component " COMPONENT "\n");
	else if (info->disabled && *info->disabled_reason)
		fprintf(stderr, "stream: component " COMPONENT ": %s\n", info->disabled_reason);
	return -1;
}

static int plan_name(struct plan *p, const char *name)
{
	struct event *e = &p->events[p->nevents];

	if (p->nevents == EVENTS_MAX || strlen(name) >= sizeof(e->name)) {
		fprintf(stderr, "stream: too many events, or too long a name: %s\n", name);
		return -1;
	}
	snprintf(e->name, sizeof(e->name), "%s", name);
	e->pass = -1;
	p->nevents++;
	return 0;
}

static bool event_exists(const char *name)
{
	int set = PAPI_NULL, rc;

	if (PAPI_create_eventset(&set) != PAPI_OK)
		return false;
	rc = PAPI_add_named_event(set, name);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	return rc == PAPI_OK;
}

/* Occupancy before the requests: both in one pass give the average residence. */
static int plan_defaults(struct plan *p)
{
	static const char *const names[] = {
		COMPONENT ":::skl_unc_imc.DRAM_DATA_READS",
		COMPONENT ":::skl_unc_imc.DRAM_DATA_WRITES",
		COMPONENT ":::skl_unc_imc.DRAM_IA_REQUESTS",
		COMPONENT ":::skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL",
		COMPONENT ":::skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL",
		COMPONENT ":::skl_unc_arb.UNC_ARB_TRK_REQUESTS:WRITES",
		COMPONENT ":::skl_unc_clk.UNC_CLOCK:SOCKET",
		CBO_READ_I,
	};
	char slice[NAME_BYTES];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (plan_name(p, names[i]))
			return -1;
	for (int box = 0; box < SLICES_MAX; box++) {
		snprintf(slice, sizeof(slice), CBO_READ_I ":box=%d", box);
		if (!event_exists(slice))
			break;
		if (plan_name(p, slice))
			return -1;
	}
	return 0;
}

/* Add every event that is left and fits into one more event set. */
static int pass_fill(struct plan *p, int *left)
{
	int set = PAPI_NULL, placed = 0, rc = PAPI_create_eventset(&set), first_rc = PAPI_OK;
	const char *first = "";

	if (rc != PAPI_OK)
		return papi_failed("event set", "", rc);
	for (int i = 0; i < p->nevents; i++) {
		struct event *e = &p->events[i];

		if (e->pass >= 0)
			continue;
		rc = PAPI_add_named_event(set, e->name);
		if (rc == PAPI_OK) {
			e->pass = p->npasses;
			placed++;
		} else if (!*first) {
			first = e->name;
			first_rc = rc;
		}
	}
	if (!placed)		/* alone in a set and still refused: not a lack of room */
		return papi_failed("event", first, first_rc);
	*left -= placed;
	p->sets[p->npasses++] = set;
	return 0;
}

static int plan_make(struct plan *p)
{
	int left = p->nevents;

	while (left)
		if (pass_fill(p, &left))
			return -1;
	return 0;
}

/* The triad before the region leaves the caches as each repetition does, so that dirty lines
 * carried in equal dirty lines left behind, and the arithmetic holds. */
static int pass_run(struct plan *p, int pass, const struct arrays *m, int repetitions)
{
	long long values[EVENTS_MAX] = { 0 };
	int rc, n = 0;

	triad_kernel(m);
	rc = PAPI_start(p->sets[pass]);
	if (rc != PAPI_OK)
		return papi_failed("start of pass", p->events[0].name, rc);
	for (int r = 0; r < repetitions; r++)
		triad_kernel(m);
	rc = PAPI_stop(p->sets[pass], values);
	if (rc != PAPI_OK)
		return papi_failed("stop of pass", p->events[0].name, rc);
	for (int i = 0; i < p->nevents; i++)
		if (p->events[i].pass == pass)
			p->events[i].count = values[n++];
	return 0;
}

/* ---- the report ---- */

/* Lines of 64 bytes per array line that the triad a = b + s x c moves: reads of b, c and, since
 * a store first fetches its line, a; writes of a. 0: arithmetic has nothing to say. */
static int arrays_moved(const char *name)
{
	static const struct { const char *end; int arrays; } known[] = {
		{ "DRAM_DATA_READS", 3 }, { "DRAM_DATA_WRITES", 1 }, { "DRAM_IA_REQUESTS", 4 },
		{ "UNC_CBO_CACHE_LOOKUP:READ_I", 3 }, { "UNC_ARB_TRK_REQUESTS:ALL", 4 },
		{ "UNC_ARB_TRK_REQUESTS:WRITES", 1 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		size_t length = strlen(name), end = strlen(known[i].end);

		if (length >= end && !strcmp(name + length - end, known[i].end))
			return known[i].arrays;
	}
	return 0;
}

static const char *short_name(const char *name)
{
	const char *colons = strstr(name, ":::");

	return colons ? colons + 3 : name;
}

static void event_print(const struct event *e, double array_bytes)
{
	int arrays = arrays_moved(e->name);

	printf("%-47s %4d %14lld", short_name(e->name), e->pass + 1, e->count);
	if (arrays) {
		double bytes = (double)e->count * LINE, want = arrays * array_bytes;

		printf(" %11.2f %11.2f %8.4f", bytes / 1048576, want / 1048576, bytes / want);
	}
	putchar('\n');
}

static const struct event *event_find(const struct plan *p, const char *end)
{
	for (int i = 0; i < p->nevents; i++) {
		size_t length = strlen(p->events[i].name), tail = strlen(end);

		if (length >= tail && !strcmp(p->events[i].name + length - tail, end))
			return &p->events[i];
	}
	return NULL;
}

static void slices_print(const struct plan *p)
{
	const struct event *slices[SLICES_MAX];
	long long sum = 0, most = 1;
	char end[32];
	int n;

	for (n = 0; n < SLICES_MAX; n++) {
		snprintf(end, sizeof(end), ":READ_I:box=%d", n);
		slices[n] = event_find(p, end);
		if (!slices[n])
			break;
		sum += slices[n]->count;
		most = slices[n]->count > most ? slices[n]->count : most;
	}
	if (!n)
		return;
	printf("\nLLC read misses by CBo slice\n");
	for (int i = 0; i < n; i++) {
		double count = (double)slices[i]->count;
		int width = (int)(BAR_WIDTH * count / (double)most + 0.5);

		printf("  slice %d %12lld %5.1f %% |", i, slices[i]->count,
		       sum ? 100 * count / (double)sum : 0.0);
		for (int j = 0; j < width; j++)
			putchar('#');
		putchar('\n');
	}
	printf("  sum     %12lld\n", sum);
}

static void residence_print(const struct plan *p)
{
	const struct event *occupancy = event_find(p, "UNC_ARB_TRK_OCCUPANCY:ALL");
	const struct event *requests = event_find(p, "UNC_ARB_TRK_REQUESTS:ALL");

	if (occupancy && requests && requests->count)
		printf("\nAverage residence in the tracker: occupancy / requests = %.1f clocks\n",
		       (double)occupancy->count / (double)requests->count);
}

static void report(const struct plan *p, const struct arrays *m, int repetitions)
{
	double array_bytes = (double)m->length * sizeof(double) * repetitions;

	printf("\nTriad x %d, by pass; bytes = count x %d; arithmetic: %zu doubles per array,\n"
	       "reads of b, c and of a (a store fetches its line first), writes of a\n\n"
	       "%-47s %4s %14s %11s %11s %8s\n", repetitions, LINE, m->length,
	       "event", "pass", "count", "MiB", "arithmetic", "ratio");
	for (int i = 0; i < p->nevents; i++)
		if (!strstr(p->events[i].name, ":box="))
			event_print(&p->events[i], array_bytes);
	for (int i = 0; i < p->nevents; i++)
		if (strstr(p->events[i].name, ":box="))
			event_print(&p->events[i], array_bytes);
	slices_print(p);
	residence_print(p);
}

/* ---- command line ---- */

static void usage(FILE *f)
{
	fputs("Usage: stream [-n DOUBLES] [-r REPETITIONS] [-e EVENT]...\n"
	      "Copy, scale, add and triad over three arrays; count events over the triad.\n\n"
	      "  -n, --length=N       doubles per array (default 4194304: 32 MiB)\n"
	      "  -r, --repetitions=N  triads to count (default 3)\n"
	      "  -e, --event=NAME     PAPI event to count, may be repeated\n"
	      "                       (default: uncore events of a Skylake client)\n"
	      "  -h, --help           show this text and leave\n\n"
	      "Choose arrays several times as large as the last-level cache. Threads: as\n"
	      "OMP_NUM_THREADS says. Exit status: 0, 1 if an event cannot be counted or a result\n"
	      "is wrong, 2 for a wrong option.\n", f);
}

static long number(const char *text, long limit)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 0);
	if (end == text || *end || errno || value < 1 || value > limit) {
		fprintf(stderr, "stream: '%s' is not a number from 1 to %ld\n", text, limit);
		return -1;
	}
	return value;
}

/* 0, 2 for a wrong option, -1 after --help. */
static int options_parse(int argc, char **argv, struct plan *p, long *length, long *repetitions)
{
	static const struct option options[] = {
		{ "length", required_argument, NULL, 'n' },
		{ "repetitions", required_argument, NULL, 'r' },
		{ "event", required_argument, NULL, 'e' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "n:r:e:h", options, NULL)) != -1) {
		if (c == 'h') {
			usage(stdout);
			return -1;
		}
		if (c == 'n' && (*length = number(optarg, 1L << 32)) > 0)
			continue;
		if (c == 'r' && (*repetitions = number(optarg, 1000000)) > 0)
			continue;
		if (c == 'e' && !plan_name(p, optarg))
			continue;
		fprintf(stderr, "Try 'stream --help'.\n");
		return 2;
	}
	if (optind < argc) {
		fprintf(stderr, "stream: unexpected argument '%s'\n", argv[optind]);
		return 2;
	}
	return 0;
}

static int plan_prepare(struct plan *p)
{
	int rc = PAPI_library_init(PAPI_VER_CURRENT);

	if (rc != PAPI_VER_CURRENT) {
		fprintf(stderr, "stream: PAPI does not start: %s\n",
			rc > 0 ? "library and header versions differ" : PAPI_strerror(rc));
		return -1;
	}
	if (!p->nevents && plan_defaults(p))
		return -1;
	return plan_make(p);
}

static int work(struct plan *p, struct arrays *m, int repetitions)
{
	if (arrays_init(m)) {
		fprintf(stderr, "stream: no memory for 3 arrays of %zu doubles\n", m->length);
		return 1;
	}
	printf("%d threads, 3 arrays of %.1f MiB\n", omp_get_max_threads(),
	       (double)m->length * sizeof(double) / 1048576);
	kernel_time("copy", copy_kernel, m, 2);
	kernel_time("scale", scale_kernel, m, 2);
	kernel_time("add", add_kernel, m, 3);
	kernel_time("triad", triad_kernel, m, 3);
	for (int pass = 0; pass < p->npasses; pass++)
		if (pass_run(p, pass, m, repetitions))
			return 1;
	report(p, m, repetitions);
	if (arrays_right(m))
		return 0;
	fprintf(stderr, "stream: the arrays hold wrong values\n");
	return 1;
}

int main(int argc, char **argv)
{
	static struct plan plan;
	struct arrays m = { 0 };
	long length = 4194304, repetitions = 3;
	int rc = options_parse(argc, argv, &plan, &length, &repetitions);

	if (rc)
		return rc < 0 ? 0 : rc;
	m.length = (size_t)length;
	if (plan_prepare(&plan))
		return 1;
	rc = work(&plan, &m, (int)repetitions);
	arrays_free(&m);
	PAPI_shutdown();
	return rc;
}
