/* SPDX-License-Identifier: MIT */
/* A report without counts, made from the JSON of another: machine, groups, events and command. */
#ifndef IPMU_RUN_FROM_JSON_H
#define IPMU_RUN_FROM_JSON_H

#include "report.h"
#include "saved.h"

struct from_json {
	struct machine machine;
	struct event *events;
	int nevents;
	struct passes passes;		/* one, with all events */
	struct group **owned;		/* the groups of `groups` */
	struct report_group *groups;
	int ngroups;
	char **program;			/* ended by NULL */
	struct measurement m;		/* has the events, and no counts */
	struct report report;		/* of m */
};

/* The texts are those of s, which must stay. 0 and one for from_json_free(); -ENOMEM; -EINVAL with
 * the object that is not as report_json() writes it. */
int from_json(const struct saved *s, struct from_json *out, char why[SAVED_WHY_MAX]);
void from_json_free(struct from_json *f);

#endif
