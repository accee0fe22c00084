/* SPDX-License-Identifier: MIT */
/* Parts that all forms of a profile's tables share: columns, places and checks. */
#include "where.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The unit mask of an event, or its name if there is none, without qualifiers. */
static const char *short_name(const char *given)
{
	const char *dot = strrchr(given, '.'), *name = dot ? dot + 1 : given, *colon;

	while ((colon = strchr(name, ':')) != NULL && colon[1] && !strchr(colon, '='))
		name = colon + strspn(colon, ":");
	return name;
}

struct where_columns where_columns_of(const struct report *r, const struct report_group *g)
{
	const int64_t instructions = r->where->sums[r->m->nevents];
	struct where_columns c = { .n = 0 };
	bool counted = false;
	int clock = g->group ? group_clock(g->group) : -1;

	for (int i = 0; i < g->nevents && c.n < WHERE_COLUMNS - 1; i++) {
		if (i == clock || !report_is_first(g, i) || !r->where->sums[g->events[i]] ||
		    r->where->apart[g->events[i]])
			continue;
		c.events[c.n] = g->events[i];
		c.names[c.n++] = g->group ? g->group->events[i].id :
				 short_name(r->m->events[g->events[i]].given);
		counted |= r->where->sums[g->events[i]] == instructions;
	}
	if (c.n && !counted && instructions) {
		c.events[c.n] = r->m->nevents;
		c.names[c.n++] = WHERE_INSTRUCTIONS;
	}
	return c;
}

struct where_columns where_columns_of_data(const struct report *r, const struct where_columns *c)
{
	struct where_columns data = *c;

	if (data.n && data.events[data.n - 1] == r->m->nevents)
		data.n--;
	return data;
}

void where_data_text(const struct where_data *d, char out[WHERE_DATA_MAX])
{
	char place[WHERE_PLACE_MAX];
	size_t n;

	where_place(d->file, d->line, false, place);
	n = (size_t)snprintf(out, WHERE_DATA_MAX, "%s%s%.200s", d->storage, !*d->name ? "" :
			     strcmp(d->storage, "global") ? " of " : " ", d->name);
	if (*place)
		n += (size_t)snprintf(out + n, WHERE_DATA_MAX - n, ", %s", place);
	if (d->times)
		snprintf(out + n, WHERE_DATA_MAX - n, ", %" PRIu64 " block%s, %" PRIu64 " bytes",
			 d->times, d->times == 1 ? "" : "s", d->bytes);
	else if (d->bytes)
		snprintf(out + n, WHERE_DATA_MAX - n, ", %" PRIu64 " bytes", d->bytes);
}

void where_side_data(const struct where_side *s, char out[WHERE_DATA_MAX])
{
	char place[WHERE_PLACE_MAX];
	const bool global = !strcmp(s->storage, "global");

	where_place(s->data_file, s->data_line, false, place);
	if (*s->data)
		snprintf(out, WHERE_DATA_MAX, "%s%s%.200s%s%s + %" PRIu64, global ? "" : s->storage,
			 global ? "" : " of ", s->data, *place ? ", " : "", place,
			 s->data_offset);
	else
		strcpy(out, "");
}

void where_check(const struct report *r, int event, char out[REPORT_WHY_MAX])
{
	const struct value counted = report_event(r, event, -1);
	const int64_t profiled = r->where->sums[event];

	out[0] = '\0';
	if (r->where->apart[event] || r->where->halved[event])
		return;
	if (counted.known && counted.mean != (double)profiled)
		snprintf(out, REPORT_WHY_MAX, "the profile has %" PRId64 " of %.0f %.150s",
			 profiled, counted.mean, r->m->events[event].given);
}

size_t *where_main_lines(const struct where *w, size_t *n)
{
	size_t *top = malloc((WHERE_LINES_MAX + 1) * sizeof(*top));
	size_t *lines = malloc((w->nlines + 1) * sizeof(*lines));
	bool *chosen = calloc(w->nlines + 1, sizeof(*chosen));
	bool whole = top && lines && chosen;

	*n = 0;
	for (int e = 0; whole && e < w->nevents; e++) {
		size_t found = where_rank(w, w->lines, w->nlines, &e, 1, WHERE_LINES_MAX, top);

		for (size_t i = 0; i < found; i++) {
			if (!chosen[top[i]])
				lines[(*n)++] = top[i];
			chosen[top[i]] = true;
		}
	}
	free(top);
	free(chosen);
	if (whole)
		return lines;
	free(lines);
	return NULL;
}
