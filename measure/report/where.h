/* SPDX-License-Identifier: MIT */
/* Shows where counts come from: the tables of a profile, in each of a report's forms. */
#ifndef IPMU_RUN_REPORT_WHERE_H
#define IPMU_RUN_REPORT_WHERE_H

#include "report.h"

struct json_writer;

#define WHERE_COLUMNS 4		/* events side by side, for people; one is instructions */
#define WHERE_ROWS 10
#define WHERE_INSTRUCTIONS "instructions"	/* where an event has a name */
#define WHERE_LINES_MAX 100	/* of each event, for programs */

/* The events of a group that a table shows: those that instructions cause. Instructions are the
 * last one, unless the group counts them. */
struct where_columns {
	int events[WHERE_COLUMNS], n;
	const char *names[WHERE_COLUMNS];	/* short ones */
};

struct where_columns where_columns_of(const struct report *r, const struct report_group *g);
/* "heap of main, a.c:12, 3 blocks, 96 bytes". */
#define WHERE_DATA_MAX 600
/* The same columns without instructions, which are of no data. */
struct where_columns where_columns_of_data(const struct report *r, const struct where_columns *c);
void where_data_text(const struct where_data *d, char out[WHERE_DATA_MAX]);
/* "near + 8", "heap of main, a.c:3 + 16": what an access is to; "": not known. */
void where_side_data(const struct where_side *s, char out[WHERE_DATA_MAX]);
/* Snoops below which people do not see a contended line. */
#define WHERE_SNOOPS_MIN 100
/* A sentence on an event whose profile lacks some of its counts, "" if it has all. */
void where_check(const struct report *r, int event, char out[REPORT_WHY_MAX]);
/* Indices of the lines that programs get: those with most of any event, in a list for free(). */
size_t *where_main_lines(const struct where *w, size_t *n);

void where_text(FILE *f, const struct report *r);
void where_html(FILE *f, const struct report *r);
struct json_object *where_object(struct json_writer *w, const struct report *r);

#endif
