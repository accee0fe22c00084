/* SPDX-License-Identifier: MIT */
/* Event sets that count at the same time. */
#ifndef IPMU_RUN_SETS_H
#define IPMU_RUN_SETS_H

#include "machine.h"

struct count {
	long long value;
	bool known;
};

struct sets;

/* Puts the chosen of n events into event sets. 0 and sets that sets_close() ends; -ENOSPC: they do
 * not fit into the counters together, and why names those that collide where it is known; another
 * negative errno. On success why has the reason of a part that is missing, if one is. */
int sets_open(const struct event *events, int n, const bool *chosen, struct sets **out,
	      char why[COUNT_WHY_MAX]);
/* -EBUSY: somebody else counts with these counters; -EPERM; -EIO. The counters of other components
 * run nevertheless. */
int sets_start(struct sets *s, char why[COUNT_WHY_MAX]);
/* Reads what has been counted so far into the counts of the chosen events. May be called in another
 * thread than the others, not at the same time as they. Lost counts are not known from then on,
 * and sets_stop() reports them. */
void sets_read(struct sets *s, struct count *counts);
/* Fills the counts of the chosen events, each part at event->first + its number. Lost counts
 * are not known, and why says which; -ESTALE then. */
int sets_stop(struct sets *s, struct count *counts, char why[COUNT_WHY_MAX]);
void sets_close(struct sets *s);

#endif
