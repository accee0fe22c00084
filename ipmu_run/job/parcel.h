/* SPDX-License-Identifier: MIT */
/* What a node has counted, as text on its way to another. */
#ifndef IPMU_RUN_PARCEL_H
#define IPMU_RUN_PARCEL_H

#include "../counting/measure.h"
#include "node.h"


struct parcel {
	char host[HOST_BYTES];
	struct node_ranks ranks;
	struct measurement m;		/* of one run, in one pass */
	struct event *events;		/* those of m */
};

/* 0 with *text for free(), or -ENOMEM. */
int parcel_write(const struct measurement *m, const struct node_ranks *ranks, char **text,
		 size_t *bytes);
/* The events have to be those of `like`, in its order. 0 and a parcel for parcel_free(); -EINVAL,
 * -ENOMEM. The text is changed. */
int parcel_read(char *text, const struct measurement *like, struct parcel *out);
void parcel_free(struct parcel *p);

/* All together, where there are several nodes each part with its node's number, and sums of nodes
 * that have several parts. 0 or -ENOMEM, and *events for free(), each for event_free(). */
int parcels_join(const struct parcel *p, int n, struct measurement *out, struct event **events);

#endif
