/* SPDX-License-Identifier: MIT */
/* The report as JSON. A count that is not known is null. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>

#include "formats.h"
#include "metrics.h"

/* json-c frees what is put into nothing; a lack of memory shows in the end, as a shorter text. */
static void put(json_object *o, const char *key, json_object *value)
{
	if (json_object_object_add(o, key, value))
		json_object_put(value);
}

static void put_text(json_object *o, const char *key, const char *text)
{
	put(o, key, text && *text ? json_object_new_string(text) : NULL);
}

static void put_int(json_object *o, const char *key, int64_t value)
{
	put(o, key, json_object_new_int64(value));
}

/* Seventeen digits would be json-c's choice, and false precision. */
static json_object *number(double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.9g", value);
	return json_object_new_double_s(value, text);
}

static void put_count(json_object *o, const struct ipmu_mpi_count *c)
{
	put(o, "count", c->measured ? json_object_new_int64(c->count) : NULL);
	put_int(o, "measured", c->measured);
	put_int(o, "expected", c->expected);
	put_text(o, "status", count_status(c));
}

static json_object *packages_of(const struct ipmu_mpi *m, int event, int node)
{
	json_object *list = json_object_new_array();
	struct ipmu_mpi_count c;

	for (int p = 0; p < m->packages_max; p++) {
		if (ipmu_mpi_get(m, event, node, p, &c) || !c.expected)
			continue;
		json_object *o = json_object_new_object();
		put_int(o, "package", p);
		put_count(o, &c);
		json_object_array_add(list, o);
	}
	return list;
}

static json_object *nodes_of(const struct ipmu_mpi *m, int event)
{
	json_object *list = json_object_new_array();
	struct ipmu_mpi_count c;

	for (int n = m->first_row; n < m->first_row + m->nrows; n++) {
		if (ipmu_mpi_get(m, event, n, IPMU_MPI_ALL, &c) || !c.expected)
			continue;
		json_object *o = json_object_new_object();
		put_int(o, "node", n);
		put_count(o, &c);
		if (m->events[event].scope == SCOPE_PACKAGE)
			put(o, "packages", packages_of(m, event, n));
		json_object_array_add(list, o);
	}
	return list;
}

static json_object *events_of(const struct ipmu_mpi *m)
{
	static const char *const scopes[] = {
		[SCOPE_PACKAGE] = "package", [SCOPE_NODE] = "node", [SCOPE_RANK] = "rank",
	};
	json_object *list = json_object_new_array();
	struct ipmu_mpi_count c;

	for (int i = 0; i < m->nlisted; i++) {
		json_object *o = json_object_new_object();

		put_text(o, "name", m->events[i].name);
		put_text(o, "unit", m->events[i].unit);
		put_text(o, "scope", scopes[m->events[i].scope]);
		if (!ipmu_mpi_get(m, i, IPMU_MPI_ALL, IPMU_MPI_ALL, &c))
			put_count(o, &c);
		put(o, "nodes", nodes_of(m, i));
		json_object_array_add(list, o);
	}
	return list;
}

static json_object *metrics_list(const struct ipmu_mpi *m, int node)
{
	json_object *list = json_object_new_array();
	struct metric_value v[METRICS_MAX];
	int n = metrics_of(m, node, v);

	for (int i = 0; i < n; i++) {
		json_object *o = json_object_new_object();

		put_text(o, "name", v[i].metric->name);
		put(o, "value", v[i].known ? number(v[i].value) : NULL);
		put_text(o, "unit", v[i].metric->unit);
		put_text(o, "formula", v[i].metric->formula);
		json_object_array_add(list, o);
	}
	return list;
}

static json_object *clock_of(const struct ipmu_mpi *m, int node)
{
	json_object *o = json_object_new_object();

	put_text(o, "name", m->model_clock ? "model" : "wall");
	put(o, "seconds", number(metric_seconds(m, node)));
	if (m->model_clock) {
		put_int(o, "clocks", model_clocks(m, node));
		put(o, "hertz", number(MODEL_HZ));
	}
	return o;
}

static json_object *node_list(const struct ipmu_mpi *m)
{
	json_object *list = json_object_new_array();

	for (int n = m->first_row; n < m->first_row + m->nrows; n++) {
		const struct node_head *head = node_head_of(m, n);
		json_object *o = json_object_new_object();

		put_int(o, "node", n);
		put_text(o, "host", head->host);
		put_int(o, "packages", head->npackages);
		put_int(o, "ranks", head->nranks);
		put(o, "wall_seconds", number((double)head->wall_ns * 1e-9));
		put_text(o, "remark", head->why);
		put(o, "clock", clock_of(m, n));
		put(o, "metrics", metrics_list(m, n));
		json_object_array_add(list, o);
	}
	return list;
}

int json_fill(FILE *f, const void *arg)
{
	const struct ipmu_mpi *m = arg;
	json_object *o = json_object_new_object();
	const char *text;

	if (!o)
		return -ENOMEM;
	put_text(o, "format", "ipmu-mpi 1");
	put(o, "complete", json_object_new_boolean(!m->incomplete[0]));
	put_text(o, "reason", m->incomplete);
	put_text(o, "processor", m->identity.cpu_model);
	put_int(o, "ranks", m->at.nranks);
	put_int(o, "nodes", m->at.count);
	put_int(o, "packages", m->packages_all);
	put(o, "clock", clock_of(m, IPMU_MPI_ALL));
	put(o, "node_list", node_list(m));
	put(o, "events", events_of(m));
	put(o, "metrics", metrics_list(m, IPMU_MPI_ALL));
	text = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
	int rc = !text ? -ENOMEM : fprintf(f, "%s\n", text) < 0 ? -EIO : 0;
	json_object_put(o);
	return rc;
}
