/* SPDX-License-Identifier: MIT */
/* Counters at their limits: one that runs from just below its end has to wrap at the width that
 * its document says, with no event lost, and one that is to freeze has to stop there.
 *
 * A running counter is moved up to its end through registers of our own, in steps that are less
 * than half its range: the session takes them for events. It restores the counter when it ends. */
#include "check.h"
#include "now.h"

#include "counting/session_data.h"
#include "counting/system.h"
#include "pmu/families.h"

#include <stdlib.h>
#include <string.h>

#define COUNTERS_MAX 64
#define PLACES_MAX 8	/* packages; a core event has one CPU here */
#define STEPS 3

/* A counter that the session uses. */
struct limited {
	struct ipmu_regs *regs;
	const struct ipmu_reg *reg;
	int box, ctr;
	uint32_t addr;
	uint64_t start;		/* as set */
};

struct trial {
	const struct check *c;
	const struct counted *counted;
	struct ipmu_session *session;
	enum kernel kernel;
	double expected, seconds;	/* seconds: that the kernel took */
	int width, n;
	struct limited counters[COUNTERS_MAX];
	struct ipmu_regs *regs[PLACES_MAX];
	int nregs;
};

static enum kernel kernel_for(const struct expected *e)
{
	return e->kernels & KERNEL(READ) && e->per[READ] > 0 ? READ : LOOP;
}

static int session_open(struct trial *t, const char *name, char *why)
{
	struct ipmu_system *sys = t->c->systems[t->counted->scope];
	struct ipmu_event event;
	int rc = ipmu_event_parse(sys, name, &event, why);

	if (!rc)
		rc = ipmu_session_new(sys, &t->session, why);
	if (!rc)
		rc = ipmu_session_set(t->session, &event, 1, why);
	return rc;
}

static void run_kernel(struct trial *t)
{
	uint64_t begin = now_ns();

	work_run(t->c->work[0], t->kernel);
	t->seconds = 1e-9 * (double)(now_ns() - begin);
}

static void session_close(struct trial *t)
{
	if (t->session)
		ipmu_session_free(t->session);
	t->session = NULL;
}

/* ---- which counters a running session uses */

static void find_counters_of(struct trial *t, struct ipmu_unit *unit, struct ipmu_regs *regs)
{
	const struct ipmu_family *family = unit->family;

	for (int y = 0; family->types[y]; y++)
		for (int b = 0; unit->boxes[y] && b < unit->found.nboxes[y]; b++)
			for (int i = 0; i < IPMU_COUNTERS_MAX && t->n < COUNTERS_MAX; i++) {
				struct limited *l = &t->counters[t->n];

				if (!unit->boxes[y][b].slots[i].users)
					continue;
				*l = (struct limited){ .regs = regs, .box = b };
				l->reg = ipmu_type_counter(family->types[y], i, &l->ctr);
				l->addr = ipmu_reg_addr(l->reg, b, l->ctr);
				t->width = unit->found.widths[y] ? unit->found.widths[y] :
					   ipmu_type_width(family->types[y]);
				t->n++;
			}
}

static int find_counters(struct trial *t, char *why)
{
	struct ipmu_system *sys = t->c->systems[t->counted->scope];
	int rc = 0;

	for (int u = 0; u < sys->nunits && t->nregs < PLACES_MAX && !rc; u++) {
		struct ipmu_unit *unit = &sys->units[u];
		struct ipmu_regs *regs = unit->running ? malloc(sizeof(*regs)) : NULL;

		if (!regs)
			continue;
		rc = ipmu_family_open(regs, unit->family, unit->regs.os_cpu, why);
		if (rc) {
			free(regs);
			break;
		}
		t->regs[t->nregs++] = regs;
		find_counters_of(t, unit, regs);
	}
	return rc;
}

/* Some are written in their lower 32 bits, and the others follow the sign. */
static bool can_be_set(const struct trial *t)
{
	for (int i = 0; i < t->n; i++)
		if (ipmu_reg_writable(t->counters[i].reg) != ~0ull >> (64 - t->width))
			return false;
	return t->n > 0 && t->width < 64;
}

/* ---- a wrap */

/* Half of what the kernel does is to come before the end. */
static int move_counter(struct trial *t, struct limited *l, uint64_t *ignored)
{
	uint64_t mask = ~0ull >> (64 - t->width), value, way;
	int rc = ipmu_msr_read(l->regs, l->addr, &value);

	l->start = (0 - (uint64_t)(t->expected / (2 * t->n))) & mask;
	way = (l->start - value) & mask;
	for (uint64_t i = 1; i <= STEPS && !rc; i++) {
		rc = ipmu_msr_write_now(l->regs, l->addr,
					i == STEPS ? l->start : (value + way / STEPS * i) & mask);
		if (!rc)
			rc = ipmu_session_read(t->session, ignored);
	}
	return rc;
}

/* Has it the bits that it was given? It may have counted a little since. */
static bool limit_holds(const struct trial *t, const struct limited *l, struct result *r)
{
	uint64_t now = 0;
	char name[64];
	int rc = ipmu_msr_read(l->regs, l->addr, &now);

	if (!rc && now >= l->start && (double)(now - l->start) < t->expected / (2 * t->n))
		return true;
	ipmu_reg_name(l->reg, l->box, l->ctr, name);
	result_fail(r, "%s (0x%X) does not have the %d bits of its document: set to 0x%llX it "
		    "holds 0x%llX", name, (unsigned)l->addr, t->width,
		    (unsigned long long)l->start, (unsigned long long)now);
	return false;
}

static bool wrapped(const struct trial *t, const struct limited *l, struct result *r)
{
	uint64_t now = 0;
	char name[64];
	int rc = ipmu_msr_count(l->regs, l->addr, &now);

	if (!rc && now < l->start)
		return true;
	ipmu_reg_name(l->reg, l->box, l->ctr, name);
	result_fail(r, "%s (0x%X) does not wrap after the %d bits of its document: from "
		    "0x%llX it came to 0x%llX", name, (unsigned)l->addr, t->width,
		    (unsigned long long)l->start, (unsigned long long)now);
	return false;
}

static int count_wrap(struct trial *t, struct result *r)
{
	uint64_t before = 0, after = 0;
	int rc = 0;

	for (int i = 0; i < t->n && !rc; i++) {
		rc = move_counter(t, &t->counters[i], &before);
		if (!limit_holds(t, &t->counters[i], r))
			return 0;
	}
	if (!rc)
		rc = ipmu_session_read(t->session, &before);
	run_kernel(t);
	for (int i = 0; i < t->n && wrapped(t, &t->counters[i], r); i++)
		;
	if (!rc)
		rc = ipmu_session_read(t->session, &after);
	r->count = (double)(after - before);
	return rc;
}

static int run_wrap(struct trial *t, struct result *r, char *why)
{
	int rc = session_open(t, t->counted->event.name, why);

	if (!rc)
		rc = work_prepare(t->c->work[0], t->kernel);
	if (!rc)
		rc = ipmu_session_start(t->session, why);
	if (!rc)
		rc = find_counters(t, why);
	if (!rc && can_be_set(t))
		rc = count_wrap(t, r);
	else if (!rc)
		result_skip(r, "its register takes fewer bits than it has: it cannot be set to its "
			    "end");
	if (rc && !*why)
		snprintf(why, IPMU_WHY_MAX, "the counter was lost: %s", strerror(-rc));
	return rc;
}

static void result_end(const struct trial *t, struct result *r, int rc, const char *why)
{
	if (rc)
		result_fail(r, "%s", why);
	else if (r->verdict == PASS)
		result_judge(r, t->counted->is->factor, t->expected,
			     t->counted->is->clock ? 0 : 2 * t->counted->idle * t->seconds);
}

static void check_wrap(const struct check *c, const struct counted *n)
{
	struct trial t = { .c = c, .counted = n, .kernel = kernel_for(n->is) };
	struct result *r = result_add(n->event.name, "wrap", "one");
	char why[IPMU_WHY_MAX] = "";
	int rc;

	t.expected = work_units(c->work[0], t.kernel) * n->is->per[t.kernel];
	r->expected = t.expected;
	rc = run_wrap(&t, r, why);
	session_close(&t);
	for (int i = 0; i < t.nregs; i++) {
		ipmu_access_close(t.regs[i]);
		free(t.regs[i]);
	}
	result_end(&t, r, rc, why);
}

/* ---- a freeze */

/* Half of what one box counts of a kernel. */
static void check_freeze(const struct check *c, const struct counted *n)
{
	struct trial t = { .c = c, .counted = n, .kernel = kernel_for(n->is) };
	int boxes = ipmu_system_boxes(c->systems[n->scope], n->event.type, 0, NULL);
	struct result *r = result_add(n->event.name, "freeze", "one");
	char name[2 * IPMU_NAME_MAX], why[IPMU_WHY_MAX] = "";
	uint64_t value = 0;
	int rc;

	t.expected = (double)(uint64_t)(work_units(c->work[0], t.kernel) * n->is->per[t.kernel] /
					(2 * boxes));
	r->expected = t.expected;
	snprintf(name, sizeof(name), "%s:freeze=%.0f:package=0%s", n->event.name, t.expected,
		 boxes > 1 ? ":box=0" : "");
	rc = session_open(&t, name, why);
	if (!rc)
		rc = work_prepare(c->work[0], t.kernel);
	if (!rc)
		rc = ipmu_session_start(t.session, why);
	if (!rc) {
		run_kernel(&t);
		rc = ipmu_session_stop(t.session, &value, why);
	}
	session_close(&t);
	r->count = (double)value;
	result_end(&t, r, rc, why);
	if (!rc && r->verdict == FAIL && r->count > r->expected)
		result_fail(r, "it continues after event %.0f: no freeze, or the counter does not "
			    "wrap at %d bits", t.expected, ipmu_type_width(n->event.type));
}

/* ---- the first event of each PMU */

static bool is_first(const struct check *c, int i)
{
	for (int j = 0; j < i; j++)
		if (c->counted[j].event.type == c->counted[i].event.type)
			return false;
	return true;
}

/* A window's counters are not written, because other readers would lose their counts. */
static bool is_settable(const struct ipmu_pmu_type *type)
{
	int index;
	const struct ipmu_reg *reg = ipmu_type_counter(type, 0, &index);

	return reg->space == IPMU_MSR && reg->access == IPMU_RW;
}

void limits_check(const struct check *c)
{
	counting_bind(c, false);
	for (int i = 0; i < c->ncounted; i++) {
		const struct counted *n = &c->counted[i];

		if (!is_first(c, i) || !is_settable(n->event.type))
			continue;
		check_wrap(c, n);
		if (n->event.type->freeze)
			check_freeze(c, n);
	}
	counting_bind(c, true);
}
