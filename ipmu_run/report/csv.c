/* SPDX-License-Identifier: MIT */
/* One table: what the row is, of what group, name, part, mean, deviation, unit, formula. */
#include <errno.h>
#include <string.h>

#include "report.h"

static void field(FILE *f, const char *text)
{
	bool quote = text[strcspn(text, ",\"\n\r")] != '\0';

	if (quote)
		fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	if (quote)
		fputc('"', f);
}

static void row(FILE *f, const char *kind, const char *group, const char *name,
		const struct part *part, struct value v, const char *unit, const char *formula)
{
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
	fputc('\n', f);
}

static void event_rows(FILE *f, const struct report *r, const char *group, int event)
{
	const struct event *e = &r->m->events[event];

	row(f, "event", group, e->given, NULL, report_event(r, event, -1), "", "");
	for (int i = 0; e->nparts > 1 && i < e->nparts; i++)
		row(f, "event", group, e->given, &e->parts[i], report_event(r, event, i), "", "");
}

static void metric_rows(FILE *f, const struct report *r, const struct report_group *g,
			const char *group, int metric)
{
	const struct group_metric *m = &g->group->metrics[metric];
	int with_parts = report_metric_parts(r, g, metric);

	row(f, "metric", group, m->name, NULL, report_metric(r, g, metric, NULL), m->unit,
	    m->formula);
	for (int i = 0; with_parts >= 0 && i < r->m->events[with_parts].nparts; i++) {
		const struct part *p = &r->m->events[with_parts].parts[i];

		row(f, "metric", group, m->name, p, report_metric(r, g, metric, p), m->unit,
		    m->formula);
	}
}

int report_csv(FILE *f, const struct report *r)
{
	fputs("kind,group,name,part,value,deviation,unit,formula\n", f);
	row(f, "info", "", "runs", NULL, (struct value){ true, r->m->done, 0 }, "", "");
	row(f, "info", "", "passes", NULL, (struct value){ true, r->m->passes->n, 0 }, "", "");
	row(f, "info", "", "exit status", NULL, (struct value){ true, r->m->status, 0 }, "", "");
	if (r->job) {
		row(f, "info", "", "ranks", NULL, (struct value){ true, r->job->ranks, 0 }, "", "");
		row(f, "info", "", "nodes", NULL, (struct value){ true, r->job->nodes, 0 }, "", "");
	}
	row(f, "info", "", "time", NULL, report_seconds(r), "s",
	    r->machine->is_virtual ? "of the virtual machine's clock" : "");
	for (int i = 0; i < r->ngroups; i++) {
		const struct report_group *g = &r->groups[i];
		char name[256] = "";

		if (g->group)
			snprintf(name, sizeof(name), "%s/%s", g->group->pmu, g->group->name);
		for (int e = 0; e < g->nevents; e++)
			if (report_is_first(g, e))
				event_rows(f, r, name, g->events[e]);
		for (int m = 0; g->group && m < g->group->nmetrics; m++)
			metric_rows(f, r, g, name, m);
	}
	return report_flush(f);
}
