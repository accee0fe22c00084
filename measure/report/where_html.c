/* SPDX-License-Identifier: MIT */
/* Writes a profile's tables for the page: where_html(). Cells have counts, and bars show shares. */
#include <inttypes.h>
#include <string.h>

#include "page.h"
#include "where.h"

#define PAGE_ROWS 20

static void put_text(FILE *f, const char *before, const char *text, const char *behind)
{
	fputs(before, f);
	markup_text(f, text);
	fputs(behind, f);
}

static void put_head(FILE *f, const struct where_columns *c, const char *what)
{
	fprintf(f, "<div class=\"scroll\"><table class=\"where\">\n<thead><tr><th>%s</th>", what);
	for (int i = 0; i < c->n; i++)
		put_text(f, "<th class=\"n\">", c->names[i], "</th>");
	fputs("</tr></thead>\n<tbody>\n", f);
}

static void put_counts(FILE *f, const struct where *w, const struct where_columns *c,
		       const int64_t *counts)
{
	for (int i = 0; i < c->n; i++) {
		const int64_t count = counts[c->events[i]], sum = w->sums[c->events[i]];
		char number[32];

		fprintf(f, "<td class=\"n\" style=\"--share:%.1f%%\">",
			sum > 0 && count > 0 ? 100 * (double)count / (double)sum : 0);
		snprintf(number, sizeof(number), "%" PRId64, count);
		page_grouped(f, number);
		fputs("</td>", f);
	}
	fputs("</tr>\n", f);
}

static void put_place(FILE *f, const char *file, int line, const char *object)
{
	char place[WHERE_PLACE_MAX];

	where_place(file, line, false, place);
	put_text(f, " <span class=\"soft\">", *place ? place : where_file_name(object), "</span>");
}

static void put_functions(FILE *f, const struct where *w, const struct where_columns *c)
{
	size_t top[PAGE_ROWS];
	size_t n = where_rank(w, w->functions, w->nfunctions, c->events, c->n, PAGE_ROWS, top);

	put_head(f, c, "Function");
	for (size_t i = 0; i < n; i++) {
		const struct where_row *row = &w->functions[top[i]];

		put_text(f, "<tr class=\"part\"><td><code>", row->function, "</code>");
		put_place(f, row->file, row->line, row->object);
		fputs("</td>", f);
		put_counts(f, w, c, row->counts);
	}
	fputs("</tbody></table></div>\n", f);
}

static void put_lines(FILE *f, const struct where *w, const struct where_columns *c)
{
	size_t top[PAGE_ROWS];
	size_t n = where_rank(w, w->lines, w->nlines, c->events, c->n, PAGE_ROWS, top);

	if (!n)
		return;
	put_head(f, c, "Line");
	for (size_t i = 0; i < n; i++) {
		const struct where_row *row = &w->lines[top[i]];
		char place[WHERE_PLACE_MAX];

		where_place(row->file, row->line, false, place);
		put_text(f, "<tr class=\"part\"><td>", place, "");
		if (row->source)
			put_text(f, "<code class=\"formula\">", row->source, "</code></td>");
		else
			put_text(f, " <span class=\"soft\">in ", row->function, "</span></td>");
		put_counts(f, w, c, row->counts);
	}
	fputs("</tbody></table></div>\n", f);
}

static void put_data(FILE *f, const struct where *w, const struct where_columns *c)
{
	size_t top[PAGE_ROWS];
	size_t n = where_rank_data(w, c->events, c->n, PAGE_ROWS, top);

	if (!n)
		return;
	put_head(f, c, "Data");
	for (size_t i = 0; i < n; i++) {
		char text[WHERE_DATA_MAX];

		where_data_text(&w->data[top[i]], text);
		put_text(f, "<tr class=\"part\"><td>", text, "</td>");
		put_counts(f, w, c, w->data[top[i]].counts);
	}
	fputs("</tbody></table></div>\n", f);
}

/* ---- lines that threads contend for ---- */

static void put_side(FILE *f, const struct where_side *s, bool asked)
{
	char place[WHERE_PLACE_MAX], data[WHERE_DATA_MAX];

	where_place(s->file, s->line, false, place);
	fprintf(f, "<tr><td>%s</td><td class=\"c\">%u</td><td>%s at +%d</td><td><code>",
		asked ? "asked" : "had it", s->thread, s->access, s->offset);
	put_text(f, "", s->function, "</code> ");
	put_text(f, "<span class=\"soft\">", place, "</span></td><td>");
	where_side_data(s, data);
	markup_text(f, data);
	fprintf(f, "</td><td class=\"c\">%" PRIu64 "</td></tr>\n", s->times);
}

static void put_contended(FILE *f, const struct where *w)
{
	if (!w->ncontended ||
	    w->contended[0].modified + w->contended[0].hits < WHERE_SNOOPS_MIN)
		return;
	fputs("<section>\n<h2>Lines that several threads use at once</h2>\n", f);
	for (size_t i = 0; i < w->ncontended && i < PAGE_ROWS; i++) {
		const struct where_contended *c = &w->contended[i];

		if (c->modified + c->hits < WHERE_SNOOPS_MIN)
			break;
		fprintf(f, "<h3>Line 0x%" PRIx64 ": found modified elsewhere %" PRIu64
			" times, unmodified %" PRIu64 "</h3>\n<div class=\"scroll\">"
			"<table class=\"where\"><thead>"
			"<tr><th>Side</th><th>Thread</th><th>Access</th><th>Where</th>"
			"<th>Data</th><th class=\"c\">Times</th></tr></thead><tbody>\n",
			c->address, c->modified, c->hits);
		for (size_t s = 0; s < c->nsides; s++)
			put_side(f, &c->sides[s], s < c->nasked);
		fputs("</tbody></table></div>\n", f);
	}
	fputs("</section>\n", f);
}

static void put_checks(FILE *f, const struct report *r)
{
	char text[REPORT_WHY_MAX];

	for (int e = 0; e < r->m->nevents; e++) {
		where_check(r, e, text);
		if (*text)
			put_text(f, "<p class=\"warn\">Not all counts have a cause: ", text,
				 ".</p>\n");
	}
	for (size_t i = 0; i < r->where->nlost; i++) {
		fprintf(f, "<p class=\"warn\">The profile lost %" PRIu64 " ", r->where->lost[i].n);
		put_text(f, "", r->where->lost[i].what, ".</p>\n");
	}
}

void where_html(FILE *f, const struct report *r)
{
	for (int i = 0; i < r->ngroups; i++) {
		const struct report_group *g = &r->groups[i];
		const struct where_columns c = where_columns_of(r, g);
		const struct where_columns data = where_columns_of_data(r, &c);

		if (!c.n)
			continue;
		put_text(f, "<section>\n<h2>Where: ", g->group ? g->group->pmu : "events", "");
		put_text(f, g->group ? "/" : "", g->group ? g->group->name : "", "</h2>\n");
		put_functions(f, r->where, &c);
		put_lines(f, r->where, &c);
		put_data(f, r->where, &data);
		fputs("</section>\n", f);
	}
	put_contended(f, r->where);
	put_checks(f, r);
}
