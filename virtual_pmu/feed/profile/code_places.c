/* SPDX-License-Identifier: MIT */
/* Each executable mapping of a file has a sorted list of what begins in it. A new mapping replaces
 * the one that it overlaps. Names are looked up by translation alone, and stubs for each new pair
 * of a call and a function. */
#include "code_places.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "objects.h"

/* A function; or, if it is longer than a byte, stubs. */
struct place_of_code { uint64_t start, bytes; enum vpmu_allocator allocator; };

struct places {
	struct places *next;
	uint64_t start, end, bias;
	struct place_of_code *place;
	size_t used, room;
	bool data;
};

static struct places *all;

/* ---- reading a file ---- */

static void add_place(struct places *p, struct place_of_code place)
{
	if (p->used == p->room) {
		size_t room = p->room ? p->room * 2 : 256;
		struct place_of_code *more = realloc(p->place, room * sizeof(*more));

		if (!more)
			return;
		p->place = more;
		p->room = room;
	}
	p->place[p->used++] = place;
}

static void add_symbol(void *to, const struct vpmu_symbol *s)
{
	struct places *p = to;
	uint64_t address = s->address + p->bias;

	if (!s->function) {
		if (p->data)
			vpmu_objects_variable(address, s->bytes, s->name);
		return;
	}
	if (address >= p->start && address < p->end)
		add_place(p, (struct place_of_code){ address, 1, s->allocator });
}

static void add_stubs(void *to, uint64_t start, uint64_t bytes)
{
	struct places *p = to;

	start += p->bias;
	if (start >= p->start && start < p->end && bytes > 1)
		add_place(p, (struct place_of_code){ start, bytes, VPMU_NO_ALLOCATOR });
}

/* The name that allocates comes first of a function's names. */
static int compare_places(const void *a, const void *b)
{
	const struct place_of_code *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (int)y->allocator - (int)x->allocator;
}

static struct vpmu_elf open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct vpmu_elf f = { NULL, 0 };
	struct stat st;
	void *data;

	if (fd < 0)
		return f;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data != MAP_FAILED)
			f = (struct vpmu_elf){ data, (size_t)st.st_size };
	}
	close(fd);
	return f;
}

static void replace(struct places *p)
{
	struct places **at = &all;

	while (*at) {
		struct places *old = *at;

		if (old->start >= p->end || old->end <= p->start) {
			at = &old->next;
			continue;
		}
		*at = old->next;
		free(old->place);
		free(old);
	}
	p->next = all;
	all = p;
}

void vpmu_places_read(const struct vpmu_profile_map *map, bool data)
{
	struct places *p = calloc(1, sizeof(*p));
	struct vpmu_elf f = { NULL, 0 };

	if (!p)
		return;
	p->start = map->start;
	p->end = map->end;
	p->data = data;
	if (map->path_bytes)
		f = open_file(map->path);
	if (f.data && vpmu_elf_bias(f, map->start, map->offset, &p->bias)) {
		vpmu_elf_symbols(f, add_symbol, p);
		vpmu_elf_stubs(f, add_stubs, p);
		if (p->used)
			qsort(p->place, p->used, sizeof(*p->place), compare_places);
	}
	if (f.data)
		munmap((void *)(uintptr_t)f.data, f.bytes);
	replace(p);
}

/* ---- looking up ---- */

/* The first one of the last address up to this one; NULL: there is none. */
static const struct place_of_code *place_before(uint64_t address)
{
	const struct places *p = all;
	size_t low = 0, high;

	while (p && (address < p->start || address >= p->end))
		p = p->next;
	if (!p)
		return NULL;
	for (high = p->used; low < high;) {
		size_t middle = (low + high) / 2;

		if (p->place[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	while (low > 1 && p->place[low - 2].start == p->place[low - 1].start)
		low--;
	return low ? &p->place[low - 1] : NULL;
}

bool vpmu_place_is_function(uint64_t address)
{
	const struct place_of_code *p = place_before(address);

	return p && p->start == address && p->bytes == 1;
}

bool vpmu_place_is_stub(uint64_t address)
{
	const struct place_of_code *p = place_before(address);

	return p && p->bytes > 1 && address - p->start < p->bytes;
}

enum vpmu_allocator vpmu_place_allocator(uint64_t address)
{
	const struct place_of_code *p = place_before(address);

	return p && p->start == address ? p->allocator : VPMU_NO_ALLOCATOR;
}
