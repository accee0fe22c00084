/* SPDX-License-Identifier: MIT */
/* Reads a report from its JSON: from_json() and from_json_free(). An event that several groups have
 * is one event here, as in the report that was written. saved.c has checked names and lists before.
 * Counts are read from the events' parts; sums and metrics are computed again from them. A member
 * that is not as report_json() writes it is refused by name. */
#include "from_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../groups/formula.h"
#include "json_reader.h"

#define PARTS_MAX 1000000	/* of an event; and numbers of packages, boxes and CPUs end there */
#define RANKS_MAX 100000000

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

static bool read_count(struct json_object *part, struct count *out)
{
	struct json_object *value;

	if (!json_object_object_get_ex(part, "value", &value))
		return false;
	*out = (struct count){ 0, value != NULL };
	if (json_object_is_type(value, json_type_int))
		out->value = json_object_get_int64(value);
	else if (json_object_is_type(value, json_type_double) &&
		 fabs(json_object_get_double(value)) < 9e18)
		out->value = (long long)json_object_get_double(value);
	else if (value)
		return false;
	return true;
}

/* A part that names its node alone, behind others of that node, is their sum. */
static bool is_sum(const struct event *e, const struct part *p)
{
	int begin, end;

	if (p->node <= 0 || p->package >= 0 || p->box >= 0 || p->cpu >= 0)
		return false;
	parts_range(e, p, 1, &begin, &end);
	return end > begin;
}

static bool is_place(const struct part *p, int nodes)
{
	return p->node >= 0 && p->node <= nodes &&
	       p->package >= -1 && p->package < PARTS_MAX && p->box >= -1 &&
	       p->box < PARTS_MAX && p->cpu >= -1 && p->cpu < PARTS_MAX;
}

/* Parts are ascending, and none is there twice. So are the sums, which stand last and are computed
 * again. */
static bool read_parts(struct json_object *parts, int nodes, struct event *e, struct count *counts)
{
	long long all = 0;

	for (size_t i = 0; i < json_list_length(parts); i++) {
		struct json_object *o = json_object_array_get_idx(parts, i);
		int node = json_member_int(o, "node", -1);
		struct part p = { json_member_int(o, "package", -1), json_member_int(o, "box", -1),
				  json_member_int(o, "cpu", -1), node < nodes ? node + 1 : -1 };
		bool sum = is_sum(e, &p), first = sum ? !e->nsums : !e->nparts;

		e->parts[i] = p;
		if (!is_place(&p, nodes) ||
		    (!first && part_order(&e->parts[i - 1], &p, PART_MEMBERS) >= 0))
			return false;
		if (!sum && (e->nsums || !read_count(o, &counts[e->nparts]) ||
			     __builtin_add_overflow(all, counts[e->nparts].value, &all)))
			return false;
		e->nsums += sum;
		e->nparts += !sum;
	}
	return true;
}

static int add_parts(const struct event_reading *r, struct event *e, struct json_object *parts)
{
	struct measurement *m = &r->f->m;
	size_t n = json_list_length(parts);
	struct count *more;

	if (!n || n > PARTS_MAX)
		return fault(r, "an event's parts");
	e->parts = calloc(n, sizeof(*e->parts));
	more = realloc(m->counts, ((size_t)m->nparts + n) * sizeof(*more));
	if (more)
		m->counts = more;
	if (!more || !e->parts)
		return -ENOMEM;
	e->first = m->nparts;
	if (!read_parts(parts, (int)json_list_length(json_member_list(r->s->root, "nodes")), e,
			more + e->first))
		return fault(r, "an event's parts");
	m->nparts += e->nparts;
	return 0;
}

static int reading_add_event(const struct event_reading *r, struct json_object *o)
{
	struct from_json *f = r->f;
	const char *name = json_member_text(o, "name"), *colons = strstr(name, ":::");
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
	*e = (struct event){ .given = strdup(colons ? colons + 3 : name), .component = -1 };
	strcpy(e->name, name);
	return e->given ? add_parts(r, e, json_member_list(o, "parts")) : -ENOMEM;
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
			rc = reading_add_event(r, json_object_array_get_idx(list, i));
	}
	return rc;
}

/* ---- groups ---- */

/* Reports of before have no such member. */
static enum better read_better(struct json_object *o, enum better otherwise)
{
	enum better b = better_of(json_member_text(o, "better"));

	return b == BETTERS ? otherwise : b;
}

static enum better event_better(struct json_object *events, const char *name)
{
	for (size_t i = 0; i < json_list_length(events); i++)
		if (!strcmp(name_in(events, i), name))
			return read_better(json_object_array_get_idx(events, i), BETTER_LOWER);
	return BETTER_LOWER;
}

static int read_metrics(const struct event_reading *r, struct group *g, struct json_object *list)
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
		m->better = read_better(o, BETTER_NEITHER);
		if (!m->name || !m->unit || !m->formula)
			return -ENOMEM;
		if (!*m->name || !*m->unit || !*m->formula)
			return fault(r, "a metric's name, unit or formula");
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
		e->better = event_better(json_member_list(o, "events"), r->f->events[found].name);
		if (!e->id || !e->name)
			return -ENOMEM;
	}
	return 0;
}

static int read_group(const struct event_reading *r, struct json_object *o, struct group *g,
		      int *events)
{
	const struct group_metric *wrong;
	char why[GROUP_WHY_MAX];
	int rc;

	g->pmu = strdup(json_member_text(o, "pmu"));
	g->name = strdup(json_member_text(o, "name"));
	g->title = strdup(json_member_text(o, "title"));
	g->tells = strdup(json_member_text(o, "tells"));
	g->misleads = strdup(json_member_text(o, "misleads"));
	if (!g->pmu || !g->name || !g->title || !g->tells || !g->misleads)
		return -ENOMEM;
	rc = read_ids(r, o, g, events);
	if (!rc)
		rc = read_metrics(r, g, json_member_list(o, "metrics"));
	if (rc)
		return rc;
	rc = group_parse(g, &wrong, why);
	return rc == -EINVAL ? fault(r, "a metric's name, unit or formula") : rc;
}

/* Events that were requested by name have no group. */
static void read_named(const struct event_reading *r, struct json_object *o, int *events)
{
	struct json_object *list = json_member_list(o, "events");

	for (size_t i = 0; i < json_list_length(list); i++)
		events[i] = from_json_find_event(r->f, name_in(list, i));
}

static int from_json_add_group(const struct event_reading *r, struct json_object *o)
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
		rc = from_json_add_group(r, json_object_array_get_idx(groups, i));
	return rc;
}

/* ---- the job ---- */

static int read_job(const struct event_reading *r)
{
	struct json_object *root = r->s->root, *list = json_member_list(root, "nodes"),
			   *job = json_member(root, "job", json_type_object);
	struct from_json *f = r->f;
	size_t n = json_list_length(list);

	f->nodes = calloc(n + 1, sizeof(*f->nodes));
	if (!f->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_array_get_idx(list, i);

		snprintf(f->nodes[i].host, sizeof(f->nodes[i].host), "%s",
			 json_member_text(o, "host"));
		f->nodes[i].ranks = json_member_int(o, "ranks", 0);
		if (f->nodes[i].ranks < 1 || f->nodes[i].ranks > RANKS_MAX)
			return fault(r, "nodes[].ranks");
	}
	snprintf(f->id, sizeof(f->id), "%s", json_member_text(job, "id"));
	f->job = (struct report_job){
		.size = json_member_int(job, "size", 0), .ranks = json_member_int(root, "ranks", 0),
		.ended = json_member_int(job, "ended", 0), .id = f->id, .nodes = (int)n,
		.outside = json_member_int(job, "outside", 0), .node = f->nodes,
		.first = json_member_bool(job, "first"),
	};
	return !job || (n && f->job.ranks > 0 && f->job.size >= f->job.ranks &&
			f->job.size <= RANKS_MAX &&
			f->job.ended >= 0 && f->job.ended <= f->job.ranks &&
			f->job.outside >= 0 && f->job.outside <= f->job.ranks) ?
	       0 : fault(r, "job");
}

/* The longest node's time; without a job the program's. */
static int read_time(const struct event_reading *r)
{
	struct json_object *root = r->s->root, *job = json_member(root, "job", json_type_object),
			   *ns = json_member(job, "ns", json_type_int),
			   *seconds = json_member(root, "seconds", json_type_object);
	struct measurement *m = &r->f->m;
	double s = json_object_get_double(json_object_object_get(seconds, "value"));

	m->run_ns = calloc(1, sizeof(*m->run_ns));
	if (!m->run_ns)
		return -ENOMEM;
	m->done = json_member_int(root, "runs", -1);
	if (m->done < 0 || m->done > 1 || json_member_int(root, "passes", 1) != 1) {
		snprintf(r->why, SAVED_WHY_MAX, "%.200s: cannot read its counts: they are means "
			 "of several runs or passes", r->s->path);
		return -EINVAL;
	}
	if (job && (!ns || json_object_get_int64(ns) < 0))
		return fault(r, "job.ns");
	m->run_ns[0] = job ? (uint64_t)json_object_get_int64(ns) :
		       s > 0 && s < 9e9 ? (uint64_t)(s * 1e9) : 0;
	m->of_machine = job ? !strcmp(json_member_text(job, "clock"), "machine") :
			r->f->machine.is_virtual;
	m->status = json_member_int(root, "status", 0);
	if (m->status < 0 || m->status > 255)
		return fault(r, "status");
	snprintf(m->lost, sizeof(m->lost), "%s", json_member_text(root, "lost"));
	return 0;
}

static void read_window(const struct event_reading *r)
{
	const char *reason = json_member_text(r->s->root, "reason");
	struct window *w = &r->f->window;

	if (!json_member(r->s->root, "from_mpi_init", json_type_boolean)) {
		snprintf(r->f->m.uncounted, sizeof(r->f->m.uncounted), "%s", reason);
		return;
	}
	w->begun = json_member_bool(r->s->root, "from_mpi_init");
	snprintf(w->reason, sizeof(w->reason), "%s", reason);
	r->f->m.window = w;
}

/* ---- regions ---- */

static bool is_part(const struct part *p, struct json_object *o)
{
	return p->package == json_member_int(o, "package", -1) &&
	       p->box == json_member_int(o, "box", -1) && p->cpu == json_member_int(o, "cpu", -1) &&
	       p->node - 1 == json_member_int(o, "node", -1);
}

/* Parts are those that the event has in the whole. */
static int read_phase_event(const struct event_reading *r, struct json_object *o, struct phase *p)
{
	struct json_object *parts = json_member_list(o, "parts");
	int i = from_json_find_event(r->f, json_member_text(o, "name"));
	const struct event *e = i < 0 ? NULL : &r->f->events[i];

	if (!e || json_list_length(parts) != (size_t)(e->nparts + e->nsums))
		return fault(r, "regions[].groups");
	for (int k = 0; k < e->nparts; k++) {
		struct json_object *part = json_object_array_get_idx(parts, (size_t)k);

		if (!is_part(&e->parts[k], part) || !read_count(part, &p->counts[e->first + k]))
			return fault(r, "regions[].groups");
	}
	return 0;
}

static int read_phase_events(const struct event_reading *r, struct json_object *o, struct phase *p)
{
	struct json_object *groups = json_member_list(o, "groups");
	int rc = 0;

	for (size_t g = 0; g < json_list_length(groups); g++) {
		struct json_object *list = json_member_list(json_object_array_get_idx(groups, g),
							    "events");

		for (size_t i = 0; i < json_list_length(list) && !rc; i++)
			rc = read_phase_event(r, json_object_array_get_idx(list, i), p);
	}
	return rc;
}

/* False: it is no number from 0 on. */
static bool read_number(struct json_object *o, const char *name, uint64_t *out)
{
	struct json_object *value = json_member(o, name, json_type_int);

	if (!value || json_object_get_int64(value) < 0)
		return false;
	*out = (uint64_t)json_object_get_int64(value);
	return true;
}

static int read_phase_ranks(const struct event_reading *r, struct json_object *list,
			    struct phase *p)
{
	for (size_t i = 0; i < json_list_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		int number = json_member_int(o, "rank", -1);
		struct phase_rank *rank;

		if (number < 0 || number > RANKS_MAX || i >= RANKS_MAX)
			return fault(r, "regions[].ranks");
		rank = phase_rank_of(p, number);
		if (!rank)
			return -ENOMEM;
		if (!read_number(o, "calls", &rank->calls) || !read_number(o, "ns", &rank->ns))
			return fault(r, "regions[].ranks");
		read_number(o, "node_ns", &rank->node_ns);
	}
	return 0;
}

static int read_phase(const struct event_reading *r, struct json_object *o)
{
	struct phase_list *l = &r->f->phases;
	const char *name = json_member_text(o, "name");
	struct phase *p;
	int rc;

	if (!*name || strlen(name) >= REGION_NAME_MAX || phase_find(l, name) ||
	    l->n == PHASES_MAX)
		return fault(r, "regions[].name");
	p = phase_append(l, name, r->f->m.nparts, 1);
	if (!p)
		return -ENOMEM;
	if (!read_number(o, "calls", &p->calls[0]) || !read_number(o, "ns", &p->ns[0]) ||
	    !read_number(o, "unfinished", &p->unfinished))
		return fault(r, "regions[]");
	rc = read_phase_ranks(r, json_member_list(o, "ranks"), p);
	return rc ? rc : read_phase_events(r, o, p);
}

static int read_phases(const struct event_reading *r)
{
	struct json_object *list = json_member(r->s->root, "regions", json_type_array);
	int rc = 0;

	if (!list)
		return 0;
	r->f->phases.only = json_member_bool(r->s->root, "only_regions");
	for (size_t i = 0; i < json_list_length(list) && !rc; i++)
		rc = read_phase(r, json_object_array_get_idx(list, i));
	r->f->m.phases = &r->f->phases;
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

static enum clock_rule clock_rule_of(const char *name)
{
	return !strcmp(name, "estimate") ? CLOCK_ESTIMATE :
	       !strcmp(name, "instruction") ? CLOCK_INSTRUCTION : CLOCK_UNKNOWN;
}

static void read_machine(const struct saved *s, struct machine *m)
{
	struct json_object *seed = json_member(s->root, "seed", json_type_int);

	snprintf(m->model, sizeof(m->model), "%s", json_member_text(s->root, "machine"));
	snprintf(m->geometry, sizeof(m->geometry), "%s", json_member_text(s->root, "geometry"));
	snprintf(m->host, sizeof(m->host), "%s", json_member_text(s->root, "host"));
	m->is_virtual = json_object_get_boolean(json_object_object_get(s->root, "virtual"));
	m->clock = clock_rule_of(json_member_text(s->root, "clock_rule"));
	m->has_seed = seed;
	m->seed = json_object_get_uint64(seed);
}

static int read_where(const struct event_reading *r)
{
	const char *wrong = NULL;
	int rc = where_read(r->s, &r->f->m, &r->f->where, &wrong);

	return rc == -EINVAL ? fault(r, wrong) : rc;
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
	const char *name = json_member_text(s->root, "name");
	int rc;

	*out = (struct from_json){ .nevents = 0 };
	read_machine(s, &out->machine);
	read_window(&r);
	rc = read_events(&r);
	if (!rc)
		rc = read_groups(&r);
	if (!rc)
		rc = read_program(&r);
	if (!rc)
		rc = read_job(&r);
	if (!rc)
		rc = read_time(&r);
	if (!rc)
		rc = read_phases(&r);
	if (!rc)
		rc = make_passes(out);
	out->m.events = out->events;
	out->m.nevents = out->nevents;
	if (!rc)
		rc = read_where(&r);
	if (rc) {
		from_json_free(out);
		return rc;
	}
	out->m.passes = &out->passes;
	out->m.runs = 1;
	out->report = (struct report){
		.machine = &out->machine, .m = &out->m, .groups = out->groups,
		.ngroups = out->ngroups, .command = json_member_text(s->root, "command"),
		.options = json_member_text(s->root, "options"), .only = only[0] ? only : NULL,
		.name = name[0] ? name : NULL,
		.program = out->program, .job = out->job.nodes ? &out->job : NULL,
		.elsewhere = true, .formula = formula_value,
		.where = out->where ? &out->where->where : NULL,
	};
	for (int i = 0; i < REPORT_STREAMS && saved_has(s, "streams"); i++)
		out->report.streams[i] = saved_stream(s, report_stream_name(i));
	out->m.killed = !s->complete && report_is_complete(&out->report);
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
	free(f->nodes);
	where_saved_free(f->where);
	measure_free(&f->m);
	phase_list_free(&f->phases);
	passes_free(&f->passes);
	*f = (struct from_json){ .nevents = 0 };
}
