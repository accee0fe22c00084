/* SPDX-License-Identifier: MIT */
#ifndef IPMU_ASSIGN_H
#define IPMU_ASSIGN_H

#include "../lease/unit.h"

/* A request to one box: to count an event, by one of its choices. */
struct ipmu_request {
	const struct ipmu_choice *choices;
	int nchoices;
	const char *event;
	int ctr, choice;	/* out: the counter and the choice that were found */
	int companion;		/* out: the counter enabled alongside; -1: none needed */
	bool companion_shared;	/* out: another event has programmed the companion */
};

/* Find a counter and a choice for each request, such that no counter has two of them and shared
 * registers get one value. `box` NULL: as if the box were idle; otherwise counters that running
 * sessions use stay as they are, and serve a request that can be counted the same way.
 * 0, or -ENOSPC with the names of the events that collide; *loser (may be NULL) is then the request
 * that found no counter. */
int ipmu_assign(const struct ipmu_box *box, const struct ipmu_pmu_type *type, int counters,
		int box_index, struct ipmu_request *requests, int n, int *loser, char *why);

bool ipmu_choice_equal(const struct ipmu_choice *a, const struct ipmu_choice *b);

#endif
