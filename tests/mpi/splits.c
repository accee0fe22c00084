/* SPDX-License-Identifier: MIT */
/* splits N [together] EVENT...: rank r makes (r + 1) * N loads across a line's end, on CPU r of its
 * own, or "together" on CPUs that all may use. Rank 0 prints the sums, and the report. */
#include <ipmu/ipmu_mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

static uint64_t load_across(const char *line_end, long n)
{
	uint64_t sum = 0, value;

	if (work_elsewhere(sched_getcpu(), "splits", n))
		return 0;
	for (long i = 0; i < n; i++) {
		__asm__ volatile("movq (%1), %0" : "=r"(value) : "r"(line_end - 3));
		sum += value;
	}
	return sum;
}

int main(int argc, char **argv)
{
	int together = !strcmp(argv[2], "together"), first = 2 + together, n = argc - first, rank;
	_Alignas(64) static char data[128] = { 1 };
	char why[IPMU_MPI_WHY_MAX];
	struct ipmu_mpi_count c;
	struct ipmu_mpi *m;
	uint64_t sum;
	cpu_set_t set;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	CPU_ZERO(&set);
	CPU_SET((size_t)rank, &set);
	if (!together && sched_setaffinity(0, sizeof(set), &set))
		perror("sched_setaffinity");
	if (ipmu_mpi_init(MPI_COMM_WORLD, (const char *const *)argv + first, n, &m, why)) {
		printf("rank %d: %s\n", rank, why);
		MPI_Finalize();
		return 1;
	}
	ipmu_mpi_start(m);
	sum = load_across(data + 64, atol(argv[1]) * (rank + 1));
	ipmu_mpi_stop(m);
	ipmu_mpi_read(m);
	for (int i = 0; i < n && rank == 0; i++)
		if (!ipmu_mpi_get(m, i, IPMU_MPI_ALL, IPMU_MPI_ALL, &c))
			printf("%s %lld of %d ranks\n", argv[first + i], c.count, c.measured);
	ipmu_mpi_report(m, stdout);
	ipmu_mpi_finalize(&m);
	MPI_Finalize();
	return sum == 1;
}
