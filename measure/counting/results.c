/* SPDX-License-Identifier: MIT */
/* Counts by run and pass, and the passes that an event is in. */
#include <stdlib.h>

#include "measure.h"

bool passes_has(const struct passes *p, int pass, int event)
{
	return p->member[(size_t)pass * (size_t)p->nevents + (size_t)event];
}

void passes_free(struct passes *p)
{
	free(p->member);
	p->member = NULL;
}

size_t measure_place(const struct measurement *m, int run, int pass)
{
	return (size_t)run * (size_t)m->passes->n + (size_t)pass;
}

const struct count *measure_counts(const struct measurement *m, int run, int pass)
{
	return m->counts + measure_place(m, run, pass) * (size_t)m->nparts;
}

int measure_pass(const struct measurement *m, int event)
{
	for (int pass = 0; pass < m->passes->n; pass++)
		if (passes_has(m->passes, pass, event))
			return pass;
	return -1;
}

void measure_free(struct measurement *m)
{
	for (size_t i = 0; m->timelines && i < (size_t)m->runs * (size_t)m->passes->n; i++)
		timeline_free(&m->timelines[i]);
	free(m->timelines);
	free(m->counts);
	free(m->run_ns);
	m->timelines = NULL;
	m->counts = NULL;
	m->run_ns = NULL;
}
