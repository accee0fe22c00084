/* SPDX-License-Identifier: MIT */
/* Reads a report's frame from its JSON: from_json() and from_json_free(). An event that several
 * groups have is one event here, as in the report that was written. saved.c has checked names and
 * lists before. A member that is not as report_json() writes it is refused by name. */
#include "from_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../groups/formula.h"
#include "json_reader.h"

struct event_reading {
	const struct saved *s;
	struct from_json *f;
	char *why;
};

static int fault(const struct event_reading *r, const char *object)
{
	snprintf(r->why, SAVED_WHY_MAX, "%.200s: cannot read %.100s: it is not as 'ipmu-run -o' of "
		 "this version writes it", r->s->path, object);
	return -EINVAL;
}

/* ---- events ---- */

static int from_json_find_event(const struct from_json *f, const char *name)
{
	for (int i = 0; i < f->nevents; i++)
		if (!strcmp(f->events[i].name, name))
			return i;
	return -1;
}

static int reading_add_event(const struct event_reading *r, const char *name)
{
	struct from_json *f = r->f;
	const char *colons = strstr(name, ":::");
	struct event *more, *e;

	if (from_json_find_event(f, name) >= 0)
		return 0;
	if (!*name || strlen(name) >= EVENT_NAME_MAX || f->nevents == EVENTS_MAX)
		return fault(r, "an event's name");
	more = realloc(f->events, (size_t)(f->nevents + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	f->events = more;
	e = &more[f->nevents++];
	*e = (struct event){ .given = strdup(colons ? colons + 3 : name), .component = -1,
			     .parts = calloc(1, sizeof(*e->parts)), .nparts = 1 };
	strcpy(e->name, name);
	return e->given && e->parts ? 0 : -ENOMEM;
}

static const char *name_in(struct json_object *list, size_t i)
{
	return json_member_text(json_object_array_get_idx(list, i), "name");
}

static int read_events(const struct event_reading *r)
{
	struct json_object *groups = json_member_list(r->s->root, "groups");
	int rc = 0;

	for (size_t g = 0; g < json_list_length(groups); g++) {
		struct json_object *list = json_member_list(json_object_array_get_idx(groups, g),
							    "events");

		for (size_t i = 0; i < json_list_length(list) && !rc; i++)
			rc = reading_add_event(r, name_in(list, i));
	}
	return rc;
}

/* ---- groups ---- */

static int read_metrics(struct group *g, struct json_object *list)
{
	g->metrics = calloc(json_list_length(list) + 1, sizeof(*g->metrics));
	if (!g->metrics)
		return -ENOMEM;
	for (size_t i = 0; i < json_list_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		struct group_metric *m = &g->metrics[g->nmetrics++];

		m->name = strdup(json_member_text(o, "name"));
		m->unit = strdup(json_member_text(o, "unit"));
		m->formula = strdup(json_member_text(o, "formula"));
		if (!m->name || !m->unit || !m->formula)
			return -ENOMEM;
	}
	return 0;
}

static int read_ids(const struct event_reading *r, struct json_object *o, struct group *g,
		    int *events)
{
	const char *clock = json_member_text(o, "clock");
	struct json_object *ids = json_member(o, "ids", json_type_object);

	json_object_object_foreach(ids, id, name) {
		struct group_event *e = &g->events[g->nevents];
		int found = json_object_is_type(name, json_type_string) ?
			    from_json_find_event(r->f, json_object_get_string(name)) : -1;

		if (found < 0)
			return fault(r, "groups[].ids");
		events[g->nevents++] = found;
		e->id = strdup(id);
		e->name = strdup(r->f->events[found].given);
		e->clock = !strcmp(id, clock);
		if (!e->id || !e->name)
			return -ENOMEM;
	}
	return 0;
}

static int read_group(const struct event_reading *r, struct json_object *o, struct group *g,
		      int *events)
{
	int rc;

	g->pmu = strdup(json_member_text(o, "pmu"));
	g->name = strdup(json_member_text(o, "name"));
	g->title = strdup(json_member_text(o, "title"));
	g->tells = strdup(json_member_text(o, "tells"));
	g->misleads = strdup(json_member_text(o, "misleads"));
	if (!g->pmu || !g->name || !g->title || !g->tells || !g->misleads)
		return -ENOMEM;
	rc = read_ids(r, o, g, events);
	return rc ? rc : read_metrics(g, json_member_list(o, "metrics"));
}

/* Events that were asked for by name have no group. */
static void read_named(const struct event_reading *r, struct json_object *o, int *events)
{
	struct json_object *list = json_member_list(o, "events");

	for (size_t i = 0; i < json_list_length(list); i++)
		events[i] = from_json_find_event(r->f, name_in(list, i));
}

static int add_group(const struct event_reading *r, struct json_object *o)
{
	struct from_json *f = r->f;
	struct json_object *ids = json_member(o, "ids", json_type_object);
	bool named = json_object_object_get(o, "name");
	size_t n = named ? ids ? (size_t)json_object_object_length(ids) : 0 :
		   json_list_length(json_member_list(o, "events"));
	int *events = calloc(n + 1, sizeof(*events)), i = f->ngroups;
	struct group *g = named ? calloc(1, sizeof(*g)) : NULL;

	if (named && (!n || n > GROUP_EVENTS_MAX)) {
		free(events);
		free(g);
		return fault(r, "groups[].ids");
	}
	f->owned[i] = g;
	f->groups[i] = (struct report_group){ g, events, (int)n };
	f->ngroups++;
	if (g)
		g->events = calloc(n, sizeof(*g->events));
	if (!events || (named && (!g || !g->events)))
		return -ENOMEM;
	if (named)
		return read_group(r, o, g, events);
	read_named(r, o, events);
	return 0;
}

static int read_groups(const struct event_reading *r)
{
	struct json_object *groups = json_member_list(r->s->root, "groups");
	struct from_json *f = r->f;
	int rc = 0;

	f->owned = calloc(json_list_length(groups) + 1, sizeof(*f->owned));
	f->groups = calloc(json_list_length(groups) + 1, sizeof(*f->groups));
	if (!f->owned || !f->groups)
		return -ENOMEM;
	for (size_t i = 0; i < json_list_length(groups) && !rc; i++)
		rc = add_group(r, json_object_array_get_idx(groups, i));
	return rc;
}

/* ---- the frame ---- */

static int read_program(const struct event_reading *r)
{
	struct json_object *list = json_member_list(r->s->root, "program");

	r->f->program = calloc(json_list_length(list) + 1, sizeof(*r->f->program));
	if (!r->f->program)
		return -ENOMEM;
	for (size_t i = 0; i < json_list_length(list); i++) {
		struct json_object *word = json_object_array_get_idx(list, i);

		if (!json_object_is_type(word, json_type_string))
			return fault(r, "program");
		r->f->program[i] = (char *)(uintptr_t)json_object_get_string(word);
	}
	return 0;
}

static void read_machine(const struct saved *s, struct machine *m)
{
	struct json_object *seed = json_member(s->root, "seed", json_type_int);

	snprintf(m->model, sizeof(m->model), "%s", json_member_text(s->root, "machine"));
	snprintf(m->geometry, sizeof(m->geometry), "%s", json_member_text(s->root, "geometry"));
	snprintf(m->host, sizeof(m->host), "%s", json_member_text(s->root, "host"));
	m->is_virtual = json_object_get_boolean(json_object_object_get(s->root, "virtual"));
	m->has_seed = seed;
	m->seed = json_object_get_uint64(seed);
}

static int make_passes(struct from_json *f)
{
	f->passes = (struct passes){ .n = 1, .nevents = f->nevents,
				     .member = calloc((size_t)f->nevents + 1, sizeof(bool)) };
	for (int i = 0; f->passes.member && i < f->nevents; i++)
		f->passes.member[i] = true;
	return f->passes.member ? 0 : -ENOMEM;
}

int from_json(const struct saved *s, struct from_json *out, char why[SAVED_WHY_MAX])
{
	const struct event_reading r = { s, out, why };
	const char *only = json_member_text(s->root, "only");
	int rc;

	*out = (struct from_json){ .nevents = 0 };
	read_machine(s, &out->machine);
	rc = read_events(&r);
	if (!rc)
		rc = read_groups(&r);
	if (!rc)
		rc = read_program(&r);
	if (!rc)
		rc = make_passes(out);
	if (rc) {
		from_json_free(out);
		return rc;
	}
	out->m = (struct measurement){ .events = out->events, .nevents = out->nevents,
				       .nparts = out->nevents, .passes = &out->passes, .runs = 1 };
	out->report = (struct report){
		.machine = &out->machine, .m = &out->m, .groups = out->groups,
		.ngroups = out->ngroups, .command = json_member_text(s->root, "command"),
		.options = json_member_text(s->root, "options"), .only = only[0] ? only : NULL,
		.program = out->program, .elsewhere = true, .formula = formula_value,
	};
	return 0;
}

void from_json_free(struct from_json *f)
{
	for (int i = 0; i < f->nevents; i++)
		event_free(&f->events[i]);
	for (int i = 0; i < f->ngroups; i++) {
		free((void *)(uintptr_t)f->groups[i].events);
		group_free(f->owned[i]);
	}
	free(f->events);
	free(f->groups);
	free(f->owned);
	free(f->program);
	passes_free(&f->passes);
	*f = (struct from_json){ .nevents = 0 };
}
