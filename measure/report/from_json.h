/* SPDX-License-Identifier: MIT */
/* A report made from the JSON of another: machine, groups, counts, job and command. */
#ifndef IPMU_RUN_FROM_JSON_H
#define IPMU_RUN_FROM_JSON_H

#include "report.h"
#include "saved.h"
#include "where_saved.h"

struct from_json {
	struct machine machine;
	struct event *events;
	int nevents;
	struct passes passes;		/* one, with all events */
	struct group **owned;		/* the groups of `groups` */
	struct report_group *groups;
	int ngroups;
	char **program;			/* ended by NULL */
	struct measurement m;
	struct window window;		/* of m, if it has one: begun and reason alone */
	struct phase_list phases;	/* of m, if it has regions */
	struct report_node *nodes;
	struct report_job job;
	char id[128];			/* of job */
	struct where_saved *where;	/* the profile; NULL: none */
	struct report report;		/* of m */
};

/* The report must be of one run in one pass, as counts of several are means. The command and its
 * words are those of s, which must stay for them. The result may not be moved. 0 and one for
 * from_json_free(); -ENOMEM; -EINVAL with the object that is not as report_json() writes it. */
int from_json(const struct saved *s, struct from_json *out, char why[SAVED_WHY_MAX]);
void from_json_free(struct from_json *f);

#endif
