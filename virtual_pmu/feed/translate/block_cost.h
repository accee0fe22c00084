/* SPDX-License-Identifier: MIT */
/* The clocks of a block of guest code on an out-of-order core, from its bytes alone. A block costs
 * what the front end takes. A loop costs more if a port is busier, or if a chain of dependent
 * instructions from one round to the next takes longer; chains.h computes that for any path of
 * blocks. Caches are not known here: loads hit the L1, branches are predicted. */
#ifndef VPMU_FEED_BLOCK_COST_H
#define VPMU_FEED_BLOCK_COST_H

#include "accesses.h"
#include "chains.h"

#define VPMU_COST_INSNS_MAX 512u	/* of QEMU's blocks */

/* A block's instructions. The address is that of the first one. */
struct vpmu_cost_code {
	const struct vpmu_code *code;
	uint32_t count;
	uint64_t address;
};

struct vpmu_block_cost {
	uint32_t once;		/* parts of a clock, behind another block */
	uint32_t loop;		/* ... if the block branches to itself; else `once` */
	uint64_t back;		/* address that a jump at its end leads back to; 0: none */
	struct vpmu_chains chains;	/* from the registers before the block to those behind it */
	/* By instruction. `producer`: the load whose value is in the address of this one's access,
	 * or -1; in a block that branches to itself perhaps a later one, of the round before.
	 * `same`: the first access with the same unchanged address registers, perhaps this one; -1:
	 * it has no access. */
	int16_t producer[VPMU_COST_INSNS_MAX], same[VPMU_COST_INSNS_MAX];
};

/* An instruction's work. A branch that is fused with the instruction before it has none. */
struct vpmu_insn_work {
	uint8_t issued;		/* fused micro-operations, as UOPS_ISSUED counts them */
	uint8_t executed;	/* micro-operations on ports, as UOPS_EXECUTED counts them */
	uint8_t divider;	/* clocks in which the divider accepts no other */
	bool fused;		/* with the branch behind it */
};

/* For each instruction of the block. */
void vpmu_block_work(const struct vpmu_cost_code *block, const struct vpmu_core_costs *table,
		     struct vpmu_insn_work *of);

/* At most VPMU_COST_INSNS_MAX instructions. Unknown ones take a micro-operation and a clock. */
void vpmu_block_cost(const struct vpmu_cost_code *block, const struct vpmu_core_costs *table,
		     struct vpmu_block_cost *cost);

#endif
