/* SPDX-License-Identifier: MIT */
/* Event codes of a component: every name that was listed or requested has one, for good. Codes are
 * numbered in the order of first use.
 *
 * Adding an event takes no listing. Documented events are listed when a client requests the first
 * of them, or an event's description. Unit masks take longer: those of an event are listed together
 * when one of them is needed. The caller serialises all calls. */
#ifndef PAPI_GLUE_EVENT_TABLE_H
#define PAPI_GLUE_EVENT_TABLE_H

#include "ipmu.h"

struct event_entry {
	char name[IPMU_NAME_MAX];	/* as listed or as typed, without the component */
	char desc[512], umask_desc[512];
	const char *units;
	int number;		/* among events, or unit masks of its event; -1: not listed */
	int parent;		/* code of the event of this unit mask; -1: an event */
	int umasks;		/* how many of this event's are listed */
	bool has_umasks, parsed;	/* they are all */
	struct ipmu_event event;	/* if parsed */
};

struct event_table {
	const struct ipmu_system *sys;
	struct event_entry **entries;
	int n, room;
	int events;		/* how many are listed */
	bool has_events;	/* they are all */
};

void event_table_begin(struct event_table *t, const struct ipmu_system *sys);
void event_table_free(struct event_table *t);

/* The code of a name, a new one if need be; a negative errno and `why` as ipmu_event_parse. With
 * `listing` a name that cannot be counted may be listed all the same, which lists all events. */
int event_table_code(struct event_table *t, const char *name, bool listing, char *why);
const struct event_entry *event_table_get(const struct event_table *t, unsigned code);
/* The engine's event for a code, within a frame; fails where a unit mask is missing. */
int event_table_resolve(struct event_table *t, unsigned code, const struct ipmu_frame *frame,
			struct ipmu_event *out, char *why);

/* Complete an entry from the listing. -ENOENT: there is none; -ENOMEM. */
int event_table_describe(struct event_table *t, unsigned code);

/* Listing: the first event, the next event, the first or next unit mask. -ENOENT at the end,
 * -ENOMEM. */
int event_table_first(struct event_table *t);
int event_table_next(const struct event_table *t, unsigned code);
int event_table_umask(struct event_table *t, unsigned code);

#endif
