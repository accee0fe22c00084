/* SPDX-License-Identifier: MIT */
/* How the examples count a part of themselves with libipmu_mpi, when compiled with -DUSE_IPMU_MPI:
 *
 *   mpicc -DUSE_IPMU_MPI stream.c -lipmu_mpi -lm
 *
 * or as a region of a tool, by one of the macros in count_region.h. Without any the functions do
 * nothing, and the whole program can be counted from outside, by
 * mpirun -n 4 ipmu-mpi-run -e EVENT,... ./a.out */
#ifndef COUNT_H
#define COUNT_H

#include <mpi.h>

#ifdef USE_IPMU_MPI
#include <ipmu/ipmu_mpi.h>
#include <stdio.h>
#include <stdlib.h>

static struct ipmu_mpi *counts;

static void count_open(MPI_Comm comm)
{
	static const char *const events[] = {
		"intel_uncore:::skl_unc_imc.DRAM_DATA_READS",
		"intel_uncore:::skl_unc_imc.DRAM_DATA_WRITES",
		"intel_uncore:::skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL",
		"intel_uncore:::skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL",
	};
	char why[IPMU_MPI_WHY_MAX];
	int rank;

	if (!ipmu_mpi_init(comm, events, 4, &counts, why))
		return;
	/* The same sentence on every rank. */
	MPI_Comm_rank(comm, &rank);
	if (rank == 0)
		fprintf(stderr, "not counted: %s\n", why);
}

static void count_begin(void)
{
	if (counts)
		ipmu_mpi_start(counts);
}

static void count_end(void)
{
	if (!counts)
		return;
	ipmu_mpi_stop(counts);
	ipmu_mpi_read(counts);
	ipmu_mpi_report(counts, stdout);
	ipmu_mpi_finalize(&counts);
}
#elif defined(USE_TAU) || defined(USE_SCOREP) || defined(USE_CALIPER) || defined(USE_GPTL) || \
	defined(USE_PAPI_HL) || defined(USE_IPMU_REGION)
#include "count_region.h"
#else
static void count_open(MPI_Comm comm)
{
	(void)comm;
}

static void count_begin(void)
{
}

static void count_end(void)
{
}
#endif

#endif
