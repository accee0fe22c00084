/* SPDX-License-Identifier: MIT */
/* The last two readings of the counters while a program runs, as a report of the time between. */
#ifndef IPMU_RUN_READINGS_H
#define IPMU_RUN_READINGS_H

#include "../measure/report/report.h"

struct readings {
	const struct report *report;
	struct count *counts;		/* [2][parts]: of the reading before, and the last */
	uint64_t ns[2];			/* since the program's start, on the intervals' clock */
	uint64_t elapsed_ns;		/* since then, on the wall's */
};

/* The report needs machine, groups, and of the measurement events and passes. False: no memory. */
bool readings_open(struct readings *s, const struct report *report);
void readings_close(struct readings *s);
/* For struct watch. */
void readings_take(struct readings *s, uint64_t elapsed_ns, uint64_t ns,
		   const struct count *counts);

/* The counts between the two readings, as a report. */
struct readings_view {
	struct timeline timelines[PASSES_MAX];
	struct measurement m;
	struct report report;
};

void readings_view(const struct readings *s, struct readings_view *out);
/* In the pass that runs: a metric of the group, of a part or with NULL of the whole; the count per
 * second of an event, of a part or with -1 of all; the count of an event. */
struct value readings_metric(const struct readings_view *v, const struct report_group *g,
			     int metric, const struct part *part);
struct value readings_rate(const struct readings_view *v, int event, int part);
struct value readings_count(const struct readings_view *v, int event);

#endif
