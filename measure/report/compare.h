/* SPDX-License-Identifier: MIT */
/* Compares two reports: each event and each metric, within limits. */
#ifndef IPMU_RUN_COMPARE_H
#define IPMU_RUN_COMPARE_H

#include <stdio.h>

#include "saved.h"

struct json_writer;

/* How much worse or better a value may be, in per cent of the old one; NAN: that has no limit. A
 * value of which neither direction is better is worse if it rises. */
struct limit {
	char *name;		/* of an event or a metric; NULL: of all that have none by name */
	double worse, better;
	double small;		/* a change that never fails, in the value's unit; NAN: not given */
};

struct limits {
	struct limit *of;
	int n;
};

/* "0.5%" (either way), "+0.5%" (worse), "-0.5%" (better), each also as NAME=LIMIT. A later one
 * replaces an earlier one of the same name and direction. 0, -EINVAL: no limit, -ENOMEM. */
int limits_add(struct limits *l, const char *text);
/* "3" or NAME=3: a change by so much never fails. As limits_add(). */
int limits_add_small(struct limits *l, const char *text);
/* Adds the limits of `more`, which replace those of the same name. 0 or -ENOMEM. */
int limits_join(struct limits *l, const struct limits *more);
void limits_free(struct limits *l);
/* The first name in the limits that neither report has, NULL: none. */
const char *limits_unused(const struct limits *l, const struct saved *old, const struct saved *new);

/* Those from VERDICT_BEYOND on fail an item that has a limit. */
enum verdict {
	VERDICT_SAME,
	VERDICT_CHANGED,	/* there is no limit, or none on what is worse */
	VERDICT_WITHIN,
	VERDICT_IMPROVED,	/* better by more than the number, and that has no limit */
	VERDICT_SMALL,		/* beyond the limit, but a small number (limits_add_small()) */
	VERDICT_NEW,		/* the old report does not have the item */
	VERDICT_FOUND,		/* known now, and was not */
	VERDICT_UNKNOWN,	/* in neither */
	VERDICT_BEYOND,
	VERDICT_UNSTEADY,	/* the runs are further apart than the limit */
	VERDICT_MISSING,	/* the new report does not have the item */
	VERDICT_LOST,		/* known before, and is not now: not measured, or undefined */
};

struct rule {
	const struct limit *limit;	/* NULL: none */
	enum better better;
	double small;			/* a change of at most so much never fails; 0: each may */
};

/* Values that are NULL: the report does not have the item. */
enum verdict compare_values(const struct saved_value *old, const struct saved_value *new,
			    const struct rule *rule);

struct compared {
	const struct saved_item *old, *new;	/* NULL: not there; never both */
	struct rule rule;
	bool layouts;				/* the medians of several, which may differ */
	enum verdict verdict;
	bool failed;
};

#define DIFFERENCES_MAX 10
#define NOTES_MAX 4

/* Why two reports are not of the same work on the same machine. */
struct difference {
	const char *what;		/* "machine" */
	char *text;			/* a sentence */
};

struct comparison {
	const struct saved *old, *new;
	struct compared *items;		/* those that failed first; each event once */
	int n, failed;
	struct difference differences[DIFFERENCES_MAX];
	int ndifferences;
	char *notes[NOTES_MAX];		/* what may explain changes; none of it fails */
	int nnotes;
};

/* The reports and limits have to outlive the comparison. begun: the new report is of a program that
 * has not run yet, so that its status and processes are not compared. 0 or -ENOMEM; to be freed in
 * either case. */
int compare(const struct saved *old, const struct saved *new, const struct limits *limits,
	    bool begun, struct comparison *out);
void comparison_free(struct comparison *c);

/* ---- compared.c: what they are written as; 0 or a negative errno */

int compared_text(FILE *f, const struct comparison *c);
int compared_json(FILE *f, const struct comparison *c);
int compared_markdown(FILE *f, const struct comparison *c);
void compared_html(FILE *f, const struct comparison *c);	/* a section of the page */

/* Parts of them, for tables of several comparisons. counts: the new sums, not their changes. NULL:
 * no memory; to be freed. */
char *compared_headline(const struct comparison *c, bool counts);
struct json_object *compared_object(struct json_writer *w, const struct comparison *c);
/* The rows that failed. */
void compared_failed_text(FILE *f, const char *heading, const struct comparison *c);
void compared_failed_markdown(FILE *f, const struct comparison *c);
/* A line in which nothing ends it or moves the cursor; text without Markdown's marks. */
__attribute__((format(printf, 2, 3))) void compared_line(FILE *f, const char *format, ...);
void compared_put_markdown(FILE *f, const char *text);

#endif
