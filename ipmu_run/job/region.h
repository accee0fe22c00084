/* SPDX-License-Identifier: MIT */
/* The time from MPI_Init to MPI_Finalize on one node, which the ranks report (mpi_region.h): its
 * window begins when all of the node's ranks have begun. It ends when all have reached their
 * MPI_Finalize or have ended. */
#ifndef IPMU_RUN_REGION_H
#define IPMU_RUN_REGION_H

#include "../../measure/counting/measure.h"
#include "../../measure/counting/program.h"
#include "mpi_region.h"
#include "socket.h"

struct region;

/* Called when a rank ends before its time: its launcher may end all ranks in a moment. The window's
 * reason describes that end. */
struct region_alarm {
	void (*ring)(void *arg);
	void *arg;
};

/* Programs that are started from now on report MPI's begin and end to that socket. 0, or a negative
 * errno with why. */
int region_tell(int rank, const char *path, char why[COUNT_WHY_MAX]);

/* ---- of the process that counts. 0, or a negative errno with why. */
int region_open(struct region **out, char why[COUNT_WHY_MAX]);
void region_set(struct region *r, struct window *window, struct region_alarm alarm);
/* Expects messages from `ranks` ranks until region_end(). */
void region_begin(struct region *r, int ranks);
/* Returns the answer to the rank. REGION_LATER: it is REGION_WELL when region_advance() is true. */
enum region_answer region_take(struct region *r, const struct region_message *m);
/* Begins or ends the window, if it is time. True: it has begun. */
bool region_advance(struct region *r);
/* When region_advance() is to be called at the latest; -1: no time is set. */
int region_due_ms(const struct region *r);
void region_end(struct region *r);
void region_close(struct region *r);

#endif
