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
			 VPMU_LIST_OBJECTS, VPMU_LIST_LINES, VPMU_LISTS = 16 };

struct vpmu_profile_head {
	uint64_t magic;
	uint32_t version, kinds;	/* kinds: how many the feed knew */
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
