/* SPDX-License-Identifier: MIT */
/* Plans: the counters that a session's events use, and on which boxes. ipmu_plan_build() opens the
 * units that are needed and makes a use for each box and event; events with equal choices share
 * one. ipmu_plan_assign() then assigns a counter to each use. The caller holds the system's lock.
 * Uses of one box are adjacent, and so are those of one unit. Units are in the order of the system,
 * which is the same in all plans. */
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

/* Refuse CPUs that have come online since the topology was made. Only a topology with offline CPUs
 * can lack one. */
int ipmu_cpus_check(const struct ipmu_cpus *cpus, const struct ipmu_topology *topo, char *why)
{
	for (int cpu = 0; topo->noffline && cpu < CPUS_MAX; cpu++)
		if (CPU_ISSET_S((size_t)cpu, cpus->bytes, cpus->set) &&
		    !ipmu_topology_cpu(topo, cpu))
			return ipmu_fail(why, -ENXIO, "CPU %d, on which this thread may run, was "
					 "offline when the library was initialized, and is not "
					 "counted: initialize it again, or bind the thread to "
					 "other CPUs (taskset)", cpu);
	return 0;
}

void ipmu_plan_free(struct ipmu_plan *plan)
{
	for (int i = 0; i < plan->nuses; i++)
		free(plan->uses[i].links);
	free(plan->uses);
	memset(plan, 0, sizeof(*plan));
}

static bool counts_there(const struct ipmu_cpu *cpu, const struct ipmu_event *e,
			 const struct ipmu_cpus *cpus)
{
	return e->place == cpu->os_cpu || (e->place == IPMU_ALL && cpu->allowed &&
	       CPU_ISSET_S((size_t)cpu->os_cpu, cpus->bytes, cpus->set));
}

/* Does another hardware thread of that core already count the event for the whole core? */
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

static bool same_choices(const struct ipmu_use *a, const struct ipmu_use *b)
{
	if (a->nchoices != b->nchoices)
		return false;
	for (int i = 0; i < a->nchoices; i++)
		if (!ipmu_choice_equal(&a->choices[i], &b->choices[i]))
			return false;
	return true;
}

static int find_use(struct ipmu_plan *p, const struct ipmu_use *wanted, struct ipmu_use **out)
{
	for (int i = 0; i < p->nuses; i++)
		if (p->uses[i].box == wanted->box && same_choices(&p->uses[i], wanted)) {
			*out = &p->uses[i];
			return 0;
		}
	if (p->nuses == p->room) {
		int room = p->room ? 2 * p->room : 16;
		struct ipmu_use *grown = realloc(p->uses, (size_t)room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		p->uses = grown;
		p->room = room;
	}
	*out = &p->uses[p->nuses++];
	**out = *wanted;
	return 0;
}

static int link_event(struct ipmu_plan *p, struct ipmu_box *box, const struct ipmu_event *e,
		      int event, unsigned threads)
{
	struct ipmu_use wanted = { .box = box, .nchoices = e->nchoices, .companion = -1 };
	struct ipmu_use *use;
	int *links, rc;

	memcpy(wanted.choices, e->choices, sizeof(wanted.choices));
	for (int i = 0; i < e->nchoices && e->type->ops->for_threads; i++)
		e->type->ops->for_threads(&wanted.choices[i], threads);
	rc = find_use(p, &wanted, &use);
	if (rc)
		return rc;
	links = realloc(use->links, (size_t)(use->nlinks + 1) * sizeof(*links));
	if (!links)
		return -ENOMEM;
	use->links = links;
	use->links[use->nlinks++] = event;
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

/* Fail if the unit has no box for an event, instead of counting 0. The name was accepted because
 * other units have such boxes. */
static int check_boxes(const struct ipmu_system *sys, const struct ipmu_unit *unit,
		       const struct ipmu_event *events, int n, const unsigned *threads, char *why)
{
	for (int t = 0; sys->family->types[t]; t++)
		for (int e = 0; e < n && !unit->found.nboxes[t]; e++)
			if (threads[e] && events[e].type == sys->family->types[t])
				return ipmu_fail(why, -EBUSY, "%s: %s", events[e].name,
						 unit->found.reasons[t]);
	return 0;
}

static int plan_unit(struct ipmu_system *sys, struct ipmu_unit *unit,
		     const struct ipmu_event *events, int n, const unsigned *threads,
		     struct ipmu_plan *plan, char *why)
{
	int rc = ipmu_unit_open(sys, unit, why);

	if (!rc)
		rc = check_boxes(sys, unit, events, n, threads, why);
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

void ipmu_use_begin(struct ipmu_use *use, uint64_t value)
{
	atomic_store_explicit(&use->lost, 0, memory_order_relaxed);
	atomic_store_explicit(&use->seen, value, memory_order_relaxed);
	atomic_store_explicit(&use->baseline, value, memory_order_release);
}

bool ipmu_plan_same(const struct ipmu_plan *a, const struct ipmu_plan *b)
{
	if (a->nuses != b->nuses)
		return false;
	for (int i = 0; i < a->nuses; i++) {
		const struct ipmu_use *x = &a->uses[i], *y = &b->uses[i];

		if (x->box != y->box || x->nlinks != y->nlinks || !same_choices(x, y) ||
		    memcmp(x->links, y->links, (size_t)x->nlinks * sizeof(*x->links)) != 0)
			return false;
	}
	return true;
}

bool ipmu_plan_programs(const struct ipmu_plan *plan, const struct ipmu_unit *unit)
{
	for (int i = 0; i < plan->nuses; i++)
		if (plan->uses[i].box->unit == unit &&
		    !ipmu_type_runs_free(plan->uses[i].box->type))
			return true;
	return false;
}

struct ipmu_unit *ipmu_plan_next_unit(const struct ipmu_plan *plan, int *use)
{
	struct ipmu_unit *unit;

	if (*use >= plan->nuses)
		return NULL;
	unit = plan->uses[*use].box->unit;
	while (*use < plan->nuses && plan->uses[*use].box->unit == unit)
		++*use;
	return unit;
}

/* Assign the counter uses of one box; *count: how many they are. */
static int assign_box(struct ipmu_use *uses, int nuses, const struct ipmu_event *events,
		      bool others, int *count, char *why)
{
	struct ipmu_box *box = uses[0].box;
	struct ipmu_request requests[2 * IPMU_COUNTERS_MAX];
	int n = 0, loser = 0, rc;

	while (n < nuses && uses[n].box == box && n < 2 * IPMU_COUNTERS_MAX) {
		requests[n] = (struct ipmu_request){ .choices = uses[n].choices,
					       .nchoices = uses[n].nchoices,
					       .event = events[uses[n].links[0]].name };
		n++;
	}
	rc = ipmu_assign(others ? box : NULL, box->type, ipmu_box_counters(box), box->index,
			 requests, n, &loser, why);
	if (rc && others)
		ipmu_share_explain(box, requests[loser].event, why);
	for (int i = 0; i < n && !rc; i++) {
		uses[i].ctr = requests[i].ctr;
		uses[i].choice = requests[i].choice;
		uses[i].companion = requests[i].companion;
		uses[i].companion_shared = requests[i].companion_shared;
	}
	*count = n;
	return rc;
}

int ipmu_plan_assign(struct ipmu_plan *plan, const struct ipmu_event *events, bool others,
		     char *why)
{
	int done = 0, n, rc;

	while (done < plan->nuses) {
		rc = assign_box(plan->uses + done, plan->nuses - done, events, others, &n, why);
		if (rc)
			return rc;
		done += n;
	}
	return 0;
}
