/* SPDX-License-Identifier: MIT */
/* Counting: from events to counters of boxes, and their values. */
#ifndef UNCORE_COUNT_H
#define UNCORE_COUNT_H

#include <stdbool.h>
#include "uncore_events.h"
#include "uncore_lease.h"

#define UNCORE_BOXES_MAX 8
#define UNCORE_EVENTS_MAX 19	/* two counters of each C-Box and of the arbiter, and the clock */

struct uncore_counts {
	int n;
	bool running;
	struct uncore_use {
		const struct uncore_event *event;
		signed char counter[UNCORE_BOXES_MAX];	/* of each box; -1: the box is not used */
		uint64_t last[UNCORE_BOXES_MAX];	/* their values when they were read last */
		long long count;
	} uses[UNCORE_EVENTS_MAX];
};

/* Number of C-Boxes of this processor, or PAPI_ENOSUPP and a reason (PAPI_HUGE_STR_LEN bytes). */
int uncore_count_boxes(char *reason);

/* Chooses counters: PAPI_OK, or PAPI_ECNFLCT if there are not enough. */
int uncore_count_assign(struct uncore_counts *c, const struct uncore_event *const *events, int n,
			int boxes);

/* All return PAPI's codes; a reason has UNCORE_REASON_MAX bytes. The caller holds the component's
 * lock, and one `c` at a time is running. */
int uncore_count_start(struct uncore_counts *c, int boxes, char *reason);
int uncore_count_read(struct uncore_counts *c);	/* PAPI_ECLOST: somebody else wrote a counter */
int uncore_count_stop(struct uncore_counts *c);

#endif
