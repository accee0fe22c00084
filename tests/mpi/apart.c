// SPDX-License-Identifier: MIT
/* Each rank in turn works in a region, or rank 1 is killed in it: apart [killed]. */
#include <mpi.h>
#include <ipmu/ipmu_region.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int turn = 0; argc < 2 && turn < ranks; turn++) {
		MPI_Barrier(MPI_COMM_WORLD);
		if (turn == rank) {
			ipmu_region_begin("turn");
			system(getenv("WORK"));
			ipmu_region_end("turn");
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (argc > 1) {
		ipmu_region_begin("killed");
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank == 1)
			raise(SIGKILL);
		sleep(1);
		ipmu_region_end("killed");
	}
	MPI_Finalize();
	return 0;
}
