/* SPDX-License-Identifier: MIT */
/* Which events are counted in which run of the program, where they do not all fit together. */
#ifndef IPMU_RUN_PASSES_H
#define IPMU_RUN_PASSES_H

#include "machine.h"

#define PASSES_MAX 64

/* Events that belong together: those of a group, or those that were requested by name. */
struct bundle {
	const int *events;	/* indices */
	int n;
	int clock;		/* which of the events goes with each of the others, -1: none */
};

struct passes {
	int n, nevents;
	bool *member;		/* n rows of nevents */
	char why[COUNT_WHY_MAX];	/* of the first collision */
};

/* As few passes as first fit gives, bundles kept together where they fit alone. 0, or a negative
 * errno with why: an event cannot be counted at all. */
int passes_plan(const struct event *events, int nevents, const struct bundle *bundles, int nbundles,
		struct passes *out, char why[COUNT_WHY_MAX]);
void passes_free(struct passes *p);
bool passes_has(const struct passes *p, int pass, int event);

#endif
