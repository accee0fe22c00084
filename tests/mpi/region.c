/* SPDX-License-Identifier: MIT */
/* region BEFORE INSIDE AFTER [threads]: each rank runs the command WORK so many times before its
 * MPI_Init, between MPI_Init and MPI_Finalize (rank N does it N times more), and after its
 * MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void work(int times)
{
	const char *command = getenv("WORK");

	for (int i = 0; i < times; i++)
		if (!command || system(command))
			fprintf(stderr, "failed: %s\n", command ? command : "WORK");
}

int main(int argc, char **argv)
{
	int rank, level;

	if (argc < 4)
		return 2;
	work(atoi(argv[1]));
	if (argc > 4)
		MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	else
		MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	work(atoi(argv[2]) + rank);
	MPI_Finalize();
	work(atoi(argv[3]));
	return 0;
}
