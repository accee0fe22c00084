/* SPDX-License-Identifier: MIT */
/* A line on the terminal during a long run. */
#ifndef IPMU_RUN_STATUS_H
#define IPMU_RUN_STATUS_H

#include "readings.h"

struct status {
	struct readings readings;
	double peak;
};

/* True if stderr is a terminal that gets the line. The report needs machine, groups, and of the
 * measurement events and passes. */
bool status_open(struct status *s, const struct report *r, bool wanted);
/* For struct watch; its argument is a struct status. */
void status_show(void *arg, uint64_t elapsed_ns, uint64_t ns, const struct count *counts);
/* Leaves the terminal as if there had been no line. */
void status_close(struct status *s);

#endif
