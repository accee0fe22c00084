/* SPDX-License-Identifier: MIT */
/* A plan's counters, as they are reserved against other processes. Lock held. */
#ifndef IPMU_RESERVE_H
#define IPMU_RESERVE_H

#include "plan.h"

/* ipmu_lease_enter for all units of a plan in which a register may have to be changed. With
 * `damage` a journal that has been damaged and could be written anew from memory is entered all the
 * same, and *damage is -EBADMSG then. */
int ipmu_reserve_enter(const struct ipmu_plan *plan, int *damage, char *why);
void ipmu_reserve_leave(const struct ipmu_plan *plan);

/* Take the counters that the plan has been given, before anything is written for it. -EBUSY: a
 * foreign user, which keeps no journal of ours, counts there. On failure nothing is taken. */
int ipmu_reserve_take(const struct ipmu_plan *plan, char *why);
/* After a failure, and once the units have been left: part from those on which nothing else of this
 * process counts. Inside a unit, its journal would record an end that is none. */
void ipmu_reserve_part(const struct ipmu_plan *plan);
/* Release those that no session of this process uses any more. */
void ipmu_reserve_drop(const struct ipmu_plan *plan);

#endif
