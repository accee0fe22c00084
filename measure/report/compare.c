/* SPDX-License-Identifier: MIT */
/* Rules of a comparison: limits_add() reads limits, and compare() compares two reports. Reports are
 * comparable if they differ in nothing that the counts depend on; otherwise the differences say why
 * not. Each item of either report gets one verdict, by its limit (compare_values()). */
#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- limits ---- */

/* 0 or -EINVAL: not of the form [+-]NUMBER[%]. */
static int parse_percent(const char *text, struct limit *out)
{
	char way = *text == '+' || *text == '-' ? *text++ : 0, *end;
	size_t digits = strspn(text, "0123456789.");
	double percent = strtod(text, &end);

	if (!digits || end != text + digits || (*end && strcmp(end, "%")))
		return -EINVAL;
	out->up = way == '-' ? NAN : percent;
	out->down = way == '+' ? NAN : percent;
	return 0;
}

static bool same_name(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static struct limit *limit_named(struct limits *l, const char *name)
{
	struct limit *more;

	for (int i = 0; i < l->n; i++)
		if (same_name(l->of[i].name, name))
			return &l->of[i];
	more = realloc(l->of, (size_t)(l->n + 1) * sizeof(*more));
	if (!more)
		return NULL;
	l->of = more;
	more[l->n] = (struct limit){ name ? strdup(name) : NULL, NAN, NAN };
	return name && !more[l->n].name ? NULL : &more[l->n++];
}

/* Names of events may have a '=' of their own, percentages have none. */
int limits_add(struct limits *l, const char *text)
{
	const char *equals = strrchr(text, '=');
	char *name = equals ? strndup(text, (size_t)(equals - text)) : NULL;
	struct limit given, *limit;
	int rc = parse_percent(equals ? equals + 1 : text, &given);

	if (equals && (!name || !*name))
		rc = name ? -EINVAL : -ENOMEM;
	limit = rc ? NULL : limit_named(l, name);
	free(name);
	if (!limit)
		return rc ? rc : -ENOMEM;
	limit->up = isnan(given.up) ? limit->up : given.up;
	limit->down = isnan(given.down) ? limit->down : given.down;
	return 0;
}

void limits_free(struct limits *l)
{
	for (int i = 0; i < l->n; i++)
		free(l->of[i].name);
	free(l->of);
	*l = (struct limits){ NULL, 0 };
}

/* An event may be named with its component or without. */
static bool is_item(const struct saved_item *item, const char *name)
{
	return !strcmp(item->name, name) || !strcmp(saved_short_name(item), name);
}

static bool has_item(const struct saved *s, const char *name)
{
	for (int i = 0; i < s->n; i++)
		if (is_item(&s->items[i], name))
			return true;
	return false;
}

const char *limits_unused(const struct limits *l, const struct saved *old, const struct saved *new)
{
	for (int i = 0; i < l->n; i++)
		if (l->of[i].name && !has_item(old, l->of[i].name) &&
		    !has_item(new, l->of[i].name))
			return l->of[i].name;
	return NULL;
}

static const struct limit *limit_of(const struct limits *l, const struct saved_item *item)
{
	const struct limit *general = NULL;

	for (int i = 0; i < l->n; i++) {
		if (!l->of[i].name)
			general = &l->of[i];
		else if (is_item(item, l->of[i].name))
			return &l->of[i];
	}
	return general;
}

/* ---- verdicts ---- */

/* Without a division, so that a limit of 0.5 % is met by 201 of 200, and by nothing of 0. */
static bool is_beyond(double change, double old, double percent)
{
	return 100 * change > percent * fabs(old);
}

enum verdict compare_values(const struct saved_value *old, const struct saved_value *new,
			    const struct limit *limit)
{
	double change, least;

	if (!old || !new)
		return old ? VERDICT_MISSING : VERDICT_NEW;
	if (!old->known || !new->known)
		return old->known ? VERDICT_LOST : new->known ? VERDICT_FOUND : VERDICT_UNKNOWN;
	change = new->value - old->value;
	if (!limit)
		return change == 0 ? VERDICT_SAME : VERDICT_CHANGED;
	/* No comparison with NAN is true. */
	if (is_beyond(change, old->value, limit->up) || is_beyond(-change, old->value, limit->down))
		return VERDICT_BEYOND;
	least = fmin(limit->up, limit->down);
	if (old->spread > least || new->spread > least)
		return VERDICT_UNSTEADY;
	if (isnan(change > 0 ? limit->up : limit->down) &&
	    is_beyond(fabs(change), old->value, least))
		return VERDICT_IMPROVED;
	return change == 0 ? VERDICT_SAME : VERDICT_WITHIN;
}

/* ---- comparable? ---- */

__attribute__((format(printf, 3, 4)))
static int differ(struct comparison *c, const char *what, const char *format, ...)
{
	struct difference *d = &c->differences[c->ndifferences];
	va_list args;
	int n;

	if (c->ndifferences == DIFFERENCES_MAX)
		return 0;
	va_start(args, format);
	n = vasprintf(&d->text, format, args);
	va_end(args);
	if (n < 0)
		return -ENOMEM;
	d->what = what;
	c->ndifferences++;
	return 0;
}

static bool is_aged(const struct saved *s)
{
	return !saved_has(s, "ipmu_version");
}

/* Skips a member that an aged report does not have: its value is unknown. */
static int check_member(struct comparison *c, const char *key, const char *what)
{
	if ((is_aged(c->old) && !saved_has(c->old, key)) ||
	    (is_aged(c->new) && !saved_has(c->new, key)) || saved_equal(c->old, c->new, key))
		return 0;
	return differ(c, what, "the %s differs: '%.300s' in %.200s, '%.300s' in %.200s", what,
		      saved_member(c->old, key), c->old->path, saved_member(c->new, key),
		      c->new->path);
}

static int check_age(struct comparison *c, const struct saved *s)
{
	return !is_aged(s) ? 0 :
	       differ(c, "age", "%.200s is of an older ipmu-run, which did not record what it "
		      "counted on", s->path);
}

static int check_whole(struct comparison *c, const struct saved *s)
{
	return s->complete ? 0 :
	       differ(c, "completeness", "the counts in %.200s are not complete", s->path);
}

static bool has_group(const struct saved *s, const char *group)
{
	for (int i = 0; i < s->n; i++)
		if (!strcmp(s->items[i].group, group))
			return true;
	return false;
}

static int check_groups(struct comparison *c, const struct saved *a, const struct saved *b)
{
	for (int i = 0; i < a->n; i++)
		if (!has_group(b, a->items[i].group))
			return differ(c, "groups", "the groups differ: %.200s in %.200s are not "
				      "in %.200s", *a->items[i].group ? a->items[i].group :
				      "events by name", a->path, b->path);
	return 0;
}

static int check_formulas(struct comparison *c)
{
	for (int i = 0; i < c->n; i++) {
		const struct saved_item *old = c->items[i].old, *new = c->items[i].new;

		if (old && new && old->unit &&
		    (strcmp(old->formula, new->formula) || strcmp(old->unit, new->unit)))
			return differ(c, "formula", "the formula of %.200s differs: %.200s [%.40s] "
				      "in %.200s, %.200s [%.40s] in %.200s", old->name,
				      old->formula, old->unit, c->old->path, new->formula,
				      new->unit, c->new->path);
	}
	return 0;
}

static int check_all(struct comparison *c, bool begun)
{
	static const struct {
		const char *key, *what;
		bool at_end;		/* known when the program has ended */
	} members[] = {
		{ "machine", "machine", false }, { "geometry", "geometry", false },
		{ "model_version", "model version", false }, { "program", "program", false },
		{ "seed", "seed", false },
		{ "only", "program that is counted", false },
		{ "status", "exit status", true }, { "ranks", "number of ranks", true },
		{ "from_mpi_init", "counting from MPI_Init", true },
	};
	int rc = check_age(c, c->old), before;

	if (!rc)
		rc = check_age(c, c->new);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]) && !rc; i++)
		if (!begun || !members[i].at_end)
			rc = check_member(c, members[i].key, members[i].what);
	before = c->ndifferences;
	if (!rc)
		rc = check_groups(c, c->old, c->new);
	if (!rc && c->ndifferences == before)
		rc = check_groups(c, c->new, c->old);
	if (!rc)
		rc = check_formulas(c);
	if (!rc)
		rc = check_whole(c, c->old);
	return rc || begun ? rc : check_whole(c, c->new);
}

/* ---- items ---- */

static const struct saved_item *item_find(const struct saved *s, const struct saved_item *like)
{
	for (int i = 0; i < s->n; i++)
		if (saved_same_item(&s->items[i], like))
			return &s->items[i];
	return NULL;
}

static void comparison_add(struct comparison *c, const struct limits *limits,
			   const struct saved_item *old, const struct saved_item *new)
{
	struct compared *i = &c->items[c->n++];

	*i = (struct compared){ old, new, limit_of(limits, old ? old : new), VERDICT_SAME, false };
	i->verdict = compare_values(old ? &old->v : NULL, new ? &new->v : NULL, i->limit);
	i->failed = i->limit && i->verdict >= VERDICT_BEYOND;
	c->failed += i->failed;
}

int compare(const struct saved *old, const struct saved *new, const struct limits *limits,
	    bool begun, struct comparison *out)
{
	*out = (struct comparison){ .old = old, .new = new };
	out->items = calloc((size_t)(old->n + new->n) + 1, sizeof(*out->items));
	if (!out->items)
		return -ENOMEM;
	for (int i = 0; i < old->n; i++)
		comparison_add(out, limits, &old->items[i], item_find(new, &old->items[i]));
	for (int i = 0; i < new->n; i++)
		if (!item_find(old, &new->items[i]))
			comparison_add(out, limits, NULL, &new->items[i]);
	return check_all(out, begun);
}

void comparison_free(struct comparison *c)
{
	for (int i = 0; i < c->ndifferences; i++)
		free(c->differences[i].text);
	free(c->items);
	*c = (struct comparison){ .n = 0 };
}
