/* SPDX-License-Identifier: MIT */
/* What ipmu-mpi-run has to know of the process that it started, or of one that this one started in
 * turn: bytes, 0 or 1, of the file without a name that ENV_NOTE names. */
#ifndef IPMU_MPI_NOTE_H
#define IPMU_MPI_NOTE_H

#include <stdbool.h>

enum job_note {
	NOTE_INIT,		/* MPI_Init was called */
	NOTE_ENDED,		/* the rank did its part of a report */
	NOTE_UNWRITTEN,		/* a file that was asked for cannot be written */
	NOTE_COUNTED,		/* a launcher counts it from its start */
	NOTE_RELEASED,		/* that has been ended */
	NOTES
};
#define NOTES_WHY NOTES		/* here begins why no launcher counts it, a text of this size */
#define NOTES_WHY_BYTES 512
#define NOTES_BYTES (NOTES_WHY + NOTES_WHY_BYTES)
/* Nothing without ENV_NOTE. */
void job_note(enum job_note what);
bool job_noted(enum job_note what);
void job_note_why(const char *why);

#endif
