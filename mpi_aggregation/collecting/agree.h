/* SPDX-License-Identifier: MIT */
/* Agreement of all ranks: a failure anywhere is a failure everywhere, with the same sentence. All
 * of these are collective over the communicator. */
#ifndef IPMU_MPI_AGREE_H
#define IPMU_MPI_AGREE_H

#include <mpi.h>

/* Returns the rc of the lowest rank that has one, and sends its why[IPMU_MPI_WHY_MAX] to all
 * ranks. */
int agree(MPI_Comm comm, int rc, char *why);
void wait_for_all(MPI_Comm comm);
/* 0 if all ranks have rank 0's text; what: what they do if not, for the sentence. */
int agree_text(MPI_Comm comm, const char *text, const char *what, char *why);

#endif
