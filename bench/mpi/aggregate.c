/* SPDX-License-Identifier: MIT */
/* aggregate ROUNDS EVENT...: how long it takes to add up what stopped counters have over all ranks,
 * beside a bare MPI_Reduce of as many numbers (count, measured and expected of each event). The two
 * alternate; a round lasts until its last rank is done. Rank 0 prints medians in microseconds. */
#include <ipmu/ipmu_mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS 3

static int64_t from[256 * WORDS], to[256 * WORDS];

static void aggregate(struct ipmu_mpi *m, int n)
{
	(void)n;
	ipmu_mpi_read(m);
}

static void bare(struct ipmu_mpi *m, int n)
{
	(void)m;
	MPI_Reduce(from, to, n * WORDS, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
}

static double once(void (*what)(struct ipmu_mpi *, int), struct ipmu_mpi *m, int n)
{
	double begin, mine, last;

	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	what(m, n);
	mine = MPI_Wtime() - begin;
	MPI_Reduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	return last * 1e6;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), compare);
	return values[n / 2];
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 0, n = argc - 2, rank, ranks;
	char why[IPMU_MPI_WHY_MAX];
	struct ipmu_mpi *m;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	double *ours = calloc((size_t)rounds + 1, sizeof(*ours));
	double *theirs = calloc((size_t)rounds + 1, sizeof(*theirs));
	if (rounds < 1 || n > 256 || !ours || !theirs ||
	    ipmu_mpi_init(MPI_COMM_WORLD, (const char *const *)argv + 2, n, &m, why)) {
		fprintf(stderr, "rank %d: cannot measure: %s\n", rank, why);
		MPI_Finalize();
		return 1;
	}
	ipmu_mpi_start(m);
	ipmu_mpi_stop(m);
	for (int i = 0; i < rounds; i++) {
		ours[i] = once(aggregate, m, n);
		theirs[i] = once(bare, m, n);
	}
	if (rank == 0) {
		double a = median(ours, rounds), b = median(theirs, rounds);

		printf("%d ranks, %d events, medians of %d: aggregation %.1f us, MPI_Reduce of %d "
		       "numbers %.1f us, ratio %.3g\n", ranks, n, rounds, a, n * WORDS, b, a / b);
	}
	ipmu_mpi_finalize(&m);
	MPI_Finalize();
	return 0;
}
