/* SPDX-License-Identifier: MIT */
/* A line on the terminal during a long run, and a bar for each package or box if there are
 * several. */
#ifndef IPMU_RUN_STATUS_H
#define IPMU_RUN_STATUS_H

#include "readings.h"

#define STATUS_ROWS_MAX 17	/* the line, and a bar each for so many parts less one */

struct status {
	int terminal;			/* -1: none, or nobody wants it */
	struct readings readings;
	double peak[STATUS_ROWS_MAX];	/* the whole's, then those of the parts */
};

/* Opens the terminal that stderr is, if we are in its foreground. The report needs machine, groups,
 * and of the measurement events and passes. */
void status_open(struct status *s, const struct report *r, bool wanted);
/* For struct watch; its argument is a struct status. */
void status_show(void *arg, uint64_t elapsed_ns, uint64_t ns, const struct count *counts);
/* Leaves the terminal as if there had been no line. */
void status_close(struct status *s);

#endif
