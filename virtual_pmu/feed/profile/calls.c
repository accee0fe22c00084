/* SPDX-License-Identifier: MIT */
/* The shadow stack of a thread. All functions of a thread's calls are called by that thread; the
 * arcs are the process's, of which one thread executes at a time. A frame's counts of events lie in
 * a row that it gets with its first event. When the frame ends, they are added to its arc and to
 * the frame below, which takes the row itself if it has none. So an event costs an addition, and a
 * call without events costs nothing for them. */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

#include "../../machine/profile_file.h"
#include "patterns.h"

#define MASKS (VPMU_CELL_KINDS / 64 + 1)
#define ROWS_MAX 2048u		/* some 8 MiB; then events are settled */
#define SETTLE_EVERY UINT64_C(4000000)	/* instructions: what a killed process may lack */

/* mask: kinds whose count is not 0. */
struct vpmu_call_row { uint64_t mask[MASKS], n[VPMU_CELL_KINDS]; uint32_t unused; };

/* A function by its address, numbered from 1. */
struct vpmu_call_target { uint64_t address; uint32_t function; };

static uint32_t call_hash(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);

	return (uint32_t)(x >> 32);
}

/* ---- functions and arcs ---- */

static struct vpmu_call_target *target_place(struct vpmu_call_target *in, uint32_t size,
					     uint64_t address)
{
	uint32_t i = call_hash(address, 0) & (size - 1);

	while (in[i].function && in[i].address != address)
		i = (i + 1) & (size - 1);
	return &in[i];
}

static bool targets_grow(struct vpmu_arcs *a)
{
	uint32_t size = a->targets_size ? a->targets_size * 2 : 1024;
	struct vpmu_call_target *targets = calloc(size, sizeof(*targets));

	if (!targets)
		return false;
	for (uint32_t i = 0; i < a->targets_size; i++)
		if (a->targets[i].function)
			*target_place(targets, size, a->targets[i].address) = a->targets[i];
	free(a->targets);
	a->targets = targets;
	a->targets_size = size;
	return true;
}

/* 0: no memory. */
static uint32_t function_number(struct vpmu_arcs *a, uint64_t address)
{
	struct vpmu_call_target *at;

	if (a->functions * 2 >= a->targets_size && !targets_grow(a))
		return 0;
	at = target_place(a->targets, a->targets_size, address);
	if (!at->function)
		*at = (struct vpmu_call_target){ address, ++a->functions };
	return at->function;
}

bool vpmu_arcs_has(const struct vpmu_arcs *arcs, uint64_t address)
{
	return arcs->targets &&
	       target_place(arcs->targets, arcs->targets_size, address)->function;
}

void vpmu_arcs_expect(struct vpmu_arcs *arcs, uint64_t address)
{
	function_number(arcs, address);
}

static struct vpmu_arc **arc_place(struct vpmu_arc **in, uint32_t size, uint32_t call,
				   uint64_t target)
{
	uint32_t i = call_hash(target, call) & (size - 1);

	while (in[i] && (in[i]->target != target || in[i]->call != call))
		i = (i + 1) & (size - 1);
	return &in[i];
}

static bool arcs_grow(struct vpmu_arcs *a)
{
	uint32_t size = a->size ? a->size * 2 : 1024;
	struct vpmu_arc **hash = calloc(size, sizeof(struct vpmu_arc *));

	if (!hash)
		return false;
	for (uint32_t i = 0; i < a->size; i++)
		if (a->hash[i])
			*arc_place(hash, size, a->hash[i]->call, a->hash[i]->target) = a->hash[i];
	free(a->hash);
	a->hash = hash;
	a->size = size;
	return true;
}

/* NULL: there is no room. */
static struct vpmu_arc *arc_find(struct vpmu_arcs *a, uint32_t call, uint64_t target)
{
	struct vpmu_arc **place, *arc;

	if (a->used * 2 >= a->size && !arcs_grow(a))
		return NULL;
	place = arc_place(a->hash, a->size, call, target);
	if (*place)
		return *place;
	arc = malloc(sizeof(*arc));
	if (!arc)
		return NULL;
	*arc = (struct vpmu_arc){
		.target = target, .call = call, .function = function_number(a, target),
	};
	arc->record = arc->function ? a->make(call, target) : NULL;
	if (!arc->record) {
		free(arc);
		return NULL;
	}
	a->used++;
	return *place = arc;
}

/* ---- rows ---- */

static struct vpmu_call_row *row_at(struct vpmu_calls *c, uint32_t row)
{
	return &c->rows[row];
}

/* 0: there is no more. */
static uint32_t row_take(struct vpmu_calls *c)
{
	uint32_t row = c->rows_unused;

	if (row) {
		c->rows_unused = row_at(c, row)->unused;
		return row;
	}
	if (c->rows_used == c->rows_room) {
		uint32_t room = c->rows_room ? c->rows_room * 2 : 16;
		struct vpmu_call_row *rows;

		if (room > ROWS_MAX)
			return 0;
		rows = realloc(c->rows, room * sizeof(*rows));
		if (!rows)
			return 0;
		c->rows = rows;
		c->rows_room = room;
		c->rows_used = c->rows_used ? c->rows_used : 1;
	}
	row = c->rows_used++;
	memset(row_at(c, row), 0, sizeof(*c->rows));
	return row;
}

/* Adds the counts of a row to an arc, to another row, or to both; NULL and 0: to none. */
static void row_add(struct vpmu_calls *c, uint32_t row, struct vpmu_profile_arc *arc, uint32_t to)
{
	struct vpmu_call_row *from = row_at(c, row), *sum = row_at(c, to);

	for (uint32_t m = 0; m < MASKS; m++) {
		if (to)
			sum->mask[m] |= from->mask[m];
		for (uint64_t left = from->mask[m]; left; left &= left - 1) {
			uint32_t kind = m * 64 + (uint32_t)__builtin_ctzll(left);

			if (arc)
				c->arcs->add(arc, kind, from->n[kind]);
			if (to)
				sum->n[kind] += from->n[kind];
		}
	}
}

static void row_drop(struct vpmu_calls *c, uint32_t row)
{
	struct vpmu_call_row *r = row_at(c, row);

	for (uint32_t m = 0; m < MASKS; m++) {
		for (uint64_t left = r->mask[m]; left; left &= left - 1)
			r->n[m * 64 + (uint32_t)__builtin_ctzll(left)] = 0;
		r->mask[m] = 0;
	}
	r->unused = c->rows_unused;
	c->rows_unused = row;
}

/* ---- frames ---- */

static struct vpmu_frame *top_frame(const struct vpmu_calls *c)
{
	return c->depth ? &c->frame[c->depth - 1] : NULL;
}

/* Adds the frame's events so far to its arc and to the frame below. */
static void settle_events(struct vpmu_calls *c, uint32_t number)
{
	struct vpmu_frame *f = &c->frame[number];
	struct vpmu_frame *below = number ? f - 1 : NULL;

	if (!f->row)
		return;
	row_add(c, f->row, f->outermost ? f->arc->record : NULL, below ? below->row : 0);
	if (below && !below->row)
		below->row = f->row;
	else
		row_drop(c, f->row);
	f->row = 0;
}

static void frame_settle(struct vpmu_calls *c, uint32_t number)
{
	struct vpmu_frame *f = &c->frame[number];

	for (uint32_t i = 0; f->outermost && i < 2; i++) {
		f->arc->record->instructions[i] += c->total.instructions[i] -
						   f->before.instructions[i];
		f->arc->record->clocks[i] += c->total.clocks[i] - f->before.clocks[i];
	}
	f->before = c->total;
	settle_events(c, number);
}

static void frame_leave(struct vpmu_calls *c)
{
	frame_settle(c, c->depth - 1);
	c->depth--;
	c->active[c->frame[c->depth].arc->function]--;
}

static uint64_t executed_by(const struct vpmu_calls *c)
{
	return c->total.instructions[0] + c->total.instructions[1];
}

void vpmu_calls_settle(struct vpmu_calls *c)
{
	c->settled = executed_by(c);
	for (uint32_t i = c->depth; i; i--)
		frame_settle(c, i - 1);
}

void vpmu_calls_unwind(struct vpmu_calls *c, uint64_t sp)
{
	while (c->depth && c->frame[c->depth - 1].sp < sp)
		frame_leave(c);
}

static bool frames_grow(struct vpmu_calls *c)
{
	uint32_t room = c->room ? c->room * 2 : 64;
	struct vpmu_frame *frame = room > c->room ? realloc(c->frame, room * sizeof(*frame)) : NULL;

	if (!frame)
		return false;
	c->frame = frame;
	c->room = room;
	return true;
}

static bool active_grow(struct vpmu_calls *c, uint32_t function)
{
	uint32_t entries = c->functions ? c->functions : 256;
	uint32_t *active;

	while (entries <= function)
		entries *= 2;
	active = realloc(c->active, entries * sizeof(*active));
	if (!active)
		return false;
	memset(active + c->functions, 0, (entries - c->functions) * sizeof(*active));
	c->active = active;
	c->functions = entries;
	return true;
}

/* The arc of a call, which is counted; NULL: there is no room for it. */
static struct vpmu_arc *count_call(struct vpmu_calls *c, struct vpmu_call_site *site,
				   uint64_t target)
{
	struct vpmu_arc *arc = site->arc;

	if (!arc || arc->target != target)
		arc = arc_find(c->arcs, site->call, target);
	if (!arc) {
		c->arcs->lost();
		return NULL;
	}
	site->arc = arc;
	arc->record->calls += !*c->arcs->paused;
	return arc;
}

/* Fills in the frame above the open ones, for what is called now. False: no memory. */
static bool frame_prepare(struct vpmu_calls *c, uint64_t sp)
{
	struct vpmu_frame *f;

	if (c->depth == c->room && !frames_grow(c)) {
		c->arcs->lost();
		return false;
	}
	f = &c->frame[c->depth];
	f->sp = sp;
	f->before = c->total;
	f->resolves = NULL;
	f->row = 0;
	return true;
}

/* Opens the frame that was prepared, for a call of this function. */
static void frame_open(struct vpmu_calls *c, struct vpmu_call_site *site, uint64_t target)
{
	struct vpmu_arc *arc = count_call(c, site, target);
	struct vpmu_frame *f = &c->frame[c->depth];

	if (!arc)
		return;
	if (arc->function >= c->functions && !active_grow(c, arc->function)) {
		c->arcs->lost();
		return;
	}
	f->arc = arc;
	f->outermost = !c->active[arc->function]++;
	c->depth++;
}

static void frame_push(struct vpmu_calls *c, struct vpmu_call_site *site, uint64_t target,
		       uint64_t sp)
{
	if (frame_prepare(c, sp))
		frame_open(c, site, target);
}

void vpmu_calls_call(struct vpmu_calls *c, struct vpmu_call_site *site, uint64_t sp)
{
	vpmu_calls_unwind(c, sp + 1);
	if (__builtin_expect(executed_by(c) - c->settled >= SETTLE_EVERY, 0))
		vpmu_calls_settle(c);
	c->site = site;
	c->jump = NULL;
	c->stubs = 0;
	c->entered = frame_prepare(c, sp);
}

void vpmu_calls_enter(struct vpmu_calls *c, uint64_t address)
{
	struct vpmu_call_site *site = c->site;

	if (!site->arc || address != site->arc->target) {
		if (address != site->stub && c->arcs->is_stub(address))
			site->stub = address;
		if (address == site->stub) {
			c->stubs++;
			return;
		}
	}
	c->entered = false;
	c->jump = NULL;
	if (c->stubs > 1)
		c->frame[c->depth].resolves = site;
	frame_open(c, site, address);
}

void vpmu_calls_return(struct vpmu_calls *c, uint64_t sp)
{
	vpmu_calls_unwind(c, sp + 1);
	c->jump = NULL;
}

/* The number of frames up to the one, of those that end with the last, which is of the function;
 * 0: none is. */
static uint32_t among_tail_calls(const struct vpmu_calls *c, uint64_t address, uint64_t sp)
{
	for (uint32_t i = c->depth; i && c->frame[i - 1].sp == sp; i--)
		if (c->frame[i - 1].arc->target == address)
			return i;
	return 0;
}

void vpmu_calls_function(struct vpmu_calls *c, uint64_t address, uint64_t sp)
{
	struct vpmu_call_site *jump = c->jump;
	const struct vpmu_frame *top;
	uint32_t before;

	c->jump = NULL;
	vpmu_calls_unwind(c, sp);
	top = top_frame(c);
	if (top && top->arc->target == address)
		return;		/* a loop, or it has interrupted itself */
	if (!top || top->sp != sp) {
		frame_push(c, &c->root, address, sp);
		return;
	}
	if (!jump)
		return;		/* a second name inside of a function */
	if (top->resolves) {	/* it ends, and the call comes to its function */
		jump = top->resolves;
		frame_leave(c);
	}
	before = among_tail_calls(c, address, sp);
	if (!before) {
		frame_push(c, jump, address, sp);
		return;
	}
	count_call(c, jump, address);
	while (c->depth > before)
		frame_leave(c);
}

void vpmu_calls_event(struct vpmu_calls *c, uint32_t kind, uint64_t n)
{
	struct vpmu_frame *f = top_frame(c);
	struct vpmu_call_row *row;

	if (!f || kind >= VPMU_CELL_KINDS)
		return;
	if (!f->row)
		f->row = row_take(c);
	if (!f->row) {		/* all are in use: none is then */
		for (uint32_t i = c->depth; i; i--)
			settle_events(c, i - 1);
		f->row = row_take(c);
	}
	if (!f->row)
		return;
	row = row_at(c, f->row);
	row->mask[kind / 64] |= UINT64_C(1) << kind % 64;
	row->n[kind] += n;
}

uint32_t vpmu_calls_chain(const struct vpmu_calls *c, uint32_t notes[], uint32_t max)
{
	uint32_t n = 0;

	for (uint32_t i = c->depth; i && n < max; i--)
		if (c->frame[i - 1].arc->call)
			notes[n++] = c->frame[i - 1].arc->call;
	return n;
}

/* ---- threads ---- */

void vpmu_calls_begin(struct vpmu_calls *c, struct vpmu_arcs *arcs)
{
	*c = (struct vpmu_calls){ .arcs = arcs };
	c->site = &c->root;
	c->entered = frame_prepare(c, UINT64_MAX);
}

void vpmu_calls_end(struct vpmu_calls *c)
{
	while (c->depth)
		frame_leave(c);
	free(c->frame);
	free(c->active);
	free(c->rows);
	*c = (struct vpmu_calls){ 0 };
}

void vpmu_calls_forked(struct vpmu_calls *c)
{
	c->settled = executed_by(c);
	for (uint32_t i = 0; i < c->depth; i++) {
		c->frame[i].before = c->total;
		if (c->frame[i].row)
			row_drop(c, c->frame[i].row);
		c->frame[i].row = 0;
	}
}
