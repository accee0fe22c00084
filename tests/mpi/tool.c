/* SPDX-License-Identifier: MIT */
/* tool MIB ROUNDS [late]: a stand-in for a program under TAU, Score-P and Caliper. It takes events
 * from the variable of each tool that is set, counts them in two regions as the tool does, and adds
 * up over the ranks, ROUNDS times.
 *
 *   read     each rank reads MIB MiB of its own, none of which is in a cache
 *   copy     and copies them, where the destination's lines are read as well
 *
 * Regions are as docs/tools.md has them, in pattern.h. With `late`, rank 0 enters each only when
 * the others have worked. Rank 0 prints "VARIABLE REGION EVENT SUM". */
#include <mpi.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 8

static char *names[EVENTS_MAX];
static int n, set = PAPI_NULL, rank, late;
static long long counts[EVENTS_MAX];
static volatile long *from, *to;
static size_t words;
static long sum;

static void give_up(const char *what, int rc)
{
	fprintf(stderr, "rank %d: %s: %s\n", rank, what, rc ? PAPI_strerror(rc) : "");
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static const char *const variables[] = { "TAU_METRICS", "SCOREP_METRIC_PAPI_PER_PROCESS",
					 "CALI_PAPI_COUNTERS", NULL };

/* TAU takes a list apart at commas, or, where there is none, at colons. */
static void choose(const char *variable, const char *value)
{
	const char *between = variable == variables[0] && !strchr(value, ',') ? ":" : ",";
	const char native[] = "PAPI_NATIVE_";
	char *text = strdup(value);

	n = 0;
	for (char *name = strtok(text, between); name && n < EVENTS_MAX;
	     name = strtok(NULL, between)) {
		if (!strncmp(name, native, strlen(native)))
			name += strlen(native);
		if (strcmp(name, "TIME"))
			names[n++] = name;
	}
}

static void begin(void)
{
	int rc = PAPI_create_eventset(&set);

	for (int i = 0; i < n && rc == PAPI_OK; i++) {
		rc = PAPI_add_named_event(set, names[i]);
		if (rc != PAPI_OK)
			give_up(names[i], rc);
	}
	if (!n || rc != PAPI_OK)
		give_up("no events", rc);
	rc = PAPI_start(set);
	if (rc != PAPI_OK)
		give_up("PAPI_start", rc);
}

static void end(void)
{
	int rc = PAPI_stop(set, counts);

	if (rc == PAPI_OK)
		rc = PAPI_cleanup_eventset(set);
	if (rc == PAPI_OK)
		rc = PAPI_destroy_eventset(&set);
	if (rc != PAPI_OK)
		give_up("PAPI_stop", rc);
}

/* TAU at each enter and exit, Caliper at each snapshot. */
static void take(const char *region)
{
	int rc = PAPI_read(set, counts);

	if (rc == PAPI_OK)
		rc = PAPI_reset(set);
	if (rc != PAPI_OK)
		give_up(region, rc);
}

static void in_pattern(const char *name, void (*solve)(void))
{
#define BEGIN(solve) take(name)
#define END(solve) take(name)
#include "pattern.h"
}

static void in_turn(const char *name, void (*solve)(void))
{
	MPI_Barrier(MPI_COMM_WORLD);
	for (int turn = 1; turn >= 0; turn--) {
		if (turn == (rank > 0)) {
			take(name);
			solve();
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
	take(name);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void region(const char *variable, const char *name, void (*solve)(void))
{
	long long sums[EVENTS_MAX];

	(late ? in_turn : in_pattern)(name, solve);
	MPI_Reduce(counts, sums, n, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	for (int i = 0; i < n && rank == 0; i++)
		printf("%s %s %s %lld\n", variable, name, names[i], sums[i]);
}

static void read_all(void)
{
	for (size_t i = 0; i < words; i += 64 / sizeof(long))
		sum += from[i];
}

static void copy_all(void)
{
	for (size_t i = 0; i < words; i += 64 / sizeof(long))
		to[i] = from[i];
}

int main(int argc, char **argv)
{
	size_t bytes = (size_t)atoi(argv[1]) << 20;
	int rounds = atoi(argv[2]), rc;

	late = argc > 3;
	words = bytes / sizeof(long);
	from = aligned_alloc(4096, bytes);
	to = aligned_alloc(4096, bytes);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	memset((void *)from, rank, bytes);
	memset((void *)to, rank, bytes);
	rc = PAPI_library_init(PAPI_VER_CURRENT);
	if (rc != PAPI_VER_CURRENT)
		give_up("PAPI_library_init", rc);
	for (int v = 0; variables[v]; v++) {
		const char *value = getenv(variables[v]);

		if (!value)
			continue;
		if (set != PAPI_NULL)
			end();
		choose(variables[v], value);
		begin();
		for (int i = 0; i < rounds; i++) {
			region(variables[v], "read", read_all);
			region(variables[v], "copy", copy_all);
		}
	}
	PAPI_shutdown();
	MPI_Finalize();
	return sum == 1;
}
