/* SPDX-License-Identifier: MIT */
/* Plans which events are counted in which run of the program: passes_plan(). Bundles go into the
 * first pass that takes all their events. A bundle too large for any pass is split, its clock going
 * with each event. Whether events fit is tried with PAPI itself. Each pass of the plan has been
 * opened successfully. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passes.h"
#include "sets.h"

struct planner {
	const struct event *events;
	struct passes *p;
	char *why;
};

static bool *row(const struct passes *p, int pass)
{
	return p->member + (size_t)pass * (size_t)p->nevents;
}

static bool is_split_by_cpu(const struct event *e)
{
	return e->nparts > 1 && e->parts[0].cpu >= 0;
}

/* All CPUs have the same counters: two show whether the events fit into those of one. True if
 * an event is counted on each. */
static bool narrow(const struct planner *pl, const bool *chosen, struct event *few)
{
	bool split = false;

	for (int i = 0; i < pl->p->nevents; i++) {
		few[i] = pl->events[i];
		if (!is_split_by_cpu(&few[i]))
			continue;
		split |= chosen[i];
		few[i].nparts = 2;
	}
	return split;
}

/* Threads of a core may share registers, which a set on one of them claims when it starts. That is
 * done in the order of the run, and ended at once. */
static int start(const struct planner *pl, const bool *chosen)
{
	struct sets *s;
	int rc = sets_open(pl->events, pl->p->nevents, chosen, &s, pl->why);

	if (rc)
		return rc;
	rc = sets_start(s, pl->why);
	sets_close(s);
	return rc == -EBUSY ? -ENOSPC : rc;
}

/* 0, -ENOSPC or another error. */
static int try(const struct planner *pl, const bool *chosen)
{
	struct event *few = calloc((size_t)pl->p->nevents + 1, sizeof(*few));
	bool split = few && narrow(pl, chosen, few);
	struct sets *s;
	int rc;

	if (!few) {
		snprintf(pl->why, COUNT_WHY_MAX, "no memory");
		return -ENOMEM;
	}
	rc = sets_open(few, pl->p->nevents, chosen, &s, pl->why);
	if (!rc)
		sets_close(s);
	if (!rc && split)
		rc = start(pl, chosen);
	if (rc == -ENOSPC && !pl->p->why[0])
		snprintf(pl->p->why, sizeof(pl->p->why), "%s", pl->why);
	free(few);
	return rc;
}

/* Puts the events into the pass as well, if all of them fit. */
static int place(const struct planner *pl, int pass, const int *events, int n)
{
	bool before[EVENTS_MAX], *now = row(pl->p, pass);
	size_t bytes = (size_t)pl->p->nevents * sizeof(*now);
	int rc;

	memcpy(before, now, bytes);
	for (int i = 0; i < n; i++)
		if (events[i] >= 0)
			now[events[i]] = true;
	rc = try(pl, now);
	if (rc)
		memcpy(now, before, bytes);
	return rc;
}

static bool is_empty(const struct passes *p, int pass)
{
	for (int i = 0; i < p->nevents; i++)
		if (row(p, pass)[i])
			return false;
	return true;
}

/* Into the first pass that takes them, or a new one. */
static int first_fit(const struct planner *pl, const int *events, int n)
{
	int rc = -ENOSPC;

	for (int pass = 0; pass < PASSES_MAX && rc == -ENOSPC; pass++) {
		bool empty = is_empty(pl->p, pass);

		rc = place(pl, pass, events, n);
		if (!rc && pass >= pl->p->n)
			pl->p->n = pass + 1;
		if (empty)
			break;
	}
	return rc;
}

/* An event of two bundles is counted once; the clock is counted in every pass that needs it. */
static bool is_placed(const struct passes *p, int event)
{
	for (int pass = 0; pass < p->n; pass++)
		if (row(p, pass)[event])
			return true;
	return false;
}

static int add_bundle(const struct planner *pl, const struct bundle *b)
{
	int rc = first_fit(pl, b->events, b->n);

	if (rc != -ENOSPC)
		return rc;
	for (int i = 0; i < b->n; i++) {
		const int pair[2] = { b->events[i], b->clock };

		if (b->events[i] == b->clock || is_placed(pl->p, b->events[i]))
			continue;
		rc = first_fit(pl, pair, 2);
		if (rc)
			return rc;
	}
	return 0;
}

int passes_plan(const struct event *events, int nevents, const struct bundle *bundles, int nbundles,
		struct passes *out, char why[COUNT_WHY_MAX])
{
	struct planner pl = { events, out, why };
	int rc = 0;

	*out = (struct passes){ .nevents = nevents };
	out->member = calloc((size_t)PASSES_MAX * (size_t)nevents + 1, sizeof(*out->member));
	if (!out->member) {
		snprintf(why, COUNT_WHY_MAX, "no memory");
		return -ENOMEM;
	}
	for (int i = 0; i < nbundles && !rc; i++)
		rc = add_bundle(&pl, &bundles[i]);
	if (rc)
		passes_free(out);
	return rc;
}
