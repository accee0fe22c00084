// SPDX-License-Identifier: MIT
/* Reads 100000 lines in a region, or between MPI_Init and MPI_Finalize, and others outside. */
#include <stdlib.h>
#ifdef USE_MPI
#include <mpi.h>
#else
#include <ipmu_region.h>
#endif

static volatile char *a;

__attribute__((noinline)) static void inside(void)
{
	for (long i = 0; i < 100000; i++)
		(void)a[64 * i];
}

__attribute__((noinline)) static void outside(void)
{
	for (long i = 100000; i < 300000; i++)
		(void)a[64 * i];
}

int main(int argc, char **argv)
{
	a = calloc(300000, 64);
	outside();
#ifdef USE_MPI
	MPI_Init(&argc, &argv);
	inside();
	MPI_Finalize();
#else
	(void)argc, (void)argv;
	ipmu_region_begin("in");
	inside();
	ipmu_region_end("in");
	outside();
#endif
	return 0;
}
