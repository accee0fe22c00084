/* SPDX-License-Identifier: MIT */
/* The time from MPI_Init to MPI_Finalize on one node, of which the ranks tell (mpi_region.h): its
 * window begins when all of the node's ranks have begun, and ends when all have come to their
 * MPI_Finalize or are gone. */
#ifndef IPMU_RUN_REGION_H
#define IPMU_RUN_REGION_H

#include <stdint.h>

#include "../../measure/counting/measure.h"
#include "../../measure/counting/program.h"

struct region;

/* Called in the region's thread when a rank ends before its time: its launcher may end all ranks in
 * a moment. The window's reason says how it was. */
struct region_alarm {
	void (*ring)(void *arg);
	void *arg;
};

/* Opens the socket of the process that counts, and lets the programs that it starts know of it.
 * job: NULL where there is no launcher. 0, or a negative errno with why. */
int region_open(const char *job, int rank, struct region **out, char why[COUNT_WHY_MAX]);
/* The same for programs of processes that do not count. */
int region_join(const char *job, int rank, char why[COUNT_WHY_MAX]);
/* For a program without other ranks; the company is the region's. */
const struct company *region_company(struct region *r);
void region_set(struct region *r, struct window *window, struct region_alarm alarm);
/* Listens, to so many ranks as `ranks` says, until region_end(). */
void region_begin(struct region *r, int ranks);
void region_end(struct region *r);
void region_close(struct region *r);

/* The program of this process has ended: true if before its time, that is between MPI_Init and
 * MPI_Finalize or by a signal. Then others may need a moment for what is to be written. */
bool region_gone(int rank, const struct program *p, int status);
/* Lets the one that counts write, if region_gone() was true: launchers may end a job as soon as one
 * of its processes has ended. */
void region_linger(void);

#endif
