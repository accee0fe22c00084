/* SPDX-License-Identifier: MIT */
/* Objects of a program's data, lines that its threads take from each other, and patterns of what
 * an access causes, in the records of a profile's file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "virtual_pmu/feed/profile/contended_lines.h"
#include "virtual_pmu/feed/profile/notes.h"
#include "virtual_pmu/feed/profile/objects.h"
#include "virtual_pmu/feed/profile/patterns.h"
#include "virtual_pmu/feed/thread/machine_lock.h"

#define HEAP UINT64_C(0x10000)		/* addresses that no process has */
#define LINE UINT64_C(0x20000)

static char folder[] = "/tmp/feed_objects.XXXXXX";
static uint32_t paused;

static int begin(void **state)
{
	const struct vpmu_profile_origin from = { .folder = folder, .machine = "test" };

	(void)state;
	if (!mkdtemp(folder) || !vpmu_notes_begin(&from, &paused))
		return -1;
	vpmu_objects_begin();
	return 0;
}

static int end(void **state)
{
	char command[sizeof(folder) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static struct vpmu_note *note_at(uint64_t address)
{
	static const uint8_t sizes[2] = { 4, 3 };

	return vpmu_note_use(vpmu_note_block(&(struct vpmu_block_shape){
		.address = address, .size = sizes, .count = 2 }), 0, 0);
}

static uint64_t cell_of(uint32_t cells, uint32_t kind)
{
	const struct vpmu_profile_cell *c = vpmu_profile_at(cells);

	while (c && c->kind != kind)
		c = vpmu_profile_at(c->next);
	return c ? c->count : 0;
}

static const struct vpmu_profile_object *object_of(uint32_t number)
{
	const struct vpmu_profile_object *o =
		vpmu_profile_at(vpmu_profile_first(VPMU_LIST_OBJECTS));

	while (o && o->number != number)
		o = vpmu_profile_at(o->next);
	return o;
}

/* ---- objects ---- */

static void blocks_of_one_chain_are_an_object(void **state)
{
	const struct vpmu_call_chain one = { { 1, 2, 3 }, 3 }, other = { { 1, 2, 4 }, 3 };
	const struct vpmu_profile_object *o;
	struct vpmu_object_place a, b;

	(void)state;
	vpmu_objects_allocate(HEAP, 100, &one);
	vpmu_objects_allocate(HEAP + 128, 300, &one);
	vpmu_objects_allocate(HEAP + 512, 8, &other);
	a = vpmu_objects_find(HEAP + 99);
	b = vpmu_objects_find(HEAP + 128 + 299);
	assert_int_equal(a.object, b.object);
	assert_int_equal(a.offset, 99);
	assert_int_equal(b.offset, 299);
	assert_int_not_equal(vpmu_objects_find(HEAP + 512).object, a.object);
	assert_int_equal(vpmu_objects_find(HEAP + 100).object, 0);
	vpmu_objects_charge(HEAP + 50, 5, 2);
	vpmu_objects_charge(HEAP + 200, 5, 1);
	vpmu_objects_charge(HEAP + 515, 5, 7);
	vpmu_objects_charge(HEAP + 100, 5, 100);	/* in no object */
	vpmu_objects_free(HEAP + 128);
	assert_int_equal(vpmu_objects_find(HEAP + 200).object, 0);
	vpmu_objects_charge(HEAP + 200, 5, 100);
	o = object_of(a.object);
	assert_non_null(o);
	assert_int_equal(o->sort, VPMU_OBJECT_HEAP);
	assert_int_equal(o->blocks, 2);
	assert_int_equal(o->bytes, 400);
	assert_int_equal(o->end - o->start, 300);
	assert_int_equal(o->notes, 3);
	assert_memory_equal(o->note, one.note, sizeof(o->note[0]) * 3);
	assert_int_equal(cell_of(o->cells, 5), 3);
}

/* A heap lies in mapped memory; the block is what an address belongs to. */
static void blocks_come_before_the_memory_around_them(void **state)
{
	const struct vpmu_call_chain by = { { 9 }, 1 }, none = { { 0 }, 0 };
	uint64_t start = HEAP + 0x4000;
	uint32_t around;

	(void)state;
	vpmu_objects_map(start, 0x2000, "", &none);
	around = vpmu_objects_find(start).object;
	vpmu_objects_allocate(start + 16, 64, &by);
	vpmu_objects_variable(start + 0x1000, 8, "variable");
	assert_int_not_equal(vpmu_objects_find(start + 16).object, around);
	assert_int_equal(vpmu_objects_find(start + 80).object, around);
	vpmu_objects_charge(start + 0x1007, 6, 1);
	assert_int_equal(object_of(vpmu_objects_find(start + 0x1007).object)->name_bytes, 8);
	vpmu_objects_stack(start + 0x800, 3);
	assert_int_not_equal(vpmu_objects_find(start + 0x800).object, around);
	vpmu_objects_unmap(start, 0x2000);
	assert_int_equal(vpmu_objects_find(start + 16).object, 0);
	assert_int_equal(vpmu_objects_find(start + 0x1007).object, 0);
}

static void a_pause_allocates_without_counting(void **state)
{
	const struct vpmu_call_chain by = { { 77 }, 1 };
	uint32_t number;

	(void)state;
	paused = 1;
	vpmu_objects_allocate(HEAP + 0x8000, 64, &by);
	paused = 0;
	number = vpmu_objects_find(HEAP + 0x8000).object;
	assert_int_equal(object_of(number)->blocks, 0);
	vpmu_objects_allocate(HEAP + 0x8040, 64, &by);
	assert_int_equal(object_of(number)->blocks, 1);
}

/* ---- lines ---- */

static const struct vpmu_profile_side *side_of(uint64_t line, uint32_t thread, uint32_t byte)
{
	const struct vpmu_profile_side *s =
		vpmu_profile_at(vpmu_profile_first(VPMU_LIST_LINES));

	while (s && (s->line != line || s->thread != thread || s->byte != byte))
		s = vpmu_profile_at(s->next);
	return s;
}

static void use(struct vpmu_line_user *u, struct vpmu_note *note, uint64_t address)
{
	u->last[address >> 6 & (VPMU_LAST_LINES - 1)] =
		(struct vpmu_last_access){ note, address << 1 | 1 };
}

/* Thread a requests the line that thread b has written and c, on another core, has read. */
static void the_other_side_is_the_last_access(void **state)
{
	struct vpmu_line_user *a = vpmu_line_user_begin(), *b = vpmu_line_user_begin();
	struct vpmu_line_user *c = vpmu_line_user_begin();
	struct vpmu_line_request q = {
		.user = a, .note = note_at(0x1000), .line = LINE, .at = (LINE + 8) << 1 | 1,
		.package = 0, .agent = 1, .kind = VPMU_KIND_SNOOP_XCORE_HITM,
	};
	const struct vpmu_profile_side *s;

	(void)state;
	b->agent = 1;
	c->agent = 2;
	use(b, note_at(0x2000), LINE + 16);
	use(c, note_at(0x3000), LINE + 24);
	for (int i = 0; i < 17; i++)
		vpmu_contended_line(&q);
	s = side_of(LINE, a->thread, 8);
	assert_non_null(s);
	assert_int_equal(s->store, 1);
	assert_int_equal(cell_of(s->cells, q.kind), 17);
	s = side_of(LINE, b->thread, 16);
	assert_non_null(s);
	assert_int_equal(s->times, 3);		/* requests 1, 9 and 17 */
	assert_null(side_of(LINE, c->thread, 24));

	/* The other side is found when its thread has ended, not when a line has its place. */
	vpmu_line_user_end(b);
	for (int i = 0; i < 8; i++)
		vpmu_contended_line(&q);
	assert_int_equal(s->times, 4);
	use(b, note_at(0x2000), LINE + 64 * VPMU_LAST_LINES);
	for (int i = 0; i < 8; i++)
		vpmu_contended_line(&q);
	assert_int_equal(s->times, 4);
	assert_non_null(side_of(LINE, c->thread, 24));	/* then any thread's */
}

/* An access that begins before the line has its first byte there at the line's first. */
static void accesses_across_lines_have_a_side(void **state)
{
	struct vpmu_line_user *a = vpmu_line_user_begin();
	struct vpmu_line_request q = {
		.user = a, .note = note_at(0x1000), .line = LINE + 64, .at = (LINE + 60) << 1,
		.kind = VPMU_KIND_SNOOP_XCORE_HIT,
	};

	(void)state;
	vpmu_contended_line(&q);
	assert_non_null(side_of(LINE + 64, a->thread, 0));
	q.at = 0;
	vpmu_contended_line(&q);
	assert_int_equal(cell_of(side_of(LINE + 64, a->thread, 0)->cells, q.kind), 2);
}

/* ---- patterns ---- */

static void what_an_access_causes_is_one_cell(void **state)
{
	const struct vpmu_profile_pattern *p;
	struct vpmu_profile_note *r;

	(void)state;
	vpmu_profile.note = note_at(0x5000);
	for (int i = 0; i < 3; i++) {
		vpmu_charges_begin();
		vpmu_charge(3, 1);
		vpmu_charge(18, 179);
		vpmu_charge(14, 0);
		vpmu_charges_end();
	}
	p = vpmu_profile_at(vpmu_profile_first(VPMU_LIST_PATTERNS));
	assert_non_null(p);
	assert_int_equal(p->count, 2);
	assert_int_equal(p->what[0].kind, 3);
	assert_int_equal(p->what[1].kind, 18);
	assert_int_equal(p->what[1].times, 179);
	r = vpmu_note_record(vpmu_profile.note);
	assert_int_equal(cell_of(r->cells, p->number), 3);
	assert_int_equal(cell_of(r->cells, 3), 0);
}

/* Cells of their own have one occurrence, instructions, clocks, and all without a pattern. */
static void other_occurrences_have_cells_of_their_own(void **state)
{
	const uint32_t clocks = vpmu_kind_core(false, VPMU_CORE_EVENTS);
	struct vpmu_profile_note *r;
	uint64_t patterns = 0;

	(void)state;
	vpmu_profile.note = note_at(0x6000);
	r = vpmu_note_record(vpmu_profile.note);
	vpmu_charges_begin();
	vpmu_charge(3, 5);
	vpmu_charges_end();
	vpmu_charges_begin();
	vpmu_charge(3, 1);
	vpmu_charge(clocks, 20);
	vpmu_charges_end();
	assert_int_equal(cell_of(r->cells, 3), 6);
	assert_int_equal(cell_of(r->cells, clocks), 20);
	for (uint64_t i = 1; i <= 1000; i++) {
		vpmu_charges_begin();
		vpmu_charge(1, 1);
		vpmu_charge(2, i);
		vpmu_charges_end();
	}
	for (uint32_t i = 0; i < VPMU_PATTERNS_MAX; i++)
		patterns += cell_of(r->cells, VPMU_KINDS + i);
	assert_true(patterns > 0 && patterns < VPMU_PATTERNS_MAX);
	assert_int_equal(cell_of(r->cells, 1), 1000 - patterns);
}

static void more_than_fits_is_charged_all_the_same(void **state)
{
	struct vpmu_profile_note *r;

	(void)state;
	vpmu_profile.note = note_at(0x7000);
	r = vpmu_note_record(vpmu_profile.note);
	vpmu_charges_begin();
	for (uint32_t i = 0; i < VPMU_COLLECTED_MAX + 10; i++)
		vpmu_charge(7, 1);
	vpmu_charges_end();
	assert_int_equal(cell_of(r->cells, 7), VPMU_COLLECTED_MAX + 10);
}

/* A process that waits for the machine lock may read the counts, and pause the profile: both have
 * to have the same. */
static void a_count_that_others_see_is_charged(void **state)
{
	static struct vpmu_segment segment;
	struct vpmu_runner r = { .tid = vpmu_gettid() };
	struct vpmu_profile_note *of;

	(void)state;
	vpmu_profile.note = note_at(0x8000);
	of = vpmu_note_record(vpmu_profile.note);
	vpmu_runner_lock(&segment, &r);
	vpmu_charges_begin();
	vpmu_charge(7, 1);
	segment.lock.asked = 1;
	vpmu_runner_let_others(&segment, &r);
	assert_int_equal(vpmu_lock_held(&segment), 0);
	paused = 1;
	vpmu_charges_end();
	paused = 0;
	assert_int_equal(cell_of(of->cells, 7), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_of_one_chain_are_an_object),
		cmocka_unit_test(blocks_come_before_the_memory_around_them),
		cmocka_unit_test(a_pause_allocates_without_counting),
		cmocka_unit_test(the_other_side_is_the_last_access),
		cmocka_unit_test(accesses_across_lines_have_a_side),
		cmocka_unit_test(what_an_access_causes_is_one_cell),
		cmocka_unit_test(other_occurrences_have_cells_of_their_own),
		cmocka_unit_test(more_than_fits_is_charged_all_the_same),
		cmocka_unit_test(a_count_that_others_see_is_charged),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
