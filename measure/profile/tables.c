/* SPDX-License-Identifier: MIT */
/* Makes the tables of a run: tables_add() for each process image, then tables_end(). A function is
 * the same in all processes that map its file. Rows without a count are left out. */
#include "tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data_table.h"
#include "source.h"

struct rows {
	struct where_row *rows;
	size_t n, slots;
	uint32_t *hash;			/* row + 1; 0: empty */
};

struct tables {
	struct symbols *symbols;
	struct where where;
	struct rows functions, lines;
	struct data_table *data;
};

/* ---- rows ---- */

static size_t row_hash(const struct where_row *r)
{
	uint64_t h = (uintptr_t)r->function * 0x9e3779b97f4a7c15u ^
		     (uintptr_t)r->object * 0xc2b2ae3d27d4eb4fu ^
		     (uintptr_t)r->file * 0x165667b19e3779f9u ^ (uint64_t)r->line * 0x27d4eb2fu;

	return (size_t)(h ^ h >> 29);
}

static bool same_row(const struct where_row *a, const struct where_row *b)
{
	return a->function == b->function && a->object == b->object && a->file == b->file &&
	       a->line == b->line;
}

static bool rows_grow(struct rows *t)
{
	size_t slots = t->slots ? 2 * t->slots : 1024;
	uint32_t *hash = calloc(slots, sizeof(*hash));
	struct where_row *rows = realloc(t->rows, slots / 2 * sizeof(*rows));

	if (rows)
		t->rows = rows;
	if (!hash || !rows) {
		free(hash);
		return false;
	}
	for (size_t i = 0; i < t->n; i++) {
		size_t h = row_hash(&rows[i]) & (slots - 1);

		while (hash[h])
			h = (h + 1) & (slots - 1);
		hash[h] = (uint32_t)i + 1;
	}
	free(t->hash);
	t->hash = hash;
	t->slots = slots;
	return true;
}

/* The row like this one; NULL: no memory. */
static struct where_row *rows_find(struct rows *t, const struct where_row *like, size_t nevents)
{
	size_t h;

	if (2 * t->n + 2 > t->slots && !rows_grow(t))
		return NULL;
	for (h = row_hash(like) & (t->slots - 1); t->hash[h]; h = (h + 1) & (t->slots - 1))
		if (same_row(&t->rows[t->hash[h] - 1], like))
			return &t->rows[t->hash[h] - 1];
	t->rows[t->n] = *like;
	t->rows[t->n].counts = calloc(nevents + 1, sizeof(int64_t));
	if (!t->rows[t->n].counts)
		return NULL;
	t->hash[h] = (uint32_t)t->n + 1;
	return &t->rows[t->n++];
}

static void rows_free(struct rows *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->rows[i].source);
		free(t->rows[i].counts);
		free(t->rows[i].inclusive);
	}
	free(t->rows);
	free(t->hash);
}

/* ---- adding ---- */

struct tables *tables_begin(struct symbols *s, int nevents)
{
	struct tables *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->symbols = s;
	t->where.nevents = nevents;
	t->where.sums = calloc((size_t)nevents + 1, sizeof(*t->where.sums));
	t->where.apart = calloc((size_t)nevents + 1, sizeof(*t->where.apart));
	t->where.halved = calloc((size_t)nevents + 1, sizeof(*t->where.halved));
	t->data = data_table_begin(s, nevents);
	if (t->where.sums && t->where.apart && t->where.halved && t->data)
		return t;
	tables_free(t);
	return NULL;
}

static struct where_row function_row(const struct place *at)
{
	return (struct where_row){ .function = at->function, .object = at->object,
				   .file = at->home, .line = at->home_line };
}

static bool is_idle(const int64_t *costs, size_t n)
{
	for (size_t e = 0; e < n; e++)
		if (costs[e])
			return false;
	return true;
}

static void add_up(int64_t *to, const int64_t *costs, size_t n)
{
	for (size_t e = 0; e < n; e++)
		to[e] += costs[e];
}

static int add_spot(struct tables *t, const struct place *at, const int64_t *costs)
{
	const size_t n = (size_t)t->where.nevents;
	const struct where_row function = function_row(at);
	struct where_row line = { .function = at->function, .object = at->object,
				  .file = at->file, .line = at->line }, *row;

	if (is_idle(costs, n))
		return 0;
	add_up(t->where.sums, costs, n);
	row = rows_find(&t->functions, &function, n);
	if (!row)
		return -ENOMEM;
	add_up(row->counts, costs, n);
	if (!at->line)
		return 0;
	row = rows_find(&t->lines, &line, n);
	if (!row)
		return -ENOMEM;
	add_up(row->counts, costs, n);
	return 0;
}

/* Counts from a call to its return belong to the called function, too. */
static int add_arc(struct tables *t, const struct profile *p, const struct profile_arc *arc,
		   const struct place *to, const struct weights *w, const bool *wanted)
{
	const size_t n = (size_t)t->where.nevents;
	const struct where_row function = function_row(to);
	struct where_row *row = rows_find(&t->functions, &function, n);

	if (row && !row->inclusive)
		row->inclusive = calloc(n + 1, sizeof(*row->inclusive));
	if (!row || !row->inclusive)
		return -ENOMEM;
	row->calls += arc->calls;
	for (uint32_t i = arc->first; i < arc->first + arc->n; i++) {
		const int64_t *weight = weights_of(w, p, p->arc_cells[i].kind);

		for (size_t e = 0; weight && e < n; e++)
			if (wanted[e])
				row->inclusive[e] += weight[e] * p->arc_cells[i].count;
	}
	return 0;
}

static int add_lost(struct where *w, struct symbols *s, const struct profile_lost *lost)
{
	const char *what = symbols_text(s, lost->what);
	struct where_lost *more;

	for (size_t i = 0; i < w->nlost; i++)
		if (w->lost[i].what == what) {
			w->lost[i].n += lost->n;
			return 0;
		}
	more = realloc(w->lost, (w->nlost + 1) * sizeof(*more));
	if (!more || !what)
		return -ENOMEM;
	w->lost = more;
	w->lost[w->nlost++] = (struct where_lost){ what, lost->n };
	return 0;
}

int tables_add(struct tables *t, const struct profile *p, const struct place *places,
	       const int64_t *costs, const struct weights *w, const bool *wanted)
{
	int rc = 0;

	t->where.processes++;
	for (size_t i = 0; i < p->nspots && !rc; i++)
		rc = add_spot(t, &places[i], costs + i * (size_t)t->where.nevents);
	for (size_t i = 0; i < p->narcs && !rc; i++)
		rc = add_arc(t, p, &p->arcs[i], &places[p->arcs[i].to], w, wanted);
	for (size_t i = 0; i < p->nlost && !rc; i++)
		rc = add_lost(&t->where, t->symbols, &p->lost[i]);
	return rc ? rc : data_table_add(t->data, p, places, w, wanted);
}

/* ---- the end ---- */

/* Keeps the text of the lines that tables may show. */
static void read_sources(const struct where *w, struct rows *lines, int event, size_t most)
{
	size_t *top = malloc((most + 1) * sizeof(*top));
	size_t n = top ? where_rank(w, lines->rows, lines->n, &event, 1, most, top) : 0;

	for (size_t i = 0; i < n; i++) {
		struct where_row *row = &lines->rows[top[i]];

		if (!row->source)
			row->source = source_line(row->file, row->line, row->object);
	}
	free(top);
}

void tables_set_apart(struct tables *t, int event, const char *why)
{
	t->where.apart[event] = why;
}

static void divide(int64_t *counts, int n)
{
	for (int e = 0; counts && e < n; e++)
		counts[e] /= WEIGHTS_SCALE;
}

static void divide_rows(struct rows *rows, int n)
{
	for (size_t i = 0; i < rows->n; i++) {
		divide(rows->rows[i].counts, n);
		divide(rows->rows[i].inclusive, n);
	}
}

void tables_set_halved(struct tables *t, int event)
{
	t->where.halved[event] = true;
}

const struct where *tables_end(struct tables *t, size_t most)
{
	struct where *w = &t->where;

	divide(w->sums, w->nevents);
	divide_rows(&t->functions, w->nevents);
	divide_rows(&t->lines, w->nevents);
	for (int e = 0; e < w->nevents; e++)
		read_sources(w, &t->lines, e, most);
	w->functions = t->functions.rows;
	w->nfunctions = t->functions.n;
	w->lines = t->lines.rows;
	w->nlines = t->lines.n;
	return data_table_end(t->data, w) ? NULL : w;
}

void tables_free(struct tables *t)
{
	if (!t)
		return;
	rows_free(&t->functions);
	rows_free(&t->lines);
	data_table_free(t->data);
	free(t->where.sums);
	free(t->where.apart);
	free(t->where.halved);
	free(t->where.lost);
	free(t);
}
