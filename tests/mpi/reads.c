/* SPDX-License-Identifier: MIT */
/* reads MIB [move] EVENT...: each rank reads MIB MiB of its own, counted; rank 0 prints the sums
 * over the job. "move": each rank changes its CPU halfway. */
#include <ipmu/ipmu_mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

static long read_lines(const volatile char *data, size_t bytes)
{
	long sum = 0;

	if (work_elsewhere(sched_getcpu(), "reads", (long)(bytes >> 10)))
		return 0;
	for (size_t i = 0; i < bytes; i += 64)
		sum += data[i];
	return sum;
}

static void move(int rank)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((sched_getcpu() + 1 + rank) % 8, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("sched_setaffinity");
}

int main(int argc, char **argv)
{
	size_t bytes = (size_t)atoi(argv[1]) << 20;
	int moving = !strcmp(argv[2], "move"), first = 2 + moving, n = argc - first, rank;
	char why[IPMU_MPI_WHY_MAX], *data = aligned_alloc(4096, bytes);
	struct ipmu_mpi_count c;
	struct ipmu_mpi *m;
	long sum;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	memset(data, rank, bytes);
	if (ipmu_mpi_init(MPI_COMM_WORLD, (const char *const *)argv + first, n, &m, why)) {
		printf("rank %d: %s\n", rank, why);
		MPI_Finalize();
		return 1;
	}
	ipmu_mpi_start(m);
	sum = read_lines(data, moving ? bytes / 2 : bytes);
	if (moving) {
		move(rank);
		sum += read_lines(data + bytes / 2, bytes / 2);
	}
	ipmu_mpi_stop(m);
	ipmu_mpi_read(m);
	for (int i = 0; i < n && rank == 0; i++)
		if (!ipmu_mpi_get(m, i, IPMU_MPI_ALL, IPMU_MPI_ALL, &c) && c.measured)
			printf("%s %lld\n", argv[first + i], c.count);
	ipmu_mpi_finalize(&m);
	MPI_Finalize();
	return sum == -1;
}
