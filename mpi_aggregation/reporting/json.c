/* SPDX-License-Identifier: MIT */
/* Writes the last completed read as JSON: json_fill(). Counts of the job, of nodes and of packages
 * have the same members. A count that was not measured is null, with the number of measured and
 * expected parts beside it. */
#include <json-c/json.h>

#include "formats.h"
#include "json_writer.h"
#include "metrics.h"

static void put_count(struct json_writer *w, json_object *o, const struct ipmu_mpi_count *c)
{
	if (c->measured)
		json_put_int(w, o, "count", c->count);
	else
		json_put_null(w, o, "count");
	json_put_int(w, o, "measured", c->measured);
	json_put_int(w, o, "expected", c->expected);
	json_put_text(w, o, "status", count_status(c));
}

static json_object *packages_of(struct json_writer *w, const struct ipmu_mpi *m, int event,
				int node)
{
	json_object *list = json_array_begin(w);
	struct ipmu_mpi_count c;

	for (int p = 0; p < m->packages_max; p++) {
		if (ipmu_mpi_get(m, event, node, p, &c) || !c.expected)
			continue;
		json_object *o = json_object_begin(w);
		json_put_int(w, o, "package", p);
		put_count(w, o, &c);
		json_append(w, list, o);
	}
	return list;
}

static json_object *nodes_of(struct json_writer *w, const struct ipmu_mpi *m, int event)
{
	json_object *list = json_array_begin(w);
	struct ipmu_mpi_count c;

	for (int n = m->first_row; n < m->first_row + m->nrows; n++) {
		if (ipmu_mpi_get(m, event, n, IPMU_MPI_ALL, &c) || !c.expected)
			continue;
		json_object *o = json_object_begin(w);
		json_put_int(w, o, "node", n);
		put_count(w, o, &c);
		if (m->events[event].scope == SCOPE_PACKAGE)
			json_put(w, o, "packages", packages_of(w, m, event, n));
		json_append(w, list, o);
	}
	return list;
}

static json_object *events_of(struct json_writer *w, const struct ipmu_mpi *m)
{
	static const char *const scopes[] = {
		[SCOPE_PACKAGE] = "package", [SCOPE_NODE] = "node", [SCOPE_RANK] = "rank",
	};
	json_object *list = json_array_begin(w);
	struct ipmu_mpi_count c;

	for (int i = 0; i < m->nlisted; i++) {
		json_object *o = json_object_begin(w);

		json_put_text(w, o, "name", m->events[i].name);
		json_put_text(w, o, "unit", m->events[i].unit);
		json_put_text(w, o, "scope", scopes[m->events[i].scope]);
		if (!ipmu_mpi_get(m, i, IPMU_MPI_ALL, IPMU_MPI_ALL, &c))
			put_count(w, o, &c);
		json_put(w, o, "nodes", nodes_of(w, m, i));
		json_append(w, list, o);
	}
	return list;
}

static json_object *metrics_list(struct json_writer *w, const struct ipmu_mpi *m, int node)
{
	json_object *list = json_array_begin(w);
	struct metric_value v[METRICS_MAX];
	int n = metrics_of(m, node, v);

	for (int i = 0; i < n; i++) {
		json_object *o = json_object_begin(w);

		json_put_text(w, o, "name", v[i].metric->name);
		if (v[i].known)
			json_put_real(w, o, "value", v[i].value);
		else
			json_put_null(w, o, "value");
		json_put_text(w, o, "unit", v[i].metric->unit);
		json_put_text(w, o, "formula", v[i].metric->formula);
		json_append(w, list, o);
	}
	return list;
}

static json_object *clock_of(struct json_writer *w, const struct ipmu_mpi *m, int node)
{
	json_object *o = json_object_begin(w);

	json_put_text(w, o, "name", m->model_clock ? "model" : "wall");
	json_put_real(w, o, "seconds", metric_seconds(m, node));
	if (m->model_clock) {
		json_put_int(w, o, "clocks", model_clocks(m, node));
		json_put_real(w, o, "hertz", MODEL_HZ);
	}
	return o;
}

static json_object *node_list(struct json_writer *w, const struct ipmu_mpi *m)
{
	json_object *list = json_array_begin(w);

	for (int n = m->first_row; n < m->first_row + m->nrows; n++) {
		const struct node_head *head = node_head_of(m, n);
		json_object *o = json_object_begin(w);

		json_put_int(w, o, "node", n);
		json_put_text(w, o, "host", head->host);
		json_put_int(w, o, "packages", head->npackages);
		json_put_int(w, o, "ranks", head->nranks);
		json_put_real(w, o, "wall_seconds", (double)head->wall_ns * 1e-9);
		json_put_text(w, o, "remark", head->why);
		json_put(w, o, "clock", clock_of(w, m, n));
		json_put(w, o, "metrics", metrics_list(w, m, n));
		json_append(w, list, o);
	}
	return list;
}

int json_fill(FILE *f, const struct ipmu_mpi *m)
{
	struct json_writer w = { .no_memory = false };
	json_object *o = json_object_begin(&w);

	json_put_text(&w, o, "format", "ipmu-mpi 1");
	json_put_bool(&w, o, "complete", !m->incomplete[0]);
	json_put_text(&w, o, "reason", m->incomplete);
	json_put_text(&w, o, "processor", m->identity.cpu_model);
	json_put_int(&w, o, "ranks", m->at.nranks);
	json_put_int(&w, o, "nodes", m->at.count);
	json_put_int(&w, o, "packages", m->packages_all);
	json_put(&w, o, "clock", clock_of(&w, m, IPMU_MPI_ALL));
	json_put(&w, o, "node_list", node_list(&w, m));
	json_put(&w, o, "events", events_of(&w, m));
	json_put(&w, o, "metrics", metrics_list(&w, m, IPMU_MPI_ALL));
	return json_print(&w, o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE, f);
}
