/* SPDX-License-Identifier: MIT */
/* How often each event counts when a kind occurs once. */
#ifndef IPMU_PROFILE_WEIGHTS_H
#define IPMU_PROFILE_WEIGHTS_H

#include "profile.h"

/* Rows that are of no kind: 1 for an event that time advances by itself, and for one that does not
 * count each occurrence. */
#define WEIGHTS_TIME "(time)"
#define WEIGHTS_UNEVEN "(uneven)"

/* Weights are in quarters: an event of one of two memory controllers counts every other request. */
#define WEIGHTS_SCALE 4

struct weights {
	int nevents;
	struct weights_kind {
		char *name;
		int64_t *of;		/* [event] */
	} *kinds;
	size_t nkinds;
};

/* A row of zeros for a kind; NULL: no memory. */
int64_t *weights_add(struct weights *w, const char *kind);
/* Text with a line for each kind: its name and the weights. 0, -EINVAL or -ENOMEM; to be freed in
 * either case. */
int weights_read(FILE *from, int nevents, struct weights *out);
void weights_write(FILE *to, const struct weights *w);
void weights_free(struct weights *w);

/* Costs of each spot in quarters, [spot][event], for free(); NULL: no memory. Events whose `wanted`
 * is false stay 0. */
int64_t *weights_costs(const struct weights *w, const struct profile *p, const bool *wanted);
/* A row by its name; NULL: there is none. */
const int64_t *weights_row(const struct weights *w, const char *name);
/* A row of a profile's kinds; NULL: none of the events counts it. */
const int64_t *weights_of(const struct weights *w, const struct profile *p, uint32_t kind);

#endif
