/* SPDX-License-Identifier: MIT */
/* Writes the report as a page: report_html(). The page is self-contained: styles, drawings and
 * plots are in it, it has no scripts, and it fetches nothing. A drawing or plot that cannot be made
 * is named in `missing`, and the rest of the page is complete. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../counting/cpus.h"
#include "compare.h"
#include "model_version.h"
#include "page.h"
#include "where.h"

#define PAGE_WIDTH 1216		/* at most, in CSS pixels */

static void element(FILE *f, const char *begin, const char *text, const char *end)
{
	fputs(begin, f);
	markup_text(f, text);
	fputs(end, f);
}

static void named(FILE *f, const char *begin, const char *name, const char *end)
{
	fputs(begin, f);
	markup_name(f, name);
	fputs(end, f);
}

/* ---- cells ---- */

/* unit: of a metric; NULL: a count. A metric's exact value is the cell's title. */
static void value_cell(FILE *f, struct value v, const char *unit, double most)
{
	double share = v.known && most > 0 && v.mean > 0 ? 100 * v.mean / most : 0;
	char number[REPORT_NUMBER_MAX] = "-", shown[PAGE_NUMBER_MAX] = "-";

	fputs("<td class=\"n\"", f);
	if (most > 0)
		fprintf(f, " style=\"--share:%.1f%%\"", share);
	if (v.known)
		report_number(v.mean, !unit, number);
	if (v.known && unit) {
		fprintf(f, " title=\"%s", number);
		element(f, " ", strcmp(unit, "1") ? unit : "", "\"");
		page_number(v.mean, unit, shown);
	}
	fputc('>', f);
	if (unit)
		markup_text(f, shown);
	else
		page_grouped(f, number);
	fputs("</td>", f);
}

static void deviation_cell(FILE *f, const struct report *r, struct value v)
{
	if (r->m->runs == 1)
		return;
	if (v.known && v.mean != 0)
		fprintf(f, "<td class=\"n d\">%.2f %%</td>", 100 * v.deviation / fabs(v.mean));
	else
		fputs("<td class=\"n d\">-</td>", f);
}

static void head(FILE *f, const struct report *r, const char *what, const char *value)
{
	fprintf(f, "<table>\n<thead><tr><th>%s</th><th class=\"n\">%s</th>%s</tr></thead>\n"
		"<tbody>\n", what, value, r->m->runs == 1 ? "" : "<th class=\"n d\">&plusmn;</th>");
}

static void part_row(FILE *f, const struct report *r, const struct part *p, struct value v,
		     const char *unit, double most)
{
	char name[64], kind = p->cpu >= 0 && p->node <= 1 && !r->elsewhere ?
			       cpus_kind(p->cpu) : 0;
	size_t n;

	report_part_name(p, name);
	n = strlen(name);
	if (kind)
		snprintf(name + n, sizeof(name) - n, ", %c core", kind);
	element(f, "<tr class=\"part\"><td>", name, "</td>");
	value_cell(f, v, unit, most);
	deviation_cell(f, r, v);
	fputs("</tr>\n", f);
}

/* ---- rows ---- */

static double larger(struct value v, double most)
{
	return v.known && v.mean > most ? v.mean : most;
}

static void metric_rows(FILE *f, const struct report *r, const struct report_group *g, int metric)
{
	const struct group_metric *m = &g->group->metrics[metric];
	const struct event *e = report_metric_event(r, g, metric);
	struct value all = report_metric(r, g, metric, NULL);
	double most = 0;

	element(f, "<tr><td>", m->name, "<code class=\"formula\">");
	element(f, "= ", m->formula, report_is_rate(r, m) ? REPORT_RATE_MARK "</code></td>" :
		"</code></td>");
	value_cell(f, all, m->unit, 0);
	deviation_cell(f, r, all);
	fputs("</tr>\n", f);
	for (int i = 0; e && i < report_nparts(e); i++)
		most = larger(report_metric(r, g, metric, &e->parts[i]), most);
	for (int i = 0; e && i < report_nparts(e); i++)
		part_row(f, r, &e->parts[i], report_metric(r, g, metric, &e->parts[i]), m->unit,
			 most);
}

/* id: the event's name in the group's formulas; NULL: there are none. */
static void event_rows(FILE *f, const struct report *r, int event, const char *id)
{
	const struct event *e = &r->m->events[event];
	struct value all = report_event(r, event, -1);
	double most = 0;

	fputs("<tr><td>", f);
	if (id)
		element(f, "<span class=\"id\">", id, "</span> = ");
	named(f, "<code>", e->given, "</code></td>");
	value_cell(f, all, NULL, 0);
	deviation_cell(f, r, all);
	fputs("</tr>\n", f);
	for (int i = 0; e->nparts > 1 && i < report_nparts(e); i++)
		most = larger(report_event(r, event, i), most);
	for (int i = 0; e->nparts > 1 && i < report_nparts(e); i++)
		part_row(f, r, &e->parts[i], report_event(r, event, i), NULL, most);
}

/* ---- sections ---- */

static bool is_timed(const struct report *r)
{
	return r->m->watch && r->m->watch->interval_ms;
}

static void plot(FILE *f, const struct report *r, const struct report_group *g, int item,
		 struct scratch *s)
{
	static const char *const widths[] = { "wide-plot", "narrow-plot" };
	char path[SCRATCH_PATH_MAX], why[PAGE_WHY_MAX];
	struct drawn d;

	for (int i = 0; i < 2; i++) {
		plot_path(s, r, g, item, i ? "narrow" : "wide", path);
		if (markup_read(path, &d, why))
			return;
		fprintf(f, "<figure class=\"%s\">\n", widths[i]);
		fputs("<figcaption>", f);
		plot_caption(f, r, g, item);
		fprintf(f, "</figcaption>\n%s</figure>\n", d.svg);
		free(d.svg);
	}
}

static void timeline_section(FILE *f, const struct report *r, const struct report_group *g,
			     struct scratch *s)
{
	for (int i = 0; is_timed(r) && i < plot_items(g); i++)
		plot(f, r, g, i, s);
}

static void group_tables(FILE *f, const struct report *r, const struct report_group *g)
{
	if (g->group) {
		fputs("<div class=\"pair\">\n", f);
		head(f, r, "Metric", "Value");
		for (int i = -1; (i = report_metric_next(r, g, i)) >= 0;)
			metric_rows(f, r, g, i);
		fputs("</tbody></table>\n", f);
	}
	head(f, r, "Event", "Count");
	for (int i = 0; i < g->nevents; i++)
		if (report_is_first(g, i))
			event_rows(f, r, g->events[i], g->group ? g->group->events[i].id : NULL);
	fprintf(f, "</tbody></table>\n%s", g->group ? "</div>\n" : "");
}

static void group_section(FILE *f, const struct report *r, const struct report_group *g,
			  struct scratch *s)
{
	fputs("<section>\n", f);
	if (g->group) {
		element(f, "<h2>", g->group->pmu, "/");
		element(f, "", g->group->name, ": ");
		element(f, "", g->group->title, "</h2>\n");
		element(f, "<p class=\"soft\">", g->group->tells, "</p>\n");
	} else {
		fputs("<h2>Events by name</h2>\n", f);
	}
	group_tables(f, r, g);
	roofline_html(f, r, g);
	timeline_section(f, r, g, s);
	if (g->group)
		element(f, "<p class=\"soft\">When it misleads: ", g->group->misleads, "</p>\n");
	fputs("</section>\n", f);
}

static void warning(FILE *f, const char *before, const char *text)
{
	if (!*text)
		return;
	element(f, "<p class=\"warn\">", before, "");
	element(f, "", text, ".</p>\n");
}

static void phase_section(FILE *f, const struct report *r, const struct phase *p)
{
	char text[REPORT_PHASE_MAX];
	struct measurement m;
	const struct report one = report_of_phase(r, p, &m);

	element(f, "<section>\n<h2>Region ", p->name, "</h2>\n");
	report_phase_text(r, p, text);
	element(f, "<p>", text, r->machine->is_virtual ? " of the machine's clock</p>\n" :
		"</p>\n");
	report_phase_unfinished(p, text);
	warning(f, "Incomplete: ", text);
	report_phase_apart(r, p, text);
	warning(f, "", text);
	for (int i = 0; i < r->ngroups; i++) {
		const struct report_group *g = &r->groups[i];

		element(f, "<h3>", g->group ? g->group->pmu : "events by name", "");
		element(f, g->group ? "/" : "", g->group ? g->group->name : "", "</h3>\n");
		group_tables(f, &one, g);
	}
	fputs("</section>\n", f);
}

static void phase_sections(FILE *f, const struct report *r)
{
	char text[REPORT_PHASE_MAX];

	for (int i = 0; r->m->phases && i < r->m->phases->n; i++)
		phase_section(f, r, &r->m->phases->phase[i]);
	report_phases_ignored(r->m->phases, text);
	warning(f, "Regions: ", text);
}

static void passes_section(FILE *f, const struct report *r)
{
	const struct passes *p = r->m->passes;

	if (p->n < 2)
		return;
	fprintf(f, "<section>\n<h2>Passes</h2>\n<p>Not counted at the same time: %d passes, each a "
		"run of the program.</p>\n<table><tbody>\n", p->n);
	for (int pass = 0; pass < p->n; pass++) {
		fprintf(f, "<tr><td>pass %d</td><td>", pass + 1);
		for (int i = 0; i < r->m->nevents; i++)
			if (passes_has(p, pass, i))
				named(f, "<code>", r->m->events[i].given, "</code> ");
		fputs("</td></tr>\n", f);
	}
	fputs("</tbody></table>\n</section>\n", f);
}

static void origin(FILE *f, const struct report *r)
{
	char date[REPORT_DATE_MAX];

	report_date(date);
	element(f, "<p class=\"soft\">", date, "");
	element(f, " &middot; ", r->machine->host, " &middot; ipmu-run " IPMU_VERSION);
	if (r->machine->is_virtual)
		fprintf(f, " &middot; model version %d", IPMU_MODEL_VERSION);
	if (r->machine->seed)
		fprintf(f, " &middot; seed %" PRIu64, r->machine->seed);
	fputs("</p>\n", f);
}

static void summary(FILE *f, const struct report *r)
{
	char job[160], status[128];

	named(f, "<h1>", r->command, "</h1>\n");
	if (r->m->done)
		page_answers(f, r);
	element(f, "<p>", r->machine->model[0] ? r->machine->model : "unnamed processor", "");
	fprintf(f, " &middot; %d run%s", r->m->done * r->m->passes->n,
		r->m->done * r->m->passes->n == 1 ? "" : "s");
	report_status_text(r->m->status, status);
	fprintf(f, " &middot; %s</p>\n", status);
	if (r->job) {
		report_job_text(r->job, job);
		element(f, "<p>", job, "</p>\n");
	}
	for (int i = 0; r->job && r->job->nodes > 1 && i < r->job->nodes; i++) {
		fprintf(f, "<p class=\"soft\">node %d: ", i);
		element(f, "", r->job->node[i].host, "");
		fprintf(f, ", %d rank%s</p>\n", r->job->node[i].ranks,
			r->job->node[i].ranks == 1 ? "" : "s");
	}
	origin(f, r);
	for (int i = 0; r->streams[0] && i < REPORT_STREAMS; i++) {
		fprintf(f, "%s%s: ", i ? " &middot; " : "<p class=\"soft\">",
			report_stream_name(i));
		element(f, "", r->streams[i], i + 1 < REPORT_STREAMS ? "" : "</p>\n");
	}
	if (r->only)
		element(f, "<p>Counted: processes of ", r->only, "</p>\n");
	if (r->machine->is_virtual) {
		element(f, "<p class=\"soft\">A virtual machine: ",
			report_clock(r) ? report_clock_text(r) : "", report_clock(r) ? "; " : "");
		fputs("wall time is not modelled.</p>\n", f);
	}
	if (report_window(r))
		element(f, "<p class=\"soft\">Counted ", report_window(r), ".</p>\n");
	if (*report_reason(r))
		element(f, "<p class=\"warn\">Incomplete: ", report_reason(r), ".</p>\n");
	else if (report_is_cut(r))
		element(f, "<p class=\"warn\">",
			"Incomplete: a signal ended the program.", "</p>\n");
	if (r->m->done < r->m->runs)
		fprintf(f, "<p class=\"warn\">Ended by a signal: %d of %d complete runs are "
			"counted.</p>\n", r->m->done, r->m->runs);
	if (r->m->lost[0])
		element(f, "<p class=\"warn\">", r->m->lost, "</p>\n");
}

/* The wide drawing where its text of 10 px is not shrunk to less than 7. */
static void choose_drawing(FILE *f, const struct machine_drawing *d)
{
	int least = d->wide.width * 7 / 10 + 32;

	if (least < PAGE_WIDTH)
		fprintf(f, "@media screen and (min-width: %dpx), print {\n"
			"  .wide { display: block; } .narrow { display: none; } }\n", least);
}

static void machine_section(FILE *f, const struct report *r, const struct machine_drawing *d,
			    const char *why)
{
	fputs("<section>\n<h2>Machine</h2>\n", f);
	if (r->job && r->job->nodes > 1)
		element(f, "<p>Node 0: ", r->job->node[0].host, "</p>\n");
	element(f, "<p class=\"soft\">", r->machine->geometry, "</p>\n");
	if (d->wide.svg) {
		char most[PAGE_NUMBER_MAX];

		page_number(d->most, "1", most);
		fprintf(f, "<p class=\"soft\">Where the counts are from. Rounded; the tables have "
			"all digits.</p>\n<p class=\"soft\">Shades: 0 "
			"<span class=\"scale\"></span> %s, by the logarithm</p>\n", most);
		fprintf(f, "<figure class=\"wide\">%s</figure>\n"
			"<details class=\"narrow\"><summary>Drawing</summary>\n"
			"<figure>%s</figure></details>\n", d->wide.svg, d->narrow.svg);
	} else {
		element(f, "<p class=\"warn\">No drawing of the machine: ", why, "</p>\n");
	}
	fputs("</section>\n", f);
}

static void page_head(FILE *f, const struct report *r, const struct machine_drawing *d)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" "
	      "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n", f);
	element(f, "<title>ipmu-run: ", r->command, "</title>\n");
	fprintf(f, "<style>\n%s", page_style);
	choose_drawing(f, d);
	fputs("</style>\n</head>\n<body>\n<header>\n", f);
	summary(f, r);
	fputs("</header>\n", f);
}

static void page_draw(const struct report *r, struct scratch *s, struct machine_drawing *d,
		      struct report_missing *missing)
{
	*missing = (struct report_missing){ .drawing = "" };
	if (!r->m->done || r->elsewhere)
		return;
	drawing_make(r, s, d, missing->drawing);
	if (is_timed(r))
		plots_make(r, s, missing->plots);
}

int report_html(FILE *f, const struct report *r, struct report_missing *missing)
{
	struct machine_drawing d = { .wide = { NULL, 0 } };
	struct scratch s = { .n = 0 };

	page_draw(r, &s, &d, missing);
	page_head(f, r, &d);
	fputs("<main>\n", f);
	if (r->comparison)
		compared_html(f, r->comparison);
	if (missing->plots[0])
		element(f, "<p class=\"warn\">No timelines: ", missing->plots, "</p>\n");
	for (int i = 0; i < r->ngroups && r->m->done; i++)
		group_section(f, r, &r->groups[i], &s);
	if (r->m->done)
		phase_sections(f, r);
	if (r->where)
		where_html(f, r);
	passes_section(f, r);
	if (r->m->done && !r->elsewhere)
		machine_section(f, r, &d, missing->drawing);
	fputs("</main>\n<footer class=\"soft\"><p>ipmu-run " IPMU_VERSION "</p></footer>\n"
	      "</body>\n</html>\n", f);
	scratch_free(&s);
	free(d.wide.svg);
	free(d.narrow.svg);
	return report_flush(f);
}
