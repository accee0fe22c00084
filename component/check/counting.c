/* SPDX-License-Identifier: MIT */
/* Which events this machine has, and what they count while kernels run: first of the idle machine,
 * then of one CPU, then of all. Each event has a session of its own. Those that start beside each
 * other are counted in one round. */
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

/* ---- the events */

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
static bool session_open(struct ipmu_system *sys, struct counted *n)
{
	char why[IPMU_WHY_MAX] = "", ignored[IPMU_WHY_MAX];
	int rc = ipmu_session_new(sys, &n->session, why);

	if (!rc)
		rc = ipmu_session_set(n->session, &n->event, 1, why);
	if (!rc)
		rc = ipmu_session_start(n->session, why);
	if (rc) {
		result_skip(result_add(n->event.name, "start", "-"), why);
		if (n->session)
			ipmu_session_free(n->session);
		return false;
	}
	ipmu_session_stop(n->session, NULL, ignored);
	return true;
}

static int counted_add(struct check *c, const struct counted *n)
{
	struct counted *more = realloc(c->counted, (size_t)(c->ncounted + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	c->counted = more;
	more[c->ncounted++] = *n;
	return 0;
}

/* Events that a machine of this PMU does not have are left out without a word: the table is for
 * all of its generations. */
static int find_events(struct check *c, struct ipmu_system *sys)
{
	const struct ipmu_pmu_type *type;
	char name[IPMU_NAME_MAX], why[IPMU_WHY_MAX];
	int rc = 0;

	for (const struct expected *e = expected; e->pmu; e++)
		for (int t = 0; !rc && (type = ipmu_system_type(sys, t)) != NULL; t++) {
			struct counted n = { .is = e, .scope = sys->family->scope, .round = -1 };

			if (!check_wants(c, type) || fnmatch(e->pmu, ipmu_type_name(type), 0) ||
			    !has_boxes(c, sys, type))
				continue;
			snprintf(name, sizeof(name), "%s.%s", ipmu_type_name(type), e->event);
			if (!ipmu_event_parse(sys, name, &n.event, why) && session_open(sys, &n))
				rc = counted_add(c, &n);
		}
	return rc;
}

int counting_open(struct check *c, char *why)
{
	int rc = 0;

	for (int i = 0; i < 2 && !rc; i++)
		if (c->systems[i])
			rc = find_events(c, c->systems[i]);
	if (rc)
		snprintf(why, IPMU_WHY_MAX, "out of memory for the events");
	return rc;
}

void counting_close(struct check *c)
{
	for (int i = 0; i < c->ncounted; i++)
		ipmu_session_free(c->counted[i].session);
}

/* ---- a round: events that count at the same time */

static void round_stop(const struct check *c, int round)
{
	char ignored[IPMU_WHY_MAX];

	for (int i = 0; i < c->ncounted; i++)
		if (c->counted[i].round == round)
			ipmu_session_stop(c->counted[i].session, NULL, ignored);
}

/* Take every event that still starts beside those before it. False: there was none. */
static bool round_fill(struct check *c, int round, char *why)
{
	bool any = false;

	for (int i = 0; i < c->ncounted; i++) {
		struct counted *n = &c->counted[i];

		if (n->round >= 0 || ipmu_session_start(n->session, why))
			continue;
		n->round = round;
		any = true;
	}
	round_stop(c, round);
	return any;
}

static int round_start(const struct check *c, int round, char *why)
{
	int rc = 0;

	for (int i = 0; i < c->ncounted && !rc; i++)
		if (c->counted[i].round == round)
			rc = ipmu_session_start(c->counted[i].session, why);
	return rc;
}

static int round_read(const struct check *c, int round, bool after, char *why)
{
	int rc = 0;

	for (int i = 0; i < c->ncounted && !rc; i++) {
		struct counted *n = &c->counted[i];

		if (n->round == round)
			rc = ipmu_session_read(n->session, after ? &n->after : &n->before);
	}
	if (rc)
		snprintf(why, IPMU_WHY_MAX, "counters cannot be read: %s", strerror(-rc));
	return rc;
}

/* Run the kernel between two reads, so that starting and stopping is not counted. */
static int round_work(const struct check *c, int round, struct kernel_work *work, enum kernel k,
		      double *seconds, char *why)
{
	int rc = round_read(c, round, false, why);
	uint64_t begin = now_ns();

	if (work)
		work_run(work, k);
	else
		nanosleep(&(struct timespec){ .tv_nsec = REST_NS }, NULL);
	*seconds = 1e-9 * (double)(now_ns() - begin);
	return rc ? rc : round_read(c, round, true, why);
}

/* work NULL: rest. */
static int round_count(const struct check *c, int round, struct kernel_work *work, enum kernel k,
		       double *seconds, char *why)
{
	int rc = work ? work_prepare(work, k) : 0;

	if (rc)
		snprintf(why, IPMU_WHY_MAX, "out of memory for the order of a chase");
	if (!rc)
		rc = round_start(c, round, why);
	if (!rc)
		rc = round_work(c, round, work, k, seconds, why);
	round_stop(c, round);
	return rc;
}

static double counted_value(const struct counted *n)
{
	return (double)(n->after - n->before);
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
static void judge_event(const struct check *c, const struct counted *n, enum kernel k, bool all,
			double seconds)
{
	double units = work_units(c->work[all], k) / (n->is->clock && all ? c->ncpus : 1);
	struct result *r = result_add(n->event.name, kernel_names[k], words[all]);

	r->count = counted_value(n);
	r->expected = units * n->is->per[k];
	result_judge(r, n->is->factor, units, n->is->clock ? 0 : 2 * n->idle * seconds);
	explain_boxes(c, n, r);
}

static int round_kernel(struct check *c, int round, enum kernel k, bool all, char *why)
{
	double seconds = 0;
	int rc;

	printf("round %d: kernel %s, %s\n", round + 1, kernel_names[k],
	       all ? "all CPUs" : "one CPU");
	counting_bind(c, all);
	rc = round_count(c, round, c->work[all], k, &seconds, why);
	for (int i = 0; i < c->ncounted && !rc; i++) {
		const struct counted *n = &c->counted[i];

		if (n->round == round && n->is->kernels & KERNEL(k))
			judge_event(c, n, k, all, seconds);
	}
	return rc;
}

static int run_round(struct check *c, int round, char *why)
{
	double seconds = 0;
	int rc = round_count(c, round, NULL, KERNELS, &seconds, why);

	for (int i = 0; i < c->ncounted && !rc; i++)
		if (c->counted[i].round == round)
			c->counted[i].idle = counted_value(&c->counted[i]) / seconds;
	for (int all = 0; all < 2; all++)
		for (enum kernel k = 0; k < KERNELS && !rc; k++)
			rc = round_kernel(c, round, k, all, why);
	counting_bind(c, true);
	return rc;
}

int counting_run(struct check *c, char *why)
{
	int rc = 0;

	counting_bind(c, true);
	for (int round = 0; !rc && round_fill(c, round, why); round++)
		rc = run_round(c, round, why);
	/* An event that started before and now does not, even alone: why[] has the reason. */
	for (int i = 0; i < c->ncounted && !rc; i++)
		rc = c->counted[i].round < 0 ? -EBUSY : 0;
	return rc;
}

static void count_perf(const struct check *c, const struct counted *n, enum kernel k, int all)
{
	struct result *r = result_find(n->event.name, kernel_names[k], words[all]);
	int fds[BOXES_MAX], boxes;

	if (!r)
		return;
	/* Preparing takes longer than the kernel: not without a driver. */
	boxes = perf_open(n->is->perf, n->event.choices[0].select, fds, BOXES_MAX);
	perf_close(fds, boxes);
	if (!boxes || work_prepare(c->work[all], k))
		return;
	boxes = perf_open(n->is->perf, n->event.choices[0].select, fds, BOXES_MAX);
	work_run(c->work[all], k);
	r->perf = perf_close(fds, boxes);
}

void counting_perf(const struct check *c)
{
	for (int i = 0; i < c->ncounted; i++)
		for (int all = 0; all < 2 && c->counted[i].is->perf; all++)
			for (enum kernel k = 0; k < KERNELS; k++)
				count_perf(c, &c->counted[i], k, all);
}
