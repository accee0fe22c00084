/* SPDX-License-Identifier: MIT */
/* The report of one node of a job, read from its JSON, and the report of all nodes together. */
#ifndef IPMU_RUN_NODE_REPORT_H
#define IPMU_RUN_NODE_REPORT_H

#include "../counting/measure.h"
#include "../report/report.h"
#include "../report/saved.h"

struct node_report {
	char host[HOST_BYTES], id[128];
	int size, ranks, ended, outside;	/* as in struct report_job */
	bool first;			/* rank 0 is on this node */
	bool windowed;			/* counted with --from-mpi-init; then: */
	struct window window;		/* begun and reason alone */
	struct measurement m;		/* of one run, in one pass */
	struct event *events;		/* those of m */
};

/* Reads what the report of a node says about its job. 0; -ENOENT: the report is of no single node
 * of a job; -EINVAL. out needs no node_report_free() yet. */
int node_report_head(const struct saved *s, struct node_report *out);
/* Reads the counts as well, of the events of `like` in its order. 0 and a report for
 * node_report_free(); -EINVAL: these are other events; -ENOENT; -ENOMEM. */
int node_report_read(const struct saved *s, const struct measurement *like,
		     struct node_report *out);
/* The same of any report of one run, by one or by several nodes. Its job is that of the first. */
int report_read(const struct saved *s, const struct measurement *like, struct node_report *out);
void node_report_free(struct node_report *r);

/* Joins the reports of n nodes. Each part gets its node's number if there are several nodes, and a
 * node with several parts also their sum. 0 or -ENOMEM. out may refer to *window; *events is for
 * free(), each of them for event_free(). */
int node_reports_join(const struct node_report *r, int n, struct window *window,
		      struct measurement *out, struct event **events);
/* Describes the job whose nodes these are. *nodes is for free(). 0 or -ENOMEM. */
int node_reports_job(const struct node_report *r, int n, struct report_node **nodes,
		     struct report_job *out);

#endif
