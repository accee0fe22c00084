/* SPDX-License-Identifier: MIT */
/* Writes the report as one table: report_csv(). A row has its kind, group, name, part, mean,
 * deviation, unit and formula. With intervals or several runs it also has run, pass, and the
 * seconds from the program's start to the interval's begin and end. All rows of a table have the
 * same columns. */
#include <errno.h>
#include <string.h>

#include "report.h"

/* A spreadsheet takes text with such a beginning for a formula, which may start programs: in front
 * of it an apostrophe says that it is text. */
static bool is_formula(const char *text)
{
	return *text && strchr("=+-@\t\r", *text);
}

static void field(FILE *f, const char *text)
{
	bool quote = text[strcspn(text, ",\"\n\r")] != '\0';

	if (quote)
		fputc('"', f);
	if (is_formula(text))
		fputc('\'', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	if (quote)
		fputc('"', f);
}

struct csv_table {
	FILE *f;
	bool timed, wide;
	int run;		/* whose rows these are, from 1; 0: those of all */
};

static void columns(const struct csv_table *t, const char *kind, const char *group,
		    const char *name, const struct part *part, struct value v, const char *unit,
		    const char *formula)
{
	FILE *f = t->f;
	char text[64];
	const char *const head[] = { kind, group, name, text };
	const char *const tail[] = { unit, formula };

	report_part_name(part, text);
	for (size_t i = 0; i < 4; i++) {
		field(f, head[i]);
		fputc(',', f);
	}
	if (v.known)
		fprintf(f, "%.15g,%.6g", v.mean, v.deviation);
	else
		fputc(',', f);
	for (size_t i = 0; i < 2; i++) {
		fputc(',', f);
		field(f, tail[i]);
	}
}

static void table_row(const struct csv_table *t, const char *kind, const char *group,
		      const char *name, const struct part *part, struct value v, const char *unit,
		      const char *formula)
{
	char of_run[32];

	snprintf(of_run, sizeof(of_run), "%s%s", kind, t->run ? " run" : "");
	columns(t, of_run, group, name, part, v, unit, formula);
	if (t->run)
		fprintf(t->f, ",%d,,,\n", t->run);
	else
		fputs(t->wide ? ",,,,\n" : "\n", t->f);
}

static void event_rows(const struct csv_table *t, const struct report *r, const char *group,
		       int event)
{
	const struct event *e = &r->m->events[event];

	table_row(t, "event", group, e->given, NULL, report_event(r, event, -1), "", "");
	for (int i = 0; e->nparts > 1 && i < report_nparts(e); i++)
		table_row(t, "event", group, e->given, &e->parts[i], report_event(r, event, i), "",
			  "");
}

static void metric_rows(const struct csv_table *t, const struct report *r,
			const struct report_group *g, const char *group, int metric)
{
	const struct group_metric *m = &g->group->metrics[metric];
	int with_parts = report_metric_parts(r, g, metric);

	table_row(t, "metric", group, m->name, NULL, report_metric(r, g, metric, NULL), m->unit,
		  m->formula);
	for (int i = 0; with_parts >= 0 && i < report_nparts(&r->m->events[with_parts]);
	     i++) {
		const struct part *p = &r->m->events[with_parts].parts[i];

		table_row(t, "metric", group, m->name, p, report_metric(r, g, metric, p), m->unit,
			  m->formula);
	}
}

/* ---- intervals ---- */

static void times(const struct csv_table *t, const struct report *r, const struct report_span *span)
{
	const struct timeline *line = &r->m->timelines[measure_place(r->m, span->run, span->pass)];
	uint64_t begin = span->begin ? line->end_ns[span->begin - 1] : 0;

	fprintf(t->f, ",%d,%d,%.9f,%.9f\n", span->run + 1, span->pass + 1, (double)begin * 1e-9,
		(double)line->end_ns[span->begin] * 1e-9);
}

static void interval_event(const struct csv_table *t, const struct report *r, const char *group,
			   int event, const struct report_span *span)
{
	const struct event *e = &r->m->events[event];

	for (int i = e->nparts > 1 ? -1 : 0; i < e->nparts; i++) {
		const struct count c = report_count(r, span, event, i);

		columns(t, "event interval", group, e->given, e->nparts > 1 && i >= 0 ?
			&e->parts[i] : NULL, (struct value){ c.known, (double)c.value, 0 }, "", "");
		times(t, r, span);
	}
}

static void interval_metric(const struct csv_table *t, const struct report *r,
			    const struct report_group *g, const char *group, int metric,
			    const struct report_span *span)
{
	const struct group_metric *m = &g->group->metrics[metric];
	int with_parts = report_metric_parts(r, g, metric);
	const struct event *e = with_parts < 0 ? NULL : &r->m->events[with_parts];

	for (int i = -1; i < (e ? e->nparts : 0); i++) {
		const struct part *p = i < 0 ? NULL : &e->parts[i];

		columns(t, "metric interval", group, m->name, p,
			report_span_metric(r, g, span, metric, p), m->unit, m->formula);
		times(t, r, span);
	}
}

static void interval_rows(const struct csv_table *t, const struct report *r,
			  const struct report_group *g, const char *group,
			  const struct report_span *span)
{
	for (int i = 0; i < g->nevents; i++)
		if (report_is_first(g, i) && passes_has(r->m->passes, span->pass, g->events[i]))
			interval_event(t, r, group, g->events[i], span);
	for (int i = 0; g->group && i < g->group->nmetrics; i++)
		if (report_metric_pass(r, g, i) == span->pass)
			interval_metric(t, r, g, group, i, span);
}

static void all_intervals(const struct csv_table *t, const struct report *r,
			  const struct report_group *g, const char *group)
{
	for (int run = 0; run < r->m->done; run++)
		for (int pass = 0; pass < r->m->passes->n; pass++)
			for (size_t i = 0; i < report_intervals(r, run, pass); i++)
				interval_rows(t, r, g, group, &(const struct report_span)
					      { run, pass, i, i + 1 });
}

/* ---- the table ---- */

static void group_name(const struct report_group *g, char out[256])
{
	out[0] = '\0';
	if (g->group)
		snprintf(out, 256, "%s/%s", g->group->pmu, g->group->name);
}

static void time_row(const struct csv_table *t, const struct report *r)
{
	table_row(t, "info", "", "time", NULL, report_seconds(r), "s",
		  r->machine->is_virtual ? "of the virtual machine's clock" : "");
}

static void group_rows(const struct csv_table *t, const struct report *r,
		       const struct report_group *g, const char *name)
{
	for (int e = 0; e < g->nevents; e++)
		if (report_is_first(g, e))
			event_rows(t, r, name, g->events[e]);
	for (int m = 0; g->group && m < g->group->nmetrics; m++)
		metric_rows(t, r, g, name, m);
}

/* Each of several runs by itself. */
static void run_rows(const struct csv_table *t, const struct report *r)
{
	char name[256];

	for (int run = 0; r->m->runs > 1 && run < r->m->done; run++) {
		const struct csv_table of_run = { t->f, t->timed, t->wide, run + 1 };
		struct measurement m;
		const struct report one = report_of_run(r, run, &m);

		time_row(&of_run, &one);
		for (int i = 0; i < r->ngroups; i++) {
			group_name(&r->groups[i], name);
			group_rows(&of_run, &one, &r->groups[i], name);
		}
	}
}

static void job_rows(const struct csv_table *t, const struct report_job *job)
{
	table_row(t, "info", "", "ranks", NULL, (struct value){ true, job->ranks, 0 }, "", "");
	table_row(t, "info", "", "nodes", NULL, (struct value){ true, job->nodes, 0 }, "", "");
	for (int i = 0; job->nodes > 1 && i < job->nodes; i++)
		table_row(t, "info", "", "ranks", &(struct part){ -1, -1, -1, i + 1 },
			  (struct value){ true, job->node[i].ranks, 0 }, "", job->node[i].host);
}

int report_csv(FILE *f, const struct report *r)
{
	bool timed = r->m->watch && r->m->watch->interval_ms;
	const struct csv_table table = { f, timed, timed || r->m->runs > 1, 0 };
	const struct csv_table *t = &table;
	char name[256];

	fprintf(f, "kind,group,name,part,value,deviation,unit,formula%s\n",
		t->wide ? ",run,pass,begin,end" : "");
	table_row(t, "info", "", "runs", NULL, (struct value){ true, r->m->done, 0 }, "", "");
	table_row(t, "info", "", "passes", NULL, (struct value){ true, r->m->passes->n, 0 }, "",
		  "");
	table_row(t, "info", "", "exit status", NULL, (struct value){ true, r->m->status, 0 }, "",
		  "");
	table_row(t, "info", "", "complete", NULL, (struct value){ true, report_is_complete(r), 0 },
		  "", report_reason(r));
	if (r->m->window)
		table_row(t, "info", "", "from MPI_Init", NULL,
			  (struct value){ true, r->m->window->begun, 0 }, "", "");
	if (r->job)
		job_rows(t, r->job);
	time_row(t, r);
	for (int i = 0; i < r->ngroups; i++) {
		const struct report_group *g = &r->groups[i];

		group_name(g, name);
		group_rows(t, r, g, name);
		if (t->timed)
			all_intervals(t, r, g, name);
	}
	run_rows(t, r);
	return report_flush(f);
}
