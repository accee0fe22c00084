/* SPDX-License-Identifier: MIT */
#ifndef IPMU_ASSIGN_H
#define IPMU_ASSIGN_H

#include "system.h"

/* What one box must count: one select on one of some counters. */
struct ipmu_want {
	uint64_t select, counters;
	const char *event;
	int ctr;	/* out: the counter that was found */
};

/* Find a counter for each want. `box` NULL: as if the box were idle; otherwise counters that
 * running sessions use stay as they are and serve a want of the same select.
 * 0, or -ENOSPC with the names of the events that collide. */
int ipmu_assign(const struct ipmu_box *box, const struct ipmu_pmu_type *type, int box_index,
		struct ipmu_want *wants, int n, char *why);

#endif
