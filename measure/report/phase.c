/* SPDX-License-Identifier: MIT */
/* Named regions in reports: each is a report of its own, with the counts and the time of the
 * region (report_of_phase()), and sentences about its ranks. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report.h"

/* Ranks that were inside for less of a region's time are named. */
#define APART 0.9

struct report report_of_phase(const struct report *r, const struct phase *p, struct measurement *m)
{
	struct report one = *r;

	*m = *r->m;
	m->counts = p->counts;
	m->run_ns = p->ns;
	m->timelines = NULL;
	m->watch = NULL;
	m->phases = NULL;
	one.m = m;
	return one;
}

static size_t places(const struct report *r)
{
	return (size_t)r->m->done * (size_t)r->m->passes->n;
}

struct value report_phase_calls(const struct report *r, const struct phase *p)
{
	double sum = 0, squares = 0, n = r->m->done;
	struct value v = { .known = n > 0 };

	for (int run = 0; run < r->m->done; run++) {
		double calls = (double)p->calls[measure_place(r->m, run, 0)];

		sum += calls;
		squares += calls * calls;
	}
	v.mean = n > 0 ? sum / n : 0;
	if (n > 1 && squares > sum * v.mean)
		v.deviation = sqrt((squares - sum * v.mean) / (n - 1));
	return v;
}

struct value report_phase_share(const struct report *r, const struct phase *p,
				const struct phase_rank *rank)
{
	uint64_t all = rank->node_ns;

	for (size_t i = 0; i < places(r) && !rank->node_ns; i++)
		all += p->ns[i];
	return (struct value){ .known = all, .mean = all ? (double)rank->ns / (double)all : 0 };
}

void report_phase_text(const struct report *r, const struct phase *p, char out[REPORT_PHASE_MAX])
{
	const struct value calls = report_phase_calls(r, p);
	struct measurement m;
	const struct report one = report_of_phase(r, p, &m);
	const struct value seconds = report_seconds(&one);
	int n = snprintf(out, REPORT_PHASE_MAX, "%.15g call%s", calls.mean,
			 calls.mean == 1 ? "" : "s");

	if (r->job)
		n += snprintf(out + n, REPORT_PHASE_MAX - (size_t)n, " of %d rank%s", p->nranks,
			      p->nranks == 1 ? "" : "s");
	if (seconds.known)
		snprintf(out + n, REPORT_PHASE_MAX - (size_t)n, ", %.6f s", seconds.mean);
}

void report_phase_apart(const struct report *r, const struct phase *p, char out[REPORT_PHASE_MAX])
{
	int n = 0;

	out[0] = '\0';
	for (int i = 0; i < p->nranks; i++) {
		const struct value share = report_phase_share(r, p, &p->ranks[i]);

		if (!share.known || share.mean >= APART || n > REPORT_PHASE_MAX - 60)
			continue;
		n += snprintf(out + n, REPORT_PHASE_MAX - (size_t)n, n ? ", rank %d for %.0f %%" :
			      "ranks entered apart: rank %d was inside for %.0f %% of that time",
			      p->ranks[i].rank, 100 * share.mean);
	}
}

void report_phase_unfinished(const struct phase *p, char out[REPORT_PHASE_MAX])
{
	out[0] = '\0';
	if (p->unfinished)
		snprintf(out, REPORT_PHASE_MAX, "%" PRIu64 " call%s had no end: counted until the "
			 "process ended", p->unfinished, p->unfinished == 1 ? "" : "s");
}

void report_phases_ignored(const struct phase_list *l, char out[REPORT_PHASE_MAX])
{
	int n = 0;

	out[0] = '\0';
	if (l && l->strays)
		n = snprintf(out, REPORT_PHASE_MAX, "%" PRIu64 " end%s without a begin ignored",
			     l->strays, l->strays == 1 ? "" : "s");
	if (l && l->beyond)
		n += snprintf(out + n, REPORT_PHASE_MAX - (size_t)n, "%s%" PRIu64 " call%s of more "
			      "than %d names ignored", n ? "; " : "", l->beyond,
			      l->beyond == 1 ? "" : "s", PHASES_MAX);
	if (n)
		snprintf(out + n, REPORT_PHASE_MAX - (size_t)n, "; the first: '%s'", l->stray);
}
