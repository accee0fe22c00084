/* SPDX-License-Identifier: MIT */
/* --show FILE, by show(): a report that -o or ipmu_mpi_write() has left, once more as text and,
 * with -o, as files. It gets the metrics of all groups whose events it has, because libipmu_mpi
 * writes counts alone. Only reports of one run in one pass can be shown: the others' counts are
 * means. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../measure/report/from_json.h"
#include "run.h"

struct showing {
	struct saved saved;
	struct from_json from;		/* of saved */
	struct group_list groups;	/* those that the report does not have */
	struct report_group *all;	/* these and the report's own */
	int nall;
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

		if (own && group_is(own, g->pmu, g->name))
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

static int add_groups(struct showing *w)
{
	int rc = groups_find(NULL, &w->groups, complain_group_file);

	if (rc < 0)
		return rc;
	w->all = calloc((size_t)(w->groups.n + w->from.ngroups) + 1, sizeof(*w->all));
	rc = w->all ? 0 : -ENOMEM;
	for (int i = 0; i < w->groups.n && !rc; i++)
		rc = add_group(w, w->groups.groups[i]);
	return rc;
}

/* ---- the report ---- */

static int write_all(struct showing *w, const char *prefix)
{
	struct report r = w->from.report;
	struct output files;
	int added = w->nall, rc;

	for (int i = 0; i < w->from.ngroups; i++)
		w->all[w->nall++] = w->from.groups[i];
	r.groups = w->all;
	r.ngroups = w->nall;
	rc = output_open(&files, prefix, NULL);
	if (!rc) {
		rc = output_write(&files, &r);
		output_drop(&files);
	}
	for (int i = 0; i < added; i++)
		free((void *)(uintptr_t)w->all[i].events);
	return rc;
}

static int read_all(struct showing *w, const char *path)
{
	char why[SAVED_WHY_MAX] = "no memory";
	int rc = saved_read(path, &w->saved, why);

	if (!rc)
		rc = from_json(&w->saved, &w->from, why);
	if (!rc)
		rc = add_groups(w);
	return rc ? complain(rc == -ENOMEM ? EXIT_CANNOT_COUNT : EXIT_USAGE, "%s", why) : 0;
}

int show(const struct options *o)
{
	struct showing w = { .nall = 0 };
	int rc = read_all(&w, o->show);

	if (!rc)
		rc = write_all(&w, o->output);
	groups_free(&w.groups);
	free(w.all);
	from_json_free(&w.from);
	saved_free(&w.saved);
	return rc;
}
