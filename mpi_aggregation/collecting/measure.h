/* SPDX-License-Identifier: MIT */
/* The counts of one process, through PAPI. */
#ifndef IPMU_MPI_MEASURE_H
#define IPMU_MPI_MEASURE_H

#include "counter_set.h"
#include "ipmu.h"

int papi_begin(char *why);
/* Reads an event's name as the engine does, behind the name of PAPI's component. False: it is not
 * of that form. */
bool event_read(const char *name, struct ipmu_name *out);
int event_resolve(const struct ipmu_mpi *m, struct listed *e, char *why);
int measure_open(struct ipmu_mpi *m, char *why);
void measure_close(struct ipmu_mpi *m);
void measure_start(struct ipmu_mpi *m);
void measure_stop(struct ipmu_mpi *m);
void measure_read(struct ipmu_mpi *m);

/* ---- ranks.c. Collective over the node, while it counts. */
void ranks_tell(struct ipmu_mpi *m);

#endif
