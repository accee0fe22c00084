/* SPDX-License-Identifier: MIT */
/* Chains of dependent instructions through blocks. A chain enters a block in a register, takes the
 * latencies of the instructions it passes, and leaves in a register. Flags, the x87 stack, and
 * places in memory that one block stores and another loads are registers here, too. */
#ifndef VPMU_FEED_CHAINS_H
#define VPMU_FEED_CHAINS_H

#include <stdbool.h>

#include "demand.h"

#define VPMU_CHAINS_MAX 40u		/* the longest ones of a block are kept */
#define VPMU_CHAIN_PLACES 6u		/* in memory */
#define VPMU_PATH_BLOCKS_MAX 16u

enum {
	VPMU_CHAIN_VECTORS = 16, VPMU_CHAIN_FLAGS = 32, VPMU_CHAIN_X87 = 33,
	VPMU_CHAIN_FIRST_PLACE = 34, VPMU_CHAIN_REGISTERS = 40,
};

struct vpmu_chain { uint8_t from, to; uint16_t clocks; };

/* A block's part of the paths that it is on. */
struct vpmu_chains {
	struct vpmu_demand demand;
	bool conditional;		/* it ends in a conditional jump */
	uint64_t written;		/* registers that the block writes, a bit each */
	uint32_t place[VPMU_CHAIN_PLACES];	/* see below; 0: none */
	uint32_t count;
	struct vpmu_chain chain[VPMU_CHAINS_MAX];
};

/* A place in memory: a hash of the text of its address, and below it which general registers that
 * has, or 16 for none. When one of these is written, the text means another place. */
static inline uint32_t vpmu_place(uint32_t hash, uint32_t base, uint32_t index)
{
	return base << 5 | index | (hash | 1u) << 10;
}

static inline uint64_t vpmu_place_registers(uint32_t place)
{
	return (1ull << (place >> 5 & 31u) | 1ull << (place & 31u)) & 0xffff;
}

/* The bytes that are used: a copy may be cut off behind them. */
static inline uint32_t vpmu_chains_bytes(const struct vpmu_chains *c)
{
	return (uint32_t)(sizeof(*c) - sizeof(c->chain) + c->count * sizeof(c->chain[0]));
}

/* Parts of a clock that a round takes along the longest chain, of blocks that are executed in this
 * order again and again. 0: more than VPMU_PATH_BLOCKS_MAX blocks, or none. */
uint32_t vpmu_path_chain(const struct vpmu_chains *const *path, uint32_t blocks);

/* ... and in all: the longest chain, the busiest port, or the jumps, of which the last block's is
 * taken. */
uint32_t vpmu_path_clocks(const struct vpmu_chains *const *path, uint32_t blocks,
			  const struct vpmu_core_costs *table);

#endif
