/* SPDX-License-Identifier: MIT */
/* A line on the terminal while a long run goes on. */
#ifndef IPMU_RUN_STATUS_H
#define IPMU_RUN_STATUS_H

#include "report/report.h"

struct status {
	int terminal;		/* -1: none, or nobody wants it */
	const struct report *report;
	struct count *counts;	/* [2][parts]: when the line was drawn last, and now */
	uint64_t ns[2], elapsed_ns;
};

/* Opens the terminal that stderr is, if we are in its foreground. The report needs machine, groups,
 * and of the measurement events and passes. */
void status_open(struct status *s, const struct report *r, bool wanted);
/* For struct watch; its argument is a struct status. */
void status_show(void *arg, uint64_t elapsed_ns, uint64_t ns, const struct count *counts);
/* Leaves the terminal as if there had been no line. */
void status_close(struct status *s);

#endif
