/* SPDX-License-Identifier: MIT */
/* Counting ends in MPI_Init, from where on libipmu_mpi counts. The two agree by notes in a file
 * that ipmu-mpi-run has opened (mpi_note.h). */
#ifndef IPMU_RUN_HANDOVER_H
#define IPMU_RUN_HANDOVER_H

#include <stdbool.h>

#include "sets.h"

/* The notes that the environment names are ours to look at. */
void handover_expect(void);
void handover_note_counted(void);
void handover_note_released(void);
void handover_note_why(const char *why);

struct handover;
/* From now on a thread waits for MPI_Init and stops the counters then. NULL: it is not expected. */
struct handover *handover_start(struct sets *s);
void handover_stop(struct handover *h);
/* Has the program called MPI_Init? The counts are the other's then. */
bool handover_done(void);

#endif
