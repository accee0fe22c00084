/* SPDX-License-Identifier: MIT */
/* Orders tables by importance: where_rank(). A row's rank is the sum of its shares of several
 * events, so rows that cause most of any event come first. */
#include "where.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ranked {
	double rank;
	size_t row;
	const char *text;
	int line;
};

static double rank_of(const struct where *w, const int64_t *counts, const int *events, int n)
{
	double rank = 0;

	for (int i = 0; i < n; i++)
		if (w->sums[events[i]])
			rank += (double)counts[events[i]] / (double)w->sums[events[i]];
	return rank;
}

/* Equal ranks have an order that does not depend on addresses. */
static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int way;

	if (x->rank > y->rank || x->rank < y->rank)
		return x->rank > y->rank ? -1 : 1;
	way = strcmp(x->text, y->text);
	if (!way)
		way = (x->line > y->line) - (x->line < y->line);
	return way ? way : (x->row > y->row) - (x->row < y->row);
}

static size_t take(struct ranked *list, size_t n, size_t most, size_t *out)
{
	qsort(list, n, sizeof(*list), by_rank);
	n = n < most ? n : most;
	for (size_t i = 0; i < n; i++)
		out[i] = list[i].row;
	free(list);
	return n;
}

size_t where_rank(const struct where *w, const struct where_row *rows, size_t n,
		  const int *events, int nevents, size_t most, size_t *out)
{
	struct ranked *list = malloc((n + 1) * sizeof(*list));
	size_t found = 0;

	for (size_t i = 0; list && i < n; i++) {
		list[found] = (struct ranked){ rank_of(w, rows[i].counts, events, nevents), i,
					       rows[i].function, rows[i].line };
		found += list[found].rank > 0;
	}
	return list ? take(list, found, most, out) : 0;
}

size_t where_rank_data(const struct where *w, const int *events, int nevents, size_t most,
		       size_t *out)
{
	struct ranked *list = malloc((w->ndata + 1) * sizeof(*list));
	size_t found = 0;

	for (size_t i = 0; list && i < w->ndata; i++) {
		list[found] = (struct ranked){ rank_of(w, w->data[i].counts, events, nevents), i,
					       w->data[i].name, w->data[i].line };
		found += list[found].rank > 0;
	}
	return list ? take(list, found, most, out) : 0;
}

/* ---- places ---- */

const char *where_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void where_place(const char *file, int line, bool whole_path, char out[WHERE_PLACE_MAX])
{
	const char *name = whole_path ? file : where_file_name(file);

	out[0] = '\0';
	if (*file && line)
		snprintf(out, WHERE_PLACE_MAX, "%.255s:%d", name, line);
	else if (*file)
		snprintf(out, WHERE_PLACE_MAX, "%.255s", name);
}
