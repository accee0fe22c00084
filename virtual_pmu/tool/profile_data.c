/* SPDX-License-Identifier: MIT */
/* The part of `vpmu profile` about calls, objects and contended lines. What is counted of no object
 * is object 0's, so the cells of objects add up to all that the process has caused, too. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "../model/kinds.h"
#include "profile_text.h"

static void print_arc(const struct vpmu_profile_text *t, const struct vpmu_profile_arc *a)
{
	uint64_t counts[VPMU_KINDS] = { 0 };

	vpmu_profile_text_sum(t, a->cells, counts);
	for (uint32_t i = 0; i < 2; i++) {
		counts[vpmu_kind_core(i, VPMU_INSTRUCTIONS)] += a->instructions[i];
		counts[vpmu_kind_core(i, VPMU_CORE_EVENTS)] += a->clocks[i];
	}
	printf("arc %u %" PRIx64 " %" PRIu64, vpmu_profile_text_note(t, a->call), a->target,
	       a->calls);
	for (uint32_t i = 0; i < VPMU_KINDS; i++)
		if (counts[i])
			printf(" %u:%" PRId64, i, (int64_t)counts[i]);
	putchar('\n');
}

/* An arc of calls before a fork has no counts in the child. */
static void print_arcs(const struct vpmu_profile_text *t)
{
	const struct vpmu_profile_arc *a;
	uint32_t ref = t->head->list[VPMU_LIST_ARCS];

	for (; (a = vpmu_profile_text_at(t, ref, sizeof(*a)));
	     ref = vpmu_profile_text_next(t, ref))
		if (a->calls || a->cells || a->instructions[0] || a->instructions[1])
			print_arc(t, a);
}

/* NULL: it is not all in the file. */
static const struct vpmu_profile_object *object_at(const struct vpmu_profile_text *t, uint32_t ref)
{
	const struct vpmu_profile_object *o = vpmu_profile_text_at(t, ref, sizeof(*o));

	return o ? vpmu_profile_text_at(t, ref, sizeof(*o) + (uint64_t)o->notes * 4 +
					o->name_bytes) : NULL;
}

static void print_object(const struct vpmu_profile_text *t, const struct vpmu_profile_object *o)
{
	static const char *const sorts[] = {
		[VPMU_OBJECT_UNKNOWN] = "unknown", [VPMU_OBJECT_VARIABLE] = "global",
		[VPMU_OBJECT_HEAP] = "heap", [VPMU_OBJECT_MAPPED] = "mmap",
		[VPMU_OBJECT_STACK] = "stack",
	};

	printf("object %u %s %" PRIx64 " %" PRIx64, o->number,
	       sorts[o->sort <= VPMU_OBJECT_STACK ? o->sort : 0], o->start, o->end);
	for (uint32_t i = 0; i < o->notes; i++)
		printf(" %u", vpmu_profile_text_note(t, o->note[i]));
	if (o->name_bytes)
		printf(" %.*s", (int)o->name_bytes, (const char *)(o->note + o->notes));
	putchar('\n');
	if (o->blocks)
		printf("blocks %u %" PRIu64 " %" PRIu64 "\n", o->number, o->blocks, o->bytes);
}

static void print_objects(const struct vpmu_profile_text *t)
{
	uint64_t rest[VPMU_KINDS] = { 0 };
	const struct vpmu_profile_object *o;
	uint32_t ref = t->head->list[VPMU_LIST_OBJECTS];

	if (!ref)
		return;
	for (size_t i = 0; i < t->cell_count; i++)
		if (t->cell[i].kind < VPMU_KINDS)
			rest[t->cell[i].kind] += t->cell[i].count;
	for (; (o = object_at(t, ref)); ref = vpmu_profile_text_next(t, ref)) {
		uint64_t counts[VPMU_KINDS] = { 0 };

		print_object(t, o);
		vpmu_profile_text_sum(t, o->cells, counts);
		for (uint32_t i = 0; i < VPMU_KINDS; i++) {
			rest[i] -= counts[i];
			if (counts[i])
				printf("object-cell %u %u %" PRId64 "\n", o->number, i,
				       (int64_t)counts[i]);
		}
	}
	puts("object 0 unknown 0 0");
	for (uint32_t i = 0; i < VPMU_KINDS; i++)
		if (rest[i])
			printf("object-cell 0 %u %" PRId64 "\n", i, (int64_t)rest[i]);
}

static void print_side(const struct vpmu_profile_text *t, const struct vpmu_profile_side *s,
		       const char *what)
{
	printf("%s %" PRIx64 " %u %u %s %u", what, s->line, vpmu_profile_text_note(t, s->note),
	       s->byte, s->store ? "store" : "load", s->thread);
}

static void print_sides(const struct vpmu_profile_text *t)
{
	const struct vpmu_profile_side *s;
	uint32_t ref = t->head->list[VPMU_LIST_LINES];

	for (; (s = vpmu_profile_text_at(t, ref, sizeof(*s)));
	     ref = vpmu_profile_text_next(t, ref)) {
		const struct vpmu_profile_cell *c;
		uint32_t cell = s->cells;

		for (; (c = vpmu_profile_text_at(t, cell, sizeof(*c)));
		     cell = vpmu_profile_text_next(t, cell)) {
			if (c->kind >= VPMU_KINDS || !c->count)
				continue;
			print_side(t, s, "line");
			printf(" %u %" PRIu64 " %u %u\n", c->kind, c->count, s->object, s->offset);
		}
		if (!s->times)
			continue;
		print_side(t, s, "line-other");
		printf(" %" PRIu64 " %u %u\n", s->times, s->object, s->offset);
	}
}

void vpmu_profile_text_data(const struct vpmu_profile_text *t)
{
	print_arcs(t);
	print_objects(t);
	print_sides(t);
}
