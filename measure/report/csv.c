/* SPDX-License-Identifier: MIT */
/* Writes the report as one table: report_csv(). A row has its kind, group, name, part, mean,
 * deviation, unit and formula. With intervals or several runs it also has run, pass, and the
 * seconds from the program's start to the interval's begin and end. With named regions it also has
 * the region, or an empty field. All rows of a table have the same columns. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "where.h"

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
	const struct report *r;
	bool wide;
	int run;		/* whose rows these are, from 1; 0: those of all */
	const struct report_span *span;		/* the interval whose rows these are; NULL: none */
	const char *region;	/* whose rows these are; "": none's; NULL: there are no regions */
};

static void times(const struct csv_table *t, const struct report_span *span)
{
	const struct measurement *m = t->r->m;
	const struct timeline *line = &m->timelines[measure_place(m, span->run, span->pass)];
	uint64_t begin = span->begin ? line->end_ns[span->begin - 1] : 0;

	fprintf(t->f, ",%d,%d,%.9f,%.9f", span->run + 1, span->pass + 1, (double)begin * 1e-9,
		(double)line->end_ns[span->begin] * 1e-9);
}

static void row_end(const struct csv_table *t)
{
	if (t->region) {
		fputc(',', t->f);
		field(t->f, t->region);
	}
	fputc('\n', t->f);
}

static void table_row(const struct csv_table *t, const char *kind, const char *group,
		      const char *name, const struct part *part, struct value v, const char *unit,
		      const char *formula)
{
	char whose[32], where[64];
	const char *const head[] = { whose, group, name, where }, *const tail[] = { unit, formula };

	snprintf(whose, sizeof(whose), "%s%s%s", kind, t->region && *t->region ? " region" : "",
		 t->span ? " interval" : t->run ? " run" : "");
	report_part_name(part, where);
	for (size_t i = 0; i < 4; i++) {
		field(t->f, head[i]);
		fputc(',', t->f);
	}
	if (v.known)
		fprintf(t->f, "%.15g,%.6g", v.mean, v.deviation);
	else
		fputc(',', t->f);
	for (size_t i = 0; i < 2; i++) {
		fputc(',', t->f);
		field(t->f, tail[i]);
	}
	if (t->span)
		times(t, t->span);
	else if (t->run)
		fprintf(t->f, ",%d,,,", t->run);
	else if (t->wide)
		fputs(",,,,", t->f);
	row_end(t);
}

static struct value event_value(const struct csv_table *t, int event, int part)
{
	struct count c;

	if (!t->span)
		return report_event(t->r, event, part);
	c = report_count(t->r, t->span, event, part);
	return (struct value){ c.known, (double)c.value, 0 };
}

static void event_rows(const struct csv_table *t, const char *group, int event)
{
	const struct event *e = &t->r->m->events[event];

	table_row(t, "event", group, e->given, NULL, event_value(t, event, -1), "", "");
	for (int i = 0; e->nparts > 1 && i < report_nparts(e); i++)
		table_row(t, "event", group, e->given, &e->parts[i], event_value(t, event, i), "",
			  "");
}

static void metric_row(const struct csv_table *t, const struct report_group *g, const char *group,
		       int metric, const struct part *part)
{
	const struct group_metric *m = &g->group->metrics[metric];
	struct value v = t->span ? report_span_metric(t->r, g, t->span, metric, part) :
				   report_metric(t->r, g, metric, part);

	table_row(t, "metric", group, m->name, part, v, m->unit, m->formula);
}

static void metric_rows(const struct csv_table *t, const struct report_group *g, const char *group,
			int metric)
{
	const struct event *e = report_metric_event(t->r, g, metric);

	metric_row(t, g, group, metric, NULL);
	for (int i = 0; e && i < report_nparts(e); i++)
		metric_row(t, g, group, metric, &e->parts[i]);
}

/* ---- intervals ---- */

static void interval_rows(const struct csv_table *t, const struct report_group *g,
			  const char *group)
{
	int pass = t->span->pass;

	for (int i = 0; i < g->nevents; i++)
		if (report_is_first(g, i) && passes_has(t->r->m->passes, pass, g->events[i]))
			event_rows(t, group, g->events[i]);
	for (int i = 0; g->group && i < g->group->nmetrics; i++)
		if (report_metric_pass(t->r, g, i) == pass)
			metric_rows(t, g, group, i);
}

static void all_intervals(const struct csv_table *t, const struct report_group *g,
			  const char *group)
{
	struct csv_table of_one = *t;
	struct report_span span;

	of_one.span = &span;
	for (int run = 0; run < t->r->m->done; run++)
		for (int pass = 0; pass < t->r->m->passes->n; pass++)
			for (size_t i = 0; i < report_intervals(t->r, run, pass); i++) {
				span = (struct report_span){ run, pass, i, i + 1 };
				interval_rows(&of_one, g, group);
			}
}

/* ---- the table ---- */

static void group_name(const struct report_group *g, char out[256])
{
	out[0] = '\0';
	if (g->group)
		snprintf(out, 256, "%s/%s", g->group->pmu, g->group->name);
}

static void time_row(const struct csv_table *t)
{
	table_row(t, "info", "", "time", NULL, report_seconds(t->r), "s",
		  t->r->machine->is_virtual ? "of the virtual machine's clock" : "");
}

static void group_rows(const struct csv_table *t, const struct report_group *g, const char *name)
{
	for (int e = 0; e < g->nevents; e++)
		if (report_is_first(g, e))
			event_rows(t, name, g->events[e]);
	for (int m = 0; g->group && m < g->group->nmetrics; m++)
		metric_rows(t, g, name, m);
}

/* Each of several runs by itself. */
static void run_rows(const struct csv_table *t)
{
	const struct report *r = t->r;
	char name[256];

	for (int run = 0; r->m->runs > 1 && run < r->m->done; run++) {
		struct measurement m;
		const struct report one = report_of_run(r, run, &m);
		const struct csv_table of_run = { t->f, &one, t->wide, run + 1, NULL, t->region };

		time_row(&of_run);
		for (int i = 0; i < r->ngroups; i++) {
			group_name(&r->groups[i], name);
			group_rows(&of_run, &r->groups[i], name);
		}
	}
}

static void info_row(const struct csv_table *t, const char *name, double value, const char *remark)
{
	table_row(t, "info", "", name, NULL, (struct value){ true, value, 0 }, "", remark);
}

static void job_rows(const struct csv_table *t, const struct report_job *job)
{
	info_row(t, "ranks", job->ranks, "");
	info_row(t, "nodes", job->nodes, "");
	for (int i = 0; job->nodes > 1 && i < job->nodes; i++)
		table_row(t, "info", "", "ranks", &(struct part){ -1, -1, -1, i + 1 },
			  (struct value){ true, job->node[i].ranks, 0 }, "", job->node[i].host);
}

/* ---- the profile ---- */

/* The part is a function, a line or data, and in place of a formula stands where that is. */
static void where_row(const struct csv_table *t, const char *kind, int event, const char *what,
		      const char *place, int64_t count)
{
	const char *head[] = { kind, "", event < t->r->m->nevents ?
			       t->r->m->events[event].given : WHERE_INSTRUCTIONS, what };

	if (!count)
		return;
	for (size_t i = 0; i < 4; i++) {
		field(t->f, head[i]);
		fputc(',', t->f);
	}
	fprintf(t->f, "%" PRId64 ",0,,", count);
	field(t->f, place);
	if (t->wide)
		fputs(",,,,", t->f);
	row_end(t);
}

static void function_rows(const struct csv_table *t, int event)
{
	const struct where *w = t->r->where;
	char place[WHERE_PLACE_MAX];

	for (size_t i = 0; i < w->nfunctions; i++) {
		const struct where_row *row = &w->functions[i];

		where_place(row->file, row->line, true, place);
		where_row(t, "function", event, row->function, *place ? place : row->object,
			  row->counts[event]);
	}
}

static void line_rows(const struct csv_table *t, int event, const size_t *lines, size_t n)
{
	char place[WHERE_PLACE_MAX];

	for (size_t i = 0; i < n; i++) {
		const struct where_row *row = &t->r->where->lines[lines[i]];

		where_place(row->file, row->line, true, place);
		where_row(t, "line", event, place, row->function, row->counts[event]);
	}
}

static void data_rows(const struct csv_table *t, int event)
{
	char place[WHERE_PLACE_MAX];

	for (size_t i = 0; i < t->r->where->ndata; i++) {
		const struct where_data *d = &t->r->where->data[i];

		where_place(d->file, d->line, true, place);
		where_row(t, d->storage, event, d->name, place, d->counts[event]);
	}
}

/* 0 or -ENOMEM. */
static int where_rows(const struct csv_table *t)
{
	size_t n, *lines = where_main_lines(t->r->where, &n);

	for (int e = 0; lines && e < t->r->where->nevents; e++) {
		function_rows(t, e);
		line_rows(t, e, lines, n);
		data_rows(t, e);
	}
	free(lines);
	return lines ? 0 : -ENOMEM;
}

/* ---- regions ---- */

static void rank_rows(const struct csv_table *t, const struct report *whole, const struct phase *p)
{
	char text[32];

	for (int i = 0; i < p->nranks; i++) {
		snprintf(text, sizeof(text), "rank %d", p->ranks[i].rank);
		table_row(t, "info", "", "share of the time", NULL,
			  report_phase_share(whole, p, &p->ranks[i]), "1", text);
	}
}

static void phase_rows(const struct csv_table *t, const struct phase *p)
{
	char name[256];
	struct measurement m;
	const struct report one = report_of_phase(t->r, p, &m);
	const struct csv_table of_phase = { t->f, &one, t->wide, 0, NULL, p->name };

	table_row(&of_phase, "info", "", "calls", NULL, report_phase_calls(t->r, p), "", "");
	info_row(&of_phase, "calls without an end", (double)p->unfinished, "");
	time_row(&of_phase);
	if (t->r->job)
		rank_rows(&of_phase, t->r, p);
	for (int i = 0; i < one.ngroups; i++) {
		group_name(&one.groups[i], name);
		group_rows(&of_phase, &one.groups[i], name);
	}
}

static void all_phases(const struct csv_table *t)
{
	char text[REPORT_PHASE_MAX];

	report_phases_ignored(t->r->m->phases, text);
	if (*text)
		info_row(t, "regions ignored", 1, text);
	for (int i = 0; t->region && i < t->r->m->phases->n; i++)
		phase_rows(t, &t->r->m->phases->phase[i]);
}

int report_csv(FILE *f, const struct report *r)
{
	bool timed = r->m->watch && r->m->watch->interval_ms;
	bool regional = r->m->phases && r->m->phases->n && r->m->done;
	const struct csv_table t = { f, r, timed || r->m->runs > 1, 0, NULL,
				     regional ? "" : NULL };
	char name[256];
	int rc;

	fprintf(f, "kind,group,name,part,value,deviation,unit,formula%s%s\n",
		t.wide ? ",run,pass,begin,end" : "", regional ? ",region" : "");
	info_row(&t, "runs", r->m->done, "");
	info_row(&t, "passes", r->m->passes->n, "");
	info_row(&t, "exit status", r->m->status, "");
	info_row(&t, "complete", report_is_complete(r), report_reason(r));
	if (r->m->window)
		info_row(&t, "from MPI_Init", r->m->window->begun, "");
	if (r->job)
		job_rows(&t, r->job);
	time_row(&t);
	if (report_clock(r))
		table_row(&t, "info", "", "clock", NULL, (struct value){ false, 0, 0 }, "",
			  report_clock_text(r));
	for (int i = 0; i < r->ngroups; i++) {
		const struct report_group *g = &r->groups[i];

		group_name(g, name);
		group_rows(&t, g, name);
		if (timed)
			all_intervals(&t, g, name);
	}
	run_rows(&t);
	all_phases(&t);
	rc = r->where ? where_rows(&t) : 0;
	return rc ? rc : report_flush(f);
}
