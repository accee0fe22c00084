/* SPDX-License-Identifier: MIT */
/* Process of a job that a launcher started. */
#ifndef IPMU_RUN_JOB_H
#define IPMU_RUN_JOB_H

#include "../../measure/counting/measure.h"
#include "../../measure/report/report.h"
#include "launched.h"
#include "meeting.h"
#include "node.h"
#include "node_report.h"
#include "region.h"

struct job {
	struct launched as;
	struct node *node;
	struct cpus own;
	struct company company;
	bool alone;			/* no launcher has started it: the report has no job */
	struct region *region;		/* NULL: counted from start to end */
	struct phases *phases;		/* NULL: named regions are not counted */
	bool ranks_report;		/* their MPI_Init to the process that counts */
	bool early;			/* our rank has ended before its time */
	int ranks;			/* of this node, when the programs start */
	bool has_first;			/* rank 0 is on this node */
	struct meeting *meeting;	/* with other nodes; NULL: there are none, or it failed */
	struct from_json **reports;	/* of all nodes, this one first */
	char **paths;			/* of their files; NULL: none */
	int nreports;
	struct joined joined;
	struct report_node own_node;
	struct report_job shape;
};

/* Meets the others of this node, and other nodes by files beside PREFIX, or without one in the
 * working directory. as: NULL: no launcher has started us. options: the user's, of which a node's
 * processes must have the same. 0; a negative errno with why. */
int job_begin(struct job *j, const struct launched *as, const char *options, const char *prefix,
	      char why[COUNT_WHY_MAX]);
/* Only from MPI_Init to MPI_Finalize. 0; a negative errno with why. */
int job_from_mpi_init(struct job *j, char why[COUNT_WHY_MAX]);
/* The programs that are started from now on send messages about named regions. only: nothing else
 * is counted. 0 or -ENOMEM. */
int job_name_regions(const struct job *j, bool only);
bool job_counts(const struct job *j);
/* Runs the program while another process counts. Its exit status. */
int job_follow(struct job *j, char **argv);
/* The prefix for the files of this node's report: the job's, or one of its own. */
int job_prefix(const struct job *j, const char *prefix, char **out);

/* ---- after the program has ended */

/* Describes this node's ranks: *out is what it has to report, and job_shape() the ranks. */
void job_describe_node(struct job *j, const struct measurement *mine, struct measurement *out);
/* True: the job has other nodes, which leave reports beside each other. */
bool job_has_others(const struct job *j);
/* For those: where this node's report goes. */
const char *job_node_prefix(const struct job *j);
/* True: the first node runs, and will read a report that is left there. */
bool job_is_met(const struct job *j);
/* The first node's: waits for the reports of the other nodes. own: its own report. *out, until
 * job_end(), is what all have counted. 0 or a negative errno. */
int job_collect(struct job *j, const struct saved *own, const struct measurement *mine,
		const struct measurement **out);
/* After that: the profile of all nodes; NULL: there is one node, or one of them has no profile. */
const struct where *job_profile(const struct job *j);
/* Removes the files of the reports that job_collect() has read. */
void job_remove_reports(const struct job *j);

/* NULL: of a program alone. */
const struct report_job *job_shape(const struct job *j);
/* The same before job_collect(), of this node alone, in any thread; node: room for it. */
struct report_job job_shape_here(const struct job *j, struct report_node *node);
/* With a status that is not 0 the others have not been counted, and leave with it. */
void job_end(struct job *j, int status);

#endif
