/* SPDX-License-Identifier: MIT */
/* Adds profiles of several processes up in tables. */
#ifndef IPMU_PROFILE_TABLES_H
#define IPMU_PROFILE_TABLES_H

#include "symbols.h"
#include "weights.h"
#include "where.h"

struct tables;

/* The texts of the table are those of the symbols. NULL: no memory. */
struct tables *tables_begin(struct symbols *s, int nevents);
/* Adds a process image. places and costs: as symbols_find() and weights_costs() make them. 0 or
 * -ENOMEM. */
int tables_add(struct tables *t, const struct profile *p, const struct place *places,
	       const int64_t *costs, const struct weights *w, const bool *wanted);
/* The event has no profile, because it counts that. */
void tables_set_apart(struct tables *t, int event, const char *why);
/* The event counts every other occurrence. */
void tables_set_halved(struct tables *t, int event);
/* The tables, whose memory they keep: until tables_free(). Source lines are read for the `most`
 * first of each event. NULL: no memory. */
const struct where *tables_end(struct tables *t, size_t most);
void tables_free(struct tables *t);

#endif
