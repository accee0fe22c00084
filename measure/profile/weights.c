/* SPDX-License-Identifier: MIT */
#include "weights.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int64_t *weights_add(struct weights *w, const char *kind)
{
	struct weights_kind *more = realloc(w->kinds, (w->nkinds + 1) * sizeof(*more));

	if (!more)
		return NULL;
	w->kinds = more;
	more += w->nkinds;
	*more = (struct weights_kind){ strdup(kind), calloc((size_t)w->nevents + 1,
							    sizeof(*more->of)) };
	if (more->name && more->of) {
		w->nkinds++;
		return more->of;
	}
	free(more->name);
	free(more->of);
	return NULL;
}

static int read_row(char *line, struct weights *out)
{
	char *rest = line, *name = strsep(&rest, " ");
	int64_t *row = weights_add(out, name);

	for (int i = 0; row && i < out->nevents; i++) {
		char *word = strsep(&rest, " "), *end;

		if (!word || !*word || strspn(word, "-0123456789") != strlen(word))
			return -EINVAL;
		row[i] = strtoll(word, &end, 10);
		if (*end)
			return -EINVAL;
	}
	return !row ? -ENOMEM : rest ? -EINVAL : 0;
}

int weights_read(FILE *from, int nevents, struct weights *out)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int rc = 0;

	*out = (struct weights){ .nevents = nevents };
	while (!rc && (n = getline(&line, &room, from)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		rc = read_row(line, out);
	}
	free(line);
	return rc;
}

void weights_write(FILE *to, const struct weights *w)
{
	for (size_t k = 0; k < w->nkinds; k++) {
		fputs(w->kinds[k].name, to);
		for (int i = 0; i < w->nevents; i++)
			fprintf(to, " %" PRId64, w->kinds[k].of[i]);
		fputc('\n', to);
	}
}

void weights_free(struct weights *w)
{
	for (size_t i = 0; i < w->nkinds; i++) {
		free(w->kinds[i].name);
		free(w->kinds[i].of);
	}
	free(w->kinds);
	*w = (struct weights){ .nkinds = 0 };
}

const int64_t *weights_row(const struct weights *w, const char *name)
{
	for (size_t i = 0; i < w->nkinds; i++)
		if (!strcmp(w->kinds[i].name, name))
			return w->kinds[i].of;
	return NULL;
}

const int64_t *weights_of(const struct weights *w, const struct profile *p, uint32_t kind)
{
	return weights_row(w, p->kinds[kind]);
}

int64_t *weights_costs(const struct weights *w, const struct profile *p, const bool *wanted)
{
	const size_t n = (size_t)w->nevents;
	int64_t *costs = calloc(p->nspots * n + 1, sizeof(*costs));
	const int64_t **rows = calloc(p->nkinds + 1, sizeof(*rows));

	for (uint32_t k = 0; costs && rows && k < p->nkinds; k++)
		rows[k] = p->kinds[k] ? weights_of(w, p, k) : NULL;
	for (size_t i = 0; costs && rows && i < p->ncells; i++) {
		const struct profile_cell *c = &p->cells[i];
		int64_t *to = costs + c->spot * n;

		for (size_t e = 0; rows[c->kind] && e < n; e++)
			if (wanted[e])
				to[e] += rows[c->kind][e] * c->count;
	}
	if (!rows) {
		free(costs);
		costs = NULL;
	}
	free(rows);
	return costs;
}
