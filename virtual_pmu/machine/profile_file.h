/* SPDX-License-Identifier: MIT */
/* The profile of one process image: a file that the execution feed maps and adds to, so that it is
 * whole however the process ends. Records are appended and never move. A reference is an offset in
 * units of 8 bytes, 0 for none; lists begin in the head with their newest record. A record is
 * complete before a list has it. */
#ifndef VPMU_PROFILE_FILE_H
#define VPMU_PROFILE_FILE_H

#include <stdint.h>

#define VPMU_PROFILE_MAGIC UINT64_C(0x31464f5250554d56)
#define VPMU_PROFILE_VERSION 1u
#define VPMU_PROFILE_SUFFIX ".vpmu-profile"

/* Records that found no room: what they would have held is not in the file. */
enum vpmu_profile_lost { VPMU_LOST_NOTES, VPMU_LOST_BLOCKS, VPMU_LOST_CELLS, VPMU_LOST_MAPS,
			 VPMU_LOST_ARCS, VPMU_LOST_OBJECTS, VPMU_LOST_LINES, VPMU_LOST_WHATS };

enum vpmu_profile_list { VPMU_LIST_MAPS, VPMU_LIST_NOTES, VPMU_LIST_BLOCKS, VPMU_LIST_ARCS,
			 VPMU_LIST_OBJECTS, VPMU_LIST_LINES, VPMU_LIST_PATTERNS,
			 VPMU_LISTS = 16 };

struct vpmu_profile_head {
	uint64_t magic;
	uint32_t version, kinds;	/* kinds: how many the feed had */
	uint64_t used;			/* bytes, of all records */
	uint32_t pid, image;
	char machine[64];
	uint32_t program, program_bytes;	/* its path */
	uint32_t list[VPMU_LISTS];
	uint64_t lost[16];		/* by enum vpmu_profile_lost */
};

/* Executable memory, from its first execution. */
struct vpmu_profile_map {
	uint32_t next, number;		/* number: from 1 */
	uint64_t start, end, offset;
	uint32_t gone;			/* it was unmapped, or replaced */
	uint32_t path_bytes;		/* 0: it is of no file */
	char path[];
};

/* An instruction. */
struct vpmu_profile_note {
	uint32_t next, cells;
	uint64_t address;
	uint32_t map, pad;		/* the map's number; 0: unknown */
};

/* How often the note's instruction has caused the kind. A correction is negative. */
struct vpmu_profile_cell {
	uint32_t next, kind;
	uint64_t count;
};

/* Kinds that are caused at once, so often each. A cell's kind is `number` for all of them. */
struct vpmu_profile_occurrence { uint64_t kind, times; };
struct vpmu_profile_pattern {
	uint32_t next, number, count, pad;
	struct vpmu_profile_occurrence what[];
};

/* A function that has been called, at the first instruction of it. Inclusive counts, in which
 * recursion counts once: feed/profile/calls.h. */
struct vpmu_profile_arc {
	uint32_t next, cells;
	uint64_t target, calls;
	uint64_t instructions[2], clocks[2];	/* by cores, by E cores */
	uint32_t call, pad;		/* the call instruction's note; 0: called by nothing */
};

/* Memory that accesses go to. Those with the same notes are one: calls that have allocated it, the
 * last one first. start, end: of the largest block. blocks, bytes: of all allocations. */
enum vpmu_profile_sort { VPMU_OBJECT_UNKNOWN, VPMU_OBJECT_VARIABLE, VPMU_OBJECT_HEAP,
			 VPMU_OBJECT_MAPPED, VPMU_OBJECT_STACK };
struct vpmu_profile_object {
	uint32_t next, cells;
	uint64_t start, end, blocks, bytes;
	uint32_t number;		/* 0: code, and memory that nothing is known of */
	uint32_t sort;			/* enum vpmu_profile_sort */
	uint32_t notes, name_bytes;
	uint32_t note[];		/* then the name, and a byte of 0 */
};

/* A side of a line that threads take from each other: accesses to this byte of it. cells: snoops
 * that these have caused. times: how often they were found to be the other side, which is searched
 * for each 8th request. */
struct vpmu_profile_side {
	uint32_t next, cells;
	uint64_t line, times;
	uint32_t note, thread;
	uint32_t object, offset;	/* what lies at the byte, and how far into it that is */
	uint16_t byte, store;
	uint32_t pad;
};

/* A block of code: so many instructions from its note's address on. What occurs whenever it is
 * executed follows the sizes, at the next multiple of 4. */
struct vpmu_profile_block {
	uint32_t next, note;
	uint64_t executed[2];		/* by cores, by E cores */
	uint64_t clocks[2];		/* there, without stalls */
	uint16_t count, fixed;
	uint8_t size[];			/* of each instruction */
};

/* An event of core_events.h that the block's instruction of that index has so often. */
struct vpmu_profile_fixed { uint16_t index, event, times, pad; };

static inline uint64_t vpmu_profile_fixed_at(const struct vpmu_profile_block *b)
{
	return (sizeof(*b) + b->count + 3) & ~UINT64_C(3);
}

#endif
