/* SPDX-License-Identifier: MIT */
/* Jacobi's iteration for Laplace's equation on an N x N grid, cut into strips of rows, one a rank:
 * jacobi [N [ITERATIONS]]. The upper edge is held at 1, the others at 0.
 *
 * An iteration reads one grid, fetches and writes the other: 3 * 8 * N * N bytes, where the strips
 * are larger than the caches and three rows are not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count.h"

struct strip {
	size_t columns, rows;	/* rows without the two of the neighbours */
	int above, below;	/* ranks, or MPI_PROC_NULL */
	double *now, *next;	/* (rows + 2) * columns */
};

static double *row(double *grid, const struct strip *s, size_t i)
{
	return grid + i * s->columns;
}

static void exchange(const struct strip *s)
{
	int n = (int)s->columns;

	MPI_Sendrecv(row(s->now, s, 1), n, MPI_DOUBLE, s->above, 0, row(s->now, s, s->rows + 1), n,
		     MPI_DOUBLE, s->below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(row(s->now, s, s->rows), n, MPI_DOUBLE, s->below, 1, row(s->now, s, 0), n,
		     MPI_DOUBLE, s->above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double relax(const struct strip *s)
{
	double change = 0;

	for (size_t i = 1; i <= s->rows; i++) {
		const double *up = row(s->now, s, i - 1), *here = row(s->now, s, i);
		const double *down = row(s->now, s, i + 1);
		double *out = row(s->next, s, i);

		for (size_t j = 1; j + 1 < s->columns; j++) {
			out[j] = 0.25 * (up[j] + down[j] + here[j - 1] + here[j + 1]);
			change = fmax(change, fabs(out[j] - here[j]));
		}
	}
	return change;
}

static int strip_make(struct strip *s, size_t n, int rank, int ranks)
{
	s->columns = n;
	s->rows = n / (size_t)ranks + ((size_t)rank < n % (size_t)ranks);
	s->above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
	s->below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
	s->now = calloc((s->rows + 2) * n, sizeof(double));
	s->next = calloc((s->rows + 2) * n, sizeof(double));
	if (!s->now || !s->next)
		return -1;
	for (size_t j = 0; j < n && rank == 0; j++)
		s->now[j] = s->next[j] = 1;
	return 0;
}

static double iterate(struct strip *s)
{
	double *old = s->now, change;

	exchange(s);
	change = relax(s);
	s->now = s->next;
	s->next = old;
	return change;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	int iterations = argc > 2 ? atoi(argv[2]) : 10, rank, ranks;
	double change = 0, most = 0;
	struct strip s = { 0 };

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (strip_make(&s, n, rank, ranks))
		MPI_Abort(MPI_COMM_WORLD, 1);
	count_open(MPI_COMM_WORLD);
	iterate(&s);
	count_begin();
	for (int i = 0; i < iterations; i++)
		change = iterate(&s);
	MPI_Reduce(&change, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("jacobi: %d ranks, %zu x %zu, %d iterations, last change %.6f; if it is "
		       "larger than the caches, it reads %.0f lines of 64 bytes\n", ranks, n, n,
		       iterations, most, 2.0 / 8 * (double)(n * n) * iterations);
	count_end();
	free(s.now);
	free(s.next);
	MPI_Finalize();
	return 0;
}
