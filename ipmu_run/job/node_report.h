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

/* Joins the reports of n nodes. Each part gets its node's number if there are several nodes, and a
 * node with several parts also their sum. 0 or -ENOMEM. out may refer to *window and to the
 * reports; *events is for free(), each of them for event_free(). */
int node_reports_join(struct from_json *const *r, int n, struct window *window,
		      struct measurement *out, struct event **events);
/* Describes the job whose nodes these are. *nodes is for free(). 0 or -ENOMEM. */
int node_reports_job(struct from_json *const *r, int n, struct report_node **nodes,
		     struct report_job *out);

#endif
