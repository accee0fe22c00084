/* SPDX-License-Identifier: MIT */
#ifndef IPMU_ASSIGN_H
#define IPMU_ASSIGN_H

#include "../lease/unit.h"

/* What one box must count: an event, by one of its choices. */
struct ipmu_want {
	const struct ipmu_choice *choices;
	int nchoices;
	const char *event;
	int ctr, choice;	/* out: the counter and the choice that were found */
	int companion;		/* out: the counter enabled beside it; -1: none needed */
	bool rides;		/* out: ... which another event has programmed */
};

/* Find a counter and a choice for each want, such that counters are not shared and shared registers
 * agree. `box` NULL: as if the box were idle; otherwise counters that running sessions use stay as
 * they are, and serve a want that can be counted the same way.
 * 0, or -ENOSPC with the names of the events that collide; *loser (may be NULL) is then the want
 * that found no place. */
int ipmu_assign(const struct ipmu_box *box, const struct ipmu_pmu_type *type, int box_index,
		struct ipmu_want *wants, int n, int *loser, char *why);

bool ipmu_choice_equal(const struct ipmu_choice *a, const struct ipmu_choice *b);

#endif
