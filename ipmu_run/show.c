/* SPDX-License-Identifier: MIT */
/* --show FILE, by show(): a report that -o or ipmu_mpi_write() has left, once more as text and,
 * with -o, as files. It gets the metrics of all groups whose events it has, because libipmu_mpi
 * writes counts alone. Only reports of one run in one pass can be shown: the others' counts are
 * means. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/node_report.h"
#include "json_reader.h"
#include "report/from_json.h"
#include "run.h"

struct showing {
	struct saved saved;
	struct from_json from;		/* of saved */
	struct node_report counts;	/* of from */
	struct group_list groups;	/* those that the report does not have */
	struct report_group *all;	/* these and the report's own */
	int nall;
	struct report_node *nodes;
	struct report_job job;
};

/* ---- groups ---- */

static int find_event(const struct showing *w, const char *name)
{
	for (int i = 0; i < w->from.nevents; i++)
		if (!strcmp(w->from.events[i].given, name) || !strcmp(w->from.events[i].name, name))
			return i;
	return -1;
}

static bool is_there(const struct showing *w, const struct group *g)
{
	for (int i = 0; i < w->from.ngroups; i++) {
		const struct group *own = w->from.groups[i].group;

		if (own && !strcmp(own->pmu, g->pmu) && !strcmp(own->name, g->name))
			return true;
	}
	return false;
}

/* A group that is not of the report's events is skipped. Its clock is not needed, because the
 * report has a time. */
static int add_group(struct showing *w, struct group *g)
{
	int clock = group_clock(g), *events;

	if (clock >= 0 && find_event(w, g->events[clock].name) < 0)
		group_drop_clock(g);
	if (is_there(w, g))
		return 0;
	for (int i = 0; i < g->nevents; i++)
		if (find_event(w, g->events[i].name) < 0)
			return 0;
	events = calloc((size_t)g->nevents + 1, sizeof(*events));
	if (!events)
		return -ENOMEM;
	for (int i = 0; i < g->nevents; i++)
		events[i] = find_event(w, g->events[i].name);
	w->all[w->nall++] = (struct report_group){ g, events, g->nevents };
	return 0;
}

static void tell(const char *why)
{
	complain(0, "%s", why);
}

static int add_groups(struct showing *w)
{
	int rc = groups_find(NULL, &w->groups, tell);

	if (rc < 0)
		return rc;
	w->all = calloc((size_t)(w->groups.n + w->from.ngroups) + 1, sizeof(*w->all));
	rc = w->all ? 0 : -ENOMEM;
	for (int i = 0; i < w->groups.n && !rc; i++)
		rc = add_group(w, w->groups.groups[i]);
	return rc;
}

/* ---- the report ---- */

static int read_nodes(struct showing *w)
{
	struct json_object *list = json_member_list(w->saved.root, "nodes");
	size_t n = json_list_length(list);

	w->nodes = calloc(n + 1, sizeof(*w->nodes));
	if (!w->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_array_get_idx(list, i);

		snprintf(w->nodes[i].host, sizeof(w->nodes[i].host), "%s",
			 json_member_text(o, "host"));
		w->nodes[i].ranks = json_member_int(o, "ranks", 0);
	}
	w->job = (struct report_job){
		.size = w->counts.size, .ended = w->counts.ended, .outside = w->counts.outside,
		.ranks = json_member_int(w->saved.root, "ranks", 0), .nodes = (int)n,
		.node = w->nodes, .id = w->counts.id, .first = w->counts.first,
	};
	return 0;
}

static int write_all(struct showing *w, const char *prefix)
{
	struct report r = w->from.report;
	struct output files;
	int added = w->nall, rc;

	for (int i = 0; i < w->from.ngroups; i++)
		w->all[w->nall++] = w->from.groups[i];
	r.groups = w->all;
	r.ngroups = w->nall;
	r.m = &w->counts.m;
	if (w->counts.windowed)
		w->counts.m.window = &w->counts.window;
	if (w->job.nodes)
		r.job = &w->job;
	w->counts.m.killed = !w->saved.complete && report_is_complete(&r);
	rc = output_open(&files, prefix);
	if (!rc) {
		rc = output_write(&files, &r);
		output_drop(&files);
	}
	for (int i = 0; i < added; i++)
		free((void *)(uintptr_t)w->all[i].events);
	return rc;
}

static int explain(const struct showing *w, int rc)
{
	return rc == -ENOMEM ? complain(EXIT_CANNOT_COUNT, "no memory") :
	       complain(EXIT_USAGE, "%s: cannot show it: it is of several runs or passes, or was "
			"changed by hand", w->saved.path);
}

/* A time that no job has told is the program's. */
static void set_time(struct showing *w)
{
	struct json_object *seconds = json_member(w->saved.root, "seconds", json_type_object);
	struct measurement *m = &w->counts.m;

	if (json_member(w->saved.root, "job", json_type_object))
		return;
	m->run_ns[0] = (uint64_t)(1e9 * json_object_get_double(json_object_object_get(seconds,
										      "value")));
	m->of_machine = w->from.machine.is_virtual;
}

static int read_all(struct showing *w, const char *path)
{
	char why[SAVED_WHY_MAX];
	int rc;

	if (saved_read(path, &w->saved, why))
		return complain(EXIT_USAGE, "%s", why);
	rc = from_json(&w->saved, &w->from, why);
	if (rc)
		return rc == -ENOMEM ? explain(w, rc) : complain(EXIT_USAGE, "%s", why);
	if (json_member_int(w->saved.root, "passes", 0) != 1)
		return explain(w, -EINVAL);
	rc = report_read(&w->saved, &w->from.m, &w->counts);
	if (rc)
		return explain(w, rc);
	set_time(w);
	rc = read_nodes(w);
	if (!rc)
		rc = add_groups(w);
	return rc ? explain(w, rc) : 0;
}

int show(const struct options *o)
{
	struct showing w = { .nall = 0 };
	int rc = read_all(&w, o->show);

	if (!rc)
		rc = write_all(&w, o->output);
	groups_free(&w.groups);
	free(w.all);
	free(w.nodes);
	node_report_free(&w.counts);
	from_json_free(&w.from);
	saved_free(&w.saved);
	return rc;
}
