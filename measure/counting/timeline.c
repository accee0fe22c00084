/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "watch.h"

static bool make_room(struct timeline *t, size_t nparts)
{
	size_t room = t->room ? 2 * t->room : 64;
	struct count *counts;
	uint64_t *ends;

	if (t->n < t->room)
		return true;
	ends = realloc(t->end_ns, room * sizeof(*ends));
	if (ends)
		t->end_ns = ends;
	counts = ends ? realloc(t->counts, room * (nparts + 1) * sizeof(*counts)) : NULL;
	if (!counts)
		return false;
	t->counts = counts;
	t->room = room;
	return true;
}

void timeline_append(struct timeline *t, uint64_t end, int nparts, const struct count *counts)
{
	if (t->cut || !make_room(t, (size_t)nparts)) {
		t->cut = true;
		return;
	}
	memcpy(t->counts + t->n * (size_t)nparts, counts, (size_t)nparts * sizeof(*counts));
	t->end_ns[t->n++] = end;
}

/* Intervals begin with the watcher, a moment before the program: readings until then belong to the
 * program's first interval. */
static void drop_early(struct timeline *t, uint64_t began, size_t nparts)
{
	size_t early = 0;

	while (early < t->n && t->end_ns[early] <= began)
		early++;
	if (!early)
		return;
	t->n -= early;
	memmove(t->end_ns, t->end_ns + early, t->n * sizeof(*t->end_ns));
	memmove(t->counts, t->counts + early * nparts, t->n * nparts * sizeof(*t->counts));
}

/* A reading after the program's end has no interval of its own. */
void timeline_end(struct timeline *t, uint64_t began, uint64_t ns, int nparts,
		  const struct count *counts)
{
	drop_early(t, began, (size_t)nparts);
	while (t->n && t->end_ns[t->n - 1] >= began + ns)
		t->n--;
	for (size_t i = 0; i < t->n; i++)
		t->end_ns[i] -= began;
	if (!make_room(t, (size_t)nparts)) {
		t->cut = true;
		if (!t->n)
			return;
		t->n--;
	}
	memcpy(t->counts + t->n * (size_t)nparts, counts, (size_t)nparts * sizeof(*counts));
	t->end_ns[t->n++] = ns;
}

void timeline_rebase(struct timeline *t, int nparts, const struct count *base)
{
	for (size_t i = 0; i < t->n * (size_t)nparts; i++) {
		const struct count *from = &base[i % (size_t)nparts];

		t->counts[i].known &= from->known;
		t->counts[i].value -= from->value;
	}
}

void timeline_free(struct timeline *t)
{
	free(t->end_ns);
	free(t->counts);
	*t = (struct timeline){ 0 };
}
