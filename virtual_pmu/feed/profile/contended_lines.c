/* SPDX-License-Identifier: MIT */
#include "contended_lines.h"

#include <stdlib.h>
#include <string.h>

#include "notes.h"
#include "objects.h"
#include "store.h"

#define SIDES_MAX 65536u
#define SAMPLED 8u		/* each eighth request searches for the other side */
#define ENDED_MAX 64u		/* tables of threads that have ended, 16 KiB each */

static struct vpmu_line_user *users;
static uint32_t threads, ended;

/* A side, and how many requests it has made. */
struct side { struct vpmu_profile_side *record; uint32_t requests; };
static struct side *sides;
static uint32_t sides_size, sides_used;

/* ---- threads ---- */

struct vpmu_line_user *vpmu_line_user_begin(void)
{
	struct vpmu_line_user *u = users, *oldest = NULL;

	for (; u && ended >= ENDED_MAX; u = u->next)
		if (u->ended && (!oldest || u->thread < oldest->thread))
			oldest = u;
	if (oldest) {
		ended--;
		oldest->ended = false;
		memset(oldest->last, 0, sizeof(oldest->last));
		oldest->thread = threads++;
		return oldest;
	}
	u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->thread = threads++;
	u->next = users;
	return users = u;
}

void vpmu_line_user_end(struct vpmu_line_user *u)
{
	u->ended = true;
	ended++;
}

/* ---- sides ---- */

static uint32_t side_hash(const struct vpmu_profile_side *s)
{
	uint64_t hash = s->line / 64 * UINT64_C(0x9e3779b97f4a7c15);

	hash = (hash ^ s->note ^ (uint64_t)s->thread << 40) * UINT64_C(0xbf58476d1ce4e5b9);
	return (uint32_t)(hash >> 32) + s->byte * 2u + s->store;
}

static bool is_side(const struct vpmu_profile_side *a, const struct vpmu_profile_side *b)
{
	return a->line == b->line && a->note == b->note && a->thread == b->thread &&
	       a->byte == b->byte && a->store == b->store;
}

static struct side *side_place(struct side *in, uint32_t size, const struct vpmu_profile_side *s)
{
	uint32_t at = side_hash(s);

	while (in[at & (size - 1)].record && !is_side(in[at & (size - 1)].record, s))
		at++;
	return &in[at & (size - 1)];
}

static bool sides_grow(void)
{
	uint32_t size = sides_size ? sides_size * 2 : 256;
	struct side *more = calloc(size, sizeof(*more));

	if (!more)
		return false;
	for (uint32_t i = 0; i < sides_size; i++)
		if (sides[i].record)
			*side_place(more, size, sides[i].record) = sides[i];
	free(sides);
	sides = more;
	sides_size = size;
	return true;
}

/* NULL: there is no room. */
static struct side *side_of(uint64_t line, struct vpmu_note *note, uint64_t at, uint32_t thread)
{
	const struct vpmu_profile_note *r = vpmu_note_record(note);
	uint64_t address = at >> 1 > line ? at >> 1 : line;
	struct vpmu_profile_side s = {
		.line = line, .note = r ? vpmu_profile_ref(r) : 0, .thread = thread,
		.byte = address - line < 64 ? (uint16_t)(address - line) : 0, .store = at & 1,
	};
	struct vpmu_object_place object;
	struct side *side;

	if (sides_used * 2 >= sides_size && !sides_grow())
		return NULL;
	side = side_place(sides, sides_size, &s);
	if (side->record)
		return side;
	if (sides_used == SIDES_MAX) {
		vpmu_profile_lose(VPMU_LOST_LINES, 1);
		return NULL;
	}
	side->record = vpmu_profile_add(sizeof(s), VPMU_LOST_LINES);
	if (!side->record)
		return NULL;
	object = vpmu_objects_find(line + s.byte);
	s.object = object.object;
	s.offset = (uint32_t)object.offset;
	*side->record = s;
	vpmu_profile_publish(VPMU_LIST_LINES, side->record);
	sides_used++;
	return side;
}

/* Counts the last accesses of other threads to the line: of those on the agent that has it or, if
 * they have moved, of any. */
static void sample_others(const struct vpmu_line_request *q, bool any)
{
	bool found = false;

	for (struct vpmu_line_user *u = users; u; u = u->next) {
		const struct vpmu_last_access *last =
			&u->last[q->line >> 6 & (VPMU_LAST_LINES - 1)];
		struct side *side;

		if (u == q->user || !last->note || last->at >> 7 != q->line >> 6 ||
		    (!any && (u->package != q->package || u->agent != q->agent)))
			continue;
		found = true;
		side = side_of(q->line, last->note, last->at, u->thread);
		if (side)
			side->record->times++;
	}
	if (!found && !any)
		sample_others(q, true);
}

void vpmu_contended_line(const struct vpmu_line_request *q)
{
	struct side *side;

	if (*vpmu_profile.paused)
		return;
	side = side_of(q->line, q->note, q->at, q->user->thread);
	if (!side)
		return;
	vpmu_cell_add(&side->record->cells, q->kind, 1);
	if (side->requests++ % SAMPLED == 0)
		sample_others(q, false);
}

void vpmu_contended_lines_forked(struct vpmu_line_user *only)
{
	for (uint32_t ref = vpmu_profile_first(VPMU_LIST_LINES); ref;) {
		struct vpmu_profile_side *r = vpmu_profile_at(ref);

		r->cells = 0;
		r->times = 0;
		ref = r->next;
	}
	ended = 0;
	for (struct vpmu_line_user *u = users; u; u = u->next) {
		u->ended = u != only;
		ended += u->ended;
		memset(u->last, 0, sizeof(u->last));
	}
}
