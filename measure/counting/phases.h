/* SPDX-License-Identifier: MIT */
/* Regions that a program has named, as they are counted. A phase of a node is the time in which at
 * least one thread of its programs is inside the region. Its counts are what the machine counted
 * meanwhile, whoever caused that: counters have no owner. */
#ifndef IPMU_RUN_PHASES_H
#define IPMU_RUN_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_region.h"
#include "watch.h"

#define PHASES_MAX 1000		/* names of one node; more are ignored, and reported */

/* A rank's calls of a phase and its time inside, in all runs and passes. */
struct phase_rank {
	int rank;
	uint64_t calls;
	uint64_t ns;			/* at least one of its threads was inside */
	uint64_t node_ns;		/* any rank of its node was; 0: that is the phase's time */
	uint64_t since;			/* if `inside` */
	uint32_t inside;		/* threads, each as often as it has entered */
};

struct phase {
	char name[REGION_NAME_MAX];	/* UTF-8 without control characters */
	struct count *counts;		/* [run][pass][part] */
	uint64_t *ns;			/* [run][pass] */
	uint64_t *calls;		/* [run][pass] */
	uint64_t unfinished;		/* calls that had no end */
	struct phase_rank *ranks;
	int nranks;
	/* While a thread is inside: */
	uint32_t inside;
	uint64_t since;
	struct count *begin;
};

/* All phases, for reports. */
struct phase_list {
	struct phase *phase;
	int n;
	bool only;			/* nothing else is counted */
	uint64_t strays;		/* ends without a begin, which were ignored */
	uint64_t beyond;		/* calls of more than PHASES_MAX names */
	char stray[REGION_NAME_MAX];	/* the first of the strays or of those beyond */
};

struct phases;

/* places: runs * passes. only: the counts of a run are those of its regions. NULL: no memory. */
struct phases *phases_new(int nparts, int places, bool only);
void phases_free(struct phases *p);
const struct phase_list *phases_list(const struct phases *p);

/* The counters of this run and pass run. From here to phases_end() one thread at a time calls
 * phases_enter(), phases_leave() and phases_gone(). */
void phases_begin(struct phases *p, struct sets *s, int place);
/* 0; -ENOSPC: there are too many names; -ENOMEM. */
int phases_enter(struct phases *p, const struct region_message *m);
/* 0; -ENOENT: this thread is not in that region. */
int phases_leave(struct phases *p, const struct region_message *m);
/* A process has ended: its threads are in no region any more. */
void phases_gone(struct phases *p, int rank, int process);
void phases_end(struct phases *p);
/* Adds what open regions have counted so far, for a report while they last. */
void phases_settle(struct phases *p);
/* With `only`: replaces the counts and the time of the run that has ended. */
void phases_apply(const struct phases *p, struct count *counts, uint64_t *ns);

/* A phase for the end of the list, with counts of 0; NULL: no memory. */
struct phase *phase_append(struct phase_list *l, const char *name, int nparts, int places);
struct phase *phase_find(const struct phase_list *l, const char *name);
struct phase_rank *phase_rank_of(struct phase *p, int rank);
void phase_list_free(struct phase_list *l);

#endif
