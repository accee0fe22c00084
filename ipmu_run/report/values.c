/* SPDX-License-Identifier: MIT */
/* Means and deviations over the runs. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "../groups/formula.h"
#include "report.h"

struct sums {
	double sum, squares;
	int n;
	bool unknown;
};

static void sums_add(struct sums *s, bool known, double x)
{
	s->unknown |= !known || !isfinite(x);
	s->sum += x;
	s->squares += x * x;
	s->n++;
}

static struct value sums_value(const struct sums *s)
{
	struct value v = { .known = s->n && !s->unknown };

	if (!v.known)
		return v;
	v.mean = s->sum / s->n;
	if (s->n > 1) {
		double rest = s->squares - s->sum * v.mean;

		v.deviation = rest > 0 ? sqrt(rest / (s->n - 1)) : 0;
	}
	return v;
}

void report_part_name(const struct part *part, char out[64])
{
	int n = 0;

	out[0] = '\0';
	if (part && part->package >= 0)
		n += snprintf(out + n, 64 - (size_t)n, "package %d ", part->package);
	if (part && part->box >= 0)
		n += snprintf(out + n, 64 - (size_t)n, "box %d ", part->box);
	if (part && part->cpu >= 0)
		n += snprintf(out + n, 64 - (size_t)n, "cpu %d ", part->cpu);
	if (n)
		out[n - 1] = '\0';
	else
		strcpy(out, "all");
}

bool report_is_first(const struct report_group *g, int i)
{
	for (int before = 0; before < i; before++)
		if (g->events[before] == g->events[i])
			return false;
	return true;
}

int report_flush(FILE *f)
{
	errno = 0;
	if (!fflush(f) && !ferror(f))
		return 0;
	return errno ? -errno : -EIO;
}

/* ---- one run ---- */

static bool same(const struct part *a, const struct part *b)
{
	return a->package == b->package && a->box == b->box && a->cpu == b->cpu;
}

static int part_find(const struct event *e, const struct part *wanted)
{
	for (int i = 0; i < e->nparts; i++)
		if (same(&e->parts[i], wanted))
			return i;
	return -1;
}

static bool run_count(const struct measurement *m, int run, int event, int part, double *out)
{
	const struct event *e = &m->events[event];
	int pass = measure_pass(m, event);

	*out = 0;
	if (pass < 0)
		return false;
	for (int i = 0; i < e->nparts; i++) {
		const struct count *c = &measure_counts(m, run, pass)[e->first + i];

		if (part >= 0 && i != part)
			continue;
		if (!c->known)
			return false;
		*out += (double)c->value;
	}
	return true;
}

/* The clocks of packages run at the same time: the longest counts. */
static bool clock_seconds(const struct measurement *m, int run, int pass, int clock,
			  const struct part *part, double *out)
{
	const struct event *e = &m->events[clock];
	long long most = 0;

	for (int i = 0; i < e->nparts; i++) {
		const struct count *c = &measure_counts(m, run, pass)[e->first + i];

		if (part && part->package >= 0 && e->parts[i].package != part->package)
			continue;
		if (!c->known)
			return false;
		most = c->value > most ? c->value : most;
	}
	*out = (double)most * 1e-9;
	return true;
}

static bool pass_seconds(const struct report *r, const struct report_group *g, int run, int pass,
			 const struct part *part, double *out)
{
	const struct measurement *m = r->m;
	int clock = g->group ? group_clock(g->group) : -1;

	if (r->machine->is_virtual)
		return clock >= 0 && clock_seconds(m, run, pass, g->events[clock], part, out);
	*out = (double)m->wall_ns[measure_place(m, run, pass)] * 1e-9;
	return true;
}

/* ---- metrics ---- */

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool uses(const char *formula, const char *id)
{
	size_t n = strlen(id);

	for (const char *p = formula; (p = strstr(p, id)) != NULL; p++)
		if ((p == formula || !in_word(p[-1])) && !in_word(p[n]))
			return true;
	return false;
}

/* The mean time of the passes that have the formula's events. */
static bool metric_seconds(const struct report *r, const struct report_group *g, int run,
			   const char *formula, const struct part *part, double *out)
{
	double sum = 0, one;
	int n = 0;

	for (int i = 0; i < g->nevents; i++) {
		int pass = measure_pass(r->m, g->events[i]);

		if (!uses(formula, g->group->events[i].id))
			continue;
		if (pass < 0 || !pass_seconds(r, g, run, pass, part, &one))
			return false;
		sum += one;
		n++;
	}
	*out = n ? sum / n : 0;
	return n > 0;
}

static bool run_metric(const struct report *r, const struct report_group *g, int run,
		       const struct group_metric *metric, const struct part *part, double *out)
{
	const char *names[g->nevents + 1];
	double values[g->nevents + 1];
	char why[FORMULA_WHY_MAX];

	for (int i = 0; i < g->nevents; i++) {
		const struct event *e = &r->m->events[g->events[i]];
		int which = part ? part_find(e, part) : -1;

		names[i] = g->group->events[i].id;
		values[i] = 0;
		if (!uses(metric->formula, names[i]))
			continue;
		if ((part && which < 0) || !run_count(r->m, run, g->events[i], which, &values[i]))
			return false;
	}
	names[g->nevents] = GROUP_TIME;
	values[g->nevents] = 0;
	if (uses(metric->formula, GROUP_TIME) &&
	    !metric_seconds(r, g, run, metric->formula, part, &values[g->nevents]))
		return false;
	return !formula_value(metric->formula, g->nevents + 1, names, values, out, why);
}

int report_metric_parts(const struct report *r, const struct report_group *g, int metric)
{
	const char *formula = g->group->metrics[metric].formula;
	const struct event *first = NULL;
	int found = -1;

	for (int i = 0; i < g->nevents; i++) {
		const struct event *e = &r->m->events[g->events[i]];

		if (!uses(formula, g->group->events[i].id))
			continue;
		if (first && e->nparts != first->nparts)
			return -1;
		for (int p = 0; first && p < e->nparts; p++)
			if (!same(&e->parts[p], &first->parts[p]))
				return -1;
		first = e;
		found = g->events[i];
	}
	return first && first->nparts > 1 ? found : -1;
}

/* ---- all runs ---- */

struct value report_event(const struct report *r, int event, int part)
{
	struct sums s = { 0 };
	double x;

	for (int run = 0; run < r->m->done; run++) {
		bool known = run_count(r->m, run, event, part, &x);

		sums_add(&s, known, x);
	}
	return sums_value(&s);
}

struct value report_metric(const struct report *r, const struct report_group *g, int metric,
			   const struct part *part)
{
	struct sums s = { 0 };
	double x = 0;

	for (int run = 0; run < r->m->done; run++) {
		bool known = run_metric(r, g, run, &g->group->metrics[metric], part, &x);

		sums_add(&s, known, x);
	}
	return sums_value(&s);
}

struct value report_seconds(const struct report *r)
{
	struct sums s = { 0 };
	const struct report_group wall = { 0 }, *g = &wall;
	double x = 0;

	for (int i = 0; r->machine->is_virtual && i < r->ngroups; i++)
		if (r->groups[i].group && group_clock(r->groups[i].group) >= 0) {
			g = &r->groups[i];
			break;
		}
	for (int run = 0; run < r->m->done; run++) {
		int pass = g->group ? measure_pass(r->m, g->events[group_clock(g->group)]) : 0;
		bool known = pass_seconds(r, g, run, pass, NULL, &x);

		sums_add(&s, known, x);
	}
	return sums_value(&s);
}
