/* SPDX-License-Identifier: MIT */
/* Writes a profile as a JSON object: where_object(). Counts stand in the order of its events. */
#include <json-c/json.h>
#include <stdlib.h>

#include "json_writer.h"
#include "where.h"

static struct json_object *count_list(struct json_writer *w, const int64_t *counts, int n)
{
	struct json_object *list = json_array_begin(w);

	for (int e = 0; e < n; e++)
		json_append_number(w, list, (double)counts[e]);
	return list;
}

static void put_line_number(struct json_writer *w, struct json_object *o, int line)
{
	if (line)
		json_put_int(w, o, "line", line);
	else
		json_put_null(w, o, "line");
}

static bool is_idle(const struct where_row *row, int n)
{
	for (int e = 0; e < n; e++)
		if (row->counts[e] || (row->inclusive && row->inclusive[e]))
			return false;
	return true;
}

static struct json_object *row_object(struct json_writer *w, const struct where_row *row, int n)
{
	struct json_object *o = json_object_begin(w);

	json_put_text(w, o, "function", row->function);
	json_put_text(w, o, "object", row->object);
	json_put_text(w, o, "file", row->file);
	put_line_number(w, o, row->line);
	json_put(w, o, "counts", count_list(w, row->counts, n));
	return o;
}

/* All functions, those with the largest shares first: the counts of all are the profile's. NULL: no
 * memory. */
static size_t *function_order(const struct where *where)
{
	const size_t n = where->nfunctions;
	size_t *order = malloc((n + 1) * sizeof(*order)), found;
	int *events = calloc((size_t)where->nevents + 1, sizeof(*events));
	bool *ranked = calloc(n + 1, sizeof(*ranked)), whole = order && events && ranked;

	for (int e = 0; whole && e < where->nevents; e++)
		events[e] = e;
	found = whole ? where_rank(where, where->functions, n, events, where->nevents, n, order) :
		0;
	for (size_t i = 0; i < found; i++)
		ranked[order[i]] = true;
	for (size_t i = 0; whole && i < n; i++)
		if (!ranked[i])
			order[found++] = i;
	free(events);
	free(ranked);
	if (whole)
		return order;
	free(order);
	return NULL;
}

static struct json_object *functions(struct json_writer *w, const struct where *where)
{
	struct json_object *list = json_array_begin(w);
	const int n = where->nevents;
	size_t *order = function_order(where);

	w->no_memory |= !order;
	for (size_t i = 0; order && i < where->nfunctions; i++) {
		const struct where_row *row = &where->functions[order[i]];
		struct json_object *o;

		if (is_idle(row, n))
			continue;
		o = row_object(w, row, n);
		if (row->inclusive) {
			json_put_number(w, o, "calls", (double)row->calls);
			json_put(w, o, "inclusive", count_list(w, row->inclusive, n));
		}
		json_append(w, list, o);
	}
	free(order);
	return list;
}

static struct json_object *lines(struct json_writer *w, const struct where *where)
{
	struct json_object *list = json_array_begin(w);
	size_t n, *order = where_main_lines(where, &n);

	w->no_memory |= !order;
	for (size_t i = 0; order && i < n; i++) {
		const struct where_row *row = &where->lines[order[i]];
		struct json_object *o = row_object(w, row, where->nevents);

		json_put_text(w, o, "source", row->source);
		json_append(w, list, o);
	}
	free(order);
	return list;
}

static struct json_object *data(struct json_writer *w, const struct where *where)
{
	struct json_object *list = json_array_begin(w);

	for (size_t i = 0; i < where->ndata; i++) {
		const struct where_data *d = &where->data[i];
		struct json_object *o = json_object_begin(w);

		json_put_text(w, o, "storage", d->storage);
		json_put_text(w, o, "name", d->name);
		json_put_text(w, o, "file", d->file);
		put_line_number(w, o, d->line);
		json_put_number(w, o, "bytes", (double)d->bytes);
		json_put_number(w, o, "blocks", (double)d->times);
		json_put(w, o, "counts", count_list(w, d->counts, where->nevents));
		json_append(w, list, o);
	}
	return list;
}

static struct json_object *side_object(struct json_writer *w, const struct where_side *s,
				       bool asked)
{
	struct json_object *o = json_object_begin(w);

	json_put_bool(w, o, "asked", asked);
	json_put_int(w, o, "thread", s->thread);
	json_put_text(w, o, "access", s->access);
	json_put_int(w, o, "offset", s->offset);
	json_put_text(w, o, "function", s->function);
	json_put_text(w, o, "file", s->file);
	put_line_number(w, o, s->line);
	json_put_text(w, o, "data", s->data);
	json_put_text(w, o, "storage", s->storage);
	json_put_text(w, o, "data_file", s->data_file);
	json_put_int(w, o, "data_line", s->data_line);
	json_put_number(w, o, "data_offset", (double)s->data_offset);
	json_put_number(w, o, "times", (double)s->times);
	return o;
}

static struct json_object *contended(struct json_writer *w, const struct where *where)
{
	struct json_object *list = json_array_begin(w);

	for (size_t i = 0; i < where->ncontended; i++) {
		const struct where_contended *c = &where->contended[i];
		struct json_object *o = json_object_begin(w), *sides = json_array_begin(w);
		char address[32];

		snprintf(address, sizeof(address), "0x%llx", (unsigned long long)c->address);
		json_put_text(w, o, "address", address);
		json_put_number(w, o, "modified", (double)c->modified);
		json_put_number(w, o, "unmodified", (double)c->hits);
		for (size_t s = 0; s < c->nsides; s++)
			json_append(w, sides, side_object(w, &c->sides[s], s < c->nasked));
		json_put(w, o, "sides", sides);
		json_append(w, list, o);
	}
	return list;
}

static struct json_object *events(struct json_writer *w, const struct report *r)
{
	struct json_object *list = json_array_begin(w);

	for (int e = 0; e < r->where->nevents; e++) {
		const bool is_event = e < r->m->nevents;
		struct json_object *o = json_object_begin(w);
		const struct value counted = is_event ? report_event(r, e, -1) :
					     (struct value){ .known = false };

		json_put_text(w, o, "name", is_event ? r->m->events[e].name : WHERE_INSTRUCTIONS);
		if (counted.known)
			json_put_number(w, o, "counted", counted.mean);
		else
			json_put_null(w, o, "counted");
		if (r->where->apart[e])
			json_put_null(w, o, "profiled");
		else
			json_put_number(w, o, "profiled", (double)r->where->sums[e]);
		if (r->where->apart[e])
			json_put_text(w, o, "reason", r->where->apart[e]);
		if (r->where->halved[e])
			json_put_bool(w, o, "halved", true);
		json_append(w, list, o);
	}
	return list;
}

struct json_object *where_object(struct json_writer *w, const struct report *r)
{
	const struct where *where = r->where;
	struct json_object *o = json_object_begin(w), *lost = json_array_begin(w);

	for (size_t i = 0; i < where->nlost; i++) {
		struct json_object *one = json_object_begin(w);

		json_put_text(w, one, "what", where->lost[i].what);
		json_put_number(w, one, "times", (double)where->lost[i].n);
		json_append(w, lost, one);
	}
	json_put_int(w, o, "processes", where->processes);
	json_put(w, o, "events", events(w, r));
	json_put(w, o, "functions", functions(w, where));
	json_put(w, o, "lines", lines(w, where));
	json_put(w, o, "data", data(w, where));
	json_put(w, o, "contended", contended(w, where));
	json_put(w, o, "lost", lost);
	return o;
}
