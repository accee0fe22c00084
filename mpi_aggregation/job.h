/* SPDX-License-Identifier: MIT */
/* Counting a whole job that knows nothing of it: what libipmu_mpi_preload.so calls. */
#ifndef IPMU_MPI_JOB_H
#define IPMU_MPI_JOB_H

/* Variables that ipmu-mpi-run sets. */
#define ENV_EVENTS "IPMU_MPI_EVENTS"		/* comma-separated */
#define ENV_OUTPUT "IPMU_MPI_OUTPUT"		/* PREFIX, absolute; unset: no files */
#define ENV_INTERVAL "IPMU_MPI_INTERVAL"	/* milliseconds; unset: no timeline */

struct ipmu_mpi_job_hooks {
	void (*begin)(void);		/* MPI is initialized */
	void (*finalize)(void);		/* MPI_Finalize is about to begin */
	void (*abort)(void);		/* MPI_Abort is */
	void (*papi_shutdown)(void);	/* PAPI_shutdown is: counts, then does it */
};

extern const struct ipmu_mpi_job_hooks ipmu_mpi_job_hooks;

#endif
