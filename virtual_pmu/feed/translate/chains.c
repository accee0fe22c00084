/* SPDX-License-Identifier: MIT */
/* Computes the longest chain of dependent instructions round a path of blocks.
 * vpmu_path_chain() is the entry point. It lets the blocks' values arrive in rounds, until the
 * arrivals grow by the same clocks in each round. vpmu_path_clocks() also adds the blocks' demand
 * up. There is no state and no lock. */
#include "chains.h"

#include <stdbool.h>
#include <string.h>

#define WARM_ROUNDS 6u		/* chains that come round in 1, 2, 3 or 6 rounds are exact */
#define ROUNDS 12u

/* Arrivals of values in registers, and in places of memory by the hashes of their addresses. */
struct arrivals {
	uint32_t clock[VPMU_CHAIN_REGISTERS];
	uint32_t place[VPMU_CHAIN_PLACES];
};

/* The register for a block's place, in which another block's may be now: the first one that has
 * its hash or none, else the last one. */
static uint32_t place_register(struct arrivals *a, uint32_t hash)
{
	uint32_t i = 0;

	while (i < VPMU_CHAIN_PLACES - 1 && a->place[i] && a->place[i] != hash)
		i++;
	if (a->place[i] != hash) {
		a->place[i] = hash;
		a->clock[VPMU_CHAIN_FIRST_PLACE + i] = 0;
	}
	return VPMU_CHAIN_FIRST_PLACE + i;
}

static uint32_t register_of(struct arrivals *a, const struct vpmu_chains *c, uint32_t reg)
{
	return reg < VPMU_CHAIN_FIRST_PLACE ? reg :
		place_register(a, c->place[reg - VPMU_CHAIN_FIRST_PLACE]);
}

/* True if a block stores in a place, whose text means the same behind the block. */
static bool stores(const struct vpmu_chains *c, uint32_t place)
{
	for (uint32_t i = 0; i < VPMU_CHAIN_PLACES; i++)
		if (c->place[i] == place)
			return c->written >> (VPMU_CHAIN_FIRST_PLACE + i) & 1;
	return false;
}

/* A register that is written, but by no chain, has its value at once. */
static void pass_block(struct arrivals *a, const struct vpmu_chains *c)
{
	uint32_t behind[VPMU_CHAIN_REGISTERS] = { 0 };

	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t clock = a->clock[register_of(a, c, c->chain[i].from)] +
				 c->chain[i].clocks;

		if (clock > behind[c->chain[i].to])
			behind[c->chain[i].to] = clock;
	}
	for (uint64_t left = c->written; left; left &= left - 1) {
		uint32_t reg = (uint32_t)__builtin_ctzll(left);

		a->clock[register_of(a, c, reg)] = behind[reg];
	}
	for (uint32_t i = 0; i < VPMU_CHAIN_PLACES; i++)
		if ((vpmu_place_registers(a->place[i]) & c->written) && !stores(c, a->place[i]))
			a->place[i] = 0;
}

static uint32_t latest(const struct arrivals *a)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < VPMU_CHAIN_REGISTERS; i++)
		if (a->clock[i] > most)
			most = a->clock[i];
	return most;
}

uint32_t vpmu_path_chain(const struct vpmu_chains *const *path, uint32_t blocks)
{
	struct arrivals a;
	uint32_t before = 0;

	if (blocks > VPMU_PATH_BLOCKS_MAX)
		return 0;
	memset(&a, 0, sizeof(a));
	for (uint32_t round = 0; round < ROUNDS; round++) {
		if (round == WARM_ROUNDS)
			before = latest(&a);
		for (uint32_t i = 0; i < blocks; i++)
			pass_block(&a, path[i]);
	}
	return (latest(&a) - before) * VPMU_CLOCK_PARTS / (ROUNDS - WARM_ROUNDS);
}

uint32_t vpmu_path_clocks(const struct vpmu_chains *const *path, uint32_t blocks,
			  const struct vpmu_core_costs *table)
{
	uint32_t chain = vpmu_path_chain(path, blocks), work;
	struct vpmu_demand all;

	memset(&all, 0, sizeof(all));
	for (uint32_t i = 0; i < blocks; i++)
		vpmu_demand_add(&all, &path[i]->demand);
	all.taken = (uint16_t)(all.taken + (blocks && path[blocks - 1]->conditional));
	work = vpmu_demand_repeated(&all, table);
	return chain > work ? chain : work;
}
