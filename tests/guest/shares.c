/* SPDX-License-Identifier: MIT */
/* shares MIB EVENT: each rank reads MIB MiB of its own for each rank up to itself, counted; rank 0
 * prints the job's sum and the share of each node. */
#include <ipmu/ipmu_mpi.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long read_lines(const volatile char *data, size_t bytes)
{
	long sum = 0;

	for (size_t i = 0; i < bytes; i += 64)
		sum += data[i];
	return sum;
}

static void print(struct ipmu_mpi *m, const char *what, int node)
{
	struct ipmu_mpi_count c;

	if (!ipmu_mpi_get(m, 0, node, IPMU_MPI_ALL, &c) && c.measured)
		printf("%s %lld\n", what, c.count);
}

int main(int argc, char **argv)
{
	char why[IPMU_MPI_WHY_MAX], name[32], *data;
	const char *const *events = (const char *const *)argv + 2;
	int rank, ranks;
	struct ipmu_mpi *m;
	size_t bytes;
	long sum;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	bytes = ((size_t)atoi(argv[1]) << 20) * (size_t)(rank + 1);
	data = aligned_alloc(4096, bytes);
	memset(data, rank, bytes);
	if (ipmu_mpi_init(MPI_COMM_WORLD, events, 1, &m, why)) {
		printf("rank %d: %s\n", rank, why);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	ipmu_mpi_start(m);
	sum = read_lines(data, bytes);
	ipmu_mpi_stop(m);
	ipmu_mpi_read(m);
	if (!rank)
		print(m, "job", IPMU_MPI_ALL);
	for (int i = 0; i < ranks && !rank; i++) {
		snprintf(name, sizeof(name), "node%d", i);
		print(m, name, i);
	}
	ipmu_mpi_finalize(&m);
	MPI_Finalize();
	return sum == -1;
}
