/* SPDX-License-Identifier: MIT */
/* Adds up the profiles of a job's nodes: where_join(). Lists are put behind each other and sorted,
 * and rows of one key become one. A function's key is its name and its source's file and line, or
 * without a source the file of its code. Contended lines stay apart, because an address is of one
 * process. Texts and sides stay those of the profiles that are joined. */
#include "where_saved.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "where.h"

static bool overflows(int64_t *to, const int64_t *from, int n)
{
	bool bad = false;

	for (int e = 0; from && e < n; e++)
		bad |= __builtin_add_overflow(to[e], from[e], &to[e]);
	return bad;
}

static int64_t *copy_counts(const int64_t *from, int n)
{
	int64_t *to = calloc((size_t)n, sizeof(*to));

	return to ? memcpy(to, from, (size_t)n * sizeof(*to)) : NULL;
}

/* ---- functions and lines ---- */

static int by_place(const void *a, const void *b)
{
	const struct where_row *x = a, *y = b;
	int way = strcmp(x->file, y->file);

	if (!way)
		way = (x->line > y->line) - (x->line < y->line);
	if (!way)
		way = strcmp(x->function, y->function);
	return way || *x->file ? way : strcmp(x->object, y->object);
}

/* 1: another row. */
static int add_row(struct where_row *to, const struct where_row *from, int nevents)
{
	if (by_place(to, from))
		return 1;
	if (from->inclusive && !to->inclusive &&
	    !(to->inclusive = calloc((size_t)nevents, sizeof(*to->inclusive))))
		return -ENOMEM;
	if (!to->source)
		to->source = from->source;
	return overflows(to->counts, from->counts, nevents) ||
	       overflows(to->inclusive, from->inclusive, nevents) ||
	       __builtin_add_overflow(to->calls, from->calls, &to->calls) ? -EOVERFLOW : 0;
}

static int append_row(struct where_row *to, const struct where_row *from, int nevents)
{
	*to = *from;
	to->counts = copy_counts(from->counts, nevents);
	to->inclusive = from->inclusive ? copy_counts(from->inclusive, nevents) : NULL;
	return to->counts && (to->inclusive || !from->inclusive) ? 0 : -ENOMEM;
}

/* list: n rows of all profiles, which stay theirs. */
static int fold_rows(struct where_row *list, size_t n, int nevents, struct where_row *out,
		     size_t *nout)
{
	int rc = 0;

	if (n)
		qsort(list, n, sizeof(*list), by_place);
	for (size_t i = 0; i < n && !rc; i++) {
		rc = *nout ? add_row(&out[*nout - 1], &list[i], nevents) : 1;
		if (rc == 1)
			rc = append_row(&out[(*nout)++], &list[i], nevents);
	}
	return rc;
}

static int join_rows(const struct where_saved *const *w, int n, bool are_lines, struct where *out)
{
	struct where_row *list, *rows;
	size_t all = 0, at = 0;
	int rc;

	for (int i = 0; i < n; i++)
		all += are_lines ? w[i]->where.nlines : w[i]->where.nfunctions;
	list = calloc(all + 1, sizeof(*list));
	rows = calloc(all + 1, sizeof(*rows));
	*(are_lines ? &out->lines : &out->functions) = rows;
	for (int i = 0; list && i < n; i++) {
		const struct where *from = &w[i]->where;
		const size_t some = are_lines ? from->nlines : from->nfunctions;

		memcpy(list + at, are_lines ? from->lines : from->functions, some * sizeof(*list));
		at += some;
	}
	rc = list && rows ? fold_rows(list, all, out->nevents, rows, are_lines ? &out->nlines :
				      &out->nfunctions) : -ENOMEM;
	free(list);
	return rc;
}

/* ---- data ---- */

static int by_data(const void *a, const void *b)
{
	const struct where_data *x = a, *y = b;
	int way = strcmp(x->storage, y->storage);

	if (!way)
		way = strcmp(x->name, y->name);
	if (!way)
		way = strcmp(x->file, y->file);
	return way ? way : (x->line > y->line) - (x->line < y->line);
}

/* A variable has one size; bytes of allocations are those of all. */
static int add_data(struct where_data *to, const struct where_data *from, int nevents)
{
	if (by_data(to, from))
		return 1;
	if (!to->times && !from->times)
		to->bytes = from->bytes > to->bytes ? from->bytes : to->bytes;
	else if (__builtin_add_overflow(to->bytes, from->bytes, &to->bytes) ||
		 __builtin_add_overflow(to->times, from->times, &to->times))
		return -EOVERFLOW;
	return overflows(to->counts, from->counts, nevents) ? -EOVERFLOW : 0;
}

static int fold_data(struct where_data *list, size_t n, struct where *out)
{
	int rc = 0;

	if (n)
		qsort(list, n, sizeof(*list), by_data);
	for (size_t i = 0; i < n && !rc; i++) {
		rc = out->ndata ? add_data(&out->data[out->ndata - 1], &list[i], out->nevents) : 1;
		if (rc != 1)
			continue;
		out->data[out->ndata] = list[i];
		out->data[out->ndata].counts = copy_counts(list[i].counts, out->nevents);
		rc = out->data[out->ndata++].counts ? 0 : -ENOMEM;
	}
	return rc;
}

static int join_data(const struct where_saved *const *w, int n, struct where *out)
{
	struct where_data *list;
	size_t all = 0, at = 0;
	int rc;

	for (int i = 0; i < n; i++)
		all += w[i]->where.ndata;
	list = calloc(all + 1, sizeof(*list));
	out->data = calloc(all + 1, sizeof(*out->data));
	for (int i = 0; list && i < n; i++) {
		memcpy(list + at, w[i]->where.data, w[i]->where.ndata * sizeof(*list));
		at += w[i]->where.ndata;
	}
	rc = list && out->data ? fold_data(list, all, out) : -ENOMEM;
	free(list);
	return rc;
}

/* ---- what is not added up by row ---- */

static int by_snoops(const void *a, const void *b)
{
	const struct where_contended *x = a, *y = b;
	const uint64_t m = x->modified + x->hits, n = y->modified + y->hits;

	return m != n ? m > n ? -1 : 1 : (x->address > y->address) - (x->address < y->address);
}

static int join_contended(const struct where_saved *const *w, int n, struct where *out)
{
	size_t all = 0;

	for (int i = 0; i < n; i++)
		all += w[i]->where.ncontended;
	out->contended = calloc(all + 1, sizeof(*out->contended));
	if (!out->contended)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		memcpy(out->contended + out->ncontended, w[i]->where.contended,
		       w[i]->where.ncontended * sizeof(*out->contended));
		out->ncontended += w[i]->where.ncontended;
	}
	if (all)
		qsort(out->contended, all, sizeof(*out->contended), by_snoops);
	return 0;
}

static int add_lost(struct where *out, const struct where_lost *lost)
{
	size_t i = 0;

	while (i < out->nlost && strcmp(out->lost[i].what, lost->what) != 0)
		i++;
	if (i == out->nlost)
		out->lost[out->nlost++] = (struct where_lost){ lost->what, 0 };
	return __builtin_add_overflow(out->lost[i].n, lost->n, &out->lost[i].n) ? -EOVERFLOW : 0;
}

static int join_lost(const struct where_saved *const *w, int n, struct where *out)
{
	size_t all = 0;
	int rc = 0;

	for (int i = 0; i < n; i++)
		all += w[i]->where.nlost;
	out->lost = calloc(all + 1, sizeof(*out->lost));
	if (!out->lost)
		return -ENOMEM;
	for (int i = 0; i < n; i++)
		for (size_t k = 0; k < w[i]->where.nlost && !rc; k++)
			rc = add_lost(out, &w[i]->where.lost[k]);
	return rc;
}

/* An event that one node has no profile of has none. */
static int join_events(const struct where_saved *const *w, int n, struct where *out)
{
	const size_t events = (size_t)out->nevents;

	out->sums = calloc(events, sizeof(*out->sums));
	out->halved = calloc(events, sizeof(*out->halved));
	out->apart = calloc(events, sizeof(*out->apart));
	if (!out->sums || !out->halved || !out->apart)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		for (size_t e = 0; e < events; e++) {
			out->halved[e] |= w[i]->where.halved[e];
			if (!out->apart[e])
				out->apart[e] = w[i]->where.apart[e];
		}
		if (overflows(out->sums, w[i]->where.sums, out->nevents) ||
		    __builtin_add_overflow(out->processes, w[i]->where.processes,
					   &out->processes))
			return -EOVERFLOW;
	}
	return 0;
}

int where_join(const struct where_saved *const *w, int n, struct where_saved **out)
{
	struct where_saved *all = calloc(1, sizeof(*all));
	int rc;

	*out = NULL;
	if (!all)
		return -ENOMEM;
	all->where.nevents = w[0]->where.nevents;
	rc = join_events(w, n, &all->where);
	if (!rc)
		rc = join_rows(w, n, false, &all->where);
	if (!rc)
		rc = join_rows(w, n, true, &all->where);
	if (!rc)
		rc = join_data(w, n, &all->where);
	if (!rc)
		rc = join_contended(w, n, &all->where);
	if (!rc)
		rc = join_lost(w, n, &all->where);
	if (rc)
		where_saved_free(all);
	else
		*out = all;
	return rc;
}
