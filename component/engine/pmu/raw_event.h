/* SPDX-License-Identifier: MIT */
/* RAW: an event by its numbers. For codes and unit masks that no table has, on PMUs whose event
 * selects have the fields of the P6's where it has them. */
#ifndef IPMU_RAW_EVENT_H
#define IPMU_RAW_EVENT_H

#include "pmu.h"
#include "qualifiers.h"

#define IPMU_RAW_EVENT "RAW"

/* Is `event` the raw event of that type? */
bool ipmu_raw_is(const struct ipmu_pmu_type *type, const char *event);
/* The largest number that event=, umask= or a modifier takes; 0: the type has no such field. */
uint64_t ipmu_raw_most(const struct ipmu_pmu_type *type, const char *key);
/* The event select by libpfm4's qualifiers of a raw event. */
int ipmu_raw_encode(const struct ipmu_pmu_type *type, const struct ipmu_qualifiers *q,
		    uint64_t *select, char *why);

/* For an event that is known by its numbers: the modifiers among its qualifiers, u and k where none
 * sets a level. -ENOKEY, and `why` is the qualifier: the type has no such field. */
int ipmu_raw_modifiers(const struct ipmu_pmu_type *type, const struct ipmu_qualifiers *q,
		       uint64_t *select, char *why);

#endif
