/* SPDX-License-Identifier: MIT */
/* The program as one of several that a launcher has started. */
#ifndef IPMU_RUN_JOB_H
#define IPMU_RUN_JOB_H

#include "../counting/measure.h"
#include "../report/report.h"
#include "launched.h"
#include "link.h"
#include "node.h"
#include "parcel.h"

struct job {
	struct launched as;
	struct node *node;
	struct cpus own;
	struct company company;
	bool has_first;			/* rank 0 is on this node */
	struct links *links;		/* of that node, where there are others */
	int link;			/* of the others, to it; -1: there is none */
	struct parcel *parcels;		/* of all nodes */
	int nparcels;
	struct measurement joined;
	struct event *events;		/* of all of them */
	struct report_node *nodes;
	struct report_job shape;
};

/* Meets the others of this node, and other nodes by way of a file beside PREFIX, or without one in
 * the working directory. options: the user's, of which a node's processes must have the same. 0; a
 * negative errno with why. */
int job_begin(struct job *j, const struct launched *as, const char *options, const char *prefix,
	      char why[COUNT_WHY_MAX]);
bool job_counts(const struct job *j);
/* Where another process counts: the program, and its exit status. */
int job_follow(struct job *j, char **argv);
/* The prefix for the files of this node's report: the job's, or one of its own. */
int job_prefix(const struct job *j, const char *prefix, char **out);
/* The program has ended. 1: another node has the counts and reports. 0: *out, until job_end(), is
 * what this one has to report, and job_shape() what there is to say about it. Or -ENOMEM. */
int job_collect(struct job *j, const struct measurement *mine, const struct measurement **out);
const struct report_job *job_shape(const struct job *j);
/* With a status that is not 0 the others have not been counted, and leave with it. */
void job_end(struct job *j, int status);

#endif
