/* SPDX-License-Identifier: MIT */
/* Blocks of guest code as the callbacks at their entry see them: where the code is, and what it
 * adds to the thread's work (vpmu_runner.work). Work is clocks << 36 | sixteenths of a clock << 32 |
 * instructions. */
#ifndef VPMU_FEED_TIMED_BLOCKS_H
#define VPMU_FEED_TIMED_BLOCKS_H

#include <stdint.h>

#include "../qemu_plugin_api.h"

#define VPMU_WORK_SHIFT 32
#define VPMU_WORK_CLOCK_SHIFT 36
#define VPMU_PARTS_PER_CLOCK 16u

/* User data of the callback that enters the block. The first 32 bytes are what it reads. */
struct vpmu_timed_block {
	_Alignas(32) uint64_t once;	/* work behind another block, */
	uint64_t loop;			/* and behind itself */
	uint64_t line;			/* of its code, a number */
	uint32_t lines;
	uint32_t site;			/* of the access that stands for the block: an offset */
	uint64_t start, bytes, hash;	/* the code: its address, and its content */
	uint32_t instructions;
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

static inline uint64_t vpmu_work_clocks(uint64_t work)
{
	return work >> VPMU_WORK_CLOCK_SHIFT;
}

/* The lines that a block of these bytes is in. */
static inline uint32_t vpmu_lines_in(uint64_t address, uint64_t bytes)
{
	return (uint32_t)(((address + bytes - 1) >> 6) - (address >> 6) + 1);
}

/* The block that QEMU translates; the same one each time the same code is translated. fetched:
 * where its code is for the caches. It stays. */
struct vpmu_timed_block *vpmu_timed_block_of(const struct qemu_plugin_tb *tb, uint64_t fetched);
/* A block of so many instructions, each of which takes a clock. */
struct vpmu_timed_block vpmu_timed_block_part(uint64_t fetched, uint64_t bytes,
					      uint32_t instructions);

#endif
