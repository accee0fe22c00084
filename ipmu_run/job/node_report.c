/* SPDX-License-Identifier: MIT */
/* Reads and joins the reports of nodes: node_report_read() one of them, node_reports_join() makes
 * one measurement and one job of several. A lost count stays unknown in the joined report. */
#include "node_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_reader.h"

/* ---- one report ---- */

bool node_report_is(const struct saved *s, const char *id)
{
	struct json_object *job = json_member(s->root, "job", json_type_object);

	return job && json_list_length(json_member_list(s->root, "nodes")) == 1 &&
	       (!id || !strcmp(id, json_member_text(job, "id")));
}

/* Events that the user has named keep the spelling. */
static int take_names(struct from_json *f, const struct measurement *like)
{
	if (f->nevents != like->nevents)
		return -EINVAL;
	for (int i = 0; i < f->nevents; i++) {
		struct event *e = &f->events[i];

		if (strcmp(e->name, like->events[i].name))
			return -EINVAL;
		free(e->given);
		e->given = strdup(like->events[i].given);
		e->component = like->events[i].component;
		e->uncore = like->events[i].uncore;
		if (!e->given)
			return -ENOMEM;
	}
	return 0;
}

int node_report_read(const struct saved *s, const struct measurement *like,
		     struct from_json **out)
{
	struct from_json *f = calloc(1, sizeof(*f));
	char why[SAVED_WHY_MAX];
	int rc = f ? from_json(s, f, why) : -ENOMEM;

	if (!rc)
		rc = take_names(f, like);
	if (rc)
		node_report_free(f);
	else
		*out = f;
	return rc;
}

void node_report_free(struct from_json *r)
{
	if (r)
		from_json_free(r);
	free(r);
}

/* ---- joining ---- */

static int parts_of(struct from_json *const *r, int n, int event)
{
	int parts = 0;

	for (int i = 0; i < n; i++)
		parts += r[i]->m.events[event].nparts;
	return parts;
}

/* The parts of all nodes, then the sums of those that have several. */
static int join_event(struct from_json *const *r, int n, int event, struct measurement *out,
		      struct event *e)
{
	int parts = parts_of(r, n, event);
	long long all = 0;

	*e = r[0]->m.events[event];
	e->given = strdup(e->given);
	e->parts = calloc((size_t)(parts + n), sizeof(*e->parts));
	e->first = out->nparts;
	e->nparts = e->nsums = 0;
	if (!e->given || !e->parts)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		const struct event *from = &r[i]->m.events[event];

		for (int k = 0; k < from->nparts; k++) {
			const struct count c = measure_counts(&r[i]->m, 0, 0)[from->first + k];

			e->parts[e->nparts] = from->parts[k];
			e->parts[e->nparts++].node = n > 1 ? i + 1 : 0;
			out->counts[out->nparts++] = c;
			if (__builtin_add_overflow(all, c.value, &all))
				return -EOVERFLOW;
		}
	}
	for (int i = 0; n > 1 && i < n; i++)
		if (r[i]->m.events[event].nparts > 1)
			e->parts[parts + e->nsums++] = (struct part){ -1, -1, -1, i + 1 };
	return 0;
}

static void join_heads(struct from_json *const *r, int n, struct measurement *out)
{
	for (int i = 0; i < n; i++) {
		if (r[i]->m.run_ns[0] > out->run_ns[0])
			out->run_ns[0] = r[i]->m.run_ns[0];
		if (!out->status)
			out->status = r[i]->m.status;
		if (!out->lost[0])
			memcpy(out->lost, r[i]->m.lost, sizeof(out->lost));
		if (!out->uncounted[0])
			memcpy(out->uncounted, r[i]->m.uncounted, sizeof(out->uncounted));
		if (r[i]->m.done < out->done)
			out->done = r[i]->m.done;
	}
}

/* The job has one reason, and has begun where all nodes have. */
static void join_windows(struct from_json *const *r, int n, struct joined *out)
{
	out->window.begun = true;
	out->m.window = NULL;
	for (int i = 0; i < n; i++) {
		if (r[i]->m.window)
			out->m.window = &out->window;
		out->window.begun &= r[i]->window.begun;
		if (!out->window.reason[0])
			memcpy(out->window.reason, r[i]->window.reason, WINDOW_REASON_MAX);
	}
}

/* The counts of one node's region go to the places that join_event() has given to its parts. */
static void join_phase_counts(struct from_json *const *r, int node, const struct phase *from,
			      const struct measurement *out, struct phase *to)
{
	for (int e = 0; e < out->nevents; e++) {
		const struct event *own = &r[node]->m.events[e];
		int at = out->events[e].first + parts_of(r, node, e);

		for (int k = 0; k < own->nparts; k++)
			to->counts[at + k] = from->counts[own->first + k];
	}
}

static int join_phase(struct from_json *const *r, int node, const struct phase *from,
		      struct joined *out)
{
	struct phase *to = phase_find(&out->phases, from->name);

	if (!to)
		to = phase_append(&out->phases, from->name, out->m.nparts, 1);
	if (!to)
		return -ENOMEM;
	join_phase_counts(r, node, from, &out->m, to);
	to->ns[0] = from->ns[0] > to->ns[0] ? from->ns[0] : to->ns[0];
	to->calls[0] += from->calls[0];
	to->unfinished += from->unfinished;
	for (int i = 0; i < from->nranks; i++) {
		struct phase_rank *rank = phase_rank_of(to, from->ranks[i].rank);

		if (!rank)
			return -ENOMEM;
		rank->calls += from->ranks[i].calls;
		rank->ns += from->ranks[i].ns;
		rank->node_ns = from->ns[0];
	}
	return 0;
}

/* A region's time is the longest node's, as the job's. */
static int join_phases(struct from_json *const *r, int n, struct joined *out)
{
	int rc = 0;

	out->m.phases = NULL;
	for (int i = 0; i < n; i++) {
		const struct phase_list *l = r[i]->m.phases;

		for (int k = 0; l && k < l->n && !rc; k++)
			rc = join_phase(r, i, &l->phase[k], out);
		if (!l)
			continue;
		out->m.phases = &out->phases;
		out->phases.only |= l->only;
	}
	return rc;
}

/* The profile of a part of the counts would explain the others by it: all nodes have one, or none
 * is shown. */
static int join_wheres(struct from_json *const *r, int n, struct joined *out)
{
	const struct where_saved **list = calloc((size_t)n, sizeof(*list));
	int with = 0, rc = list ? 0 : -ENOMEM;

	for (int i = 0; list && i < n; i++) {
		list[i] = r[i]->where;
		with += list[i] != NULL;
	}
	out->lacking = with ? n - with : 0;
	if (!rc && with == n)
		rc = where_join(list, n, &out->where);
	free(list);
	return rc;
}

static void join_jobs(struct from_json *const *r, int n, struct joined *out)
{
	struct report_job job = { .size = r[0]->job.size, .nodes = n, .node = out->nodes,
				  .id = r[0]->id, .first = true };

	for (int i = 0; i < n; i++) {
		out->nodes[i] = r[i]->nodes[0];
		job.ranks += r[i]->job.ranks;
		job.ended += r[i]->job.ended;
		job.outside += r[i]->job.outside;
	}
	out->job = job;
}

int node_reports_join(struct from_json *const *r, int n, struct joined *out)
{
	struct measurement *m = &out->m;
	int all = 0, rc = 0;

	*out = (struct joined){ .m = r[0]->m };
	for (int i = 0; i < m->nevents; i++)
		all += parts_of(r, n, i);
	out->nodes = calloc((size_t)n, sizeof(*out->nodes));
	out->events = calloc((size_t)m->nevents + 1, sizeof(*out->events));
	m->counts = calloc((size_t)all + 1, sizeof(*m->counts));
	m->run_ns = calloc(1, sizeof(*m->run_ns));
	m->events = out->events;
	m->nparts = 0;
	if (!out->nodes || !out->events || !m->counts || !m->run_ns)
		return -ENOMEM;
	for (int i = 0; i < m->nevents && !rc; i++)
		rc = join_event(r, n, i, m, &out->events[i]);
	if (!rc)
		rc = join_phases(r, n, out);
	if (!rc)
		rc = join_wheres(r, n, out);
	join_heads(r, n, m);
	join_windows(r, n, out);
	join_jobs(r, n, out);
	return rc;
}

void joined_free(struct joined *j)
{
	for (int i = 0; j->events && i < j->m.nevents; i++)
		event_free(&j->events[i]);
	measure_free(&j->m);
	phase_list_free(&j->phases);
	where_saved_free(j->where);
	free(j->events);
	free(j->nodes);
}
