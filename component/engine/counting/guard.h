/* SPDX-License-Identifier: MIT */
/* The wrap guard: a thread that reads counters which would wrap unseen if nobody read them. It
 * exists only while a session uses such a counter. */
#ifndef IPMU_GUARD_H
#define IPMU_GUARD_H

#include "system.h"

struct ipmu_guard;

/* How far apart, in nanoseconds, the counters of a type are read; 0: never. Derivation in guard.c.
 * width: as found on the machine, 0: the type's. */
uint64_t ipmu_guard_period_ns(const struct ipmu_pmu_type *type, int width);

/* After a change of the counters' users: begin, or end, or read more kinds of counters. Lock held.
 * Fails only where a thread has to be made and cannot: -EAGAIN. */
int ipmu_guard_adjust(struct ipmu_system *sys, char *why);
void ipmu_guard_end(struct ipmu_system *sys);		/* even while counters run. Lock held. */

/* The guards that have been stopped. They need the lock to end, so the caller joins them without
 * it. */
struct ipmu_guard *ipmu_guard_ended(struct ipmu_system *sys);	/* Lock held. */
void ipmu_guard_join(struct ipmu_guard *ended);		/* may be NULL */

/* In a forked child, which has no such thread. */
void ipmu_guard_forked(struct ipmu_system *sys);

#endif
