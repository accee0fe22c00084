/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <json-c/json.h>

#include "report.h"

/* json-c takes NULL for null, and adding to an object fails only where there is no memory: then the
 * file lacks something, which `full` remembers. */
static bool full;

static void put(struct json_object *o, const char *key, struct json_object *value)
{
	full |= !o || json_object_object_add(o, key, value);
}

static void append(struct json_object *array, struct json_object *value)
{
	full |= !array || !value || json_object_array_add(array, value);
}

static void put_text(struct json_object *o, const char *key, const char *text)
{
	put(o, key, json_object_new_string(text));
}

static void put_value(struct json_object *o, struct value v)
{
	put(o, "value", v.known ? json_object_new_double(v.mean) : NULL);
	put(o, "deviation", v.known ? json_object_new_double(v.deviation) : NULL);
}

static struct json_object *part_object(const struct part *p, struct value v)
{
	struct json_object *o = json_object_new_object();
	const struct { const char *key; int n; } keys[] = {
		{ "package", p->package }, { "box", p->box }, { "cpu", p->cpu },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].n >= 0)
			put(o, keys[i].key, json_object_new_int(keys[i].n));
	put_value(o, v);
	return o;
}

static struct json_object *event_object(const struct report *r, int event)
{
	const struct event *e = &r->m->events[event];
	struct json_object *o = json_object_new_object(), *parts = json_object_new_array();

	put_text(o, "name", e->name);
	put(o, "pass", json_object_new_int(measure_pass(r->m, event) + 1));
	put_value(o, report_event(r, event, -1));
	put(o, "parts", parts);
	for (int i = 0; i < e->nparts; i++)
		append(parts, part_object(&e->parts[i], report_event(r, event, i)));
	return o;
}

static struct json_object *metric_object(const struct report *r, const struct report_group *g,
					 int metric)
{
	const struct group_metric *m = &g->group->metrics[metric];
	struct json_object *o = json_object_new_object(), *parts = json_object_new_array();
	int with_parts = report_metric_parts(r, g, metric);

	put_text(o, "name", m->name);
	put_text(o, "unit", m->unit);
	put_text(o, "formula", m->formula);
	put_value(o, report_metric(r, g, metric, NULL));
	put(o, "parts", parts);
	for (int i = 0; with_parts >= 0 && i < r->m->events[with_parts].nparts; i++) {
		const struct part *p = &r->m->events[with_parts].parts[i];

		append(parts, part_object(p, report_metric(r, g, metric, p)));
	}
	return o;
}

static struct json_object *group_object(const struct report *r, const struct report_group *g)
{
	struct json_object *o = json_object_new_object(), *events = json_object_new_array(),
			   *metrics = json_object_new_array();

	put(o, "pmu", g->group ? json_object_new_string(g->group->pmu) : NULL);
	put(o, "name", g->group ? json_object_new_string(g->group->name) : NULL);
	put(o, "events", events);
	put(o, "metrics", metrics);
	for (int i = 0; i < g->nevents; i++)
		if (report_is_first(g, i))
			append(events, event_object(r, g->events[i]));
	for (int i = 0; g->group && i < g->group->nmetrics; i++)
		append(metrics, metric_object(r, g, i));
	return o;
}

static struct json_object *report_object(const struct report *r)
{
	struct json_object *o = json_object_new_object(), *time = json_object_new_object(),
			   *groups = json_object_new_array();

	put_text(o, "command", r->command);
	put_text(o, "machine", r->machine->model);
	put(o, "virtual", json_object_new_boolean(r->machine->is_virtual));
	put(o, "status", json_object_new_int(r->m->status));
	put(o, "runs", json_object_new_int(r->m->done));
	put(o, "passes", json_object_new_int(r->m->passes->n));
	put(o, "complete", json_object_new_boolean(r->m->done == r->m->runs && !r->m->lost[0]));
	put_value(time, report_seconds(r));
	put(o, "seconds", time);
	put(o, "groups", groups);
	for (int i = 0; i < r->ngroups; i++)
		append(groups, group_object(r, &r->groups[i]));
	return o;
}

int report_json(FILE *f, const struct report *r)
{
	struct json_object *o;
	const char *text;

	full = false;
	o = report_object(r);
	text = o ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY) : NULL;
	full |= !text;
	if (text)
		fprintf(f, "%s\n", text);
	json_object_put(o);
	if (full)
		return -ENOMEM;
	return fflush(f) || ferror(f) ? -EIO : 0;
}
