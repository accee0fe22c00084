/* SPDX-License-Identifier: MIT */
/* Counters between processes: which process may use them, and which one does. The unit has been
 * entered (lease.h). */
#ifndef IPMU_SHARE_H
#define IPMU_SHARE_H

#include "unit.h"

/* Join the unit: hold a process slot, whose lock and journal entry other processes read. */
int ipmu_share_join(struct ipmu_unit *unit, char *why);
/* -EBUSY: a foreign user counts with that counter: one that keeps no journal of ours. */
int ipmu_share_check_foreign(struct ipmu_box *box, int ctr, char *why);
/* Become the programmer of the box, unless another process is; lock a counter. */
int ipmu_share_take_box(struct ipmu_box *box);
int ipmu_share_take_counter(struct ipmu_box *box, int ctr);
/* Release the counter if no session of this process uses it any more, and then the box. */
void ipmu_share_drop(struct ipmu_box *box, int ctr);

/* Is another process the reason that a counter cannot be used? Then `why` says so. */
bool ipmu_share_explain(const struct ipmu_box *box, const char *event, char *why);

#endif
