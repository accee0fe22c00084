/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "../model/kinds.h"
#include "profile_text.h"

const void *vpmu_profile_text_at(const struct vpmu_profile_text *t, uint32_t ref, size_t bytes)
{
	uint64_t at = (uint64_t)ref * 8;

	return ref && at < t->used && bytes <= t->used - at ? t->base + at : NULL;
}

uint32_t vpmu_profile_text_next(const struct vpmu_profile_text *t, uint32_t ref)
{
	const uint32_t *next = vpmu_profile_text_at(t, ref, sizeof(*next));

	/* Newer records are behind older ones: no list can be a circle. */
	return next && *next < ref ? *next : 0;
}

static void sum_pattern(const struct vpmu_profile_pattern *p, uint64_t times, uint64_t counts[])
{
	for (uint32_t i = 0; p && i < p->count; i++)
		if (p->what[i].kind < VPMU_KINDS)
			counts[p->what[i].kind] += p->what[i].times * times;
}

void vpmu_profile_text_sum(const struct vpmu_profile_text *t, uint32_t cells, uint64_t counts[])
{
	const struct vpmu_profile_cell *c;

	for (; (c = vpmu_profile_text_at(t, cells, sizeof(*c)));
	     cells = vpmu_profile_text_next(t, cells))
		if (c->kind < VPMU_KINDS)
			counts[c->kind] += c->count;
		else if (c->kind - VPMU_KINDS < VPMU_PATTERNS_READ)
			sum_pattern(t->pattern[c->kind - VPMU_KINDS], c->count, counts);
}

int vpmu_profile_text_compare(const void *one, const void *other)
{
	const struct vpmu_text_cell *a = one, *b = other;

	if (a->map != b->map)
		return a->map < b->map ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

uint32_t vpmu_profile_text_note(const struct vpmu_profile_text *t, uint32_t ref)
{
	const struct vpmu_profile_note *n = vpmu_profile_text_at(t, ref, sizeof(*n));
	struct vpmu_text_cell like = { .kind = VPMU_TEXT_PLACE }, *c;

	if (!n)
		return 0;
	like.map = n->map;
	like.address = n->address;
	c = bsearch(&like, t->cell, t->cell_count, sizeof(like), vpmu_profile_text_compare);
	return c ? c->note : 0;
}
