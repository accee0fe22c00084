/* SPDX-License-Identifier: MIT */
/* The nodes of a job meet in files beside its PREFIX, so they need no network:
 *
 *	PREFIX.job		while the first node runs
 *	PREFIX.NODE.job		while that node runs
 *	PREFIX.NODE.json	the node's own report
 *
 * NODE is the host's name, with a number behind it if two nodes have the same. The first two hold
 * a mark (own_name.h) and the job's identity. Their owners lock them, so a file that a killed
 * process has left is not taken for a live one. A file without the mark is the user's own. The
 * first node reads the reports of the others. Files of other users are ignored. */
#ifndef IPMU_RUN_MEETING_H
#define IPMU_RUN_MEETING_H

#include <stdbool.h>
#include <stddef.h>

#include "launched.h"

#define MEETING_ID_MAX 128

struct meeting;
struct saved;

/* Joins the meeting. first: this is the node with rank 0. 0, or a negative errno: the folder cannot
 * be written, (-EBUSY) another job uses the PREFIX, or (-EEXIST) one of the names is that of a file
 * that no job of this user has made. *foreign: its path, for free(), or NULL. */
int meeting_begin(const char *prefix, const struct launched *as, bool first, struct meeting **out,
		  char **foreign);
/* Ends it, with the two kinds of job files. NULL is ignored. */
void meeting_end(struct meeting *m);

/* The job's identity, the same on all nodes that have met; "": not known. */
const char *meeting_id(const struct meeting *m);
/* PREFIX.NODE, for files of this node; owned by m. */
const char *meeting_node_prefix(const struct meeting *m);
/* True: the first node runs, and will see what this node leaves in the folder. */
bool meeting_has_first(struct meeting *m);

/* ---- the first node's */

typedef void (*meeting_report_fn)(void *arg, const char *path);

/* Checks the folder once, and passes each new report of another node to `take`. The number of other
 * nodes that have not ended. */
int meeting_look(struct meeting *m, meeting_report_fn take, void *arg);

/* ---- without a job */

/* Passes all files PREFIX.NODE.json to `take`, sorted by name. 0, or a negative errno. */
int meeting_each_report(const char *prefix, meeting_report_fn take, void *arg);

#endif
