/* SPDX-License-Identifier: MIT */
/* Events of the component: those of a table, and those that a client named with qualifiers. */
#ifndef UNCORE_EVENTS_H
#define UNCORE_EVENTS_H

#include <stdint.h>

#define UNCORE_NAME_MAX 128

enum uncore_unit { UNIT_CBO, UNIT_ARB, UNIT_CLK };

struct uncore_event {
	char name[UNCORE_NAME_MAX];
	const char *description;
	enum uncore_unit unit;
	int box;		/* number of a C-Box; -1: the sum of all boxes of the unit */
	unsigned counters;	/* bit n: counter n of a box can count it */
	uint64_t select;	/* what its event select holds besides the enable */
};

/* Events have the codes 0, 1, 2 and so on, first those of the table. Returns PAPI_OK and a code,
 * PAPI_ENOEVNT for a name that is none, PAPI_EINVAL for a wrong qualifier, or PAPI_ENOMEM. The
 * caller holds the component's lock. */
int uncore_event_code(const char *name, int boxes, unsigned *code);

/* NULL: there is no event with that code. No lock is needed for a code that was returned. */
const struct uncore_event *uncore_event_get(unsigned code);

/* Number of events in the table, which are listed. */
unsigned uncore_event_listed(void);

/* Forgets all but the table. */
void uncore_event_forget(void);

#endif
