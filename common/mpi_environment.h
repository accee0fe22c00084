/* SPDX-License-Identifier: MIT */
/* Variables that ipmu-mpi-run sets for the program that it runs. */
#ifndef IPMU_MPI_ENVIRONMENT_H
#define IPMU_MPI_ENVIRONMENT_H

#define ENV_EVENTS "IPMU_MPI_EVENTS"		/* comma-separated */
#define ENV_OUTPUT "IPMU_MPI_OUTPUT"		/* PREFIX, absolute; unset: no files */
#define ENV_INTERVAL "IPMU_MPI_INTERVAL"	/* milliseconds; unset: no timeline */
#define ENV_NOTE "IPMU_MPI_NOTE"		/* PID:FD:DEVICE:INODE: see note.h */

#endif
