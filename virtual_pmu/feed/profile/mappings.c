/* SPDX-License-Identifier: MIT */
/* Records the mappings that code is executed from. User-mode emulation maps the program's files
 * into its own process, so the kernel's list of mappings names them. It is read when code is
 * translated in memory that no mapping is known for. A mapping that goes stays in the file, marked:
 * notes of it keep their meaning. vpmu_mapping_of() is called when a block is translated,
 * vpmu_mappings_call() behind system calls; the thread that executes calls both. */
#include "mappings.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "store.h"

#define PAGE UINT64_C(4096)

struct mapping { uint64_t start, end; uint32_t number; struct vpmu_profile_map *record; };

static struct mapping *known;		/* those that are there now */
static uint32_t count, room, numbers;

void (*vpmu_mapping_found)(const struct vpmu_profile_map *map);

/* ---- the kernel's list ---- */

struct mapping_line { uint64_t start, end, offset; char path[PATH_MAX]; };

static bool read_line(const char *text, struct mapping_line *out)
{
	int path = 0;

	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &out->start,
		   &out->end, &out->offset, &path) < 3 || !path)
		return false;
	snprintf(out->path, sizeof(out->path), "%.*s", (int)strcspn(text + path, "\n"),
		 text[path] == '/' ? text + path : "");
	return true;
}

/* Neighbours of one file that follow each other there are one mapping: the emulator has changed
 * rights of some of its pages. */
static bool continues(const struct mapping_line *before, const struct mapping_line *l)
{
	return before->end == l->start && !strcmp(before->path, l->path) &&
	       (!*l->path || before->offset + (before->end - before->start) == l->offset);
}

static bool find_line(uint64_t address, struct mapping_line *out)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char text[PATH_MAX + 128];
	struct mapping_line *l = malloc(sizeof(*l));
	bool found = false;

	*out = (struct mapping_line){ .start = 0 };
	while (maps && l && fgets(text, sizeof(text), maps)) {
		if (!read_line(text, l))
			continue;
		if (out->end && continues(out, l))
			out->end = l->end;
		else if (found)
			break;
		else
			*out = *l;
		found = address >= out->start && address < out->end;
	}
	if (maps)
		fclose(maps);
	free(l);
	return found;
}

/* ---- those that are known ---- */

static struct mapping *find_known(uint64_t address)
{
	static uint32_t last;

	if (last < count && address >= known[last].start && address < known[last].end)
		return &known[last];
	for (last = 0; last < count; last++)
		if (address >= known[last].start && address < known[last].end)
			return &known[last];
	return NULL;
}

/* Finds the mapping that has grown into this line's. */
static struct mapping *find_grown(const struct mapping_line *l)
{
	for (uint32_t i = 0; i < count; i++) {
		struct vpmu_profile_map *r = known[i].record;

		if (known[i].start == l->start && known[i].end <= l->end &&
		    r->path_bytes == strlen(l->path) && !memcmp(r->path, l->path, r->path_bytes) &&
		    (!*l->path || r->offset == l->offset))
			return &known[i];
	}
	return NULL;
}

static struct vpmu_profile_map *record_of(const struct mapping_line *l)
{
	size_t bytes = strlen(l->path);
	struct vpmu_profile_map *r = vpmu_profile_add(sizeof(*r) + bytes + 1, VPMU_LOST_MAPS);

	if (!r)
		return NULL;
	r->number = ++numbers;
	r->start = l->start;
	r->end = l->end;
	r->offset = l->offset;
	r->path_bytes = (uint32_t)bytes;
	memcpy(r->path, l->path, bytes + 1);
	vpmu_profile_publish(VPMU_LIST_MAPS, r);
	return r;
}

static bool make_room(void)
{
	struct mapping *more;

	if (count < room)
		return true;
	more = realloc(known, (room + 64) * sizeof(*more));
	if (!more)
		return false;
	known = more;
	room += 64;
	return true;
}

static uint32_t add_known(const struct mapping_line *l)
{
	struct mapping *m = find_grown(l);
	struct vpmu_profile_map *r;

	if (m) {
		m->end = m->record->end = l->end;
		return m->number;
	}
	r = make_room() ? record_of(l) : NULL;
	if (!r)
		return 0;
	known[count++] = (struct mapping){ l->start, l->end, r->number, r };
	if (vpmu_mapping_found)
		vpmu_mapping_found(r);
	return r->number;
}

uint32_t vpmu_mapping_of(uint64_t address)
{
	struct mapping *m = find_known(address);
	struct mapping_line *l;
	uint32_t number = 0;

	if (m)
		return m->number;
	l = malloc(sizeof(*l));
	if (l && find_line(address, l))
		number = add_known(l);
	free(l);
	return number;
}

/* ---- those that go ---- */

/* Removes mappings in this range. The rest of one is found again when its code is executed. */
static void mapping_forget(uint64_t start, uint64_t bytes)
{
	uint64_t end = (start + bytes + PAGE - 1) / PAGE * PAGE;

	for (uint32_t i = 0; i < count;)
		if (known[i].start < end && known[i].end > start) {
			known[i].record->gone = 1;
			known[i] = known[--count];
		} else {
			i++;
		}
}

void vpmu_mappings_call(int64_t number, const int64_t a[6], int64_t answer)
{
	if (answer < 0 && answer > -4096)
		return;
	switch (number) {
	case SYS_munmap:
		mapping_forget((uint64_t)a[0], (uint64_t)a[1]);
		break;
	case SYS_mmap:
		mapping_forget((uint64_t)answer, (uint64_t)a[1]);
		break;
	case SYS_mremap:
		if (answer != a[0])
			mapping_forget((uint64_t)a[0], (uint64_t)a[1]);
		mapping_forget((uint64_t)answer, (uint64_t)a[2]);
		break;
	default:
		break;
	}
}
