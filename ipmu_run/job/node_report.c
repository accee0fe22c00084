/* SPDX-License-Identifier: MIT */
/* Reads and joins the reports of nodes. node_report_head() reads which job a report is of, and
 * node_report_read() its counts. node_reports_join() and node_reports_job() make one measurement
 * and one job of several reports. Counts are read from the events' parts; sums and metrics are
 * computed again from them. A lost count stays unknown in the joined report. */
#include "node_report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_reader.h"

#define PARTS_MAX 1000000

/* ---- one report ---- */

int node_report_head(const struct saved *s, struct node_report *out)
{
	struct json_object *job = json_member(s->root, "job", json_type_object),
			   *nodes = json_member_list(s->root, "nodes"), *node;

	*out = (struct node_report){ .first = json_member_bool(job, "first") };
	node = json_list_length(nodes) ? json_object_array_get_idx(nodes, 0) : NULL;
	snprintf(out->host, sizeof(out->host), "%s", json_member_text(node, "host"));
	snprintf(out->id, sizeof(out->id), "%s", json_member_text(job, "id"));
	out->ranks = json_member_int(node, "ranks", 0);
	out->size = json_member_int(job, "size", 0);
	out->ended = json_member_int(job, "ended", 0);
	out->outside = json_member_int(job, "outside", 0);
	out->windowed = json_member(s->root, "from_mpi_init", json_type_boolean);
	out->window.begun = json_member_bool(s->root, "from_mpi_init");
	snprintf(out->window.reason, sizeof(out->window.reason), "%s",
		 json_member_text(s->root, "reason"));
	if (!job || json_list_length(nodes) != 1)
		return -ENOENT;
	return out->ranks > 0 && out->size >= out->ranks && out->ended >= 0 && out->outside >= 0 ?
	       0 : -EINVAL;
}

static struct json_object *report_find_event(struct json_object *root, const char *name)
{
	struct json_object *groups = json_member_list(root, "groups");

	for (size_t g = 0; g < json_list_length(groups); g++) {
		struct json_object *events = json_member_list(json_object_array_get_idx(groups, g),
							      "events");

		for (size_t i = 0; i < json_list_length(events); i++) {
			struct json_object *e = json_object_array_get_idx(events, i);

			if (!strcmp(json_member_text(e, "name"), name))
				return e;
		}
	}
	return NULL;
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
	if (p->node <= 0 || p->package >= 0 || p->box >= 0 || p->cpu >= 0)
		return false;
	for (int i = 0; i < e->nparts; i++)
		if (e->parts[i].node == p->node)
			return true;
	return false;
}

/* Sums stand last, and are computed again. */
static int read_parts(struct json_object *parts, struct event *e, struct count *counts)
{
	for (size_t i = 0; i < json_list_length(parts); i++) {
		struct json_object *o = json_object_array_get_idx(parts, i);
		struct part p = { json_member_int(o, "package", -1), json_member_int(o, "box", -1),
				  json_member_int(o, "cpu", -1),
				  json_member_int(o, "node", -1) + 1 };
		bool sum = is_sum(e, &p);

		e->parts[i] = p;
		if (!sum && (e->nsums || !read_count(o, &counts[e->nparts])))
			return -EINVAL;
		e->nsums += sum;
		e->nparts += !sum;
	}
	return 0;
}

static int read_event(struct json_object *root, const struct event *like, struct measurement *m,
		      struct event *e)
{
	struct json_object *found = report_find_event(root, like->name),
			   *parts = json_member_list(found, "parts");
	size_t n = json_list_length(parts);
	struct count *more;
	int rc;

	if (!n || n > PARTS_MAX)
		return -EINVAL;
	*e = *like;
	e->given = strdup(like->given);
	e->parts = calloc(n, sizeof(*e->parts));
	more = realloc(m->counts, ((size_t)m->nparts + n) * sizeof(*more));
	if (more)
		m->counts = more;
	if (!more || !e->parts || !e->given)
		return -ENOMEM;
	e->nparts = e->nsums = 0;
	e->first = m->nparts;
	rc = read_parts(parts, e, more + e->first);
	m->nparts += e->nparts;
	return rc;
}

static int read_time(struct json_object *root, struct measurement *m)
{
	struct json_object *job = json_member(root, "job", json_type_object),
			   *ns = json_member(job, "ns", json_type_int);

	m->status = json_member_int(root, "status", 0);
	m->done = json_member_int(root, "runs", -1);
	m->of_machine = !strcmp(json_member_text(job, "clock"), "machine");
	snprintf(m->lost, sizeof(m->lost), "%s", json_member_text(root, "lost"));
	if (m->done < 0 || m->done > 1 || (job && (!ns || json_object_get_int64(ns) < 0)))
		return -EINVAL;
	m->run_ns[0] = (uint64_t)json_object_get_int64(ns);
	return 0;
}

int node_report_read(const struct saved *s, const struct measurement *like,
		     struct node_report *out)
{
	struct node_report head;
	int rc = node_report_head(s, &head);

	return rc ? rc : report_read(s, like, out);
}

int report_read(const struct saved *s, const struct measurement *like, struct node_report *out)
{
	struct node_report r;
	int rc;

	node_report_head(s, &r);
	r.m = (struct measurement){ .passes = like->passes, .runs = 1 };
	r.m.run_ns = calloc(1, sizeof(*r.m.run_ns));
	r.m.events = r.events = calloc((size_t)like->nevents + 1, sizeof(*r.events));
	rc = r.m.run_ns && r.events ? read_time(s->root, &r.m) : -ENOMEM;
	while (!rc && r.m.nevents < like->nevents) {
		int i = r.m.nevents++;

		rc = read_event(s->root, &like->events[i], &r.m, &r.events[i]);
	}
	if (rc)
		node_report_free(&r);
	else
		*out = r;
	return rc;
}

void node_report_free(struct node_report *r)
{
	for (int i = 0; r->events && i < r->m.nevents; i++)
		event_free(&r->events[i]);
	free(r->events);
	measure_free(&r->m);
	*r = (struct node_report){ .host = "" };
}

/* ---- joining ---- */

static int parts_of(const struct node_report *r, int n, int event)
{
	int parts = 0;

	for (int i = 0; i < n; i++)
		parts += r[i].m.events[event].nparts;
	return parts;
}

/* The parts of all nodes, then the sums of those that have several. */
static int join_event(const struct node_report *r, int n, int event, struct measurement *out,
		      struct event *e)
{
	int parts = parts_of(r, n, event);

	*e = r[0].m.events[event];
	e->given = strdup(e->given);
	e->parts = calloc((size_t)(parts + n), sizeof(*e->parts));
	e->first = out->nparts;
	e->nparts = e->nsums = 0;
	if (!e->given || !e->parts)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		const struct event *from = &r[i].m.events[event];

		for (int k = 0; k < from->nparts; k++) {
			e->parts[e->nparts] = from->parts[k];
			e->parts[e->nparts++].node = n > 1 ? i + 1 : 0;
			out->counts[out->nparts++] =
				measure_counts(&r[i].m, 0, 0)[from->first + k];
		}
	}
	for (int i = 0; n > 1 && i < n; i++)
		if (r[i].m.events[event].nparts > 1)
			e->parts[parts + e->nsums++] = (struct part){ -1, -1, -1, i + 1 };
	return 0;
}

static void join_heads(const struct node_report *r, int n, struct measurement *out)
{
	for (int i = 0; i < n; i++) {
		if (r[i].m.run_ns[0] > out->run_ns[0])
			out->run_ns[0] = r[i].m.run_ns[0];
		if (!out->status)
			out->status = r[i].m.status;
		if (!out->lost[0])
			memcpy(out->lost, r[i].m.lost, sizeof(out->lost));
		if (r[i].m.done < out->done)
			out->done = r[i].m.done;
	}
}

/* The job has one reason, and has begun where all nodes have. */
static void join_windows(const struct node_report *r, int n, struct window *window,
			 struct measurement *out)
{
	*window = (struct window){ .begun = true };
	out->window = NULL;
	for (int i = 0; i < n; i++) {
		if (r[i].windowed)
			out->window = window;
		window->begun &= r[i].window.begun;
		if (!window->reason[0])
			memcpy(window->reason, r[i].window.reason, sizeof(window->reason));
	}
}

int node_reports_join(const struct node_report *r, int n, struct window *window,
		      struct measurement *out, struct event **events)
{
	struct measurement m = r[0].m;
	struct event *list = calloc((size_t)m.nevents + 1, sizeof(*list));
	int all = 0, rc = 0;

	for (int i = 0; i < m.nevents; i++)
		all += parts_of(r, n, i);
	m.counts = calloc((size_t)all + 1, sizeof(*m.counts));
	m.run_ns = calloc(1, sizeof(*m.run_ns));
	m.events = list;
	m.nparts = 0;
	if (!list || !m.counts || !m.run_ns)
		rc = -ENOMEM;
	for (int i = 0; i < m.nevents && !rc; i++)
		rc = join_event(r, n, i, &m, &list[i]);
	if (!rc)
		join_heads(r, n, &m);
	join_windows(r, n, window, &m);
	*events = list;
	*out = m;
	return rc;
}

int node_reports_job(const struct node_report *r, int n, struct report_node **nodes,
		     struct report_job *out)
{
	struct report_job s = { .size = r[0].size, .nodes = n, .id = r[0].id, .first = true };
	struct report_node *list = calloc((size_t)n, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		snprintf(list[i].host, sizeof(list[i].host), "%s", r[i].host);
		list[i].ranks = r[i].ranks;
		s.ranks += r[i].ranks;
		s.ended += r[i].ended;
		s.outside += r[i].outside;
	}
	s.node = *nodes = list;
	*out = s;
	return 0;
}
