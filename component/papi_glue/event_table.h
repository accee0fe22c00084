/* SPDX-License-Identifier: MIT */
/* Event codes of a component: every name that was listed or asked for has one, for good.
 *
 * Codes 0 .. events-1 are the documented events in listing order. Their unit masks, which take
 * longer to list, come when one of them is asked for, all of an event together; so do names that
 * users compose. The caller serialises all calls. */
#ifndef PAPI_GLUE_EVENT_TABLE_H
#define PAPI_GLUE_EVENT_TABLE_H

#include "ipmu.h"

struct event_entry {
	char name[IPMU_NAME_MAX];	/* as listed or as typed, without the component */
	char desc[512], umask_desc[512];
	const char *units;
	int parent;			/* code of the event of this unit mask; -1: an event */
	bool listed, parsed, has_umasks;	/* all of an event's are listed */
	struct ipmu_event event;	/* if parsed */
};

struct event_table {
	const struct ipmu_system *sys;
	struct event_entry **entries;
	int n, room, events;
};

/* List the events of the machine. 0, or -ENOMEM and an empty table. */
int event_table_fill(struct event_table *t, const struct ipmu_system *sys);
void event_table_free(struct event_table *t);

/* The code of a name, a new one if need be; a negative errno and `why` as ipmu_event_parse. */
int event_table_code(struct event_table *t, const char *name, char *why);
const struct event_entry *event_table_get(const struct event_table *t, unsigned code);
/* The engine's event for a code, within a frame; fails where a unit mask is missing. */
int event_table_resolve(struct event_table *t, unsigned code, const struct ipmu_frame *frame,
			struct ipmu_event *out, char *why);

/* Listing: the first event, the next event, the first or next unit mask. -ENOENT at the end,
 * -ENOMEM. */
int event_table_first(const struct event_table *t);
int event_table_next(const struct event_table *t, unsigned code);
int event_table_umask(struct event_table *t, unsigned code);

#endif
