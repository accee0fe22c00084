// SPDX-License-Identifier: MIT
/* Reads an array on each rank, while rank 0 counts lines of all: mpi_job MIB. */
#include <mpi.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t bytes = (size_t)atoi(argv[1]) << 20;
	int rank, set = PAPI_NULL, rc;
	long long reads = 0;
	char *data;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	data = aligned_alloc(4096, bytes);
	memset(data, rank, bytes);
	PAPI_library_init(PAPI_VER_CURRENT);
	PAPI_create_eventset(&set);
	rc = PAPI_add_named_event(set, "intel_uncore:::skl_unc_imc.DRAM_DATA_READS");
	MPI_Barrier(MPI_COMM_WORLD);	/* nobody's array is still being written */
	if (rank == 0 && rc == PAPI_OK)
		rc = PAPI_start(set);
	MPI_Barrier(MPI_COMM_WORLD);
	long sum = 0;
	for (size_t i = 0; i < bytes; i += 64)
		sum += ((volatile char *)data)[i];
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0 && rc == PAPI_OK)
		rc = PAPI_stop(set, &reads);
	if (rank == 0)
		printf("rc %d reads %lld\nsegment %s\n", rc, reads, getenv("VPMU_SEGMENT"));
	MPI_Finalize();
	return sum == -1;
}
