/* SPDX-License-Identifier: MIT */
/* Rules of a comparison: limits_add() reads limits, and compare() compares two reports. Reports are
 * comparable if they differ in nothing that the counts depend on; otherwise the differences say why
 * not. Each item of either report gets one verdict, by its limit (compare_values()). An event that
 * several groups have is one item. A limit for all is one of counts, and of metrics of which lower
 * or higher values are better: rates and ratios may rise because a program got faster. */
#include "compare.h"
#include "explained.h"

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
	out->worse = way == '-' ? NAN : percent;
	out->better = way == '+' ? NAN : percent;
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
	more[l->n] = (struct limit){ name ? strdup(name) : NULL, NAN, NAN, NAN };
	return name && !more[l->n].name ? NULL : &more[l->n++];
}

/* 0 or -EINVAL: not a number, which has no sign. */
static int parse_small(const char *text, struct limit *out)
{
	size_t digits = strspn(text, "0123456789.");
	char *end;

	out->small = strtod(text, &end);
	return digits && !text[digits] && end == text + digits ? 0 : -EINVAL;
}

/* Names of events may have a '=' of their own, limits have none. */
static int limits_take(struct limits *l, const char *text,
		       int (*parse)(const char *text, struct limit *out))
{
	const char *equals = strrchr(text, '=');
	char *name = equals ? strndup(text, (size_t)(equals - text)) : NULL;
	struct limit given = { NULL, NAN, NAN, NAN }, *limit;
	int rc = parse(equals ? equals + 1 : text, &given);

	if (equals && (!name || !*name))
		rc = name ? -EINVAL : -ENOMEM;
	limit = rc ? NULL : limit_named(l, name);
	free(name);
	if (!limit)
		return rc ? rc : -ENOMEM;
	limit->worse = isnan(given.worse) ? limit->worse : given.worse;
	limit->better = isnan(given.better) ? limit->better : given.better;
	limit->small = isnan(given.small) ? limit->small : given.small;
	return 0;
}

int limits_add(struct limits *l, const char *text)
{
	return limits_take(l, text, parse_percent);
}

int limits_add_small(struct limits *l, const char *text)
{
	return limits_take(l, text, parse_small);
}

int limits_join(struct limits *l, const struct limits *more)
{
	for (int i = 0; i < more->n; i++) {
		const struct limit *from = &more->of[i];
		struct limit *to = limit_named(l, from->name);

		if (!to)
			return -ENOMEM;
		if (!isnan(from->worse) || !isnan(from->better)) {
			to->worse = from->worse;
			to->better = from->better;
		}
		to->small = isnan(from->small) ? to->small : from->small;
	}
	return 0;
}

void limits_free(struct limits *l)
{
	for (int i = 0; i < l->n; i++)
		free(l->of[i].name);
	free(l->of);
	*l = (struct limits){ NULL, 0 };
}

/* An event may be named in any spelling. */
static bool is_item(const struct saved_item *item, const char *name)
{
	return !strcmp(item->name, name) ||
	       (!item->unit && saved_same_event(item->name, name));
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

/* A limit for all is none of a metric without a direction. */
static struct rule rule_of(const struct limits *l, const struct saved_item *item,
			   enum better better)
{
	struct rule rule = { NULL, better, 0 };

	for (int named = 0; named < 2; named++)
		for (int i = l->n - 1; i >= 0; i--) {	/* the first of that name counts */
			const struct limit *limit = &l->of[i];

			if (limit->name ? !named || !is_item(item, limit->name) : named)
				continue;
			if ((!isnan(limit->worse) || !isnan(limit->better)) &&
			    (named || better != BETTER_NEITHER))
				rule.limit = limit;
			if (!isnan(limit->small) && (named || !item->unit))
				rule.small = limit->small;
		}
	return rule;
}

/* ---- verdicts ---- */

/* Without a division, so that a limit of 0.5 % is met by 201 of 200, and by nothing of 0. */
static bool is_beyond(double change, double old, double percent)
{
	return 100 * change > percent * fabs(old);
}

/* The distance of its runs may fail the value. */
static bool is_unsteady(const struct saved_value *v, double percent, double small)
{
	return v->spread > percent &&
	       !(small > 0 && v->spread / 100 * fabs(v->value) <= small);
}

enum verdict compare_values(const struct saved_value *old, const struct saved_value *new,
			    const struct rule *rule)
{
	const struct limit *limit = rule->limit;
	double change, worse, least;

	if (!old || !new)
		return old ? VERDICT_MISSING : VERDICT_NEW;
	if (!old->known || !new->known)
		return old->known ? VERDICT_LOST : new->known ? VERDICT_FOUND : VERDICT_UNKNOWN;
	change = new->value - old->value;
	if (!limit)
		return change == 0 ? VERDICT_SAME : VERDICT_CHANGED;
	worse = rule->better == BETTER_HIGHER ? -change : change;
	/* No comparison with NAN is true. */
	if (is_beyond(worse, old->value, limit->worse) ||
	    is_beyond(-worse, old->value, limit->better))
		return fabs(change) <= rule->small ? VERDICT_SMALL : VERDICT_BEYOND;
	least = fmin(limit->worse, limit->better);
	if (is_unsteady(old, least, rule->small) || is_unsteady(new, least, rule->small))
		return VERDICT_UNSTEADY;
	if (isnan(worse > 0 ? limit->worse : limit->better) &&
	    is_beyond(fabs(change), old->value, least))
		return worse > 0 ? VERDICT_CHANGED : VERDICT_IMPROVED;
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

/* The program by its name, and its arguments as they are. */
static int check_program(struct comparison *c)
{
	if ((is_aged(c->old) && !saved_has(c->old, "program")) ||
	    (is_aged(c->new) && !saved_has(c->new, "program")) ||
	    saved_same_program(c->old, c->new))
		return 0;
	return differ(c, "program", "the program differs: '%.80s', called %.80s, in %.200s, "
		      "'%.80s', called %.80s, in %.200s; --name NAME gives both runs one name",
		      saved_member(c->old, "program"), saved_program_name(c->old), c->old->path,
		      saved_member(c->new, "program"), saved_program_name(c->new), c->new->path);
}

static int check_age(struct comparison *c, const struct saved *s)
{
	return !is_aged(s) ? 0 :
	       differ(c, "age", "%.200s is of an older ipmu-run, which did not record what it "
		      "counted on", s->path);
}

static int check_whole(struct comparison *c, const struct saved *s)
{
	const char *reason = saved_member(s, "reason");

	return s->complete ? 0 :
	       differ(c, "completeness", "the counts in %.200s are not complete%s%.200s", s->path,
		      *reason ? ": " : "", reason);
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

/* A program may write and buffer otherwise, or show progress, if its stream is another kind. */
static int note_streams(struct comparison *c)
{
	static const char *const names[] = { "stdin", "stdout", "stderr" };

	for (int i = 0; i < 3; i++) {
		const char *old = saved_stream(c->old, names[i]), *new = saved_stream(c->new,
										       names[i]);

		if (!*old || !*new || !strcmp(old, new))
			continue;
		if (asprintf(&c->notes[c->nnotes], "%s was a %.40s in %.200s and is a %.40s in "
			     "%.200s: a program may execute more or less for it", names[i], old,
			     c->old->path, new, c->new->path) < 0)
			return -ENOMEM;
		c->nnotes++;
	}
	return 0;
}

/* Notes that one of the reports lacks functions to compare. begun: the program has not run, so the
 * new report has no profile yet. */
static void note_profile(struct comparison *c, bool begun)
{
	char *text = begun ? NULL : explain_missing(c);

	if (text)
		c->notes[c->nnotes++] = text;
}

static int check_all(struct comparison *c, bool begun)
{
	static const struct {
		const char *key, *what;
		bool at_end;		/* known when the program has ended */
	} members[] = {
		{ "machine", "machine", false }, { "geometry", "geometry", false },
		{ "model_version", "model version", false }, { "seed", "seed", false },
		{ "seeds", "number of layouts", false },
		{ "only", "program that is counted", false },
		{ "status", "exit status", true }, { "ranks", "number of ranks", true },
		{ "from_mpi_init", "counting from MPI_Init", true },
		{ "only_regions", "counting of regions alone", true },
	};
	int rc = check_age(c, c->old), before;

	if (!rc)
		rc = check_age(c, c->new);
	if (!rc)
		rc = check_program(c);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]) && !rc; i++)
		if (!begun || !members[i].at_end)
			rc = check_member(c, members[i].key, members[i].what);
	if (!rc && saved_has(c->old, "clock_rule") && saved_has(c->new, "clock_rule"))
		rc = check_member(c, "clock_rule", "rule of the clock");
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

/* An event is the same in each group that has it, and in any spelling. */
static bool is_same_row(const struct saved_item *a, const struct saved_item *b)
{
	return a->unit ? saved_same_item(a, b) : !b->unit && saved_same_event(a->name, b->name);
}

static const struct saved_item *item_find(const struct saved *s, const struct saved_item *like)
{
	for (int i = 0; i < s->n; i++)
		if (saved_same_item(&s->items[i], like))
			return &s->items[i];
	for (int i = 0; i < s->n; i++)
		if (is_same_row(&s->items[i], like))
			return &s->items[i];
	return NULL;
}

/* The new report's word counts. Of an event that several groups have, fewer are better if one of
 * them says so. */
static enum better better_in(const struct saved *s, const struct saved_item *item)
{
	enum better better = item ? item->better : BETTERS;

	for (int i = 0; item && !item->unit && i < s->n; i++)
		if (is_same_row(&s->items[i], item) && s->items[i].better == BETTER_LOWER)
			better = BETTER_LOWER;
	return better;
}

static void comparison_add(struct comparison *c, const struct limits *limits,
			   const struct saved_item *old, const struct saved_item *new)
{
	struct compared *i = &c->items[c->n];
	enum better better = better_in(c->new, new);
	struct saved_value of_old = old ? old->v : (struct saved_value){ .known = false };
	struct saved_value of_new = new ? new->v : (struct saved_value){ .known = false };

	if (*saved_member(c->old, "seeds"))	/* layouts are to be apart */
		of_old.spread = 0;
	if (*saved_member(c->new, "seeds"))
		of_new.spread = 0;
	for (int before = 0; before < c->n; before++)
		if (is_same_row(c->items[before].old ? c->items[before].old :
				c->items[before].new, old ? old : new))
			return;
	if (better == BETTERS)
		better = better_in(c->old, old);
	if (better == BETTERS)
		better = BETTER_NEITHER;
	*i = (struct compared){ .old = old, .new = new,
				.rule = rule_of(limits, old ? old : new, better) };
	i->layouts = *saved_member(c->new, "seeds");
	i->verdict = compare_values(old ? &of_old : NULL, new ? &of_new : NULL, &i->rule);
	c->n++;
}

static const struct compared *event_named(const struct comparison *c, const char *name)
{
	for (int i = 0; i < c->n; i++)
		if (c->items[i].old && !c->items[i].old->unit &&
		    saved_same_event(c->items[i].old->name, name))
			return &c->items[i];
	return NULL;
}

static bool is_small_event(const struct comparison *c, const char *name)
{
	const struct compared *e = name ? event_named(c, name) : NULL;

	return e && e->new && e->old->v.known && e->new->v.known &&
	       fabs(e->new->v.value - e->old->v.value) <= e->rule.small;
}

/* Does the metric follow from events alone whose changes are small? A number may have an e. */
static bool is_of_small_events(const struct comparison *c, const struct saved_item *metric)
{
	static const char letters[] = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char digits[] = "0123456789.";
	int events = 0;

	for (const char *p = metric->formula; *p;) {
		size_t n = strspn(p, digits);

		if (n) {
			char *end;

			strtod(p, &end);
			p = end > p ? end : p + n;
			continue;
		}
		n = strspn(p, letters);
		while (n && (strspn(p + n, letters) || strspn(p + n, digits)))
			n++;
		if (n && !is_small_event(c, saved_event_of(metric, p, n)))
			return false;
		events += n > 0;
		p += n ? n : 1;
	}
	return events;
}

static void comparison_judge(struct comparison *c)
{
	for (int i = 0; i < c->n; i++) {
		struct compared *one = &c->items[i];

		if (one->verdict == VERDICT_BEYOND && one->old->unit &&
		    is_of_small_events(c, one->old))
			one->verdict = VERDICT_SMALL;
		one->failed = one->rule.limit && one->verdict >= VERDICT_BEYOND;
		c->failed += one->failed;
	}
}

/* Those that failed first, each part in the order of the reports. 0 or -ENOMEM. */
static int comparison_sort(struct comparison *c)
{
	struct compared *sorted = calloc((size_t)c->n + 1, sizeof(*sorted));
	int n = 0;

	if (!sorted)
		return -ENOMEM;
	for (int failed = 1; failed >= 0; failed--)
		for (int i = 0; i < c->n; i++)
			if (c->items[i].failed == failed)
				sorted[n++] = c->items[i];
	free(c->items);
	c->items = sorted;
	return 0;
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
	comparison_judge(out);
	if (comparison_sort(out) || note_streams(out))
		return -ENOMEM;
	note_profile(out, begun);
	return check_all(out, begun);
}

void comparison_free(struct comparison *c)
{
	for (int i = 0; i < c->ndifferences; i++)
		free(c->differences[i].text);
	for (int i = 0; i < c->nnotes; i++)
		free(c->notes[i]);
	free(c->items);
	*c = (struct comparison){ .n = 0 };
}
