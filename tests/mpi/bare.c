// SPDX-License-Identifier: MIT
/* A program of MPI with nothing of ours. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int a[8] = { 0 }, b[8];
	MPI_Init(&argc, &argv);
	MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD);
	return MPI_Finalize();
}
