// SPDX-License-Identifier: MIT
/* A plugin that starts MPI, for which the program itself has no library. */
#include <mpi.h>
#include <stdlib.h>

void plugin(void);
void plugin(void)
{
	MPI_Init(NULL, NULL);
	system(getenv("WORK"));
	MPI_Finalize();
}
