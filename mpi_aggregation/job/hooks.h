/* SPDX-License-Identifier: MIT */
/* Counting a whole job that knows nothing of it: what libipmu_mpi_preload.so calls. */
#ifndef IPMU_MPI_HOOKS_H
#define IPMU_MPI_HOOKS_H

/* Variables that ipmu-mpi-run sets. */
#define ENV_EVENTS "IPMU_MPI_EVENTS"		/* comma-separated */
#define ENV_OUTPUT "IPMU_MPI_OUTPUT"		/* PREFIX, absolute; unset: no files */
#define ENV_INTERVAL "IPMU_MPI_INTERVAL"	/* milliseconds; unset: no timeline */
#define ENV_NOTE "IPMU_MPI_NOTE"		/* PID:FD:DEVICE:INODE: see note.c */

struct ipmu_mpi_job_hooks {
	void (*begin)(void);		/* MPI is initialized */
	void (*finalize)(void);		/* MPI_Finalize is about to begin */
	void (*abort)(void);		/* MPI_Abort is */
	void (*papi_shutdown)(void);	/* PAPI_shutdown is: counts, then does it */
};

extern const struct ipmu_mpi_job_hooks ipmu_mpi_job_hooks;

/* Each is a byte of the file that ENV_NOTE names, 0 or 1. */
enum job_note {
	NOTE_INIT,		/* MPI_Init was called */
	NOTE_ENDED,		/* the rank did its part of a report */
	NOTE_UNWRITTEN,		/* a file that was asked for cannot be written */
	NOTES
};
void job_note(enum job_note what);	/* nothing without ENV_NOTE */

#endif
