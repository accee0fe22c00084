/* SPDX-License-Identifier: MIT */
/* Which events this machine has, which go together, and what they count while kernels run: first of
 * the idle machine, then of one CPU, then of all. Each pass has a session of the package's events
 * and one of the CPUs'. */
#include "check.h"
#include "now.h"

#include "counting/system.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REST_NS 200000000
#define BOXES_MAX 64

static const char *const words[2] = { "one", "all" };

void counting_bind(const struct check *c, bool all)
{
	work_bind(c->cpus, all ? c->ncpus : 1);
}

/* ---- the plan */

static bool has_boxes(const struct check *c, const struct ipmu_system *sys,
		      const struct ipmu_pmu_type *type)
{
	int place = sys->family->scope == IPMU_SCOPE_PACKAGE ? 0 : c->cpus[0];

	return ipmu_system_boxes(sys, type, place, NULL) > 0;
}

bool check_wants(const struct check *c, const struct ipmu_pmu_type *type)
{
	return !c->pmus || !fnmatch(c->pmus, ipmu_type_name(type), 0);
}

/* Can it be counted now? Perhaps the kernel has the counter, for its watchdog say. */
static bool starts(struct ipmu_system *sys, const struct ipmu_event *event)
{
	char why[IPMU_WHY_MAX] = "", ignored[IPMU_WHY_MAX];
	struct ipmu_session *s = NULL;
	int rc = ipmu_session_new(sys, &s, why);

	if (!rc)
		rc = ipmu_session_set(s, event, 1, why);
	if (!rc)
		rc = ipmu_session_start(s, why);
	if (rc)
		result_skip(result_add(event->name, "start", "-"), why);
	else
		ipmu_session_stop(s, NULL, ignored);
	if (s)
		ipmu_session_free(s);
	return !rc;
}

/* Events that a machine of this PMU does not have are left out without a word: the table is for
 * all of its generations. */
static void find_events(struct check *c, struct ipmu_system *sys)
{
	const struct ipmu_pmu_type *type;
	char name[IPMU_NAME_MAX], why[IPMU_WHY_MAX];

	for (const struct expected *e = expected; e->pmu; e++)
		for (int t = 0; (type = ipmu_system_type(sys, t)) != NULL; t++) {
			struct counted *n = &c->counted[c->ncounted];

			if (c->ncounted == EVENTS_MAX || !check_wants(c, type) ||
			    fnmatch(e->pmu, ipmu_type_name(type), 0) ||
			    !has_boxes(c, sys, type))
				continue;
			snprintf(name, sizeof(name), "%s.%s", ipmu_type_name(type), e->event);
			if (ipmu_event_parse(sys, name, &n->event, why) ||
			    !starts(sys, &n->event))
				continue;
			n->is = e;
			n->scope = sys->family->scope;
			n->pass = -1;
			c->ncounted++;
		}
}

static int events_of(const struct check *c, int pass, enum ipmu_scope scope,
		     struct ipmu_event *events)
{
	int n = 0;

	for (int i = 0; i < c->ncounted; i++)
		if (c->counted[i].pass == pass && c->counted[i].scope == scope)
			events[n++] = c->counted[i].event;
	return n;
}

/* Add to this pass every event that still fits. */
static int fill_pass(struct check *c, struct ipmu_session *const *s, int pass, char *why)
{
	struct ipmu_event events[EVENTS_MAX];
	int placed = 0, rc = 0;

	for (int i = 0; i < c->ncounted; i++) {
		struct counted *n = &c->counted[i];

		if (n->pass >= 0)
			continue;
		n->pass = pass;
		rc = ipmu_session_set(s[n->scope], events, events_of(c, pass, n->scope, events),
				      why);
		if (rc)
			n->pass = -1;
		placed += !rc;
	}
	return placed ? 0 : rc;
}

static int sessions_new(const struct check *c, struct ipmu_session **s, char *why)
{
	int rc = 0;

	s[0] = s[1] = NULL;
	for (int i = 0; i < 2 && !rc; i++)
		if (c->systems[i])
			rc = ipmu_session_new(c->systems[i], &s[i], why);
	return rc;
}

static void sessions_free(struct ipmu_session **s)
{
	for (int i = 0; i < 2; i++)
		if (s[i])
			ipmu_session_free(s[i]);
}

static bool any_left(const struct check *c)
{
	for (int i = 0; i < c->ncounted; i++)
		if (c->counted[i].pass < 0)
			return true;
	return false;
}

int counting_plan(struct check *c, char *why)
{
	int rc = 0;

	for (int i = 0; i < 2; i++)
		if (c->systems[i])
			find_events(c, c->systems[i]);
	while (!rc && any_left(c)) {
		struct ipmu_session *s[2];

		rc = sessions_new(c, s, why);
		if (!rc)
			rc = fill_pass(c, s, c->npasses++, why);
		sessions_free(s);
	}
	return rc;
}

/* ---- a pass */

struct pass {
	const struct check *c;
	int number;
	struct ipmu_session *sessions[2];
	uint64_t before[2][EVENTS_MAX], after[2][EVENTS_MAX];
	double seconds;
};

static int pass_open(struct pass *p, const struct check *c, int number, char *why)
{
	struct ipmu_event events[EVENTS_MAX];
	int rc;

	*p = (struct pass){ .c = c, .number = number };
	rc = sessions_new(c, p->sessions, why);
	for (int i = 0; i < 2 && !rc; i++)
		if (p->sessions[i])
			rc = ipmu_session_set(p->sessions[i], events,
					      events_of(c, number, (enum ipmu_scope)i, events),
					      why);
	return rc;
}

/* Sessions without events are not started. */
static int pass_start(struct pass *p, char *why)
{
	struct ipmu_event events[EVENTS_MAX];
	int rc = 0;

	for (int i = 0; i < 2 && !rc; i++)
		if (events_of(p->c, p->number, (enum ipmu_scope)i, events))
			rc = ipmu_session_start(p->sessions[i], why);
	return rc;
}

static int pass_read(struct pass *p, uint64_t (*values)[EVENTS_MAX], char *why)
{
	int rc = 0;

	for (int i = 0; i < 2 && !rc; i++)
		if (p->sessions[i])
			rc = ipmu_session_read(p->sessions[i], values[i]);
	if (rc)
		snprintf(why, IPMU_WHY_MAX, "counters cannot be read: %s", strerror(-rc));
	return rc;
}

/* Run the kernel between two reads, so that starting and stopping is not counted. */
static int pass_work(struct pass *p, struct kernel_work *work, enum kernel k, char *why)
{
	int rc = pass_read(p, p->before, why);
	uint64_t begin = now_ns();

	if (work)
		work_run(work, k);
	else
		nanosleep(&(struct timespec){ .tv_nsec = REST_NS }, NULL);
	p->seconds = 1e-9 * (double)(now_ns() - begin);
	return rc ? rc : pass_read(p, p->after, why);
}

/* work NULL: rest. */
static int pass_count(struct pass *p, struct kernel_work *work, enum kernel k, char *why)
{
	char ignored[IPMU_WHY_MAX];
	int rc = work ? work_prepare(work, k) : 0;

	if (rc)
		snprintf(why, IPMU_WHY_MAX, "out of memory for the order of a chase");
	if (!rc)
		rc = pass_start(p, why);
	if (!rc)
		rc = pass_work(p, work, k, why);
	for (int i = 0; i < 2; i++)
		if (p->sessions[i])
			ipmu_session_stop(p->sessions[i], NULL, ignored);
	return rc;
}

static double counted_value(const struct pass *p, const struct counted *event)
{
	int n[2] = { 0, 0 };

	for (const struct counted *e = p->c->counted; e < event; e++)
		n[e->scope] += e->pass == p->number;
	return (double)(p->after[event->scope][n[event->scope]] -
			p->before[event->scope][n[event->scope]]);
}

/* ---- all of it */

/* A count that is too small by the share of boxes that were not found says so. */
static void explain_boxes(const struct check *c, const struct counted *n, struct result *r)
{
	const struct ipmu_box_kind *kind = ipmu_topology_kinds(c->topo);
	int found = ipmu_system_boxes(c->systems[n->scope], n->event.type, 0, NULL), there;

	while (kind && kind->pmu && strcmp(kind->pmu, ipmu_type_name(n->event.type)))
		kind++;
	if (r->verdict != FAIL || !kind || !kind->pmu || n->scope != IPMU_SCOPE_PACKAGE)
		return;
	there = ipmu_topology_nboxes(c->topo, kind, 0);
	if (found != there && fabs(r->count / r->expected * there / found - 1) < 0.1)
		result_fail(r, "as if %d of %d boxes were counted: the number of boxes that the "
			    "machine reports is wrong", found, there);
}

/* Clocks of a package advance once, however many threads are at work. */
static void judge_event(const struct check *c, const struct pass *p, const struct counted *n,
			enum kernel k, bool all)
{
	double units = work_units(c->work[all], k) / (n->is->clock && all ? c->ncpus : 1);
	struct result *r = result_add(n->event.name, kernel_names[k], words[all]);

	r->count = counted_value(p, n);
	r->expected = units * n->is->per[k];
	result_judge(r, n->is->factor, units, n->is->clock ? 0 : 2 * n->idle * p->seconds);
	explain_boxes(c, n, r);
}

static int run_pass(struct check *c, int number, char *why)
{
	struct pass p;
	int rc = pass_open(&p, c, number, why);

	counting_bind(c, true);
	if (!rc)
		rc = pass_count(&p, NULL, KERNELS, why);
	for (int i = 0; i < c->ncounted && !rc; i++)
		if (c->counted[i].pass == number)
			c->counted[i].idle = counted_value(&p, &c->counted[i]) / p.seconds;
	for (int all = 0; all < 2; all++)
		for (enum kernel k = 0; k < KERNELS && !rc; k++) {
			counting_bind(c, all);
			rc = pass_count(&p, c->work[all], k, why);
			for (int i = 0; i < c->ncounted && !rc; i++)
				if (c->counted[i].pass == number &&
				    c->counted[i].is->kernels & KERNEL(k))
					judge_event(c, &p, &c->counted[i], k, all);
		}
	sessions_free(p.sessions);
	counting_bind(c, true);
	return rc;
}

static void count_perf(const struct check *c, const struct counted *n, enum kernel k, int all)
{
	struct result *r = result_find(n->event.name, kernel_names[k], words[all]);
	int fds[BOXES_MAX], boxes;

	if (!r || work_prepare(c->work[all], k))
		return;
	boxes = perf_open(n->is->perf, n->event.choices[0].select, fds, BOXES_MAX);
	if (boxes)
		work_run(c->work[all], k);
	r->perf = perf_close(fds, boxes);
}

int counting_run(struct check *c, char *why)
{
	int rc = 0;

	for (int i = 0; i < c->npasses && !rc; i++)
		rc = run_pass(c, i, why);
	return rc;
}

void counting_perf(const struct check *c)
{
	for (int i = 0; i < c->ncounted; i++)
		for (int all = 0; all < 2 && c->counted[i].is->perf; all++)
			for (enum kernel k = 0; k < KERNELS; k++)
				count_perf(c, &c->counted[i], k, all);
}
