/* SPDX-License-Identifier: MIT */
/* Reads a profile from the JSON of a report: where_read(). The file may be anybody's: lists of
 * another length than the events', numbers out of range, unknown words, and functions whose counts
 * do not add up to the profile's are refused by the member's name. Rows own their counts; texts
 * stay those of the JSON, which the profile holds. Entry points: where_read(),
 * where_saved_free(). */
#include "where_saved.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_reader.h"
#include "where.h"

#define OFFSET_MAX 4096		/* in a cache line */
#define COUNT_MAX 9e18

struct where_reading {
	const struct measurement *m;
	struct where *w;
	int *column;		/* of the profile's events: that of the measurement */
	size_t n;		/* the profile's events: w->nevents */
	const char *wrong;
};

static int where_fault(struct where_reading *r, const char *member)
{
	r->wrong = member;
	return -EINVAL;
}

/* ---- values ---- */

static bool as_count(struct json_object *o, int64_t *out)
{
	const double x = o ? json_object_get_double(o) : NAN;

	if (!json_object_is_type(o, json_type_int) && !json_object_is_type(o, json_type_double))
		return false;
	if (!(fabs(x) < COUNT_MAX))
		return false;
	*out = json_object_is_type(o, json_type_int) ? json_object_get_int64(o) : (int64_t)x;
	return true;
}

/* A number that is not less than 0. */
static bool as_number(struct json_object *o, const char *key, uint64_t *out)
{
	int64_t x;

	if (!as_count(json_object_object_get(o, key), &x) || x < 0)
		return false;
	*out = (uint64_t)x;
	return true;
}

/* Without a line the member is null. */
static bool as_line(struct json_object *o, int *out)
{
	struct json_object *line = json_object_object_get(o, "line");
	int64_t x = 0;

	if (line && (!as_count(line, &x) || x < 1 || x > INT_MAX))
		return false;
	*out = (int)x;
	return true;
}

static bool is_one_of(const char *word, const char *const *words)
{
	while (*words && strcmp(word, *words) != 0)
		words++;
	return *words;
}

static bool is_storage(const char *word)
{
	static const char *const words[] = { "global", "heap", "mmap", "stack", "unknown", NULL };

	return is_one_of(word, words);
}

static int read_counts(struct where_reading *r, struct json_object *row, const char *key,
		       int64_t **out)
{
	struct json_object *list = json_member_list(row, key);

	if (json_list_length(list) != r->n)
		return where_fault(r, "a list of profile's counts");
	*out = calloc(r->n, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	for (size_t e = 0; e < r->n; e++)
		if (!as_count(json_object_array_get_idx(list, e), &(*out)[r->column[e]]))
			return where_fault(r, "a list of profile's counts");
	return 0;
}

/* ---- events ---- */

static int column_of(const struct measurement *m, const char *name)
{
	if (!strcmp(name, WHERE_INSTRUCTIONS))
		return m->nevents;
	for (int e = 0; e < m->nevents; e++)
		if (!strcmp(m->events[e].name, name))
			return e;
	return -1;
}

static int read_event(struct where_reading *r, struct json_object *o, bool *found, int *column)
{
	struct json_object *profiled = json_object_object_get(o, "profiled");
	const int e = column_of(r->m, json_member_text(o, "name"));
	const char *why = json_member_text(o, "reason");

	if (e < 0 || found[e])
		return where_fault(r, "profile.events");
	found[e] = true;
	*column = e;
	r->w->halved[e] = json_member_bool(o, "halved");
	if (!profiled)
		r->w->apart[e] = *why ? why : WHERE_TIME;
	else if (!as_count(profiled, &r->w->sums[e]))
		return where_fault(r, "profile.events[].profiled");
	return 0;
}

/* The report's events and instructions, each once, in any order. */
static int read_columns(struct where_reading *r, struct json_object *list)
{
	bool *found = calloc(r->n, sizeof(*found));
	int rc = found ? 0 : -ENOMEM;

	if (!rc && json_list_length(list) != r->n)
		rc = where_fault(r, "profile.events");
	for (size_t i = 0; i < r->n && !rc; i++) {
		struct json_object *o = json_object_array_get_idx(list, i);

		rc = json_object_is_type(o, json_type_object) ?
		     read_event(r, o, found, &r->column[i]) : where_fault(r, "profile.events");
	}
	free(found);
	return rc;
}

/* ---- rows ---- */

static int read_row(struct where_reading *r, struct json_object *o, bool is_line,
		    struct where_row *row)
{
	const char *source = json_member_text(o, "source");
	int rc;

	*row = (struct where_row){ .function = json_member_text(o, "function"),
				   .object = json_member_text(o, "object"),
				   .file = json_member_text(o, "file") };
	if (!json_object_is_type(o, json_type_object) || !as_line(o, &row->line) ||
	    (is_line && (!*row->file || !row->line)))
		return where_fault(r, is_line ? "profile.lines" : "profile.functions");
	if (is_line && *source)
		row->source = (char *)(uintptr_t)source;
	rc = read_counts(r, o, "counts", &row->counts);
	if (rc || is_line || !json_object_object_get_ex(o, "inclusive", NULL))
		return rc;
	return as_number(o, "calls", &row->calls) ?
	       read_counts(r, o, "inclusive", &row->inclusive) :
	       where_fault(r, "profile.functions[].calls");
}

static int read_rows(struct where_reading *r, struct json_object *list, bool are_lines,
		     struct where_row **rows, size_t *n)
{
	const size_t all = json_list_length(list);
	int rc = 0;

	*rows = calloc(all + 1, sizeof(**rows));
	if (!*rows)
		return -ENOMEM;
	while (!rc && *n < all) {
		rc = read_row(r, json_object_array_get_idx(list, *n), are_lines, &(*rows)[*n]);
		++*n;
	}
	return rc;
}

/* Counts of one of two boxes are rounded in each row. */
static int check_sums(struct where_reading *r)
{
	const struct where *w = r->w;

	for (int e = 0; e < w->nevents; e++) {
		int64_t sum = 0;

		for (size_t i = 0; i < w->nfunctions; i++)
			if (__builtin_add_overflow(sum, w->functions[i].counts[e], &sum))
				return where_fault(r, "profile.functions[].counts");
		if (!w->apart[e] && !w->halved[e] && sum != w->sums[e])
			return where_fault(r, "profile: the counts of its functions do not add up "
					   "to 'profiled'");
	}
	return 0;
}

static int read_data(struct where_reading *r, struct json_object *list)
{
	const size_t all = json_list_length(list);
	int rc = 0;

	r->w->data = calloc(all + 1, sizeof(*r->w->data));
	if (!r->w->data)
		return -ENOMEM;
	while (!rc && r->w->ndata < all) {
		struct json_object *o = json_object_array_get_idx(list, r->w->ndata);
		struct where_data *d = &r->w->data[r->w->ndata++];

		d->storage = json_member_text(o, "storage");
		d->name = json_member_text(o, "name");
		d->file = json_member_text(o, "file");
		if (!json_object_is_type(o, json_type_object) || !is_storage(d->storage) ||
		    !as_line(o, &d->line) || !as_number(o, "bytes", &d->bytes) ||
		    !as_number(o, "blocks", &d->times))
			rc = where_fault(r, "profile.data");
		else
			rc = read_counts(r, o, "counts", &d->counts);
	}
	return rc;
}

/* ---- lines that threads contend for ---- */

static bool read_side(struct json_object *o, struct where_side *s)
{
	static const char *const accesses[] = { "load", "store", NULL };
	const int thread = json_member_int(o, "thread", -1);
	const char *storage = json_member_text(o, "storage");

	*s = (struct where_side){
		.function = json_member_text(o, "function"), .file = json_member_text(o, "file"),
		.offset = json_member_int(o, "offset", -1),
		.access = json_member_text(o, "access"), .data = json_member_text(o, "data"),
		.storage = storage,
		.data_file = json_member_text(o, "data_file"),
		.data_line = json_member_int(o, "data_line", 0),
	};
	if (thread < 0 || s->offset < 0 || s->offset >= OFFSET_MAX || s->data_line < 0)
		return false;
	s->thread = (unsigned int)thread;
	if (!*storage && *s->data)
		s->storage = "global";	/* a report of an older version */
	return is_one_of(s->access, accesses) && (is_storage(s->storage) || !*s->data) &&
	       as_line(o, &s->line) && as_number(o, "data_offset", &s->data_offset) &&
	       as_number(o, "times", &s->times);
}

static bool read_address(struct json_object *o, uint64_t *out)
{
	const char *text = json_member_text(o, "address");
	char *end;

	if (strncmp(text, "0x", 2) != 0 || strspn(text + 2, "0123456789abcdef") != strlen(text + 2))
		return false;
	errno = 0;
	*out = strtoull(text, &end, 16);
	return text[2] && !errno;
}

/* The requesting sides come first. */
static int read_sides(struct where_reading *r, struct json_object *list,
		      struct where_contended *c)
{
	const size_t all = json_list_length(list);

	c->sides = calloc(all + 1, sizeof(*c->sides));
	if (!c->sides)
		return -ENOMEM;
	while (c->nsides < all) {
		struct json_object *o = json_object_array_get_idx(list, c->nsides);
		const bool asked = json_member_bool(o, "asked");

		if (!json_object_is_type(o, json_type_object) ||
		    (asked && c->nasked < c->nsides) || !read_side(o, &c->sides[c->nsides]))
			return where_fault(r, "profile.contended[].sides");
		c->nasked += asked;
		c->nsides++;
	}
	return 0;
}

static int read_contended(struct where_reading *r, struct json_object *list)
{
	const size_t all = json_list_length(list);
	int rc = 0;

	r->w->contended = calloc(all + 1, sizeof(*r->w->contended));
	if (!r->w->contended)
		return -ENOMEM;
	while (!rc && r->w->ncontended < all) {
		struct json_object *o = json_object_array_get_idx(list, r->w->ncontended);
		struct where_contended *c = &r->w->contended[r->w->ncontended++];

		rc = json_object_is_type(o, json_type_object) && read_address(o, &c->address) &&
		     as_number(o, "modified", &c->modified) &&
		     as_number(o, "unmodified", &c->hits) ?
		     read_sides(r, json_member_list(o, "sides"), c) :
		     where_fault(r, "profile.contended");
	}
	return rc;
}

static int read_lost(struct where_reading *r, struct json_object *list)
{
	const size_t all = json_list_length(list);

	r->w->lost = calloc(all + 1, sizeof(*r->w->lost));
	if (!r->w->lost)
		return -ENOMEM;
	while (r->w->nlost < all) {
		struct json_object *o = json_object_array_get_idx(list, r->w->nlost);
		struct where_lost *l = &r->w->lost[r->w->nlost++];

		l->what = json_member_text(o, "what");
		if (!json_object_is_type(o, json_type_object) || !*l->what ||
		    !as_number(o, "times", &l->n))
			return where_fault(r, "profile.lost");
	}
	return 0;
}

/* ---- the profile ---- */

static int read_profile(struct where_reading *r, struct json_object *profile)
{
	struct where *w = r->w;
	int rc;

	r->n = (size_t)r->m->nevents + 1;
	w->nevents = (int)r->n;
	w->processes = json_member_int(profile, "processes", -1);
	w->sums = calloc(r->n, sizeof(*w->sums));
	w->halved = calloc(r->n, sizeof(*w->halved));
	w->apart = calloc(r->n, sizeof(*w->apart));
	r->column = calloc(r->n, sizeof(*r->column));
	if (!w->sums || !w->halved || !w->apart || !r->column)
		return -ENOMEM;
	if (w->processes < 0)
		return where_fault(r, "profile.processes");
	rc = read_columns(r, json_member_list(profile, "events"));
	if (!rc)
		rc = read_rows(r, json_member_list(profile, "functions"), false, &w->functions,
			       &w->nfunctions);
	if (!rc)
		rc = read_rows(r, json_member_list(profile, "lines"), true, &w->lines, &w->nlines);
	if (!rc)
		rc = check_sums(r);
	if (!rc)
		rc = read_data(r, json_member_list(profile, "data"));
	if (!rc)
		rc = read_contended(r, json_member_list(profile, "contended"));
	return rc ? rc : read_lost(r, json_member_list(profile, "lost"));
}

int where_read(const struct saved *s, const struct measurement *m, struct where_saved **out,
	       const char **wrong)
{
	struct json_object *profile = json_object_object_get(s->root, "profile");
	struct where_reading r = { .m = m };
	struct where_saved *w;
	int rc;

	*out = NULL;
	if (!profile)
		return 0;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->texts = json_object_get(profile);
	r.w = &w->where;
	rc = json_object_is_type(profile, json_type_object) ? read_profile(&r, profile) :
	     where_fault(&r, "profile");
	free(r.column);
	if (!rc) {
		*out = w;
		return 0;
	}
	*wrong = r.wrong;
	where_saved_free(w);
	return rc;
}

static void where_rows_free(struct where_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(rows[i].counts);
		free(rows[i].inclusive);
	}
	free(rows);
}

void where_saved_free(struct where_saved *w)
{
	if (!w)
		return;
	where_rows_free(w->where.functions, w->where.nfunctions);
	where_rows_free(w->where.lines, w->where.nlines);
	for (size_t i = 0; i < w->where.ndata; i++)
		free(w->where.data[i].counts);
	for (size_t i = 0; w->texts && i < w->where.ncontended; i++)
		free(w->where.contended[i].sides);
	free(w->where.data);
	free(w->where.contended);
	free(w->where.lost);
	free(w->where.sums);
	free(w->where.halved);
	free(w->where.apart);
	json_object_put(w->texts);
	free(w);
}
