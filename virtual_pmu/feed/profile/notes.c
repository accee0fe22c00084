/* SPDX-License-Identifier: MIT */
/* Blocks, notes and cells of the profile. vpmu_note_block() is called by the translator,
 * vpmu_charge_note() wherever something is counted. A block has a record in the file from its
 * translation on, and its entries are counted there. An instruction gets a record when it is
 * charged for the first time; records of the same instruction in several blocks are one. Blocks and
 * notes are never freed, because translations and call stacks point to them. The
 * thread that executes calls all of this, so there is no lock. */
#include "notes.h"

#include <stdlib.h>
#include <string.h>

#include "mappings.h"
#include "patterns.h"

#define BUCKETS 16384u
#define KEPT 4096u		/* cells that are found without a search, a power of two */

struct vpmu_profile vpmu_profile;

static struct vpmu_noted_block *buckets[BUCKETS];
/* References to records of notes, by address and mapping: a table of open addressing. */
static uint32_t *table, table_used, table_size;

/* Stands for what has no room, and for what happens before the first instruction. */
static struct { struct vpmu_noted_block block; struct vpmu_note note; } none;

static uint32_t hash_of(uint64_t address, uint32_t map)
{
	return (uint32_t)((address ^ (uint64_t)map << 52) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* ---- blocks ---- */

static bool is_block(const struct vpmu_noted_block *b, const struct vpmu_block_shape *s)
{
	const struct vpmu_profile_block *r = b->record;
	const uint8_t *fixed = (const uint8_t *)r + vpmu_profile_fixed_at(r);

	return b->address == s->address && r->count == s->count && r->fixed == s->fixed_count &&
	       !memcmp(r->size, s->size, s->count) &&
	       (!s->fixed_count ||
		!memcmp(fixed, s->fixed, s->fixed_count * sizeof(*s->fixed)));
}

static struct vpmu_profile_note *record_at(uint64_t address, uint32_t map);

static struct vpmu_profile_block *new_record(const struct vpmu_block_shape *s, uint32_t map)
{
	const struct vpmu_profile_block like = { .count = s->count };
	size_t fixed_at = vpmu_profile_fixed_at(&like), fixed = s->fixed_count * sizeof(*s->fixed);
	struct vpmu_profile_note *first = record_at(s->address, map);
	struct vpmu_profile_block *r;

	r = first ? vpmu_profile_add(fixed_at + fixed, VPMU_LOST_BLOCKS) : NULL;
	if (!r)
		return NULL;
	r->note = vpmu_profile_ref(first);
	r->count = s->count;
	r->fixed = s->fixed_count;
	memcpy(r->size, s->size, s->count);
	if (fixed)
		memcpy((uint8_t *)r + fixed_at, s->fixed, fixed);
	vpmu_profile_publish(VPMU_LIST_BLOCKS, r);
	return r;
}

/* A block without a record in the file has one of its own, for its sizes. */
static struct vpmu_profile_block *record_elsewhere(const struct vpmu_block_shape *s)
{
	struct vpmu_profile_block *r = calloc(1, sizeof(*r) + s->count + 4u);

	if (!r)
		abort();
	r->count = s->count;
	if (s->count)
		memcpy(r->size, s->size, s->count);
	return r;
}

static struct vpmu_noted_block *note_new_block(const struct vpmu_block_shape *s, uint32_t map)
{
	struct vpmu_noted_block *b = calloc(1, sizeof(*b) + (s->count + 2u) * sizeof(b->notes[0]));

	if (!b)
		abort();
	b->notes = (struct vpmu_note *)(void *)(b + 1);
	b->address = s->address;
	b->map = map;
	b->record = new_record(s, map);
	if (!b->record)
		b->record = record_elsewhere(s);
	for (uint32_t i = 0; i < s->count + 2u; i++)
		b->notes[i].block = b;
	return b;
}

struct vpmu_noted_block *vpmu_note_block(const struct vpmu_block_shape *s)
{
	uint32_t map = vpmu_mapping_of(s->address), hash = hash_of(s->address, map);
	struct vpmu_noted_block **bucket = &buckets[hash % BUCKETS], *b = *bucket;

	while (b && (b->map != map || !is_block(b, s)))
		b = b->next;
	if (b)
		return b;
	b = note_new_block(s, map);
	b->next = *bucket;
	*bucket = b;
	return b;
}

/* ---- notes ---- */

uint64_t vpmu_note_address(const struct vpmu_note *note)
{
	const struct vpmu_noted_block *b = note->block;
	uint64_t address = b->address;
	ptrdiff_t index = note - b->notes, count = b->record->count;

	if (index >= count)
		index = index == count ? 0 : count - 1;
	for (ptrdiff_t i = 0; i < index; i++)
		address += b->record->size[i];
	return address;
}

static uint32_t *place_in(uint32_t *in, uint32_t size, uint64_t address, uint32_t map)
{
	for (uint32_t at = hash_of(address, map);; at++) {
		uint32_t *place = &in[at & (size - 1)];
		const struct vpmu_profile_note *r = vpmu_profile_at(*place);

		if (!r || (r->address == address && r->map == map))
			return place;
	}
}

static bool table_grow(void)
{
	uint32_t size = table_size ? 2 * table_size : 4096, *more = calloc(size, sizeof(*more));

	if (!more)
		return false;
	for (uint32_t i = 0; i < table_size; i++) {
		const struct vpmu_profile_note *r = vpmu_profile_at(table[i]);

		if (r)
			*place_in(more, size, r->address, r->map) = table[i];
	}
	free(table);
	table = more;
	table_size = size;
	return true;
}

static struct vpmu_profile_note *record_at(uint64_t address, uint32_t map)
{
	struct vpmu_profile_note *r;
	uint32_t *place;

	if (table_used * 4 >= table_size * 3 && !table_grow())
		return NULL;
	place = place_in(table, table_size, address, map);
	if (*place)
		return vpmu_profile_at(*place);
	r = vpmu_profile_add(sizeof(*r), VPMU_LOST_NOTES);
	if (!r)
		return NULL;
	r->address = address;
	r->map = map;
	vpmu_profile_publish(VPMU_LIST_NOTES, r);
	*place = vpmu_profile_ref(r);
	table_used++;
	return r;
}

struct vpmu_profile_note *vpmu_note_record(struct vpmu_note *note)
{
	if (!note->record)
		note->record = record_at(vpmu_note_address(note), note->block->map);
	return note->record;
}

/* ---- cells ---- */

static struct { const uint32_t *cells; struct vpmu_profile_cell *cell; } kept[KEPT];

static struct vpmu_profile_cell *cell_find(uint32_t *cells, uint32_t kind)
{
	struct vpmu_profile_cell *c = vpmu_profile_at(*cells);

	while (c && c->kind != kind)
		c = vpmu_profile_at(c->next);
	if (c)
		return c;
	c = vpmu_profile_add(sizeof(*c), VPMU_LOST_CELLS);
	if (!c)
		return NULL;
	c->kind = kind;
	c->next = *cells;
	__atomic_store_n(cells, vpmu_profile_ref(c), __ATOMIC_RELEASE);
	return c;
}

void vpmu_cell_add(uint32_t *cells, uint32_t kind, uint64_t times)
{
	uint32_t at = ((uint32_t)((uintptr_t)cells >> 3) * 31 + kind) % KEPT;
	struct vpmu_profile_cell *c;

	if (kept[at].cells == cells && kept[at].cell->kind == kind) {
		kept[at].cell->count += times;
		return;
	}
	c = cell_find(cells, kind);
	if (!c)
		return;
	kept[at].cells = cells;
	kept[at].cell = c;
	c->count += times;
}

static void charge(struct vpmu_profile_note *r, uint32_t kind, uint64_t times)
{
	vpmu_cell_add(&r->cells, kind, times);
	if (__builtin_expect(vpmu_profile.charged != NULL, 0))
		vpmu_profile.charged(kind, times);
}

void vpmu_charge_note(struct vpmu_note *note, uint32_t kind, uint64_t times)
{
	struct vpmu_profile_note *r = *vpmu_profile.paused || !times ? NULL :
				      vpmu_note_record(note);

	if (r)
		charge(r, kind, times);
}

void vpmu_charge_collected(void)
{
	struct vpmu_profile_note *r = *vpmu_profile.paused ? NULL :
				      vpmu_note_record(vpmu_profile.note);
	const struct vpmu_profile_occurrence *what = vpmu_profile.what;
	uint32_t count = vpmu_profile.collected, pattern = 0;

	vpmu_profile.collected = 0;
	if (!r)
		return;
	if (count > 1)
		pattern = vpmu_pattern_of(what, count);
	if (pattern)
		charge(r, pattern, 1);
	for (uint32_t i = 0; !pattern && i < count; i++)
		charge(r, (uint32_t)what[i].kind, what[i].times);
}

void vpmu_charge_at(uint64_t address, uint32_t kind, uint64_t times)
{
	struct vpmu_profile_note *r = *vpmu_profile.paused ? NULL :
				      record_at(address, vpmu_mapping_of(address));

	if (r)
		charge(r, kind, times);
}

/* ---- the process ---- */

bool vpmu_notes_begin(const struct vpmu_profile_origin *from, const uint32_t *paused)
{
	if (!vpmu_profile_store_begin(from))
		return false;
	none.block.record = record_elsewhere(&(struct vpmu_block_shape){ .address = 0 });
	none.block.notes = &none.note;
	none.note.block = &none.block;
	vpmu_profile.paused = paused;
	vpmu_profile.note = &none.note;
	return true;
}

void vpmu_notes_forked(void)
{
	if (!vpmu_profiles())
		return;
	vpmu_profile_store_forked();
	memset(kept, 0, sizeof(kept));
	for (uint32_t ref = vpmu_profile_first(VPMU_LIST_NOTES); ref;) {
		struct vpmu_profile_note *r = vpmu_profile_at(ref);

		r->cells = 0;
		ref = r->next;
	}
	for (uint32_t ref = vpmu_profile_first(VPMU_LIST_BLOCKS); ref;) {
		struct vpmu_profile_block *r = vpmu_profile_at(ref);

		r->executed[0] = r->executed[1] = r->clocks[0] = r->clocks[1] = 0;
		ref = r->next;
	}
}

void vpmu_notes_end(void)
{
	if (vpmu_profiles())
		vpmu_profile_store_end();
}
