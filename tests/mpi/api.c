/* SPDX-License-Identifier: MIT */
/* api HOW EVENT...: counts nothing but itself, in one of several ways, and prints what it got.
 *
 *   plain | begin (the two-step read) | twice | self | odd (even and odd ranks apart)
 *   differ (the last rank passes another list) | fewer (it passes a shorter one)
 *   shut (PAPI was used and shut down before) | early (PAPI is shut down while counting)
 *   kill (rank 0 is killed while it counts)
 *   memory (the last rank gets none: at its first request, its second, until all are met)
 *
 * REPORT=PREFIX: rank 0 writes PREFIX.csv and PREFIX.json, too. */
#include <dlfcn.h>
#include <errno.h>
#include <ipmu/ipmu_mpi.h>
#include <papi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static int granted = -1;	/* so many of libipmu_mpi's requests for memory; -1: all */

void *__libc_calloc(size_t n, size_t bytes);

void *calloc(size_t n, size_t bytes)
{
	Dl_info from;

	if (granted >= 0 && dladdr(__builtin_return_address(0), &from) &&
	    strstr(from.dli_fname, "libipmu_mpi_") && granted-- == 0)
		return NULL;
	return __libc_calloc(n, bytes);
}

static void show(const struct ipmu_mpi *m, int event, int node, int package)
{
	struct ipmu_mpi_count c;
	int rc = ipmu_mpi_get(m, event, node, package, &c);

	if (rc)
		printf("rank %d event %d node %d package %d: rc %d\n", rank, event, node, package,
		       rc);
	else if (!c.measured)
		printf("rank %d event %d node %d package %d: not measured, 0 of %d\n", rank, event,
		       node, package, c.expected);
	else
		printf("rank %d event %d node %d package %d: %lld, %d of %d\n", rank, event, node,
		       package, c.count, c.measured, c.expected);
}

/* A report that cannot be written is an error of the rank that writes it. */
static void show_full(const struct ipmu_mpi *m)
{
	FILE *full = fopen("/dev/full", "w");

	if (!full)
		return;
	printf("rank %d report to a full disk: rc %d\n", rank, ipmu_mpi_report(m, full));
	fclose(full);
}

static void show_all(const struct ipmu_mpi *m, int events, MPI_Comm comm)
{
	struct ipmu_mpi_shape s;
	int me;

	MPI_Comm_rank(comm, &me);
	ipmu_mpi_shape_get(m, &s);
	printf("rank %d shape: %d ranks, %d nodes, %d packages, node %d, leader %d\n", rank,
	       s.ranks, s.nodes, s.packages, s.node, s.leader);
	for (int e = 0; e < events; e++) {
		show(m, e, IPMU_MPI_ALL, IPMU_MPI_ALL);
		for (int n = 0; n < s.nodes && me == 0; n++) {
			show(m, e, n, IPMU_MPI_ALL);
			for (int p = 0; p < 2; p++)
				show(m, e, n, p);
		}
	}
	ipmu_mpi_report(m, stdout);
	show_full(m);
	if (getenv("REPORT") && me == 0)
		printf("rank %d writes: rc %d\n", rank, ipmu_mpi_write(m, getenv("REPORT")));
}

static void count(struct ipmu_mpi *m, const char *how)
{
	int done = 0;

	ipmu_mpi_start(m);
	if (!strcmp(how, "early"))
		PAPI_shutdown();
	if (!strcmp(how, "kill") && rank == 0)
		raise(SIGKILL);
	if (strcmp(how, "begin")) {
		ipmu_mpi_stop(m);
		ipmu_mpi_read(m);
		return;
	}
	ipmu_mpi_read_begin(m);
	if (ipmu_mpi_read_begin(m) != -EBUSY)
		printf("a second begin was accepted\n");
	while (!done)
		ipmu_mpi_read_test(m, &done);
	ipmu_mpi_stop(m);
	if (ipmu_mpi_read_wait(m) != -EINVAL || ipmu_mpi_read_test(m, &done) != -EINVAL)
		printf("a read that is not under way was waited for\n");
}

static void starve(const char *const *events, int n)
{
	struct ipmu_mpi *m = NULL;
	char why[IPMU_MPI_WHY_MAX];
	int rc = -ENOMEM;

	for (int i = 0; rc && i < 50; i++) {
		granted = rank == ranks - 1 ? i : -1;
		rc = ipmu_mpi_init(MPI_COMM_WORLD, events, n, &m, why);
		granted = -1;
		if (rc)
			printf("rank %d init: %d %s\n", rank, rc, why);
	}
	ipmu_mpi_finalize(&m);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "", *other[] = { "intel_uncore:::BUSY" };
	const char *const *events = (const char *const *)argv + 2;
	int n = argc - 2, rc;
	char why[IPMU_MPI_WHY_MAX] = "";
	MPI_Comm comm = MPI_COMM_WORLD;
	struct ipmu_mpi *m = NULL;

	/* Blocks would be cut within lines, and launchers mix what ranks write. */
	setvbuf(stdout, NULL, _IOLBF, 4096);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!strcmp(how, "odd"))
		MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
	if (!strcmp(how, "self"))
		comm = MPI_COMM_SELF;
	if (!strcmp(how, "shut")) {
		PAPI_library_init(PAPI_VER_CURRENT);
		PAPI_shutdown();
	}
	if (rank == ranks - 1 && !strcmp(how, "differ")) {
		events = other;
		n = 1;
	}
	if (rank == ranks - 1 && !strcmp(how, "fewer"))
		n--;
	if (!strcmp(how, "memory"))
		starve(events, n);
	rc = ipmu_mpi_init(comm, events, n, &m, why);
	if (rc) {
		printf("rank %d init: %d %s\n", rank, rc, why);
	} else {
		count(m, how);
		if (!strcmp(how, "twice"))
			count(m, how);
		show_all(m, n, comm);
		ipmu_mpi_finalize(&m);
	}
	MPI_Finalize();
	return 0;
}
