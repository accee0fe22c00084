/* SPDX-License-Identifier: MIT */
/* The report of one node of a job, read from its JSON, and the report of all nodes together. */
#ifndef IPMU_RUN_NODE_REPORT_H
#define IPMU_RUN_NODE_REPORT_H

#include "../../measure/report/from_json.h"

/* True for a report of one node of a job; with an id, of that job. */
bool node_report_is(const struct saved *s, const char *id);
/* Reads one that counts the events of `like`. 0 and a report for node_report_free(); -EINVAL: these
 * are other events; -ENOMEM. */
int node_report_read(const struct saved *s, const struct measurement *like,
		     struct from_json **out);
void node_report_free(struct from_json *r);

/* Counts of several nodes together, and the job whose nodes they are. */
struct joined {
	struct measurement m;
	struct window window;		/* that of m */
	struct phase_list phases;	/* those of m */
	struct event *events;		/* those of m */
	struct where_saved *where;	/* NULL: a node has no profile */
	int lacking;			/* nodes without a profile, if others have one */
	struct report_node *nodes;
	struct report_job job;
};

/* Message about these, for printf(): their number, and that of all nodes. */
#define JOINED_LACKING "%d of %d reports have no profile: the joined report has none"

/* Joins the reports of n nodes. Each part gets its node's number if there are several nodes, and a
 * node with several parts also their sum. 0, -ENOMEM, or -EOVERFLOW if counts are too large to add
 * up; for joined_free() in each case. out refers to the reports and to itself. */
int node_reports_join(struct from_json *const *r, int n, struct joined *out);
void joined_free(struct joined *j);

#endif
