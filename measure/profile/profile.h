/* SPDX-License-Identifier: MIT */
/* The profile of one process image: which instruction caused how many of what the virtual machine
 * counts. `vpmu profile FILE` prints it, and profile_read() reads that text. */
#ifndef IPMU_PROFILE_H
#define IPMU_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PROFILE_WHY_MAX 300

/* Executable memory of the process. */
struct profile_map {
	uint32_t number;
	uint64_t start, end, offset;
	bool gone;		/* unmapped before the end: another one may have its addresses */
	char *path;		/* of a file, or "[vdso]"; NULL: code made at run time */
};

/* An instruction. */
struct profile_spot {
	int map;		/* -1: none is known */
	uint64_t address;
};

/* Occurrences of one kind that an instruction caused. */
struct profile_cell {
	uint32_t spot, kind;
	int64_t count;		/* less than 0 where another one counts too much */
};

#define PROFILE_NOWHERE UINT32_MAX

/* Calls of a function from one place, with all that happened until it returned. */
struct profile_arc {
	uint32_t from;		/* spot of the call; PROFILE_NOWHERE: a thread begins */
	uint32_t to;		/* spot of the function's first instruction */
	uint64_t calls;
	uint32_t first, n;	/* of arc_cells; their spot means nothing */
};

enum profile_storage {
	PROFILE_GLOBAL, PROFILE_HEAP, PROFILE_MMAP, PROFILE_STACK, PROFILE_UNKNOWN,
};

/* Memory that belongs together. */
struct profile_object {
	enum profile_storage storage;
	uint64_t start, end;
	char *name;		/* NULL: it has none */
	uint32_t first, n;	/* of sites: who allocated it, innermost call first */
	uint64_t times, bytes;	/* allocated in all; 0: not known */
};

struct profile_object_cell {
	uint32_t object, kind;
	int64_t count;
};

/* An access to a cache line that another thread took away, or that took it. */
struct profile_sharing {
	uint64_t line;
	uint32_t spot;
	uint8_t offset;
	bool store;
	bool other;		/* the side that was snooped: count is how often */
	uint32_t thread, kind;	/* kind means nothing of the other side */
	uint32_t object;	/* at the byte; PROFILE_NOWHERE: none that was counted */
	uint64_t object_offset;
	uint64_t count;
};

struct profile_lost {
	char *what;
	uint64_t n;
};

struct profile {
	char *machine, *program;
	long pid;
	int image;		/* from 0; exec begins the next one */
	struct profile_map *maps;
	char **kinds;		/* NULL where a number has none */
	struct profile_spot *spots;
	struct profile_cell *cells;
	struct profile_arc *arcs;
	struct profile_cell *arc_cells;
	struct profile_object *objects;
	struct profile_object_cell *object_cells;
	uint32_t *sites;
	struct profile_sharing *sharings;
	struct profile_lost *lost;
	size_t nmaps, nkinds, nspots, ncells, narcs, narc_cells, nobjects, nobject_cells, nsites,
	       nsharings, nlost;
};

/* 0; -EINVAL with a sentence that names the line: it is no whole profile; or -ENOMEM. To be freed
 * in either case. */
int profile_read(FILE *from, struct profile *out, char why[PROFILE_WHY_MAX]);
void profile_free(struct profile *p);

#endif
