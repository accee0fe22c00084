/* SPDX-License-Identifier: MIT */
/* Names the functions that explain a difference: explain(). A function is the same in both reports
 * if its name is, and the last part of its source's path; without a source, that of the program's.
 * Functions that differ most come first, until they make up EXPLAINED_SHARE of all that functions
 * differ by. Reports are files of anybody: members of another type count as none. */
#include "explained.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_reader.h"
#include "where.h"

#define UNCHANGED 0.0005	/* of the old count: 0.0 per cent in the headline */

/* ---- reading ---- */

static struct json_object *profile_of(const struct saved *s)
{
	return json_member(s->root, "profile", json_type_object);
}

/* The place of an event in the profile's lists; -1: it has no profile. */
static int column_of(const struct saved *s, const char *name)
{
	struct json_object *events = json_member_list(profile_of(s), "events");

	for (size_t i = 0; i < json_list_length(events); i++) {
		struct json_object *o = json_object_array_get_idx(events, i), *profiled = NULL;

		if (saved_same_event(json_member_text(o, "name"), name) &&
		    json_object_object_get_ex(o, "profiled", &profiled) && profiled)
			return (int)i;
	}
	return -1;
}

static double count_in(struct json_object *function, int column)
{
	struct json_object *list = json_member_list(function, "counts");
	double x = (size_t)column < json_list_length(list) ?
		   json_object_get_double(json_object_array_get_idx(list, (size_t)column)) : 0;

	return isfinite(x) ? x : 0;
}

static struct explained_function function_of(struct json_object *o)
{
	return (struct explained_function){
		.function = json_member_text(o, "function"), .file = json_member_text(o, "file"),
		.object = json_member_text(o, "object"), .line = json_member_int(o, "line", 0),
	};
}

/* ---- pairs ---- */

static int by_name(const void *a, const void *b)
{
	const struct explained_function *x = a, *y = b;
	int way = strcmp(x->function, y->function);

	if (way)
		return way;
	if (*x->file && *y->file)
		return strcmp(where_file_name(x->file), where_file_name(y->file));
	if (*x->file || *y->file)
		return *x->file ? 1 : -1;
	return strcmp(where_file_name(x->object), where_file_name(y->object));
}

/* Adds the functions of one report. */
static size_t take_side(struct explained_function *list, size_t n, const struct saved *s,
			int column, bool is_new)
{
	struct json_object *functions = json_member_list(profile_of(s), "functions");

	for (size_t i = 0; i < json_list_length(functions); i++) {
		struct json_object *o = json_object_array_get_idx(functions, i);
		struct explained_function f = function_of(o);

		*(is_new ? &f.new : &f.old) = count_in(o, column);
		*(is_new ? &f.has_new : &f.has_old) = true;
		list[n++] = f;
	}
	return n;
}

/* Functions of one name become one row. A place is that of the new report. */
static size_t join(struct explained_function *list, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(list, n, sizeof(*list), by_name);
	for (size_t i = 0; i < n; i++) {
		struct explained_function *last = kept ? &list[kept - 1] : NULL, f = list[i];

		if (!last || by_name(last, &f)) {
			list[kept++] = f;
			continue;
		}
		f.old += last->old;
		f.new += last->new;
		if (last->has_new && !f.has_new) {
			f.file = last->file;
			f.object = last->object;
			f.line = last->line;
		}
		f.has_old |= last->has_old;
		f.has_new |= last->has_new;
		*last = f;
	}
	return kept;
}

static int by_difference(const void *a, const void *b)
{
	const struct explained_function *x = a, *y = b;
	double m = fabs(x->new - x->old), n = fabs(y->new - y->old);

	return m > n ? -1 : m < n ? 1 : by_name(a, b);
}

static void choose_rows(struct explained *e, struct explained_function *list, size_t n)
{
	double all = 0, some = 0;

	for (size_t i = 0; i < n; i++)
		all += fabs(list[i].new - list[i].old);
	if (n)
		qsort(list, n, sizeof(*list), by_difference);
	for (size_t i = 0; i < n && e->n < EXPLAINED_ROWS && list[i].new != list[i].old &&
	     100 * some < EXPLAINED_SHARE * all; i++) {
		some += fabs(list[i].new - list[i].old);
		e->rows[e->n++] = list[i];
	}
	e->share = all > 0 ? 100 * some / all : 100;
}

/* 0 or -ENOMEM. */
static int explain_event(const struct comparison *c, const struct compared *one, int old, int new,
			 struct explained *out)
{
	size_t room = json_list_length(json_member_list(profile_of(c->old), "functions")) +
		      json_list_length(json_member_list(profile_of(c->new), "functions"));
	struct explained_function *list = calloc(room + 1, sizeof(*list));
	size_t n;

	if (!list)
		return -ENOMEM;
	*out = (struct explained){ .event = one->new,
				   .change = one->new->v.value - one->old->v.value };
	n = take_side(list, 0, c->old, old, false);
	n = take_side(list, n, c->new, new, true);
	choose_rows(out, list, join(list, n));
	free(list);
	return 0;
}

/* ---- events ---- */

static bool is_changed(const struct compared *one)
{
	return one->old && one->new && !one->new->unit && one->old->v.known && one->new->v.known &&
	       fabs(one->new->v.value - one->old->v.value) > UNCHANGED * fabs(one->old->v.value);
}

static double size_of(const struct compared *one)
{
	return fabs(one->new->v.value - one->old->v.value) / fabs(one->old->v.value);
}

/* The next event to explain: those that failed before others, larger changes before smaller ones.
 * NULL: there is no more. */
static const struct compared *next_event(const struct comparison *c, const bool *done)
{
	const struct compared *best = NULL;

	for (int i = 0; i < c->n; i++) {
		const struct compared *one = &c->items[i];

		if (done[i] || !is_changed(one))
			continue;
		if (!best || one->failed > best->failed ||
		    (one->failed == best->failed && size_of(one) > size_of(best)))
			best = one;
	}
	return best;
}

int explain(const struct comparison *c, struct explained out[EXPLAINED_EVENTS])
{
	bool *done = calloc((size_t)c->n + 1, sizeof(*done));
	const struct compared *one;
	int n = 0, rc = done ? 0 : -ENOMEM;

	while (!rc && n < EXPLAINED_EVENTS && profile_of(c->old) && profile_of(c->new) &&
	       (one = next_event(c, done)) != NULL) {
		int old = column_of(c->old, one->old->name);
		int new = column_of(c->new, one->new->name);

		done[one - c->items] = true;
		if (old >= 0 && new >= 0)
			rc = explain_event(c, one, old, new, &out[n++]);
	}
	free(done);
	return rc ? rc : n;
}

char *explain_missing(const struct comparison *c)
{
	const bool old = profile_of(c->old), new = profile_of(c->new);
	char *text;

	if (old == new || asprintf(&text, "%.200s has no profile, so no functions are compared: "
				   "make it again with --profile", old ? c->new->path :
				   c->old->path) < 0)
		return NULL;
	return text;
}
