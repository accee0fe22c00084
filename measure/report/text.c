/* SPDX-License-Identifier: MIT */
/* Writes the report as text for people: report_text(). A head comes first, then each group with its
 * events and metrics, then the passes. Parts with 0 are left to the files, because most CPUs of a
 * large machine are idle. A value that is not known is never shown as a number. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report.h"
#include "shown.h"
#include "where.h"

/* Deviation in per cent of the mean, as perf stat shows it. */
static void print_deviation(FILE *f, const struct report *r, const struct value *v)
{
	if (v->known && r->m->done > 1)
		fprintf(f, "  +- %.2f %%", v->mean != 0 ? 100 * v->deviation / fabs(v->mean) : 0);
}

static void print_count(FILE *f, const struct report *r, const char *indent, const char *name,
			struct value v)
{
	char number[REPORT_NUMBER_MAX] = "not known";

	if (v.known)
		report_number(v.mean, true, number);
	fprintf(f, "%s%-*s %16s", indent, 56 - (int)strlen(indent), name, number);
	print_deviation(f, r, &v);
	fputc('\n', f);
}

static void print_event(FILE *f, const struct report *r, int event)
{
	const struct event *e = &r->m->events[event];
	struct value zero = { .known = true };
	char part[64], others[64];
	int zeros = 0;

	print_count(f, r, "    ", e->given, report_event(r, event, -1));
	for (int i = 0; e->nparts > 1 && i < report_nparts(e); i++) {
		struct value v = report_event(r, event, i);

		report_part_name(&e->parts[i], part);
		if (!v.known || v.mean != 0)
			print_count(f, r, "      ", part, v);
		else if (zeros++ == 0)
			memcpy(others, part, sizeof(others));
	}
	if (zeros > 1)
		snprintf(others, sizeof(others), "%d others", zeros);
	if (zeros)
		print_count(f, r, "      ", others, zero);
}

static void print_value(FILE *f, const struct report *r, const char *indent, const char *name,
			const char *unit, struct value v)
{
	char number[REPORT_NUMBER_MAX];

	fprintf(f, "%s%-*s ", indent, 40 - (int)strlen(indent), name);
	if (v.known) {
		report_number(v.mean, false, number);
		fprintf(f, "%12s %s", number, strcmp(unit, "1") ? unit : "");
	} else {
		fprintf(f, "%12s", "-");
	}
	print_deviation(f, r, &v);
}

static void print_metric(FILE *f, const struct report *r, const struct report_group *g, int metric)
{
	const struct group_metric *m = &g->group->metrics[metric];
	const struct event *e = report_metric_event(r, g, metric);
	char part[64];

	print_value(f, r, "    ", m->name, m->unit, report_metric(r, g, metric, NULL));
	fprintf(f, "  = %s%s\n", m->formula, report_is_rate(r, m) ? REPORT_RATE_MARK : "");
	for (int i = 0; e && i < report_nparts(e); i++) {
		struct value v = report_metric(r, g, metric, &e->parts[i]);

		if (!v.known || v.mean == 0)
			continue;
		report_part_name(&e->parts[i], part);
		print_value(f, r, "      ", part, m->unit, v);
		fputc('\n', f);
	}
}

static void print_group(FILE *f, const struct report *r, const struct report_group *g)
{
	if (g->group)
		fprintf(f, "  %s/%s: %s\n", g->group->pmu, g->group->name, g->group->title);
	else
		fprintf(f, "  events\n");
	for (int i = 0; i < g->nevents; i++)
		if (report_is_first(g, i))
			print_event(f, r, g->events[i]);
	for (int i = -1; g->group && (i = report_metric_next(r, g, i)) >= 0;)
		print_metric(f, r, g, i);
}

static void print_passes(FILE *f, const struct report *r)
{
	const struct passes *p = r->m->passes;

	if (p->n < 2)
		return;
	fprintf(f, "  not counted at the same time: %d passes, each a run of the program\n", p->n);
	for (int pass = 0; pass < p->n; pass++) {
		fprintf(f, "    pass %d:", pass + 1);
		for (int i = 0; i < r->m->nevents; i++)
			if (passes_has(p, pass, i))
				fprintf(f, " %s", r->m->events[i].given);
		fputc('\n', f);
	}
}

static void print_head(FILE *f, const struct report *r)
{
	const struct value seconds = report_seconds(r);
	char job[160], status[128], command[SHOWN_ROOM(512)];

	fprintf(f, "%s: %s", r->by ? r->by : "ipmu-run",
		shown(r->command, command, sizeof(command)));
	if (r->m->runs > 1 || r->m->passes->n > 1)
		fprintf(f, ": %d run%s", r->m->done * r->m->passes->n,
			r->m->done * r->m->passes->n == 1 ? "" : "s");
	report_status_text(r->m->status, status);
	if (r->m->status)
		fprintf(f, ": %s", status);
	fputc('\n', f);
	if (r->job) {
		report_job_text(r->job, job);
		fprintf(f, "  %s\n", job);
		for (int i = 0; r->job->nodes > 1 && i < r->job->nodes; i++)
			fprintf(f, "    node %d: %s, %d rank%s\n", i, r->job->node[i].host,
				r->job->node[i].ranks, r->job->node[i].ranks == 1 ? "" : "s");
	}
	if (r->only)
		fprintf(f, "  counted: processes of %s\n",
			shown(r->only, command, sizeof(command)));
	if (r->machine->seed)
		fprintf(f, "  seed %" PRIu64 "\n", r->machine->seed);
	if (report_window(r))
		fprintf(f, "  %s\n", report_window(r));
	if (r->machine->is_virtual)
		fprintf(f, "  %s: %s%swall time is not modelled\n", r->machine->model,
			report_clock(r) ? report_clock_text(r) : "", report_clock(r) ? "; " : "");
	if (seconds.known) {
		fprintf(f, "  %s %.6f s", r->machine->is_virtual ?
			"time of the machine's clock" : "time", seconds.mean);
		print_deviation(f, r, &seconds);
		fputc('\n', f);
	}
	if (r->m->lost[0])
		fprintf(f, "  %s\n", r->m->lost);
}

static void print_warning(FILE *f, const char *indent, const char *text)
{
	char safe[SHOWN_ROOM(REPORT_PHASE_MAX)];

	if (*text)
		fprintf(f, "%s%s\n", indent, shown(text, safe, sizeof(safe)));
}

static void print_phase(FILE *f, const struct report *r, const struct phase *p)
{
	char name[SHOWN_ROOM(REGION_NAME_MAX)], text[REPORT_PHASE_MAX];
	struct measurement m;
	const struct report one = report_of_phase(r, p, &m);

	report_phase_text(r, p, text);
	fprintf(f, "  region %s: %s\n", shown(p->name, name, sizeof(name)), text);
	report_phase_unfinished(p, text);
	print_warning(f, "    INCOMPLETE: ", text);
	report_phase_apart(r, p, text);
	print_warning(f, "    ", text);
	for (int i = 0; i < r->ngroups; i++)
		print_group(f, &one, &r->groups[i]);
}

static void print_phases(FILE *f, const struct report *r)
{
	char text[REPORT_PHASE_MAX];

	for (int i = 0; r->m->phases && i < r->m->phases->n; i++)
		print_phase(f, r, &r->m->phases->phase[i]);
	report_phases_ignored(r->m->phases, text);
	print_warning(f, "  regions: ", text);
}

int report_text(FILE *f, const struct report *r)
{
	print_head(f, r);
	if (*report_reason(r))
		fprintf(f, "  INCOMPLETE: %s\n", report_reason(r));
	else if (report_is_cut(r))
		fputs("  INCOMPLETE: a signal ended the program\n", f);
	if (r->m->done < r->m->runs)
		fprintf(f, "  ended by a signal: %d of %d complete runs are counted\n", r->m->done,
			r->m->runs);
	for (int i = 0; i < r->ngroups && r->m->done; i++)
		print_group(f, r, &r->groups[i]);
	if (r->m->done)
		print_phases(f, r);
	if (r->where)
		where_text(f, r);
	print_passes(f, r);
	return report_flush(f);
}
