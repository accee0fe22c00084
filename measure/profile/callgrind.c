/* SPDX-License-Identifier: MIT */
/* Writes Callgrind's format: callgrind_write(). Costs stand by function, in the order of addresses.
 * Behind the line of a call stands what happened until it returned. Names are written once and have
 * a number then; files, functions and objects have numbers of their own. */
#include "callgrind.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 8192

/* Numbers of names, which symbols_text() has made unique. */
struct names {
	struct names_one {
		const char *text;
		struct names_one *next;
		unsigned int number;
	} *buckets[BUCKETS];
	unsigned int n;
};

struct callgrind {
	FILE *f;
	const struct profile *p;
	const struct place *places;
	const int64_t *costs;
	const struct weights *w;
	const char *const *events;
	struct names objects, files, functions;
	uint32_t *order, *calls;	/* spots; arcs by their call */
	bool no_memory;
};

/* ---- names ---- */

static void names_free(struct names *names)
{
	for (int i = 0; i < BUCKETS; i++)
		for (struct names_one *one = names->buckets[i], *next; one; one = next) {
			next = one->next;
			free(one);
		}
}

static void put_name(struct callgrind *c, struct names *names, const char *key, const char *text)
{
	struct names_one **bucket = &names->buckets[((uintptr_t)text >> 4) % BUCKETS], *one;

	for (one = *bucket; one; one = one->next)
		if (one->text == text) {
			fprintf(c->f, "%s=(%u)\n", key, one->number);
			return;
		}
	one = malloc(sizeof(*one));
	if (!one) {
		c->no_memory = true;
		return;
	}
	*one = (struct names_one){ text, *bucket, ++names->n };
	*bucket = one;
	fprintf(c->f, "%s=(%u) ", key, one->number);
	for (const char *p = *text ? text : "???"; *p; p++)
		fputc((unsigned char)*p < ' ' ? '?' : *p, c->f);
	fputc('\n', c->f);
}

/* ---- costs ---- */

static int64_t whole(int64_t cost)
{
	return cost / WEIGHTS_SCALE;
}

static void put_costs(struct callgrind *c, const int64_t *costs)
{
	int last = c->w->nevents;

	while (last && (!c->events[last - 1] || !whole(costs[last - 1])))
		last--;
	for (int i = 0; i < last; i++)
		if (c->events[i])
			fprintf(c->f, " %" PRId64, whole(costs[i]));
	fputs(last ? "\n" : " 0\n", c->f);
}

static void put_position(struct callgrind *c, const struct place *at)
{
	fprintf(c->f, "0x%" PRIx64 " %d", at->address, at->line);
}

static void put_call(struct callgrind *c, const struct profile_arc *arc)
{
	const struct place *from = &c->places[arc->from], *to = &c->places[arc->to];
	const size_t n = (size_t)c->w->nevents;
	int64_t *costs = calloc(n + 1, sizeof(*costs));

	if (!costs) {
		c->no_memory = true;
		return;
	}
	for (uint32_t i = arc->first; i < arc->first + arc->n; i++) {
		const struct profile_cell *cell = &c->p->arc_cells[i];
		const int64_t *row = weights_of(c->w, c->p, cell->kind);

		for (size_t e = 0; row && e < n; e++)
			costs[e] += row[e] * cell->count;
	}
	put_name(c, &c->objects, "cob", to->object);
	put_name(c, &c->files, "cfi", to->home);
	put_name(c, &c->functions, "cfn", to->function);
	fprintf(c->f, "calls=%" PRIu64 " 0x%" PRIx64 " %d\n", arc->calls, to->address, to->line);
	put_position(c, from);
	put_costs(c, costs);
	free(costs);
}

/* ---- order ---- */

static int by_place(const void *a, const void *b, void *arg)
{
	const struct place *places = arg, *x = &places[*(const uint32_t *)a],
			   *y = &places[*(const uint32_t *)b];
	int way = strcmp(x->object, y->object);

	if (!way)
		way = strcmp(x->home, y->home);
	if (!way)
		way = strcmp(x->function, y->function);
	return way ? way : x->address < y->address ? -1 : x->address > y->address;
}

static int by_call(const void *a, const void *b, void *arg)
{
	const struct profile_arc *arcs = arg, *x = &arcs[*(const uint32_t *)a],
				 *y = &arcs[*(const uint32_t *)b];

	return x->from < y->from ? -1 : x->from > y->from;
}

/* The first of the arcs, by their call, that begins at the spot or behind it. */
static size_t first_call(const struct callgrind *c, uint32_t spot)
{
	size_t low = 0, high = c->p->narcs;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->p->arcs[c->calls[middle]].from < spot)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- the file ---- */

static void put_head(struct callgrind *c)
{
	const size_t n = (size_t)c->w->nevents;

	fprintf(c->f, "# callgrind format\nversion: 1\ncreator: ipmu-run " IPMU_VERSION "\n"
		"pid: %ld\ncmd: ", c->p->pid);
	for (const char *p = c->p->program ? c->p->program : ""; *p; p++)
		fputc((unsigned char)*p < ' ' ? '?' : *p, c->f);
	fputs("\npart: 1\n\npositions: instr line\nevents:", c->f);
	for (size_t e = 0; e < n; e++)
		if (c->events[e])
			fprintf(c->f, " %s", c->events[e]);
	fputs("\nsummary:", c->f);
	for (size_t e = 0; e < n; e++) {
		int64_t sum = 0;

		for (size_t i = 0; c->events[e] && i < c->p->nspots; i++)
			sum += whole(c->costs[i * n + e]);
		if (c->events[e])
			fprintf(c->f, " %" PRId64, sum);
	}
	fputs("\n\n", c->f);
}

static bool is_idle(const struct callgrind *c, uint32_t spot)
{
	for (int e = 0; e < c->w->nevents; e++)
		if (c->events[e] && c->costs[spot * (size_t)c->w->nevents + (size_t)e])
			return false;
	return true;
}

static bool same_function(const struct place *a, const struct place *b)
{
	return a && a->object == b->object && a->home == b->home && a->function == b->function;
}

static void put_function(struct callgrind *c, const struct place *at)
{
	put_name(c, &c->objects, "ob", at->object);
	put_name(c, &c->files, "fl", at->home);
	put_name(c, &c->functions, "fn", at->function);
}

static void put_spots(struct callgrind *c)
{
	const struct place *before = NULL;
	const char *file = NULL;

	for (size_t i = 0; i < c->p->nspots; i++) {
		const uint32_t spot = c->order[i];
		const struct place *at = &c->places[spot];
		size_t call = first_call(c, spot);
		const bool calls = call < c->p->narcs && c->p->arcs[c->calls[call]].from == spot;

		if (is_idle(c, spot) && !calls)
			continue;
		if (!same_function(before, at)) {
			put_function(c, at);
			file = at->home;
			before = at;
		}
		if (at->file != file) {
			put_name(c, &c->files, at->file == at->home ? "fe" : "fi", at->file);
			file = at->file;
		}
		put_position(c, at);
		put_costs(c, c->costs + spot * (size_t)c->w->nevents);
		for (; call < c->p->narcs && c->p->arcs[c->calls[call]].from == spot; call++)
			put_call(c, &c->p->arcs[c->calls[call]]);
	}
}

int callgrind_write(FILE *f, const struct profile *p, const struct place *places,
		    const int64_t *costs, const struct weights *w, const char *const *events)
{
	struct callgrind *c = calloc(1, sizeof(*c));
	int rc = -ENOMEM;

	if (!c)
		return rc;
	*c = (struct callgrind){ .f = f, .p = p, .places = places, .costs = costs, .w = w,
				 .events = events };
	c->order = malloc((p->nspots + 1) * sizeof(*c->order));
	c->calls = malloc((p->narcs + 1) * sizeof(*c->calls));
	if (c->order && c->calls) {
		for (size_t i = 0; i < p->nspots; i++)
			c->order[i] = (uint32_t)i;
		for (size_t i = 0; i < p->narcs; i++)
			c->calls[i] = (uint32_t)i;
		qsort_r(c->order, p->nspots, sizeof(*c->order), by_place,
			(void *)(uintptr_t)places);
		qsort_r(c->calls, p->narcs, sizeof(*c->calls), by_call, p->arcs);
		put_head(c);
		put_spots(c);
		rc = c->no_memory ? -ENOMEM : fflush(f) || ferror(f) ? -EIO : 0;
	}
	names_free(&c->objects);
	names_free(&c->files);
	names_free(&c->functions);
	free(c->order);
	free(c->calls);
	free(c);
	return rc;
}
