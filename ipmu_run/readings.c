/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "readings.h"

bool readings_open(struct readings *s, const struct report *report)
{
	*s = (struct readings){ .report = report };
	s->counts = calloc(2 * (size_t)report->m->nparts + 1, sizeof(*s->counts));
	return s->counts;
}

void readings_close(struct readings *s)
{
	free(s->counts);
	*s = (struct readings){ .report = NULL };
}

void readings_take(struct readings *s, uint64_t elapsed_ns, uint64_t ns,
		   const struct count *counts)
{
	size_t n = (size_t)s->report->m->nparts;

	if (elapsed_ns < s->elapsed_ns)	/* another run */
		s->ns[1] = 0;
	if (!s->ns[1])
		for (size_t i = 0; i < n; i++)
			s->counts[n + i] = (struct count){ 0, true };
	memcpy(s->counts, s->counts + n, n * sizeof(*counts));
	memcpy(s->counts + n, counts, n * sizeof(*counts));
	s->ns[0] = s->ns[1];
	s->ns[1] = ns;
	s->elapsed_ns = elapsed_ns;
}

/* The two readings as if they were the timeline of every pass: events of others are not known. */
void readings_view(const struct readings *s, struct readings_view *out)
{
	const struct measurement *m = s->report->m;

	for (int pass = 0; pass < m->passes->n; pass++)
		out->timelines[pass] = (struct timeline){
			.n = 2, .room = 2, .end_ns = (uint64_t *)(uintptr_t)s->ns,
			.counts = s->counts,
		};
	out->m = *m;
	out->m.timelines = out->timelines;
	out->report = *s->report;
	out->report.m = &out->m;
}

struct value readings_metric(const struct readings_view *v, const struct report_group *g,
			     int metric, const struct part *part)
{
	struct report_span span = { 0, 0, 1, 2 };
	struct value out = { .known = false };

	for (; span.pass < v->m.passes->n && !out.known; span.pass++)
		out = report_span_metric(&v->report, g, &span, metric, part);
	return out;
}

static struct count count_between(const struct readings_view *v, int event, int part)
{
	struct report_span span = { 0, 0, 1, 2 };
	struct count c = { 0, false };

	for (; span.pass < v->m.passes->n && !c.known; span.pass++)
		c = report_count(&v->report, &span, event, part);
	return c;
}

struct value readings_count(const struct readings_view *v, int event)
{
	const struct count c = count_between(v, event, -1);

	return (struct value){ c.known, (double)c.value, 0 };
}

struct value readings_rate(const struct readings_view *v, int event, int part)
{
	const struct count c = count_between(v, event, part);
	const uint64_t *ns = v->timelines[0].end_ns;

	return (struct value){ c.known && ns[1] > ns[0],
			       (double)c.value * 1e9 / (double)(ns[1] - ns[0]), 0 };
}
