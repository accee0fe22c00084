/* SPDX-License-Identifier: MIT */
/* Which functions explain that a count differs, if both reports have a profile. */
#ifndef IPMU_RUN_EXPLAINED_H
#define IPMU_RUN_EXPLAINED_H

#include "compare.h"

#define EXPLAINED_ROWS 10
#define EXPLAINED_EVENTS 3
#define EXPLAINED_SHARE 95	/* per cent of the difference that the rows explain, if they can */

struct explained_function {
	const char *function, *file, *object;
	int line;
	bool has_old, has_new;	/* in that report */
	double old, new;
};

struct explained {
	const struct saved_item *event;	/* of the new report */
	struct explained_function rows[EXPLAINED_ROWS];
	int n;
	double change;		/* of the whole count */
	double share;		/* per cent of what functions differ by that is in the rows */
};

/* The events that failed first, else those that changed most: their number, at most
 * EXPLAINED_EVENTS; -ENOMEM. */
int explain(const struct comparison *c, struct explained out[EXPLAINED_EVENTS]);
/* Returns a sentence about the report that lacks a profile, for free(); NULL: both or none do. */
char *explain_missing(const struct comparison *c);

/* Forms of the functions, each empty without profiles. 0 or -ENOMEM. */
int explained_text(FILE *f, const struct comparison *c);
int explained_markdown(FILE *f, const struct comparison *c);
int explained_html(FILE *f, const struct comparison *c);
/* A list for JSON. */
struct json_object *explained_list(struct json_writer *w, const struct comparison *c);

#endif
