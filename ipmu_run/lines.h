/* SPDX-License-Identifier: MIT */
/* --interval without files: a line on stderr for each interval. */
#ifndef IPMU_RUN_LINES_H
#define IPMU_RUN_LINES_H

#include "readings.h"

struct lines {
	struct readings readings;
	const char *host;	/* begins each line, if the job has several nodes; or NULL */
	int written;		/* lines of this run */
};

/* False: no memory. The report is as for readings_open(). */
bool lines_open(struct lines *l, const struct report *report, const char *host);
void lines_close(struct lines *l);
/* For struct watch; its argument is a struct lines. Writes the heading before the first line of a
 * run, and again each 24 lines. */
void lines_show(void *arg, uint64_t elapsed_ns, uint64_t ns, const struct count *counts);

#endif
