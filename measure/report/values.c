/* SPDX-License-Identifier: MIT */
/* Values of a report: counts, metrics and seconds as means and deviations over the runs
 * (report_event(), report_metric(), report_seconds()), and those of intervals
 * (report_span_metric(), report_span_seconds()). All forms of the report take their numbers from
 * here. A mean is known only if the value is known and finite in every run. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "report.h"

#define WHOLE(number) ((const struct report_span){ .run = (number), .pass = -1 })

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
	if (part && part->node > 0)
		n += snprintf(out + n, 64 - (size_t)n, "node %d ", part->node - 1);
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

void report_number(double x, bool is_count, char out[REPORT_NUMBER_MAX])
{
	if (is_count && fabs(x) < 1e30)
		snprintf(out, REPORT_NUMBER_MAX, "%.0f", x);
	else
		snprintf(out, REPORT_NUMBER_MAX, "%.6g", x);
}

void report_date(char out[REPORT_DATE_MAX])
{
	const time_t now = time(NULL);
	struct tm utc;

	out[0] = '\0';
	if (gmtime_r(&now, &utc))
		strftime(out, REPORT_DATE_MAX, "%Y-%m-%dT%H:%M:%SZ", &utc);
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

/* The parts that a count is the sum of; part -1: all. */
static void covered(const struct event *e, int part, int *begin, int *end)
{
	*begin = part < 0 ? 0 : part;
	*end = part < 0 ? e->nparts : part + 1;
	if (part >= e->nparts)
		parts_range(e, &e->parts[part], 1, begin, end);
}

static struct count span_count(const struct measurement *m, const struct report_span *span,
			       int pass, int part)
{
	const struct timeline *t;
	struct count last, before = { 0, true };

	if (span->pass < 0)
		return measure_counts(m, span->run, pass)[part];
	if (pass != span->pass)
		return (struct count){ 0, false };
	t = &m->timelines[measure_place(m, span->run, pass)];
	last = t->counts[(span->end - 1) * (size_t)m->nparts + (size_t)part];
	if (span->begin)
		before = t->counts[(span->begin - 1) * (size_t)m->nparts + (size_t)part];
	return (struct count){ last.value - before.value, last.known && before.known };
}

static uint64_t span_ns(const struct measurement *m, const struct report_span *span, int pass)
{
	const struct timeline *t;

	if (span->pass < 0)
		return m->run_ns[measure_place(m, span->run, pass)];
	t = &m->timelines[measure_place(m, span->run, pass)];
	return t->end_ns[span->end - 1] - (span->begin ? t->end_ns[span->begin - 1] : 0);
}

struct count report_count(const struct report *r, const struct report_span *span, int event,
			  int part)
{
	const struct event *e = &r->m->events[event];
	struct count sum = { 0, true };
	int pass = measure_pass(r->m, event), i, end;

	if (pass < 0)
		return (struct count){ 0, false };
	for (covered(e, part, &i, &end); i < end; i++) {
		const struct count c = span_count(r->m, span, pass, e->first + i);

		sum.known &= c.known && !__builtin_add_overflow(sum.value, c.value, &sum.value);
	}
	return sum;
}

/* The clocks of packages run at the same time: the longest counts. */
static bool clock_seconds(const struct measurement *m, const struct report_span *span, int pass,
			  int clock, const struct part *part, double *out)
{
	const struct event *e = &m->events[clock];
	int i = 0, end = e->nparts;
	long long most = 0;

	if (part)
		parts_range(e, part, part->package < 0 ? 1 : 2, &i, &end);
	for (; i < end; i++) {
		const struct count c = span_count(m, span, pass, e->first + i);

		if (!c.known)
			return false;
		most = c.value > most ? c.value : most;
	}
	*out = (double)most * 1e-9;
	return true;
}

static bool pass_seconds(const struct report *r, const struct report_group *g,
			 const struct report_span *span, int pass, const struct part *part,
			 double *out)
{
	const struct measurement *m = r->m;
	int clock = g->group ? group_clock(g->group) : -1;

	if (r->machine->is_virtual && !m->of_machine)
		return clock >= 0 && clock_seconds(m, span, pass, g->events[clock], part, out);
	*out = (double)span_ns(m, span, pass) * 1e-9;
	return true;
}

/* ---- metrics ---- */

/* The mean time of the passes that have the formula's events. */
static bool metric_seconds(const struct report *r, const struct report_group *g,
			   const struct report_span *span, const struct group_metric *metric,
			   const struct part *part, double *out)
{
	double sum = 0, one;
	int n = 0;

	for (int i = 0; i < g->nevents; i++) {
		int pass = measure_pass(r->m, g->events[i]);

		if (!group_uses(metric, &g->group->events[i]))
			continue;
		if (pass < 0 || !pass_seconds(r, g, span, pass, part, &one))
			return false;
		sum += one;
		n++;
	}
	*out = n ? sum / n : 0;
	return n > 0;
}

static bool span_metric(const struct report *r, const struct report_group *g,
			const struct report_span *span, const struct group_metric *metric,
			const struct part *part, double *out)
{
	double values[GROUP_EVENTS_MAX + 1] = { 0 };

	for (int i = 0; i < g->nevents; i++) {
		const struct event *e = &r->m->events[g->events[i]];
		int which = part ? part_find(e, part) : -1;
		struct count c;

		if (!group_uses(metric, &g->group->events[i]))
			continue;
		if (part && which < 0)
			return false;
		c = report_count(r, span, g->events[i], which);
		if (!c.known)
			return false;
		values[g->group->events[i].variable] = (double)c.value;
	}
	if (metric->timed &&
	    !metric_seconds(r, g, span, metric, part, &values[g->group->time]))
		return false;
	return !r->formula(metric->parsed, values, out);
}

const struct event *report_metric_event(const struct report *r, const struct report_group *g,
					int metric)
{
	const struct group_metric *m = &g->group->metrics[metric];
	const struct event *first = NULL;

	for (int i = 0; i < g->nevents; i++) {
		const struct event *e = &r->m->events[g->events[i]];

		if (!group_uses(m, &g->group->events[i]))
			continue;
		if (first && (e->nparts != first->nparts || e->nsums != first->nsums))
			return NULL;
		for (int p = 0; first && p < e->nparts + e->nsums; p++)
			if (part_order(&e->parts[p], &first->parts[p], PART_MEMBERS))
				return NULL;
		first = e;
	}
	return first && first->nparts > 1 ? first : NULL;
}

bool report_is_rate(const struct report *r, const struct group_metric *m)
{
	return r->machine->is_virtual && m->timed;
}

int report_metric_next(const struct report *r, const struct report_group *g, int metric)
{
	const struct group_metric *metrics = g->group->metrics;
	bool rates = metric >= 0 && report_is_rate(r, &metrics[metric]);

	for (;; rates = true, metric = -1) {
		while (++metric < g->group->nmetrics)
			if (report_is_rate(r, &metrics[metric]) == rates)
				return metric;
		if (rates)
			return -1;
	}
}

/* ---- intervals ---- */

size_t report_intervals(const struct report *r, int run, int pass)
{
	return r->m->timelines ? r->m->timelines[measure_place(r->m, run, pass)].n : 0;
}

int report_metric_pass(const struct report *r, const struct report_group *g, int metric)
{
	const struct group_metric *m = &g->group->metrics[metric];
	bool timed = m->timed && r->machine->is_virtual && !r->m->of_machine;
	int clock = timed ? group_clock(g->group) : -1;

	for (int pass = 0; pass < r->m->passes->n; pass++) {
		bool all = true;

		for (int i = 0; i < g->nevents; i++)
			if (i == clock || group_uses(m, &g->group->events[i]))
				all &= passes_has(r->m->passes, pass, g->events[i]) &&
				       measure_pass(r->m, g->events[i]) == pass;
		if (all)
			return pass;
	}
	return -1;
}

struct value report_span_metric(const struct report *r, const struct report_group *g,
				const struct report_span *span, int metric,
				const struct part *part)
{
	double x = 0;
	bool known = span_metric(r, g, span, &g->group->metrics[metric], part, &x);

	return (struct value){ known && isfinite(x), x, 0 };
}

struct value report_span_seconds(const struct report *r, const struct report_group *g,
				 const struct report_span *span)
{
	double x = 0;
	bool known = pass_seconds(r, g, span, span->pass, NULL, &x);

	return (struct value){ known && isfinite(x), x, 0 };
}

/* ---- all runs ---- */

struct value report_event(const struct report *r, int event, int part)
{
	struct sums s = { 0 };

	for (int run = 0; run < r->m->done; run++) {
		const struct count c = report_count(r, &WHOLE(run), event, part);

		sums_add(&s, c.known, (double)c.value);
	}
	return sums_value(&s);
}

struct value report_metric(const struct report *r, const struct report_group *g, int metric,
			   const struct part *part)
{
	struct sums s = { 0 };
	double x = 0;

	for (int run = 0; run < r->m->done; run++) {
		bool known = span_metric(r, g, &WHOLE(run), &g->group->metrics[metric],
					 part, &x);

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
		bool known = pass_seconds(r, g, &WHOLE(run), pass, NULL, &x);

		sums_add(&s, known, x);
	}
	return sums_value(&s);
}

struct report report_of_run(const struct report *r, int run, struct measurement *m)
{
	size_t place = measure_place(r->m, run, 0);
	struct report one = *r;

	*m = *r->m;
	m->runs = m->done = 1;
	m->counts += place * (size_t)m->nparts;
	m->run_ns += place;
	m->timelines = NULL;
	one.m = m;
	return one;
}
