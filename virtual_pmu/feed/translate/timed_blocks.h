/* SPDX-License-Identifier: MIT */
/* Blocks of guest code as the callbacks at their entry see them: where the code is, and what it
 * adds to the thread's work (vpmu_runner.work). Work is clocks << 36 | sixteenths of a clock << 32
 * | instructions. */
#ifndef VPMU_FEED_TIMED_BLOCKS_H
#define VPMU_FEED_TIMED_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "../qemu_plugin_api.h"
#include "chains.h"
#include "instructions.h"
#include "sites.h"

#define VPMU_WORK_SHIFT 32
#define VPMU_WORK_CLOCK_SHIFT 36

/* Effects of a block on memory: ANY includes what is not known. */
enum vpmu_block_effect { VPMU_BLOCK_ANY, VPMU_BLOCK_COMPUTES, VPMU_BLOCK_LOADS };

/* User data of the callback that enters the block. Its first 64 bytes are what that reads. */
struct vpmu_timed_block {
	_Alignas(64) uint64_t work;	/* behind any block, but at the end of a loop's round */
	uint64_t line;			/* of its code, a number */
	uint8_t lines;
	uint8_t branch;			/* enum vpmu_branch, of its last instruction */
	uint16_t last;			/* where that begins, from `start` */
	uint32_t site;			/* of the access that stands for the block: an offset */
	uint64_t start, end;		/* addresses of the code, and behind it */
	/* The block before it at its last entry. The path of the last round of a loop that came
	 * back to it, and its work then: see vpmu_timed_round(). */
	struct vpmu_timed_block *from;
	uint64_t path, back;

	uint8_t effect;			/* enum vpmu_block_effect */
	/* General registers, a bit each: on their values before the block depend addresses of its
	 * loads; the block writes them. Where the effect is not ANY. */
	uint16_t addressed, written;
	uint64_t hash;			/* of the code's content */
	uint32_t instructions;
	uint32_t once, loop;		/* parts of a clock, behind another one and itself */
	struct vpmu_round *rounds;	/* of the loops that it begins */
	struct vpmu_chains *chains;	/* NULL: costs need no table */
	uint16_t *sites;		/* of its instructions; VPMU_SITES: none yet */
	struct vpmu_block *described;	/* its core events: core_blocks.h; NULL: not known yet */
	struct vpmu_timed_block *next;	/* in its bucket */
};

static inline uint64_t vpmu_work(uint32_t parts, uint32_t instructions)
{
	return (uint64_t)parts << VPMU_WORK_SHIFT | instructions;
}

static inline uint32_t vpmu_work_instructions(uint64_t work)
{
	return (uint32_t)work;
}

/* Clocks of instructions that are not looked up in a table. */
uint32_t vpmu_rough_parts(uint32_t instructions);

static inline uint64_t vpmu_work_clocks(uint64_t work)
{
	return work >> VPMU_WORK_CLOCK_SHIFT;
}

/* The lines that a block of these bytes is in. */
static inline uint32_t vpmu_lines_in(uint64_t address, uint64_t bytes)
{
	return (uint32_t)(((address + bytes - 1) >> 6) - (address >> 6) + 1);
}

/* estimates: blocks cost what the Skylake core's table says, else each instruction a clock. */
void vpmu_timed_blocks_begin(bool estimates);
/* The block that QEMU translates; the same one each time the same code is translated. fetched:
 * where its code is for the caches. It stays. */
struct vpmu_timed_block *vpmu_timed_block_of(const struct qemu_plugin_tb *tb, uint64_t fetched);
/* The block's work if it is entered from a later one, `from`, at the end of a loop's round. path: a
 * number for the blocks since the last such entry of any block. A new path is followed back to this
 * block. The round costs its longest chain or its busiest port if that is more than its blocks
 * cost, and this entry is charged the difference. */
uint64_t vpmu_timed_round(struct vpmu_timed_block *b, struct vpmu_timed_block *from, uint64_t path);
/* True if the block is entered from `from` in the course of a loop, and not by a call or return. */
static inline bool vpmu_timed_is_round(const struct vpmu_timed_block *b,
				       const struct vpmu_timed_block *from)
{
	return b->start <= from->start && from->branch < VPMU_CALL;
}
/* The number of an instruction of the block that accesses memory: see sites.h. */
uint32_t vpmu_timed_site(const struct vpmu_timed_block *b, size_t index);
/* A part of a block, with so many instructions. Costs, for which a table needs the code, are rough.
 */
struct vpmu_timed_block vpmu_timed_block_part(uint64_t fetched, uint64_t bytes,
					      uint32_t instructions);

#endif
