/* SPDX-License-Identifier: MIT */
/* Writes the report as JSON: report_json(). Each item has its mean and deviation and, of several
 * runs, each run's value. A value that is not known is null. saved.c and from_json.c
 * read these members again: raise REPORT_SCHEMA when one changes its meaning. */
#include <json-c/json.h>

#include "json_writer.h"
#include "model_version.h"
#include "report.h"
#include "where.h"

static void json_put_value(struct json_writer *w, struct json_object *o, struct value v)
{
	if (!v.known) {
		json_put_null(w, o, "value");
		json_put_null(w, o, "deviation");
		return;
	}
	json_put_number(w, o, "value", v.mean);
	json_put_real(w, o, "deviation", v.deviation);
}

/* An item that has a value: the program's time, an event, a metric of a group; one part or all. */
struct item {
	enum { SECONDS, EVENT, METRIC } kind;
	const struct report_group *g;
	int number, part;		/* part -1: all */
	const struct part *of;		/* a metric's; NULL: all */
};

static struct value item_value(const struct report *r, const struct item *i)
{
	switch (i->kind) {
	case EVENT: return report_event(r, i->number, i->part);
	case METRIC: return report_metric(r, i->g, i->number, i->of);
	default: return report_seconds(r);
	}
}

/* The mean, and behind it each run's value. */
static void put_item(struct json_writer *w, struct json_object *o, const struct report *r,
		     const struct item *i)
{
	struct json_object *runs = r->m->runs > 1 ? json_array_begin(w) : NULL;

	json_put_value(w, o, item_value(r, i));
	for (int run = 0; runs && run < r->m->done; run++) {
		struct measurement m;
		struct report one = report_of_run(r, run, &m);
		struct value v = item_value(&one, i);

		if (v.known)
			json_append_number(w, runs, v.mean);
		else
			json_append_null(w, runs);
	}
	if (runs)
		json_put(w, o, "values", runs);
}

static struct json_object *place_object(struct json_writer *w, const struct part *p)
{
	struct json_object *o = json_object_begin(w);
	const struct { const char *key; int n; } keys[] = {
		{ "node", p->node - 1 }, { "package", p->package }, { "box", p->box },
		{ "cpu", p->cpu },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].n >= 0)
			json_put_int(w, o, keys[i].key, keys[i].n);
	return o;
}

static struct json_object *part_object(struct json_writer *w, const struct report *r,
				       const struct part *p, const struct item *i)
{
	struct json_object *o = place_object(w, p);

	put_item(w, o, r, i);
	return o;
}

static struct json_object *event_object(struct json_writer *w, const struct report *r, int event,
					enum better better)
{
	const struct event *e = &r->m->events[event];
	struct json_object *o = json_object_begin(w), *parts = json_array_begin(w);

	json_put_text(w, o, "name", e->name);
	json_put_text(w, o, "better", better_word(better));
	json_put_int(w, o, "pass", measure_pass(r->m, event) + 1);
	put_item(w, o, r, &(struct item){ EVENT, NULL, event, -1, NULL });
	for (int i = 0; i < report_nparts(e); i++)
		json_append(w, parts, part_object(w, r, &e->parts[i],
						  &(struct item){ EVENT, NULL, event, i, NULL }));
	json_put(w, o, "parts", parts);
	return o;
}

static struct json_object *metric_object(struct json_writer *w, const struct report *r,
					 const struct report_group *g, int metric)
{
	const struct group_metric *m = &g->group->metrics[metric];
	struct json_object *o = json_object_begin(w), *parts = json_array_begin(w);
	const struct event *e = report_metric_event(r, g, metric);

	json_put_text(w, o, "name", m->name);
	json_put_text(w, o, "unit", m->unit);
	json_put_text(w, o, "formula", m->formula);
	json_put_text(w, o, "better", better_word(m->better));
	put_item(w, o, r, &(struct item){ METRIC, g, metric, -1, NULL });
	for (int i = 0; e && i < report_nparts(e); i++)
		json_append(w, parts, part_object(w, r, &e->parts[i], &(struct item)
						  { METRIC, g, metric, -1, &e->parts[i] }));
	json_put(w, o, "parts", parts);
	return o;
}

/* The texts of the group's file; ids are the names that formulas use. */
static void put_group(struct json_writer *w, struct json_object *o, const struct report *r,
		      const struct report_group *g)
{
	struct json_object *ids = json_object_begin(w);
	int clock = group_clock(g->group);

	json_put_text(w, o, "title", g->group->title);
	json_put_text(w, o, "tells", g->group->tells);
	json_put_text(w, o, "misleads", g->group->misleads);
	json_put_text(w, o, "clock", clock < 0 ? NULL : g->group->events[clock].id);
	for (int i = 0; i < g->nevents; i++)
		json_put_text(w, ids, g->group->events[i].id, r->m->events[g->events[i]].name);
	json_put(w, o, "ids", ids);
}

static struct json_object *group_object(struct json_writer *w, const struct report *r,
					const struct report_group *g)
{
	struct json_object *o = json_object_begin(w), *events = json_array_begin(w),
			   *metrics = json_array_begin(w);

	json_put_text(w, o, "pmu", g->group ? g->group->pmu : NULL);
	json_put_text(w, o, "name", g->group ? g->group->name : NULL);
	if (g->group)
		put_group(w, o, r, g);
	for (int i = 0; i < g->nevents; i++)
		if (report_is_first(g, i))
			json_append(w, events, event_object(w, r, g->events[i], g->group ?
							    g->group->events[i].better :
							    BETTER_LOWER));
	for (int i = 0; g->group && i < g->group->nmetrics; i++)
		json_append(w, metrics, metric_object(w, r, g, i));
	json_put(w, o, "events", events);
	json_put(w, o, "metrics", metrics);
	return o;
}

static struct json_object *node_list(struct json_writer *w, const struct report_job *job)
{
	struct json_object *list = json_array_begin(w);

	for (int i = 0; i < job->nodes; i++) {
		struct json_object *o = json_object_begin(w);

		json_put_int(w, o, "node", i);
		json_put_text(w, o, "host", job->node[i].host);
		json_put_int(w, o, "ranks", job->node[i].ranks);
		json_append(w, list, o);
	}
	return list;
}

/* Members that joining the reports of a job's nodes needs (from_json.h). */
static struct json_object *job_object(struct json_writer *w, const struct report *r)
{
	struct json_object *o = json_object_begin(w);

	json_put_text(w, o, "id", r->job->id);
	json_put_int(w, o, "size", r->job->size);
	json_put_int(w, o, "ended", r->job->ended);
	json_put_int(w, o, "outside", r->job->outside);
	json_put_bool(w, o, "first", r->job->first);
	json_put_int(w, o, "ns", r->m->done ? (int64_t)r->m->run_ns[0] : 0);
	json_put_text(w, o, "clock", r->m->of_machine ? "machine" : "wall");
	return o;
}

/* ---- intervals: a column each ---- */

static struct json_object *column_of(struct json_writer *w, const struct report *r, int event,
				     int part, struct report_span span, size_t n)
{
	struct json_object *column = json_array_begin(w);

	for (; span.begin < n; span.begin++) {
		struct count c;

		span.end = span.begin + 1;
		c = report_count(r, &span, event, part);
		if (c.known)
			json_append_int(w, column, c.value);
		else
			json_append_null(w, column);
	}
	return column;
}

static struct json_object *event_columns(struct json_writer *w, const struct report *r, int event,
					 const struct report_span *span, size_t n)
{
	const struct event *e = &r->m->events[event];
	struct json_object *o = json_object_begin(w), *parts = json_array_begin(w);

	json_put_text(w, o, "name", e->name);
	for (int i = 0; i < e->nparts; i++) {
		struct json_object *part = place_object(w, &e->parts[i]);

		json_put(w, part, "counts", column_of(w, r, event, i, *span, n));
		json_append(w, parts, part);
	}
	json_put(w, o, "parts", parts);
	return o;
}

static struct json_object *timeline_object(struct json_writer *w, const struct report *r, int run,
					   int pass)
{
	const struct timeline *t = &r->m->timelines[measure_place(r->m, run, pass)];
	const struct report_span span = { run, pass, 0, 0 };
	struct json_object *o = json_object_begin(w), *ends = json_array_begin(w),
			   *events = json_array_begin(w);

	json_put_int(w, o, "run", run + 1);
	json_put_int(w, o, "pass", pass + 1);
	for (size_t i = 0; i < t->n; i++)
		json_append_int(w, ends, (int64_t)t->end_ns[i]);
	json_put(w, o, "end_ns", ends);
	for (int i = 0; i < r->m->nevents; i++)
		if (passes_has(r->m->passes, pass, i))
			json_append(w, events, event_columns(w, r, i, &span, t->n));
	json_put(w, o, "events", events);
	return o;
}

static void put_timelines(struct json_writer *w, struct json_object *o, const struct report *r)
{
	struct json_object *all;

	if (!r->m->watch || !r->m->watch->interval_ms)
		return;
	all = json_array_begin(w);
	json_put_int(w, o, "interval_ms", (int)r->m->watch->interval_ms);
	json_put_text(w, o, "interval_clock", r->m->of_machine ? "machine" : "wall");
	for (int run = 0; run < r->m->done; run++)
		for (int pass = 0; pass < r->m->passes->n; pass++)
			json_append(w, all, timeline_object(w, r, run, pass));
	json_put(w, o, "timelines", all);
}

static void put_streams(struct json_writer *w, struct json_object *o, const struct report *r)
{
	struct json_object *streams;

	if (!r->streams[0])
		return;
	streams = json_object_begin(w);
	for (int i = 0; i < REPORT_STREAMS; i++)
		json_put_text(w, streams, report_stream_name(i), r->streams[i]);
	json_put(w, o, "streams", streams);
}

/* How the counts came about. A file with these members can be compared (compare.h). */
static void put_origin(struct json_writer *w, struct json_object *o, const struct report *r)
{
	struct json_object *program = json_array_begin(w);
	char date[REPORT_DATE_MAX];

	report_date(date);
	for (int i = 0; r->program && r->program[i]; i++)
		json_append_text(w, program, r->program[i]);
	json_put_int(w, o, "schema", REPORT_SCHEMA);
	json_put_text(w, o, "ipmu_version", IPMU_VERSION);
	if (r->machine->is_virtual)
		json_put_int(w, o, "model_version", IPMU_MODEL_VERSION);
	else
		json_put_null(w, o, "model_version");
	if (r->machine->has_seed)
		json_put_uint(w, o, "seed", r->machine->seed);
	else
		json_put_null(w, o, "seed");
	json_put_text(w, o, "date", date);
	json_put_text(w, o, "host", r->machine->host);
	json_put_text(w, o, "options", r->options);
	json_put(w, o, "program", program);
	json_put_text(w, o, "name", r->name);
	put_streams(w, o, r);
	json_put_text(w, o, "only", r->only);
	json_put_text(w, o, "geometry", r->machine->geometry);
}

/* ---- regions ---- */

static struct json_object *rank_list(struct json_writer *w, const struct report *r,
				     const struct phase *p)
{
	struct json_object *list = json_array_begin(w);

	for (int i = 0; i < p->nranks; i++) {
		struct json_object *o = json_object_begin(w);

		json_put_int(w, o, "rank", p->ranks[i].rank);
		json_put_uint(w, o, "calls", p->ranks[i].calls);
		json_put_uint(w, o, "ns", p->ranks[i].ns);
		if (p->ranks[i].node_ns)
			json_put_uint(w, o, "node_ns", p->ranks[i].node_ns);
		json_put_real(w, o, "share", report_phase_share(r, p, &p->ranks[i]).mean);
		json_append(w, list, o);
	}
	return list;
}

static struct json_object *phase_object(struct json_writer *w, const struct report *r,
					const struct phase *p)
{
	struct json_object *o = json_object_begin(w), *seconds = json_object_begin(w),
			   *groups = json_array_begin(w);
	struct measurement m;
	const struct report one = report_of_phase(r, p, &m);

	json_put_text(w, o, "name", p->name);
	json_put_number(w, o, "calls", report_phase_calls(r, p).mean);
	json_put_uint(w, o, "unfinished", p->unfinished);
	json_put_uint(w, o, "ns", p->ns[0]);
	put_item(w, seconds, &one, &(struct item){ SECONDS, NULL, 0, -1, NULL });
	json_put(w, o, "seconds", seconds);
	json_put(w, o, "ranks", rank_list(w, r, p));
	for (int i = 0; i < r->ngroups; i++)
		json_append(w, groups, group_object(w, &one, &r->groups[i]));
	json_put(w, o, "groups", groups);
	return o;
}

static void put_phases(struct json_writer *w, struct json_object *o, const struct report *r)
{
	const struct phase_list *l = r->m->phases;
	struct json_object *list;
	char text[REPORT_PHASE_MAX];

	if (!l || !r->m->done || (!l->n && !l->strays && !l->only))
		return;
	list = json_array_begin(w);
	for (int i = 0; i < l->n; i++)
		json_append(w, list, phase_object(w, r, &l->phase[i]));
	json_put(w, o, "regions", list);
	if (l->only)
		json_put_bool(w, o, "only_regions", true);
	report_phases_ignored(l, text);
	json_put_text(w, o, "regions_ignored", text);
}

int report_json(FILE *f, const struct report *r)
{
	struct json_writer w = { .no_memory = false };
	struct json_object *o = json_object_begin(&w), *seconds = json_object_begin(&w),
			   *groups = json_array_begin(&w);

	put_origin(&w, o, r);
	json_put_text(&w, o, "command", r->command);
	json_put_text(&w, o, "machine", r->machine->model);
	json_put_bool(&w, o, "virtual", r->machine->is_virtual);
	json_put_text(&w, o, "clock_rule", report_clock(r));
	json_put_int(&w, o, "status", r->m->status);
	json_put_int(&w, o, "runs", r->m->done);
	json_put_int(&w, o, "passes", r->m->passes->n);
	if (r->job) {
		json_put_int(&w, o, "ranks", r->job->ranks);
		json_put(&w, o, "nodes", node_list(&w, r->job));
		json_put(&w, o, "job", job_object(&w, r));
	}
	json_put_text(&w, o, "lost", r->m->lost);
	json_put_bool(&w, o, "complete", report_is_complete(r));
	if (*report_reason(r))
		json_put_text(&w, o, "reason", report_reason(r));
	if (r->m->window)
		json_put_bool(&w, o, "from_mpi_init", r->m->window->begun);
	put_item(&w, seconds, r, &(struct item){ SECONDS, NULL, 0, -1, NULL });
	json_put(&w, o, "seconds", seconds);
	for (int i = 0; i < r->ngroups; i++)
		json_append(&w, groups, group_object(&w, r, &r->groups[i]));
	json_put(&w, o, "groups", groups);
	put_timelines(&w, o, r);
	put_phases(&w, o, r);
	if (r->where)
		json_put(&w, o, "profile", where_object(&w, r));
	return json_print(&w, o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE, f);
}
