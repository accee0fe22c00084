/* SPDX-License-Identifier: MIT */
/* Makes the tables by data: data_table_add() for each process image. Blocks that one place of the
 * program allocates are one row, however many there are: that place is the innermost call outside
 * of the libraries that allocate for others. Accesses to a contended line stay apart, by
 * instruction, offset and thread. */
#include "data_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CONTENDED_MAX 1000

struct data_table {
	struct symbols *s;
	int nevents;
	struct where_data *rows;
	size_t n;
	struct where_contended *contended;
	size_t ncontended;
};

struct data_table *data_table_begin(struct symbols *s, int nevents)
{
	struct data_table *t = calloc(1, sizeof(*t));

	if (t) {
		t->s = s;
		t->nevents = nevents;
	}
	return t;
}

/* ---- objects ---- */

/* Libraries in which an allocation for the program ends. */
static bool is_runtime(const char *object)
{
	static const char *const names[] = { "libc.", "libc-", "libstdc++.", "libgfortran.",
					      "libgcc_s.", "libgomp.", "ld-linux" };
	const char *slash = strrchr(object, '/'), *name = slash ? slash + 1 : object;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Inlined parts of C++'s library stand in the program, but in files of the library. */
static bool is_library_source(const char *file)
{
	return strstr(file, "/include/c++/") != NULL;
}

/* NULL: no call is known. */
static const struct place *site_of(const struct profile *p, const struct profile_object *o,
				   const struct place *places)
{
	const struct place *first = NULL;

	for (uint32_t i = o->first; i < o->first + o->n; i++) {
		const struct place *at = &places[p->sites[i]];

		first = first ? first : at;
		if (!is_runtime(at->object) && !is_library_source(at->file))
			return at;
	}
	return first;
}

static const char *storage_name(enum profile_storage storage)
{
	static const char *const names[] = {
		[PROFILE_GLOBAL] = "global", [PROFILE_HEAP] = "heap", [PROFILE_MMAP] = "mmap",
		[PROFILE_STACK] = "stack", [PROFILE_UNKNOWN] = "unknown",
	};

	return names[storage];
}

/* A variable's name, or that of the function that allocates, or the number of a stack's thread.
 * Interned; NULL: no memory. */
static struct where_data describe(const struct data_table *t, const struct profile *p,
				  const struct profile_object *o, const struct place *places)
{
	const struct place *site = site_of(p, o, places);
	struct where_data row = { .storage = storage_name(o->storage), .name = "", .file = "" };
	char thread[32] = "";

	if (o->storage == PROFILE_STACK && o->name)
		snprintf(thread, sizeof(thread), "thread %.12s", o->name);
	row.name = *thread ? symbols_text(t->s, thread) : o->name ? symbols_name(t->s, o->name) :
		   symbols_text(t->s, site ? site->function : "");
	if (site) {
		row.file = site->file;
		row.line = site->line;
	}
	row.file = symbols_text(t->s, row.file);
	return row;
}

static struct where_data *row_find(struct data_table *t, const struct where_data *like)
{
	struct where_data *more;

	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].name == like->name && t->rows[i].file == like->file &&
		    t->rows[i].line == like->line && t->rows[i].storage == like->storage)
			return &t->rows[i];
	more = realloc(t->rows, (t->n + 1) * sizeof(*more));
	if (!more)
		return NULL;
	t->rows = more;
	more[t->n] = *like;
	more[t->n].counts = calloc((size_t)t->nevents + 1, sizeof(int64_t));
	return more[t->n].counts ? &more[t->n++] : NULL;
}

static int add_objects(struct data_table *t, const struct profile *p, const struct place *places,
		       const struct weights *w, const bool *wanted)
{
	size_t *rows = malloc((p->nobjects + 1) * sizeof(*rows));
	int rc = rows ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->nobjects && !rc; i++) {
		const struct profile_object *o = &p->objects[i];
		const struct where_data like = describe(t, p, o, places);
		struct where_data *row = like.name && like.file ? row_find(t, &like) : NULL;

		if (!row) {
			rc = -ENOMEM;
			continue;
		}
		rows[i] = (size_t)(row - t->rows);
		row->bytes += o->bytes ? o->bytes : o->end - o->start;
		row->times += o->times;
	}
	for (size_t i = 0; i < p->nobject_cells && !rc; i++) {
		const struct profile_object_cell *c = &p->object_cells[i];
		const int64_t *weight = weights_of(w, p, c->kind);

		for (int e = 0; weight && e < t->nevents; e++)
			if (wanted[e])
				t->rows[rows[c->object]].counts[e] += weight[e] * c->count;
	}
	free(rows);
	return rc;
}

/* ---- contended lines ---- */

static int describe_side(const struct data_table *t, const struct profile *p,
			 const struct place *places, const struct profile_sharing *s,
			 struct where_side *out)
{
	const struct place *at = &places[s->spot];
	const struct profile_object *o = s->object == PROFILE_NOWHERE ? NULL :
					 &p->objects[s->object];
	struct where_data data;

	*out = (struct where_side){ .function = at->function, .file = at->file, .line = at->line,
				    .offset = s->offset, .thread = s->thread,
				    .access = s->store ? "store" : "load", .data = "",
				    .storage = "", .data_file = "",
				    .times = s->count };
	if (!o || o->storage == PROFILE_UNKNOWN)
		return 0;
	data = describe(t, p, o, places);
	if (!data.name || !data.file)
		return -ENOMEM;
	out->data = *data.name ? data.name : data.storage;
	out->storage = data.storage;
	out->data_file = data.file;
	out->data_line = data.line;
	out->data_offset = s->object_offset;
	return 0;
}

static bool same_side(const struct where_side *a, const struct where_side *b)
{
	return a->function == b->function && a->file == b->file && a->line == b->line &&
	       a->offset == b->offset && a->thread == b->thread && a->access[0] == b->access[0];
}

static int add_side(struct where_contended *c, const struct where_side *side, bool other)
{
	const size_t first = other ? c->nasked : 0, end = other ? c->nsides : c->nasked;
	struct where_side *more;

	for (size_t i = first; i < end; i++)
		if (same_side(&c->sides[i], side)) {
			c->sides[i].times += side->times;
			return 0;
		}
	more = realloc(c->sides, (c->nsides + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	c->sides = more;
	if (!other) {
		memmove(more + c->nasked + 1, more + c->nasked,
			(c->nsides - c->nasked) * sizeof(*more));
		more[c->nasked++] = *side;
	} else {
		more[c->nsides] = *side;
	}
	c->nsides++;
	return 0;
}

/* A line of this process, which begins at `first`; NULL: no memory. */
static struct where_contended *line_find(struct data_table *t, size_t first, uint64_t address)
{
	struct where_contended *more;

	for (size_t i = first; i < t->ncontended; i++)
		if (t->contended[i].address == address)
			return &t->contended[i];
	more = realloc(t->contended, (t->ncontended + 1) * sizeof(*more));
	if (!more)
		return NULL;
	t->contended = more;
	more[t->ncontended] = (struct where_contended){ .address = address };
	return &more[t->ncontended++];
}

static int add_sharings(struct data_table *t, const struct profile *p, const struct place *places)
{
	const size_t first = t->ncontended;

	for (size_t i = 0; i < p->nsharings; i++) {
		const struct profile_sharing *s = &p->sharings[i];
		struct where_contended *c = line_find(t, first, s->line);
		struct where_side side;

		if (!c || describe_side(t, p, places, s, &side) || add_side(c, &side, s->other))
			return -ENOMEM;
		if (!s->other && strstr(p->kinds[s->kind], "HITM"))
			c->modified += s->count;
		else if (!s->other)
			c->hits += s->count;
	}
	return 0;
}

int data_table_add(struct data_table *t, const struct profile *p, const struct place *places,
		   const struct weights *w, const bool *wanted)
{
	int rc = add_objects(t, p, places, w, wanted);

	return rc ? rc : add_sharings(t, p, places);
}

/* ---- the end ---- */

static int by_heat(const void *a, const void *b)
{
	const struct where_contended *x = a, *y = b;
	uint64_t m = x->modified + x->hits, n = y->modified + y->hits;

	if (m != n)
		return m > n ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static int by_times(const void *a, const void *b)
{
	const struct where_side *x = a, *y = b;

	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	return x->offset != y->offset ? x->offset - y->offset : x->thread < y->thread ? -1 :
	       x->thread > y->thread;
}

static size_t drop_idle(const struct data_table *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++) {
		bool idle = true;

		for (int e = 0; e < t->nevents; e++) {
			t->rows[i].counts[e] /= WEIGHTS_SCALE;
			idle &= !t->rows[i].counts[e];
		}
		if (idle) {
			free(t->rows[i].counts);
			continue;
		}
		t->rows[kept++] = t->rows[i];
	}
	return kept;
}

static void sort_sides(struct where_contended *c)
{
	size_t others = c->nsides - c->nasked;

	if (c->nasked)
		qsort(c->sides, c->nasked, sizeof(*c->sides), by_times);
	if (others)
		qsort(c->sides + c->nasked, others, sizeof(*c->sides), by_times);
}

int data_table_end(struct data_table *t, struct where *out)
{
	t->n = drop_idle(t);
	if (t->ncontended)
		qsort(t->contended, t->ncontended, sizeof(*t->contended), by_heat);
	for (size_t i = 0; i < t->ncontended; i++)
		sort_sides(&t->contended[i]);
	out->data = t->rows;
	out->ndata = t->n;
	out->contended = t->contended;
	out->ncontended = t->ncontended < CONTENDED_MAX ? t->ncontended : CONTENDED_MAX;
	return 0;
}

void data_table_free(struct data_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++)
		free(t->rows[i].counts);
	for (size_t i = 0; i < t->ncontended; i++)
		free(t->contended[i].sides);
	free(t->rows);
	free(t->contended);
	free(t);
}
