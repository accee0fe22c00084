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
	for (int event = 0; (rc = list_entry(t, event, -1, -1)) == 0; event++) {
		int parent = t->n - 1;

		t->events++;
		for (int umask = 0; rc == 0; umask++)
			rc = list_entry(t, event, umask, parent);
		if (rc != -ENOENT)
			break;
	}
	if (rc == -ENOENT)
		return 0;
	event_table_free(t);
	return rc;
}

void event_table_free(struct event_table *t)
{
	for (int i = 0; i < t->n; i++)
		free(t->entries[i]);
	free(t->entries);
	memset(t, 0, sizeof(*t));
}

int event_table_code(struct event_table *t, const char *name, char *why)
{
	struct ipmu_event event;
	struct event_entry *e;
	int rc;

	for (int i = 0; i < t->n; i++)
		if (strcasecmp(t->entries[i]->name, name) == 0)
			return i;
	rc = ipmu_event_parse(t->sys, name, &event, why);
	if (rc)
		return rc;
	e = add_entry(t, name);
	if (!e) {
		snprintf(why, IPMU_WHY_MAX, "out of memory for the event %s", name);
		return -ENOMEM;
	}
	e->event = event;
	e->parsed = true;
	e->units = event.units;
	snprintf(e->desc, sizeof(e->desc), "%s", event.name);
	return t->n - 1;
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

int event_table_umask(const struct event_table *t, unsigned code)
{
	int parent;

	if (code >= (unsigned)t->n)
		return -ENOENT;
	parent = t->entries[code]->parent;
	return next_where(t, (int)code + 1, parent < 0 ? (int)code : parent);
}
