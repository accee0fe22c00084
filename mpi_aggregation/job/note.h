/* SPDX-License-Identifier: MIT */
/* What ipmu-mpi-run has to know of the process that it started, or of one that this one started in
 * turn: bytes, 0 or 1, of the file without a name that ENV_NOTE names. */
#ifndef IPMU_MPI_NOTE_H
#define IPMU_MPI_NOTE_H

enum job_note {
	NOTE_INIT,		/* MPI_Init was called */
	NOTE_ENDED,		/* the rank did its part of a report */
	NOTE_UNWRITTEN,		/* a file that was asked for cannot be written */
	NOTES
};
void job_note(enum job_note what);	/* nothing without ENV_NOTE */

#endif
