/* SPDX-License-Identifier: MIT */
/* The list of events that a counter set is made of. */
#ifndef IPMU_MPI_EVENT_LIST_H
#define IPMU_MPI_EVENT_LIST_H

#include <mpi.h>

#define LIST_MAX 128		/* more than a list may have */
#define NAME_MAX_BYTES 128	/* PAPI's limit */

/* Cuts a comma-separated list in place; returns how many names it has, at most LIST_MAX. */
int event_list_split(char *list, const char *names[LIST_MAX]);

/* Collective over comm: whether the list is one that can be counted, and the same on all ranks. */
int event_list_agree(MPI_Comm comm, const char *const *names, int n, char *why);

#endif
