/* SPDX-License-Identifier: MIT */
/* Two phases on arrays of N doubles in each rank, with names for ipmu-run: phases [N [SWEEPS]].
 *
 *   mpicc -DUSE_IPMU_REGION phases.c -lipmu_region
 *
 * `copy` moves 3 * 8 * N bytes a sweep and rank: a is read, b is read because a store fetches its
 * line first, and b is written back. `read` moves 8 * N bytes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef USE_IPMU_REGION
#include <ipmu/ipmu_region.h>
#else
#define ipmu_region_begin(name) ((void)(name))
#define ipmu_region_end(name) ((void)(name))
#endif

/* A phase lasts from the first rank's begin to the last one's end. With barriers on both sides of
 * begin and end no rank does anything else meanwhile. */
static void phase_begin(const char *name)
{
	MPI_Barrier(MPI_COMM_WORLD);
	ipmu_region_begin(name);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void phase_end(const char *name)
{
	MPI_Barrier(MPI_COMM_WORLD);
	ipmu_region_end(name);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void copy(double *restrict b, const double *restrict a, size_t n, double add)
{
	for (size_t i = 0; i < n; i++)
		b[i] = a[i] + add;
}

static double read_all(const double *a, size_t n)
{
	double sum[4] = { 0, 0, 0, 0 };

	for (size_t i = 0; i + 4 <= n; i += 4)
		for (size_t k = 0; k < 4; k++)
			sum[k] += a[i + k];
	return sum[0] + sum[1] + sum[2] + sum[3];
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000000;
	int sweeps = argc > 2 ? atoi(argv[2]) : 4, rank, ranks;
	double sum = 0, lines = (double)n / 8;
	double *a, *b;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	n -= n % 4;
	a = malloc(n * sizeof(*a));
	b = malloc(n * sizeof(*b));
	if (!a || !b)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] = 1;
	/* The caches are left by this sweep as by those that are counted. */
	copy(b, a, n, 0);
	phase_begin("copy");
	for (int i = 0; i < sweeps; i++)
		copy(b, a, n, i);
	phase_end("copy");
	sum = read_all(a, n);
	phase_begin("read");
	for (int i = 0; i < sweeps; i++)
		sum += read_all(a, n);
	phase_end("read");
	if (rank == 0)
		printf("phases: %d ranks, %d sweeps; if an array is larger than the caches, copy "
		       "reads %.0f and writes %.0f lines of 64 bytes, and read reads %.0f\n", ranks,
		       sweeps, 2 * lines * sweeps * ranks, lines * sweeps * ranks,
		       lines * sweeps * ranks);
	if (sum != (double)n * (sweeps + 1) || b[n - 1] != sweeps)
		printf("phases: the result is wrong\n");
	free(a);
	free(b);
	MPI_Finalize();
	return 0;
}
