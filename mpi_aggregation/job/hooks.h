/* SPDX-License-Identifier: MIT */
/* Counting a whole job that knows nothing of it: what libipmu_mpi_preload.so calls. */
#ifndef IPMU_MPI_HOOKS_H
#define IPMU_MPI_HOOKS_H

struct ipmu_mpi_job_hooks {
	void (*begin)(void);		/* MPI is initialized */
	void (*finalize)(void);		/* MPI_Finalize is about to begin */
	void (*abort)(void);		/* MPI_Abort is */
	void (*papi_shutdown)(void);	/* PAPI_shutdown is: counts, then does it */
};

extern const struct ipmu_mpi_job_hooks ipmu_mpi_job_hooks;

#endif
