/* SPDX-License-Identifier: MIT */
/* Writes a profile for people: where_text(). A table has the events of a group side by side, as
 * shares of what was profiled, because shares say at once what matters; the files have the
 * counts. */
#include <inttypes.h>
#include <string.h>

#include "shown.h"
#include "where.h"

#define SHARE_WIDTH 12
#define LINE_BYTES 1024
#define SIDES_SHOWN 4

static double share(const struct where *w, const int64_t *counts, int event)
{
	return w->sums[event] ? 100 * (double)counts[event] / (double)w->sums[event] : 0;
}

#define LEAST_SHARE 0.5		/* per cent of any event, for a row */

static bool is_small(const struct where *w, const struct where_columns *c, const int64_t *counts)
{
	for (int i = 0; i < c->n; i++)
		if (share(w, counts, c->events[i]) >= LEAST_SHARE)
			return false;
	return true;
}

static void put_head(FILE *f, const struct where_columns *c, const char *what)
{
	fputs("   ", f);
	for (int i = 0; i < c->n; i++)
		fprintf(f, " %*.*s", SHARE_WIDTH, SHARE_WIDTH, c->names[i]);
	fprintf(f, "  %s\n", what);
}

/* Names of functions and files are the program's, so they are escaped. */
static void put_row(FILE *f, const struct where *w, const struct where_columns *c,
		    const int64_t *counts, const char *text)
{
	char safe[SHOWN_ROOM(LINE_BYTES)];

	fputs("   ", f);
	for (int i = 0; i < c->n; i++)
		fprintf(f, " %*.1f %%", SHARE_WIDTH - 2, share(w, counts, c->events[i]));
	fprintf(f, "  %s\n", shown(text, safe, sizeof(safe)));
}

static void put_functions(FILE *f, const struct where *w, const struct where_columns *c)
{
	size_t top[WHERE_ROWS];
	size_t n = where_rank(w, w->functions, w->nfunctions, c->events, c->n, WHERE_ROWS, top);

	for (size_t i = 0; i < n; i++) {
		const struct where_row *row = &w->functions[top[i]];
		char place[WHERE_PLACE_MAX], text[LINE_BYTES];

		if (is_small(w, c, row->counts))
			continue;
		if (!i)
			put_head(f, c, "function");
		where_place(row->file, row->line, false, place);
		snprintf(text, sizeof(text), "%.400s, %s", row->function, *place ? place :
			 where_file_name(row->object));
		put_row(f, w, c, row->counts, text);
	}
}

static void put_lines(FILE *f, const struct where *w, const struct where_columns *c)
{
	size_t top[WHERE_ROWS];
	size_t n = where_rank(w, w->lines, w->nlines, c->events, c->n, WHERE_ROWS, top);

	for (size_t i = 0; i < n; i++) {
		const struct where_row *row = &w->lines[top[i]];
		char place[WHERE_PLACE_MAX], text[LINE_BYTES];

		if (is_small(w, c, row->counts))
			continue;
		if (!i)
			put_head(f, c, "line");
		where_place(row->file, row->line, false, place);
		snprintf(text, sizeof(text), "%s%s%.100s", place, row->source ? "  " : ", in ",
			 row->source ? row->source : row->function);
		put_row(f, w, c, row->counts, text);
	}
}

static void put_data(FILE *f, const struct where *w, const struct where_columns *c)
{
	size_t top[WHERE_ROWS];
	size_t n = where_rank_data(w, c->events, c->n, WHERE_ROWS, top);

	for (size_t i = 0; i < n; i++) {
		char text[WHERE_DATA_MAX];

		if (is_small(w, c, w->data[top[i]].counts))
			continue;
		if (!i)
			put_head(f, c, "data");
		where_data_text(&w->data[top[i]], text);
		put_row(f, w, c, w->data[top[i]].counts, text);
	}
}

/* ---- lines that threads contend for ---- */

static void put_side(FILE *f, const struct where_side *s, const char *before)
{
	char place[WHERE_PLACE_MAX], text[LINE_BYTES], safe[SHOWN_ROOM(LINE_BYTES)];
	char data[WHERE_DATA_MAX];

	where_side_data(s, data);
	where_place(s->file, s->line, false, place);
	snprintf(text, sizeof(text), "%.200s%s%s", s->function, *place ? ", " : "", place);
	fprintf(f, "      %s thread %u, %s at +%d, %s", before, s->thread, s->access, s->offset,
		shown(text, safe, sizeof(safe)));
	if (*data)
		fprintf(f, ": %s", shown(data, safe, sizeof(safe)));
	fprintf(f, "  (%" PRIu64 ")\n", s->times);
}

static void put_contended(FILE *f, const struct where *w)
{
	for (size_t i = 0; i < w->ncontended && i < WHERE_ROWS; i++) {
		const struct where_contended *c = &w->contended[i];

		if (c->modified + c->hits < WHERE_SNOOPS_MIN)
			break;
		if (!i)
			fputs("  lines that several threads use at once\n", f);
		fprintf(f, "    line 0x%" PRIx64 ": found modified elsewhere %" PRIu64
			" times, unmodified %" PRIu64 "\n", c->address, c->modified, c->hits);
		for (size_t s = 0; s < c->nasked && s < SIDES_SHOWN; s++)
			put_side(f, &c->sides[s], "asked:");
		for (size_t s = c->nasked; s < c->nsides && s < c->nasked + SIDES_SHOWN; s++)
			put_side(f, &c->sides[s], "had it:");
	}
}

static void put_checks(FILE *f, const struct report *r)
{
	char text[REPORT_WHY_MAX], safe[SHOWN_ROOM(LINE_BYTES)];

	for (int e = 0; e < r->m->nevents; e++) {
		if (r->where->apart[e] && strcmp(r->where->apart[e], WHERE_TIME))
			fprintf(f, "  no profile of %s: it counts %s\n", r->m->events[e].given,
				shown(r->where->apart[e], safe, sizeof(safe)));
		where_check(r, e, text);
		if (*text)
			fprintf(f, "  %s\n", text);
	}
	for (size_t i = 0; i < r->where->nlost; i++)
		fprintf(f, "  the profile lost %" PRIu64 " %s\n", r->where->lost[i].n,
			shown(r->where->lost[i].what, safe, sizeof(safe)));
}

void where_text(FILE *f, const struct report *r)
{
	const struct where *w = r->where;

	for (int i = 0; i < r->ngroups; i++) {
		const struct report_group *g = &r->groups[i];
		const struct where_columns c = where_columns_of(r, g);
		const struct where_columns data = where_columns_of_data(r, &c);

		if (!c.n)
			continue;
		fprintf(f, "  where: %s%s%s\n", g->group ? g->group->pmu : "events",
			g->group ? "/" : "", g->group ? g->group->name : "");
		put_functions(f, w, &c);
		put_lines(f, w, &c);
		put_data(f, w, &data);
	}
	put_contended(f, w);
	put_checks(f, r);
}
