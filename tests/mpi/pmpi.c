// SPDX-License-Identifier: MIT
/* A tool that has MPI_Init and MPI_Finalize itself, and says so. */
#include <mpi.h>
#include <stdio.h>

int MPI_Init(int *argc, char ***argv)
{
	fprintf(stderr, "the tool saw MPI_Init\n");
	return PMPI_Init(argc, argv);
}

int MPI_Finalize(void)
{
	fprintf(stderr, "the tool saw MPI_Finalize\n");
	return PMPI_Finalize();
}
