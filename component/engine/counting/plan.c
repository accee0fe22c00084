/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include "assign.h"

#include "../base/why.h"
#include "../lease/share.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MAX 4096

int ipmu_cpus_mine(struct ipmu_cpus *cpus)
{
	cpus->bytes = CPU_ALLOC_SIZE(CPUS_MAX);
	cpus->set = CPU_ALLOC(CPUS_MAX);
	if (!cpus->set)
		return -ENOMEM;
	if (sched_getaffinity(0, cpus->bytes, cpus->set) == 0)
		return 0;
	ipmu_cpus_free(cpus);
	return -errno;
}

void ipmu_cpus_free(struct ipmu_cpus *cpus)
{
	CPU_FREE(cpus->set);
	cpus->set = NULL;
}

void ipmu_plan_free(struct ipmu_plan *plan)
{
	for (int i = 0; i < plan->ntaps; i++)
		free(plan->taps[i].links);
	free(plan->taps);
	memset(plan, 0, sizeof(*plan));
}

static bool counts_there(const struct ipmu_cpu *cpu, const struct ipmu_event *e,
			 const struct ipmu_cpus *cpus)
{
	return e->place == cpu->os_cpu || (e->place == IPMU_ALL && cpu->allowed &&
	       CPU_ISSET_S((size_t)cpu->os_cpu, cpus->bytes, cpus->set));
}

/* Does another thread of that core count the event for the whole core already? */
static bool covered(const struct ipmu_system *sys, const struct ipmu_cpu *cpu,
		    const struct ipmu_event *e, const struct ipmu_cpus *cpus)
{
	if (!(e->choices[0].select & e->type->any_thread))
		return false;
	for (const struct ipmu_cpu *c = sys->topo->cpus; c < cpu; c++)
		if (c->core_idx == cpu->core_idx && counts_there(c, e, cpus))
			return true;
	return false;
}

/* The hardware threads (by number in the core) on which an event counts in this unit; 0: it does
 * not. A package is one thread. */
static unsigned threads_wanted(const struct ipmu_system *sys, const struct ipmu_unit *unit,
			       const struct ipmu_event *e, const struct ipmu_cpus *cpus)
{
	unsigned threads = 0;

	if (sys->family->scope == IPMU_SCOPE_PACKAGE)
		return e->place == IPMU_ALL || e->place == unit->place;
	if (e->place == IPMU_ALL && !cpus->set)
		return unit == ipmu_unit_model(sys);
	for (int i = 0; i < sys->topo->ncpus; i++) {
		const struct ipmu_cpu *cpu = &sys->topo->cpus[i];

		if (ipmu_unit_find(sys, cpu->os_cpu) == unit && counts_there(cpu, e, cpus) &&
		    !covered(sys, cpu, e, cpus))
			threads |= 1u << cpu->smt_idx;
	}
	return threads;
}

static bool same_choices(const struct ipmu_tap *a, const struct ipmu_tap *b)
{
	if (a->nchoices != b->nchoices)
		return false;
	for (int i = 0; i < a->nchoices; i++)
		if (!ipmu_choice_equal(&a->choices[i], &b->choices[i]))
			return false;
	return true;
}

static int find_tap(struct ipmu_plan *p, const struct ipmu_tap *wanted, struct ipmu_tap **out)
{
	for (int i = 0; i < p->ntaps; i++)
		if (p->taps[i].box == wanted->box && same_choices(&p->taps[i], wanted)) {
			*out = &p->taps[i];
			return 0;
		}
	if (p->ntaps == p->room) {
		int room = p->room ? 2 * p->room : 16;
		struct ipmu_tap *grown = realloc(p->taps, (size_t)room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		p->taps = grown;
		p->room = room;
	}
	*out = &p->taps[p->ntaps++];
	**out = *wanted;
	return 0;
}

static int link_event(struct ipmu_plan *p, struct ipmu_box *box, const struct ipmu_event *e,
		      int event, unsigned threads)
{
	struct ipmu_tap wanted = { .box = box, .nchoices = e->nchoices, .companion = -1 };
	struct ipmu_tap *tap;
	int *links, rc;

	memcpy(wanted.choices, e->choices, sizeof(wanted.choices));
	for (int i = 0; i < e->nchoices && e->type->ops->for_threads; i++)
		e->type->ops->for_threads(&wanted.choices[i], threads);
	rc = find_tap(p, &wanted, &tap);
	if (rc)
		return rc;
	links = realloc(tap->links, (size_t)(tap->nlinks + 1) * sizeof(*links));
	if (!links)
		return -ENOMEM;
	tap->links = links;
	tap->links[tap->nlinks++] = event;
	return 0;
}

static int plan_box(struct ipmu_plan *plan, struct ipmu_box *box, const struct ipmu_event *events,
		    int n, const unsigned *threads)
{
	int rc = 0;

	for (int e = 0; e < n && !rc; e++)
		if (threads[e] && events[e].type == box->type &&
		    (events[e].box == IPMU_ALL || events[e].box == box->index))
			rc = link_event(plan, box, &events[e], e, threads[e]);
	return rc;
}

static int plan_unit(struct ipmu_system *sys, struct ipmu_unit *unit,
		     const struct ipmu_event *events, int n, const unsigned *threads,
		     struct ipmu_plan *plan, char *why)
{
	int rc = ipmu_unit_open(sys, unit, why);

	if (rc)
		return rc;
	for (int t = 0; sys->family->types[t]; t++)
		for (int b = 0; b < unit->found.nboxes[t] && !rc; b++)
			rc = plan_box(plan, &unit->boxes[t][b], events, n, threads);
	return rc ? ipmu_fail(why, rc, "out of memory for %d events", n) : 0;
}

int ipmu_plan_build(struct ipmu_system *sys, const struct ipmu_event *events, int n,
		    const struct ipmu_cpus *cpus, struct ipmu_plan *plan, char *why)
{
	unsigned *threads = calloc((size_t)n + 1, sizeof(*threads));
	int rc = threads ? 0 : ipmu_fail(why, -ENOMEM, "out of memory for %d events", n);

	memset(plan, 0, sizeof(*plan));
	for (int u = 0; u < sys->nunits && !rc; u++) {
		unsigned any = 0;

		for (int e = 0; e < n; e++)
			any |= threads[e] = threads_wanted(sys, &sys->units[u], &events[e], cpus);
		if (any)
			rc = plan_unit(sys, &sys->units[u], events, n, threads, plan, why);
	}
	free(threads);
	return rc;
}

void ipmu_tap_begin(struct ipmu_tap *tap, uint64_t value)
{
	atomic_store_explicit(&tap->lost, 0, memory_order_relaxed);
	atomic_store_explicit(&tap->seen, value, memory_order_relaxed);
	atomic_store_explicit(&tap->baseline, value, memory_order_release);
}

bool ipmu_plan_same(const struct ipmu_plan *a, const struct ipmu_plan *b)
{
	if (a->ntaps != b->ntaps)
		return false;
	for (int i = 0; i < a->ntaps; i++) {
		const struct ipmu_tap *x = &a->taps[i], *y = &b->taps[i];

		if (x->box != y->box || x->nlinks != y->nlinks || !same_choices(x, y) ||
		    memcmp(x->links, y->links, (size_t)x->nlinks * sizeof(*x->links)) != 0)
			return false;
	}
	return true;
}

bool ipmu_plan_programs(const struct ipmu_plan *plan, const struct ipmu_unit *unit)
{
	for (int i = 0; i < plan->ntaps; i++)
		if (plan->taps[i].box->unit == unit &&
		    !ipmu_type_runs_free(plan->taps[i].box->type))
			return true;
	return false;
}

struct ipmu_unit *ipmu_plan_next_unit(const struct ipmu_plan *plan, int *tap)
{
	struct ipmu_unit *unit;

	if (*tap >= plan->ntaps)
		return NULL;
	unit = plan->taps[*tap].box->unit;
	while (*tap < plan->ntaps && plan->taps[*tap].box->unit == unit)
		++*tap;
	return unit;
}

/* The taps of one box; *count: how many they are. */
static int assign_box(struct ipmu_tap *taps, int ntaps, const struct ipmu_event *events,
		      bool others, int *count, char *why)
{
	struct ipmu_box *box = taps[0].box;
	struct ipmu_want wants[2 * IPMU_COUNTERS_MAX];
	int n = 0, loser = 0, rc;

	while (n < ntaps && taps[n].box == box && n < 2 * IPMU_COUNTERS_MAX) {
		wants[n] = (struct ipmu_want){ .choices = taps[n].choices,
					       .nchoices = taps[n].nchoices,
					       .event = events[taps[n].links[0]].name };
		n++;
	}
	rc = ipmu_assign(others ? box : NULL, box->type, box->index, wants, n, &loser, why);
	if (rc && others)
		ipmu_share_explain(box, wants[loser].event, why);
	for (int i = 0; i < n && !rc; i++) {
		taps[i].ctr = wants[i].ctr;
		taps[i].choice = wants[i].choice;
		taps[i].companion = wants[i].companion;
		taps[i].rides = wants[i].rides;
	}
	*count = n;
	return rc;
}

int ipmu_plan_assign(struct ipmu_plan *plan, const struct ipmu_event *events, bool others,
		     char *why)
{
	int done = 0, n, rc;

	while (done < plan->ntaps) {
		rc = assign_box(plan->taps + done, plan->ntaps - done, events, others, &n, why);
		if (rc)
			return rc;
		done += n;
	}
	return 0;
}
