/* SPDX-License-Identifier: MIT */
/* Event codes of a component; event_table.h describes when events are listed. event_table_code()
 * assigns a code to a name and event_table_resolve() turns a code into the engine's event.
 * event_table_first(), event_table_next() and event_table_umask() walk the listing. The caller
 * serialises all calls, by PAPI's component lock. A code is an index that keeps its entry until
 * event_table_free(). */
#include "event_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static struct event_entry *add_entry(struct event_table *t, const char *name)
{
	struct event_entry *e;

	if (t->n == t->room) {
		int room = t->room ? 2 * t->room : 64;
		struct event_entry **grown = realloc(t->entries, (size_t)room * sizeof(*grown));

		if (!grown)
			return NULL;
		t->entries = grown;
		t->room = room;
	}
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	snprintf(e->name, sizeof(e->name), "%s", name);
	e->number = e->parent = -1;
	t->entries[t->n++] = e;
	return e;
}

typedef int name_compare(const char *a, const char *b);

static int find_name(const struct event_table *t, const char *name, bool unlisted,
		     name_compare *compare)
{
	for (int i = 0; i < t->n; i++)
		if (!(unlisted && t->entries[i]->number >= 0) &&
		    compare(t->entries[i]->name, name) == 0)
			return i;
	return -ENOENT;
}

/* A name that was requested before keeps its entry, from now on in the document's spelling. */
static int list_entry(struct event_table *t, int event, int umask, int parent)
{
	struct ipmu_event_info info;
	struct event_entry *e;
	int code;

	if (ipmu_event_list(t->sys, event, umask, &info))
		return -ENOENT;
	code = find_name(t, info.name, true, strcasecmp);
	e = code < 0 ? add_entry(t, info.name) : t->entries[code];
	if (!e)
		return -ENOMEM;
	snprintf(e->name, sizeof(e->name), "%s", info.name);
	snprintf(e->desc, sizeof(e->desc), "%s", info.desc);
	snprintf(e->umask_desc, sizeof(e->umask_desc), "%s", info.umask_desc);
	e->units = info.units;
	e->number = umask < 0 ? event : umask;
	e->parent = parent;
	return 0;
}

static int list_events(struct event_table *t)
{
	int rc = t->has_events ? -ENOENT : 0;

	while (!rc && (rc = list_entry(t, t->events, -1, -1)) == 0)
		t->events++;
	t->has_events = rc == -ENOENT;
	return t->has_events ? 0 : rc;
}

static int table_list_umasks(struct event_table *t, int event)
{
	struct event_entry *e = t->entries[event];
	int rc = e->has_umasks ? -ENOENT : 0;

	while (!rc && (rc = list_entry(t, e->number, e->umasks, event)) == 0)
		e->umasks++;
	e->has_umasks = rc == -ENOENT;
	return e->has_umasks ? 0 : rc;
}

static bool is_event(const struct event_entry *e)
{
	return e->parent < 0 && e->number >= 0;
}

/* All events, and the unit masks of the one with which the name begins. */
static int list_around(struct event_table *t, const char *name)
{
	size_t n = strcspn(name, ":");
	int rc = list_events(t);

	for (int i = 0; name[n] && i < t->n && !rc; i++)
		if (is_event(t->entries[i]) && strncasecmp(t->entries[i]->name, name, n) == 0 &&
		    !t->entries[i]->name[n])
			rc = table_list_umasks(t, i);
	return rc;
}

void event_table_begin(struct event_table *t, const struct ipmu_system *sys)
{
	memset(t, 0, sizeof(*t));
	t->sys = sys;
}

void event_table_free(struct event_table *t)
{
	while (t->n > 0)
		free(t->entries[--t->n]);
	free(t->entries);
	memset(t, 0, sizeof(*t));
}

static int no_room(const char *name, char *why)
{
	snprintf(why, IPMU_WHY_MAX, "out of memory for the event %s", name);
	return -ENOMEM;
}

static int add_composed(struct event_table *t, const char *name, char *why)
{
	struct event_entry *e = add_entry(t, name);
	int rc = e ? ipmu_event_parse(t->sys, name, &e->event, why) : no_room(name, why);

	if (e && rc) {
		t->n--;
		free(e);
	}
	if (rc)
		return rc;
	e->parsed = true;
	e->units = e->event.units;
	snprintf(e->desc, sizeof(e->desc), "%s", e->event.name);
	return t->n - 1;
}

/* Find a name's code, or add one. Spellings of a name have codes of their own: PAPI finds counts by
 * code, and returned the count 0 for one of two events with the same code. A name that cannot be
 * counted as it is, without a unit mask, may be listed all the same. */
int event_table_code(struct event_table *t, const char *name, bool listing, char *why)
{
	int code = find_name(t, name, false, strcmp), rc;

	if (code < 0)
		code = add_composed(t, name, why);
	if (code >= 0 || code == -ENOMEM || !listing)
		return code;
	rc = list_around(t, name);
	if (rc)
		return no_room(name, why);
	rc = find_name(t, name, false, strcasecmp);
	return rc < 0 ? code : rc;
}

const struct event_entry *event_table_get(const struct event_table *t, unsigned code)
{
	return code < (unsigned)t->n ? t->entries[code] : NULL;
}

int event_table_resolve(struct event_table *t, unsigned code, const struct ipmu_frame *frame,
			struct ipmu_event *out, char *why)
{
	struct event_entry *e;
	int rc;

	if (code >= (unsigned)t->n) {
		snprintf(why, IPMU_WHY_MAX, "there is no event of code %u", code);
		return -ENOENT;
	}
	e = t->entries[code];
	if (frame->place != IPMU_ALL || frame->user != frame->kernel)
		return ipmu_event_parse_in(t->sys, e->name, frame, out, why);
	if (!e->parsed) {
		rc = ipmu_event_parse(t->sys, e->name, &e->event, why);
		if (rc)
			return rc;
		e->parsed = true;
	}
	*out = e->event;
	return 0;
}

int event_table_describe(struct event_table *t, unsigned code)
{
	if (code >= (unsigned)t->n)
		return -ENOENT;
	return t->entries[code]->number >= 0 ? 0 : list_around(t, t->entries[code]->name);
}

/* Search from the last one's code on: the next one most often follows it. */
static int find_number(const struct event_table *t, int last, int parent, int number)
{
	for (int n = 0; n < t->n; n++) {
		int i = (last + n) % t->n;

		if (t->entries[i]->parent == parent && t->entries[i]->number == number)
			return i;
	}
	return -ENOENT;
}

int event_table_first(struct event_table *t)
{
	int rc = list_events(t);

	return rc ? rc : find_number(t, 0, -1, 0);
}

int event_table_next(const struct event_table *t, unsigned code)
{
	if (code >= (unsigned)t->n || !is_event(t->entries[code]))
		return -ENOENT;
	return find_number(t, (int)code, -1, t->entries[code]->number + 1);
}

int event_table_umask(struct event_table *t, unsigned code)
{
	const struct event_entry *e;
	int rc = event_table_describe(t, code);

	if (rc)
		return rc;
	e = t->entries[code];
	if (e->parent >= 0)
		return find_number(t, (int)code, e->parent, e->number + 1);
	rc = is_event(e) ? table_list_umasks(t, (int)code) : -ENOENT;
	return rc ? rc : find_number(t, (int)code, (int)code, 0);
}
