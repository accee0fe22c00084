/* SPDX-License-Identifier: MIT */
/* A profile read from the JSON of a report, and the profile of several reports together. */
#ifndef IPMU_RUN_REPORT_WHERE_SAVED_H
#define IPMU_RUN_REPORT_WHERE_SAVED_H

#include "report.h"
#include "saved.h"

struct where_saved {
	struct where where;
	struct json_object *texts;	/* those of where; NULL: it owns none */
};

/* Reads the profile of a report with these events. 0, and in *out NULL if there is none; -ENOMEM;
 * -EINVAL and in *wrong the member that is not as report_json() writes it. */
int where_read(const struct saved *s, const struct measurement *m, struct where_saved **out,
	       const char **wrong);
/* Adds up profiles of the same events. Functions, lines and data of one name and place become one
 * row; of lines each report has those with most counts alone. The texts stay those of w. 0,
 * -ENOMEM, or -EOVERFLOW if counts are too large to add up. */
int where_join(const struct where_saved *const *w, int n, struct where_saved **out);
void where_saved_free(struct where_saved *w);

#endif
