/* SPDX-License-Identifier: MIT */
/* The triad a = b + s * c on arrays of N doubles in each rank: stream [N [SWEEPS]].
 *
 * One sweep moves 4 * 8 * N bytes of each rank: b and c are read, a is read because a store fetches
 * its line first, and a is written back. */
#include <stdio.h>
#include <stdlib.h>

#include "count.h"

static void triad(double *restrict a, const double *restrict b, const double *restrict c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] + 3.0 * c[i];
}

static int wrong(const double *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != 7.0)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
	int sweeps = argc > 2 ? atoi(argv[2]) : 10, rank, ranks, bad, any;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	double *a = malloc(n * sizeof(*a)), *b = malloc(n * sizeof(*b));
	double *c = malloc(n * sizeof(*c));

	if (!a || !b || !c)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (size_t i = 0; i < n; i++) {
		a[i] = -1;	/* not 0, for which compilers would call calloc */
		b[i] = 1;
		c[i] = 2;
	}
	count_open(MPI_COMM_WORLD);
	/* The caches are left by this sweep as by those that are counted. */
	triad(a, b, c, n);
	count_begin();
	double t = MPI_Wtime();
	for (int i = 0; i < sweeps; i++)
		triad(a, b, c, n);
	t = MPI_Wtime() - t;
	if (rank == 0)
		printf("stream: %d ranks, %d sweeps of 3 x %.1f MiB in %.3f s; if that is larger "
		       "than the caches, it reads %.0f and writes %.0f lines of 64 bytes\n",
		       ranks, sweeps, (double)(n * 8) / (1 << 20), t,
		       3.0 / 8 * (double)n * sweeps * ranks, 1.0 / 8 * (double)n * sweeps * ranks);
	count_end();
	bad = wrong(a, n);
	MPI_Reduce(&bad, &any, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0 && any)
		printf("stream: the result is wrong\n");
	free(a);
	free(b);
	free(c);
	MPI_Finalize();
	return rank == 0 && any;
}
