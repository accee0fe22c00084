/* SPDX-License-Identifier: MIT */
/* Objects by address. Three sets of ranges, searched in this order: blocks of the heap, variables,
 * and memory that the kernel has mapped. An object gets its record in the file when it is charged
 * for the first time, or allocated by calls: programs have thousands of variables that nothing
 * misses. Objects are never freed, as the file names them. */
#include "objects.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notes.h"
#include "ranges.h"
#include "store.h"

/* Bytes of the name are behind the notes. */
struct object {
	struct vpmu_profile_object *record;	/* NULL: none yet */
	uint64_t start, end;
	char *name;
	uint32_t sort, hash;
};

static struct object *objects;
static uint32_t object_count, object_room;
static struct vpmu_ranges heap, variables, mapped;

/* Numbers of objects with notes, by these; 0: none. */
static uint32_t *by_chain, chain_size, chain_used;

static uint64_t break_start, break_end;
static uint32_t break_object;

/* ---- objects ---- */

/* 0: no memory. */
static uint32_t object_new(const struct object *o)
{
	if (object_count == object_room) {
		uint32_t room = object_room ? object_room * 2 : 256;
		struct object *more = realloc(objects, room * sizeof(*more));

		if (!more)
			return 0;
		objects = more;
		object_room = room;
	}
	objects[object_count] = *o;
	return object_count++;
}

static struct vpmu_profile_object *record_new(uint32_t number, const struct vpmu_call_chain *by)
{
	const struct object *o = &objects[number];
	size_t name = o->name ? strlen(o->name) : 0;
	uint32_t notes = by ? by->count : 0;
	struct vpmu_profile_object *r =
		vpmu_profile_add(sizeof(*r) + notes * sizeof(r->note[0]) + name + 1,
				 VPMU_LOST_OBJECTS);

	if (!r)
		return NULL;
	r->start = o->start;
	r->end = o->end;
	r->number = number;
	r->sort = o->sort;
	r->notes = notes;
	r->name_bytes = (uint32_t)name;
	if (notes)
		memcpy(r->note, by->note, notes * sizeof(r->note[0]));
	if (name)
		memcpy(r->note + notes, o->name, name);
	vpmu_profile_publish(VPMU_LIST_OBJECTS, r);
	return r;
}

static uint32_t object_named(uint32_t sort, uint64_t start, uint64_t end, const char *name)
{
	struct object o = { .start = start, .end = end, .sort = sort, .name = strdup(name) };

	return o.name ? object_new(&o) : 0;
}

/* ---- objects with notes ---- */

static uint32_t chain_hash(uint32_t sort, const struct vpmu_call_chain *by)
{
	uint64_t hash = sort + 1;

	for (uint32_t i = 0; i < by->count; i++)
		hash = (hash ^ by->note[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(hash >> 32);
}

static bool is_chain(const struct object *o, uint32_t sort, uint32_t hash,
		     const struct vpmu_call_chain *by)
{
	return o->sort == sort && o->hash == hash && o->record->notes == by->count &&
	       !memcmp(o->record->note, by->note, by->count * sizeof(by->note[0]));
}

static bool chains_grow(void)
{
	uint32_t size = chain_size ? chain_size * 2 : 1024, *more = calloc(size, sizeof(*more));

	if (!more)
		return false;
	for (uint32_t i = 0; i < chain_size; i++) {
		uint32_t at;

		if (!by_chain[i])
			continue;
		for (at = objects[by_chain[i]].hash; more[at & (size - 1)]; at++)
			;
		more[at & (size - 1)] = by_chain[i];
	}
	free(by_chain);
	by_chain = more;
	chain_size = size;
	return true;
}

/* 0: no room. */
static uint32_t object_of_chain(uint32_t sort, const struct vpmu_call_chain *by, uint64_t start,
				uint64_t end)
{
	uint32_t hash = chain_hash(sort, by), at, number;

	if (chain_used * 2 >= chain_size && !chains_grow())
		return 0;
	for (at = hash; (number = by_chain[at & (chain_size - 1)]); at++)
		if (is_chain(&objects[number], sort, hash, by))
			return number;
	number = object_new(&(struct object){ .start = start, .end = end, .sort = sort,
					      .hash = hash });
	if (!number)
		return 0;
	objects[number].record = record_new(number, by);
	if (!objects[number].record) {
		object_count--;
		return 0;
	}
	by_chain[at & (chain_size - 1)] = number;
	chain_used++;
	return number;
}

/* A block of memory of this object begins to be used. */
static void count_block(uint32_t number, uint64_t start, uint64_t bytes)
{
	struct vpmu_profile_object *r = objects[number].record;

	r->blocks += !*vpmu_profile.paused;
	r->bytes += *vpmu_profile.paused ? 0 : bytes;
	if (bytes > r->end - r->start) {
		r->start = start;
		r->end = start + bytes;
	}
}

/* ---- memory ---- */

void vpmu_objects_allocate(uint64_t start, uint64_t bytes, const struct vpmu_call_chain *by)
{
	uint32_t number = object_of_chain(VPMU_OBJECT_HEAP, by, start, start + bytes);

	vpmu_ranges_remove(&heap, start, start + bytes);
	if (!number)
		return;
	count_block(number, start, bytes);
	vpmu_ranges_add(&heap, start, start + bytes, number);
}

void vpmu_objects_free(uint64_t start)
{
	struct vpmu_range taken;

	vpmu_ranges_take(&heap, start, &taken);
}

void vpmu_objects_unmap(uint64_t start, uint64_t bytes)
{
	vpmu_ranges_remove(&heap, start, start + bytes);
	vpmu_ranges_remove(&variables, start, start + bytes);
	vpmu_ranges_remove(&mapped, start, start + bytes);
}

void vpmu_objects_map(uint64_t start, uint64_t bytes, const char *name,
		      const struct vpmu_call_chain *by)
{
	uint32_t number;

	vpmu_objects_unmap(start, bytes);
	number = *name ? object_named(VPMU_OBJECT_MAPPED, start, start + bytes, name) :
			 object_of_chain(VPMU_OBJECT_MAPPED, by, start, start + bytes);
	if (!number)
		return;
	if (!*name)
		count_block(number, start, bytes);
	vpmu_ranges_add(&mapped, start, start + bytes, number);
}

void vpmu_objects_variable(uint64_t start, uint64_t bytes, const char *name)
{
	uint32_t number = object_named(VPMU_OBJECT_VARIABLE, start, start + bytes, name);

	if (number)
		vpmu_ranges_add(&variables, start, start + bytes, number);
}

void vpmu_objects_break(uint64_t end)
{
	if (!break_start)
		break_start = break_end = end;
	if (end < break_end)
		vpmu_objects_unmap(end, break_end - end);
	break_end = end;
	if (!break_object)
		break_object = object_named(VPMU_OBJECT_MAPPED, break_start, end, "[heap]");
	if (!break_object || end <= break_start)
		return;
	objects[break_object].end = end;
	if (objects[break_object].record)
		objects[break_object].record->end = end;
	vpmu_ranges_add(&mapped, break_start, end, break_object);
}

void vpmu_objects_stack(uint64_t sp, uint32_t thread)
{
	struct vpmu_range r;
	char name[16];
	uint32_t number;

	if (!vpmu_ranges_find(&mapped, sp, &r) || r.object == break_object ||
	    objects[r.object].sort == VPMU_OBJECT_STACK)
		return;
	snprintf(name, sizeof(name), "%" PRIu32, thread);
	number = object_named(VPMU_OBJECT_STACK, r.start, r.end, name);
	if (number)
		vpmu_ranges_add(&mapped, r.start, r.end, number);
}

/* ---- what the process has when it begins ---- */

/* Memory without a file behind one of a file, as of an uninitialised variable, is that file's. */
static void add_line(const char *line, uint64_t *last_end, char last_path[PATH_MAX])
{
	uint64_t start, end;
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*x %*s %*s %n", &start, &end, &at) < 2 ||
	    !at)
		return;
	line += at;
	if (*line == '/')
		snprintf(last_path, PATH_MAX, "%.*s", (int)strcspn(line, "\n"), line);
	else if (*line != '\n' && *line)
		snprintf(last_path, PATH_MAX, "%.*s", (int)strcspn(line, "\n"), line);
	else if (start != *last_end)
		snprintf(last_path, PATH_MAX, "[anonymous]");
	*last_end = end;
	vpmu_objects_map(start, end - start, last_path, NULL);
}

void vpmu_objects_begin(void)
{
	FILE *maps;
	char line[PATH_MAX + 128], path[PATH_MAX] = "";
	uint64_t last_end = 0;

	if (object_count || object_new(&(struct object){ .sort = VPMU_OBJECT_UNKNOWN }))
		return;		/* the first one is number 0 */
	maps = fopen("/proc/self/maps", "re");
	while (maps && fgets(line, sizeof(line), maps))
		add_line(line, &last_end, path);
	if (maps)
		fclose(maps);
}

void vpmu_objects_forked(void)
{
	for (uint32_t ref = vpmu_profile_first(VPMU_LIST_OBJECTS); ref;) {
		struct vpmu_profile_object *r = vpmu_profile_at(ref);

		r->cells = 0;
		r->blocks = r->bytes = 0;
		ref = r->next;
	}
}

/* ---- charges ---- */

struct vpmu_object_place vpmu_objects_find(uint64_t address)
{
	struct vpmu_range r;

	if (vpmu_ranges_find(&heap, address, &r))
		return (struct vpmu_object_place){ r.object, address - r.start };
	if (!vpmu_ranges_find(&variables, address, &r) && !vpmu_ranges_find(&mapped, address, &r))
		return (struct vpmu_object_place){ 0, 0 };
	return (struct vpmu_object_place){ r.object, address - objects[r.object].start };
}

/* The object at an address. The last block or variable is kept: the next access that misses often
 * is to it. */
static uint32_t object_at(uint64_t address)
{
	static struct vpmu_range kept;
	static uint32_t version;
	uint32_t now = heap.version + variables.version;

	if (version == now && address - kept.start < kept.end - kept.start)
		return kept.object;
	version = now;
	if (vpmu_ranges_find(&heap, address, &kept) || vpmu_ranges_find(&variables, address, &kept))
		return kept.object;
	kept = (struct vpmu_range){ 0, 0, 0 };
	return vpmu_objects_find(address).object;
}

void vpmu_objects_charge(uint64_t address, uint32_t kind, uint64_t times)
{
	uint32_t number = object_at(address);
	struct object *o = &objects[number];

	if (!number)
		return;		/* what is left of the process's counts */
	if (!o->record)
		o->record = record_new(number, NULL);
	if (o->record)
		vpmu_cell_add(&o->record->cells, kind, times);
}
