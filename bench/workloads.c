/* SPDX-License-Identifier: MIT */
/* Six kernels with different ways of missing the last-level cache, for comparing counters of a
 * region with what a simulator says of the same function. The kernels call nothing and are
 * reached through pointers, so that each stays one function under its own name. */
#include <errno.h>
#include <getopt.h>
#include <papi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EVENTS_MAX 16
#define LINE 64
#define KERNEL __attribute__((noinline))

struct sizes { size_t size, repetitions; };

struct workload {
	const char *name;
	struct sizes defaults;
	int (*prepare)(const struct sizes *s);
	void (*run)(const struct sizes *s);
	double (*check)(const struct sizes *s);
};

/* The matrices are narrow in k, and C is larger than the last-level cache. */
enum { BINS = 4096 };
enum { MATMUL_N = 1024, MATMUL_LD = MATMUL_N + 8, MATMUL_K = 64, BLOCK_K = 32, BLOCK_N = 64 };

static double *A, *B, *C;
static uint64_t *table, bins[BINS];

void stream_kernel(double *a, const double *b, const double *c, size_t n, size_t repetitions);
void matmul_kernel(double *c, const double *a, const double *b, size_t m, size_t repetitions);
void random_kernel(uint64_t *words, size_t n, size_t accesses);
uint64_t chase_kernel(const uint64_t *nodes, size_t steps);
void parallel_kernel(uint64_t *words, size_t n, size_t sweeps);
void histogram_kernel(uint64_t *counts, const uint64_t *words, size_t n, size_t sweeps);

KERNEL void stream_kernel(double *a, const double *b, const double *c, size_t n, size_t repetitions)
{
	for (size_t r = 0; r < repetitions; r++)
		for (size_t i = 0; i < n; i++)
			a[i] = b[i] + 3.0 * c[i];
}

/* C += A x B in tiles of k and n: a tile of B stays in L1, C is swept once per block of k. */
KERNEL void matmul_kernel(double *c, const double *a, const double *b, size_t m, size_t repetitions)
{
	for (size_t r = 0; r < repetitions; r++)
	for (size_t kk = 0; kk < MATMUL_K; kk += BLOCK_K)
	for (size_t jj = 0; jj < MATMUL_N; jj += BLOCK_N)
	for (size_t i = 0; i < m; i++)
		for (size_t k = kk; k < kk + BLOCK_K; k++) {
			const double *brow = &b[k * MATMUL_LD + jj];
			double *crow = &c[i * MATMUL_LD + jj];
			double x = a[i * MATMUL_K + k];

			for (size_t j = 0; j < BLOCK_N; j++)
				crow[j] += x * brow[j];
		}
}

/* n is a power of two. */
KERNEL void random_kernel(uint64_t *words, size_t n, size_t accesses)
{
	uint64_t x = 88172645463325252u;

	for (size_t i = 0; i < accesses; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		words[x & (n - 1)] ^= x;
	}
}

/* A chain of loads, one a step, each from another line and known only when the one before it has
 * come. */
KERNEL uint64_t chase_kernel(const uint64_t *nodes, size_t steps)
{
	uint64_t at = 0;

	while (steps--)
		at = nodes[at];
	return at;
}

/* As many threads as OpenMP is set to, each with its own part of the table. */
KERNEL void parallel_kernel(uint64_t *words, size_t n, size_t sweeps)
{
	#pragma omp parallel
	for (size_t s = 0; s < sweeps; s++) {
		#pragma omp for schedule(static)
		for (size_t i = 0; i < n; i++)
			words[i] += i ^ s;
	}
}

/* The words come in sequence, what they count in is as large as an L1. */
KERNEL void histogram_kernel(uint64_t *counts, const uint64_t *words, size_t n, size_t sweeps)
{
	for (size_t s = 0; s < sweeps; s++)
		for (size_t i = 0; i < n; i++)
			counts[words[i] % BINS]++;
}

static double *doubles_new(size_t n, double value)
{
	double *p = aligned_alloc(LINE, (n * sizeof(*p) + LINE - 1) / LINE * LINE);

	for (size_t i = 0; p && i < n; i++)
		p[i] = value;
	return p;
}

static int stream_prepare(const struct sizes *s)
{
	A = doubles_new(s->size, 1.0);
	B = doubles_new(s->size, 2.0);
	C = doubles_new(s->size, 4.0);
	return A && B && C ? 0 : -ENOMEM;
}

static void stream_run(const struct sizes *s)
{
	stream_kernel(A, B, C, s->size, s->repetitions);
}

/* Each check gives 0 when every result is right. */
static double stream_check(const struct sizes *s)
{
	double wrong = 0;

	for (size_t i = 0; i < s->size; i++)
		wrong += A[i] != 14.0;
	return wrong;
}

static int matmul_prepare(const struct sizes *s)
{
	A = doubles_new(s->size * MATMUL_K, 2.0);
	B = doubles_new((size_t)MATMUL_K * MATMUL_LD, 3.0);
	C = doubles_new(s->size * MATMUL_LD, 0.0);
	return A && B && C ? 0 : -ENOMEM;
}

static void matmul_run(const struct sizes *s)
{
	matmul_kernel(C, A, B, s->size, s->repetitions);
}

static unsigned long runs;

static double matmul_check(const struct sizes *s)
{
	double want = 6.0 * MATMUL_K * (double)s->repetitions * (double)runs, wrong = 0;

	for (size_t i = 0; i < s->size; i++)
		for (size_t j = 0; j < MATMUL_N; j++)
			wrong += C[i * MATMUL_LD + j] != want;
	return wrong;
}

static int random_prepare(const struct sizes *s)
{
	if (s->size & (s->size - 1))
		return -EINVAL;
	table = aligned_alloc(LINE, s->size * sizeof(*table) + LINE);
	for (size_t i = 0; table && i < s->size; i++)
		table[i] = 0;
	return table ? 0 : -ENOMEM;
}

static void random_run(const struct sizes *s)
{
	random_kernel(table, s->size, s->repetitions);
}

/* The same walk again takes every change back. Not through the kernel: its counts are compared. */
__attribute__((noinline))
static void random_undo(uint64_t *words, size_t n, size_t accesses)
{
	uint64_t x = 88172645463325252u;

	while (accesses--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		words[x & (n - 1)] ^= x;
	}
}

static double random_check(const struct sizes *s)
{
	double wrong = 0;

	if (runs % 2)
		random_undo(table, s->size, s->repetitions);
	for (size_t i = 0; i < s->size; i++)
		wrong += table[i] != 0;
	return wrong;
}

/* All lines of the table in one random circle (Sattolo's shuffle). */
static int chase_prepare(const struct sizes *s)
{
	size_t lines = s->size / (LINE / sizeof(*table));
	uint64_t x = 88172645463325252u;
	int rc = random_prepare(s);

	for (size_t i = 0; !rc && i < lines; i++)
		table[i * 8] = i * 8;
	for (size_t i = lines - 1; !rc && i > 0; i--) {
		size_t j;
		uint64_t other;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		j = x % i;
		other = table[j * 8];
		table[j * 8] = table[i * 8];
		table[i * 8] = other;
	}
	return rc;
}

static uint64_t chase_end;

static void chase_run(const struct sizes *s)
{
	chase_end = chase_kernel(table, s->repetitions);
}

/* After as many steps as there are lines the circle is closed. */
static double chase_check(const struct sizes *s)
{
	return s->repetitions % (s->size / 8) == 0 ? chase_end != 0 : 0;
}

static void parallel_run(const struct sizes *s)
{
	parallel_kernel(table, s->size, s->repetitions);
}

static double parallel_check(const struct sizes *s)
{
	double wrong = 0;

	for (size_t i = 0; i < s->size; i += LINE) {
		uint64_t want = 0;

		for (size_t sweep = 0; sweep < s->repetitions; sweep++)
			want += i ^ sweep;
		wrong += table[i] != want * runs;
	}
	return wrong;
}

static int histogram_prepare(const struct sizes *s)
{
	int rc = random_prepare(s);

	for (size_t i = 0; !rc && i < s->size; i++)
		table[i] = i * 0x9e3779b97f4a7c15u >> 32;
	return rc;
}

static void histogram_run(const struct sizes *s)
{
	histogram_kernel(bins, table, s->size, s->repetitions);
}

static double histogram_check(const struct sizes *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < BINS; i++)
		sum += bins[i];
	return sum != s->size * s->repetitions * runs;
}

static const struct workload workloads[] = {
	{ "stream", { 1u << 20, 4 }, stream_prepare, stream_run, stream_check },
	{ "matmul", { 1536, 1 }, matmul_prepare, matmul_run, matmul_check },
	{ "random", { 1u << 22, 2000000 }, random_prepare, random_run, random_check },
	{ "chase", { 1u << 22, 1u << 22 }, chase_prepare, chase_run, chase_check },
	{ "parallel", { 1u << 21, 10 }, random_prepare, parallel_run, parallel_check },
	{ "histogram", { 1u << 21, 4 }, histogram_prepare, histogram_run, histogram_check },
};

/* ---- measuring the region ---- */

struct region { const char *names[EVENTS_MAX]; int n, set; };

static int papi_failed(const char *what, int rc)
{
	int cidx = PAPI_get_component_index("intel_uncore");
	const PAPI_component_info_t *info = cidx >= 0 ? PAPI_get_component_info(cidx) : NULL;

	fprintf(stderr, "workloads: %s: %s\n", what, PAPI_strerror(rc));
	if (info && info->disabled && *info->disabled_reason)
		fprintf(stderr, "workloads: component intel_uncore: %s\n", info->disabled_reason);
	return -1;
}

static int region_prepare(struct region *g)
{
	int rc = PAPI_library_init(PAPI_VER_CURRENT);

	if (rc != PAPI_VER_CURRENT)
		return papi_failed("PAPI_library_init", rc);
	g->set = PAPI_NULL;
	rc = PAPI_create_eventset(&g->set);
	if (rc != PAPI_OK)
		return papi_failed("PAPI_create_eventset", rc);
	for (int i = 0; i < g->n; i++) {
		rc = PAPI_add_named_event(g->set, g->names[i]);
		if (rc != PAPI_OK)
			return papi_failed(g->names[i], rc);
	}
	return 0;
}

static int region_measure(const struct region *g, const struct workload *w, const struct sizes *s)
{
	long long values[EVENTS_MAX];
	int rc = PAPI_start(g->set);

	if (rc != PAPI_OK)
		return papi_failed("PAPI_start", rc);
	w->run(s);
	rc = PAPI_stop(g->set, values);
	if (rc != PAPI_OK)
		return papi_failed("PAPI_stop", rc);
	for (int i = 0; i < g->n; i++)
		printf("%s %lld\n", g->names[i], values[i]);
	return 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int work(struct region *g, const struct workload *w, const struct sizes *s, long warmups)
{
	double start, wrong;
	int rc;

	/* First, so that the caches hold the same before the kernel with events and without. */
	if (g->n && region_prepare(g))
		return 1;
	rc = w->prepare(s);
	if (rc) {
		fprintf(stderr, "workloads: %s with size %zu: %s\n", w->name, s->size,
			strerror(-rc));
		return 1;
	}
	for (runs = 0; runs < (unsigned long)warmups; runs++)
		w->run(s);
	start = now();
	if (!g->n)
		w->run(s);
	else if (region_measure(g, w, s))
		return 1;
	runs++;
	printf("seconds %.6f\n", now() - start);
	wrong = w->check(s);
	if (wrong > 0)
		fprintf(stderr, "workloads: %s: %.0f wrong results\n", w->name, wrong);
	return wrong > 0;
}

/* ---- command line ---- */

static void usage(FILE *f)
{
	fputs("Usage: workloads -k KERNEL [OPTION]...\n"
	      "Run one kernel, and print what PAPI counted over it, one 'EVENT COUNT' per line.\n\n"
	      "  -k, --kernel=NAME    stream, matmul, random, chase, parallel or histogram\n"
	      "  -s, --size=N         stream: doubles per array; matmul: rows of A and C;\n"
	      "                       others: 8-byte words of the table, a power of two\n"
	      "  -r, --repetitions=N  random, chase: accesses; others: sweeps\n"
	      "  -w, --warm-up=N      runs before the measured one (default 0)\n"
	      "  -e, --event=NAME     PAPI event, may be repeated\n"
	      "  -h, --help           show this text and leave\n", f);
}

static long number(const char *text, long least)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 0);
	if (end != text && !*end && !errno && value >= least && value <= 1L << 32)
		return value;
	fprintf(stderr, "workloads: '%s' is not a number from %ld to 2^32\n", text, least);
	return -1;
}

static const struct workload *workload_find(const char *name)
{
	for (size_t i = 0; i < sizeof(workloads) / sizeof(*workloads); i++)
		if (!strcmp(workloads[i].name, name))
			return &workloads[i];
	fprintf(stderr, "workloads: there is no kernel '%s'\n", name);
	return NULL;
}

struct choice { const struct workload *w; long size, repetitions, warmups; struct region region; };

/* 0 if the option was understood, 2 if not, -1 after --help. */
static int option_take(int c, struct choice *o)
{
	switch (c) {
	case 'k':
		o->w = workload_find(optarg);
		return o->w ? 0 : 2;
	case 's':
		o->size = number(optarg, 1);
		return o->size < 0 ? 2 : 0;
	case 'r':
		o->repetitions = number(optarg, 1);
		return o->repetitions < 0 ? 2 : 0;
	case 'w':
		o->warmups = number(optarg, 0);
		return o->warmups < 0 ? 2 : 0;
	case 'e':
		if (o->region.n == EVENTS_MAX) {
			fprintf(stderr, "workloads: more than %d events\n", EVENTS_MAX);
			return 2;
		}
		o->region.names[o->region.n++] = optarg;
		return 0;
	case 'h':
		usage(stdout);
		return -1;
	default:
		return 2;
	}
}

static int options_parse(int argc, char **argv, struct choice *o)
{
	static const struct option options[] = {
		{ "kernel", required_argument, NULL, 'k' },
		{ "size", required_argument, NULL, 's' },
		{ "repetitions", required_argument, NULL, 'r' },
		{ "warm-up", required_argument, NULL, 'w' },
		{ "event", required_argument, NULL, 'e' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c, rc = 0;

	while (!rc && (c = getopt_long(argc, argv, "k:s:r:w:e:h", options, NULL)) != -1)
		rc = option_take(c, o);
	if (!rc && (!o->w || optind < argc)) {
		fprintf(stderr, o->w ? "workloads: unexpected argument\n" :
				       "workloads: which kernel? (-k)\n");
		rc = 2;
	}
	if (rc == 2)
		fprintf(stderr, "Try 'workloads --help'.\n");
	return rc;
}

int main(int argc, char **argv)
{
	static struct choice o;
	struct sizes s;
	int rc = options_parse(argc, argv, &o);

	if (rc)
		return rc < 0 ? 0 : rc;
	s = o.w->defaults;
	if (o.size)
		s.size = (size_t)o.size;
	if (o.repetitions)
		s.repetitions = (size_t)o.repetitions;
	rc = work(&o.region, o.w, &s, o.warmups);
	free(A);
	free(B);
	free(C);
	free(table);
	return rc;
}
