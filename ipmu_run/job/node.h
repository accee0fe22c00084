/* SPDX-License-Identifier: MIT */
/* The processes of a job on one node, which find each other without MPI: by a socket in a private
 * folder, whose name is the same for all. The first process leads and counts for all; the others
 * only run their programs and report their ends to it. A program without a launcher is a job of one
 * process. */
#ifndef IPMU_RUN_NODE_H
#define IPMU_RUN_NODE_H

#include <stdint.h>

#include "../../measure/counting/cpus.h"
#include "../../measure/counting/machine.h"
#include "../../measure/counting/phases.h"
#include "../../measure/counting/program.h"
#include "launched.h"
#include "region.h"

struct node;

struct node_ranks {
	int n;			/* processes of the job that the node has, as far as is known */
	int ended;		/* those whose programs have ended by themselves, launchers alive */
	int outside;		/* those that use CPUs which are not counted, or were late */
	bool has_first;		/* rank 0 is among them */
	int status;		/* the first that is not 0 */
};

/* Meets the others. options: as the user gave them. 0; a negative errno with why. */
int node_meet(const struct launched *l, const char *options, struct node **out,
	      char why[COUNT_WHY_MAX]);
bool node_leads(const struct node *n);
/* Names the node's socket. */
const char *node_path(const struct node *n);
void node_leave(struct node *n);

/* ---- the leader's */

/* A rank that it has met was given other options than the leader; why names both. */
bool node_differs(const struct node *n, char why[COUNT_WHY_MAX]);
/* The CPUs of all that it has met. */
const struct cpus *node_cpus(const struct node *n);
/* The others may let their programs go. Messages of ranks are for the region and the phases, if
 * there are any. */
void node_go(struct node *n, struct region *region, struct phases *phases);
/* No messages are received from here on until node_wait(). */
void node_halt(struct node *n);
/* Makes the other processes exit with that status, without a message. */
void node_refuse(struct node *n, int status);
/* Waits until the others' programs have ended, or a signal requests our end. *ns becomes the time
 * since node_go(), if there are others. */
void node_wait(struct node *n, uint64_t *ns);
/* Adds the leader's own. */
struct node_ranks node_ranks(const struct node *n, int status, bool killed);

/* ---- the others' */

/* Waits for the leader's word: 0, or the status to leave with. */
int node_await(struct node *n);
/* The program has ended. ranks_report: their MPI_Init. Returns true if that is set and the program
 * ended early: between MPI_Init and MPI_Finalize, or by a signal. */
bool node_gone(struct node *n, const struct program *p, int status, bool ranks_report);
/* Lets the leader write, if it was: launchers may end a job as soon as one of its processes has
 * ended. */
void node_linger(const struct node *n);

#endif
