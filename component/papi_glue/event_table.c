/* SPDX-License-Identifier: MIT */
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
	e->parent = -1;
	t->entries[t->n++] = e;
	return e;
}

static int list_entry(struct event_table *t, int event, int umask, int parent)
{
	struct ipmu_event_info info;
	struct event_entry *e;

	if (ipmu_event_list(t->sys, event, umask, &info))
		return -ENOENT;
	e = add_entry(t, info.name);
	if (!e)
		return -ENOMEM;
	snprintf(e->desc, sizeof(e->desc), "%s", info.desc);
	snprintf(e->umask_desc, sizeof(e->umask_desc), "%s", info.umask_desc);
	e->units = info.units;
	e->parent = parent;
	e->listed = true;
	return 0;
}

int event_table_fill(struct event_table *t, const struct ipmu_system *sys)
{
	int rc;

	memset(t, 0, sizeof(*t));
	t->sys = sys;
	while ((rc = list_entry(t, t->n, -1, -1)) == 0)
		t->events++;
	if (rc == -ENOENT)
		return 0;
	event_table_free(t);
	return rc;
}

static void drop_entries(struct event_table *t, int from)
{
	while (t->n > from)
		free(t->entries[--t->n]);
}

/* The code of an event is its place in the engine's list. */
static int list_umasks(struct event_table *t, int event)
{
	int first = t->n, rc = 0;

	if (t->entries[event]->has_umasks)
		return 0;
	for (int umask = 0; rc == 0; umask++)
		rc = list_entry(t, event, umask, event);
	if (rc != -ENOENT) {
		drop_entries(t, first);
		return rc;
	}
	t->entries[event]->has_umasks = true;
	return 0;
}

void event_table_free(struct event_table *t)
{
	drop_entries(t, 0);
	free(t->entries);
	memset(t, 0, sizeof(*t));
}

static int find_name(const struct event_table *t, int from, const char *name)
{
	for (int i = from; i < t->n; i++)
		if (strcasecmp(t->entries[i]->name, name) == 0)
			return i;
	return -ENOENT;
}

/* Among the unit masks that are not listed yet. */
static int find_umask(struct event_table *t, const char *name)
{
	size_t n = strcspn(name, ":");
	int first = t->n, rc = 0;

	for (int i = 0; name[n] && i < t->events && !rc; i++)
		if (strncasecmp(t->entries[i]->name, name, n) == 0 && !t->entries[i]->name[n])
			rc = list_umasks(t, i);
	return rc ? rc : find_name(t, first, name);
}

static int no_room(const char *name, char *why)
{
	snprintf(why, IPMU_WHY_MAX, "out of memory for the event %s", name);
	return -ENOMEM;
}

static int add_composed(struct event_table *t, const char *name, char *why)
{
	struct ipmu_event event;
	struct event_entry *e;
	int rc = ipmu_event_parse(t->sys, name, &event, why);

	if (rc)
		return rc;
	e = add_entry(t, name);
	if (!e)
		return no_room(name, why);
	e->event = event;
	e->parsed = true;
	e->units = event.units;
	snprintf(e->desc, sizeof(e->desc), "%s", event.name);
	return t->n - 1;
}

int event_table_code(struct event_table *t, const char *name, char *why)
{
	int code = find_name(t, 0, name);

	if (code == -ENOENT)
		code = find_umask(t, name);
	if (code == -ENOMEM)
		return no_room(name, why);
	return code == -ENOENT ? add_composed(t, name, why) : code;
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

static int next_where(const struct event_table *t, int from, int parent)
{
	for (int i = from; i < t->n; i++)
		if (t->entries[i]->listed && t->entries[i]->parent == parent)
			return i;
	return -ENOENT;
}

int event_table_first(const struct event_table *t)
{
	return next_where(t, 0, -1);
}

int event_table_next(const struct event_table *t, unsigned code)
{
	return code < (unsigned)t->n ? next_where(t, (int)code + 1, -1) : -ENOENT;
}

int event_table_umask(struct event_table *t, unsigned code)
{
	int parent, rc;

	if (code >= (unsigned)t->n)
		return -ENOENT;
	parent = t->entries[code]->parent;
	if (code < (unsigned)t->events) {
		parent = (int)code;
		rc = list_umasks(t, parent);
		if (rc)
			return rc;
	}
	return parent < 0 ? -ENOENT : next_where(t, (int)code + 1, parent);
}
