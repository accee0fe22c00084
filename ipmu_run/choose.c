/* SPDX-License-Identifier: MIT */
/* Finds the groups and events that the options name: choose() and choice_free(). A group is taken
 * from a PMU of this machine, and a name that fits two PMUs is refused. Each group and each event
 * is chosen once, however often it is requested: groups refer to events by index. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* ---- finding the groups */

/* Compares how much two reasons explain. Most: counting is not permitted. Then: the PMU is of this
 * machine and cannot be used. Least: it is of another machine. */
static bool says_more(int rc, int than)
{
	return !group_unknown(than) && (group_unknown(rc) || than == -ENOENT || than == -ENODEV);
}

/* The architectural PMU, which every processor has, gives way to one of the processor's own. */
static bool gives_way(const struct group *g)
{
	return !strcmp(g->pmu, "ix86arch");
}

static int find_all(const char *name, struct group_list *list)
{
	int bad = groups_find(name, list, complain_group_file);

	if (!bad && !list->n && !strcmp(name, "CACHE"))		/* a name of before */
		bad = groups_find("ix86arch/LLC", list, complain_group_file);
	return bad;
}

static int refuse_twins(const char *name, const struct group *a, const struct group *b)
{
	return complain(EXIT_USAGE, "two groups are named %s here: say %s/%s or %s/%s", name,
			a->pmu, name, b->pmu, name);
}

/* Choose, among the groups with that name, the one of a PMU of this machine. */
static int find_group(const struct machine *m, const char *name, struct group **out)
{
	struct group_list list = { 0 };
	char why[COUNT_WHY_MAX] = "", one[COUNT_WHY_MAX];
	int bad = find_all(name, &list), found = -1, rc, worst = -ENOENT, status = 0;

	for (int i = 0; !bad && !status && i < list.n; i++) {
		rc = group_here(m, list.groups[i], one);
		if (rc && says_more(rc, worst)) {
			worst = rc;
			snprintf(why, sizeof(why), "%s", one);
		}
		if (rc || (found >= 0 && gives_way(list.groups[i])))
			continue;
		if (found >= 0 && !gives_way(list.groups[found]))
			status = refuse_twins(name, list.groups[found], list.groups[i]);
		found = i;
	}
	if (bad)
		status = EXIT_USAGE;
	else if (found < 0)
		status = complain_group(m, name, &list, worst, why);
	if (!status) {
		*out = list.groups[found];
		list.groups[found] = list.groups[--list.n];
	}
	groups_free(&list);
	return status;
}

static int add_group(const struct machine *m, struct choice *c, const char *name)
{
	struct group *g;
	int rc = find_group(m, name, &g);

	if (rc)
		return rc;
	for (int i = 0; i < c->groups.n; i++)
		if (group_is(c->groups.groups[i], g->pmu, g->name)) {
			group_free(g);
			return 0;
		}
	if (!m->is_virtual)	/* on silicon time is the wall's */
		group_drop_clock(g);
	c->groups.groups[c->groups.n++] = g;
	return 0;
}

/* ---- their events */

/* An event that is requested twice is counted once. */
static int add_event(const struct machine *m, struct choice *c, const struct options *o,
		     const char *name, int *out)
{
	struct event e;
	char why[COUNT_WHY_MAX];
	int rc = event_find(m, name, o->split, &e, why);

	if (rc)
		return complain_event(m, name, rc, why);
	for (int i = 0; i < c->nevents; i++)
		if (!strcmp(c->events[i].name, e.name)) {
			event_free(&e);
			*out = i;
			return 0;
		}
	e.first = c->nparts;
	c->nparts += e.nparts;
	*out = c->nevents;
	c->events[c->nevents++] = e;
	return 0;
}

static int add_report(const struct machine *m, struct choice *c, const struct options *o,
		      const struct group *g)
{
	int n = g ? g->nevents : o->nevents, clock = g ? group_clock(g) : -1, rc = 0;
	int *events = calloc((size_t)n + 1, sizeof(*events));

	if (!events)
		return complain(EXIT_CANNOT_COUNT, "no memory");
	c->report[c->nreport] = (struct report_group){ g, events, n };
	for (int i = 0; i < n && !rc; i++)
		rc = add_event(m, c, o, g ? g->events[i].name : o->events[i], &events[i]);
	c->bundles[c->nreport++] = (struct bundle){ events, n, clock >= 0 ? events[clock] : -1 };
	return rc;
}

static int make_room(struct choice *c, const struct options *o)
{
	size_t n = (size_t)o->nevents;

	for (int i = 0; i < c->groups.n; i++)
		n += (size_t)c->groups.groups[i]->nevents;
	if (n > EVENTS_MAX)
		return complain(EXIT_USAGE, "%zu events: ask for at most %d at once", n,
				EVENTS_MAX);
	c->events = calloc(n + 1, sizeof(*c->events));
	c->report = calloc((size_t)c->groups.n + 1, sizeof(*c->report));
	c->bundles = calloc((size_t)c->groups.n + 1, sizeof(*c->bundles));
	return c->events && c->report && c->bundles ? 0 : complain(EXIT_CANNOT_COUNT, "no memory");
}

int choose(const struct machine *m, const struct options *o, struct choice *c)
{
	int rc = 0;

	*c = (struct choice){ .nevents = 0 };
	c->groups.groups = calloc((size_t)o->ngroups + 1, sizeof(*c->groups.groups));
	if (!c->groups.groups)
		return complain(EXIT_CANNOT_COUNT, "no memory");
	for (int i = 0; i < o->ngroups && !rc; i++)
		rc = add_group(m, c, o->groups[i]);
	if (!rc)
		rc = make_room(c, o);
	for (int i = 0; i < c->groups.n && !rc; i++)
		rc = add_report(m, c, o, c->groups.groups[i]);
	if (!rc && o->nevents)
		rc = add_report(m, c, o, NULL);
	if (rc)
		choice_free(c);
	return rc;
}

void choice_free(struct choice *c)
{
	for (int i = 0; i < c->nevents; i++)
		event_free(&c->events[i]);
	for (int i = 0; i < c->nreport; i++)
		free((void *)(uintptr_t)c->report[i].events);
	free(c->events);
	free(c->report);
	free(c->bundles);
	groups_free(&c->groups);
}
