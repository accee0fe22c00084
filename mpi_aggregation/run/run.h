/* SPDX-License-Identifier: MIT */
/* The parts of the command ipmu-mpi-run. */
#ifndef IPMU_MPI_RUN_H
#define IPMU_MPI_RUN_H

#include <stdbool.h>

#include "complain.h"
#include "new_file.h"

#define EXIT_USAGE STATUS_OURS

/* ---- launcher.c: as the variables say that launchers set. Without a launcher there is one rank,
 * the first. */
bool is_launched(void);
bool is_first_rank(void);

/* ---- outputs.c: removes the reports of an earlier job, and sees that new ones can be written.
 * 0; or EXIT_USAGE, with a complaint, where no other rank waits for this one. */
int files_prepare(const char *prefix);

/* ---- program.c: executes `words`, which execute the program argv in turn; where they are empty,
 * argv itself. Returns the exit status that the command is to have, or ends the process by
 * the signal that ended the program. */
int program_run(char **words, char **argv);

#endif
