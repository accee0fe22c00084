/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "phases.h"

static void phase_free(struct phase *p)
{
	free(p->counts);
	free(p->ns);
	free(p->calls);
	free(p->ranks);
	free(p->begin);
}

struct phase *phase_append(struct phase_list *l, const char *name, int nparts, int places)
{
	struct phase *more = realloc(l->phase, (size_t)(l->n + 1) * sizeof(*more)), *p;
	size_t all = (size_t)nparts * (size_t)places;

	if (!more)
		return NULL;
	l->phase = more;
	p = &more[l->n];
	*p = (struct phase){ .counts = calloc(all + 1, sizeof(*p->counts)),
			     .ns = calloc((size_t)places + 1, sizeof(*p->ns)),
			     .calls = calloc((size_t)places + 1, sizeof(*p->calls)),
			     .begin = calloc((size_t)nparts + 1, sizeof(*p->begin)) };
	if (!p->counts || !p->ns || !p->calls || !p->begin) {
		phase_free(p);
		return NULL;
	}
	snprintf(p->name, sizeof(p->name), "%s", name);
	for (size_t i = 0; i < all; i++)
		p->counts[i].known = true;
	l->n++;
	return p;
}

struct phase *phase_find(const struct phase_list *l, const char *name)
{
	for (int i = 0; i < l->n; i++)
		if (!strcmp(l->phase[i].name, name))
			return &l->phase[i];
	return NULL;
}

struct phase_rank *phase_rank_of(struct phase *p, int rank)
{
	struct phase_rank *more;

	for (int i = 0; i < p->nranks; i++)
		if (p->ranks[i].rank == rank)
			return &p->ranks[i];
	more = realloc(p->ranks, (size_t)(p->nranks + 1) * sizeof(*more));
	if (!more)
		return NULL;
	p->ranks = more;
	more[p->nranks] = (struct phase_rank){ .rank = rank };
	return &more[p->nranks++];
}

void phase_list_free(struct phase_list *l)
{
	for (int i = 0; i < l->n; i++)
		phase_free(&l->phase[i]);
	free(l->phase);
	*l = (struct phase_list){ .n = 0 };
}
