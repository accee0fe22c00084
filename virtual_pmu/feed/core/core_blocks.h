/* SPDX-License-Identifier: MIT */
/* The core events of a block of guest code, found once when QEMU translates it. */
#ifndef VPMU_FEED_CORE_BLOCKS_H
#define VPMU_FEED_CORE_BLOCKS_H

#include "../../model/core_events.h"
#include "../translate/block_cost.h"
#include "../translate/instructions.h"
#include "../translate/timed_blocks.h"
#include "../qemu_plugin_api.h"

struct vpmu_block_count { uint16_t event, times; };

struct vpmu_block {
	uint64_t start, last, end;	/* addresses: first and last instruction, behind it */
	const struct vpmu_timed_block *timed;
	enum vpmu_branch branch;	/* of the last instruction */
	enum vpmu_ring ring;
	bool repeats;			/* the last instruction is a repeated string instruction */
	struct vpmu_insn_work again;	/* of its next repetition */
	struct vpmu_noted_block *noted;	/* NULL: there is no profile */
	uint32_t entries;
	struct vpmu_block_count counts[];
};

/* The block's description, always the same one; it stays. table: for micro-operations, or NULL. */
const struct vpmu_block *vpmu_block_describe(const struct qemu_plugin_tb *tb,
					     struct vpmu_timed_block *timed,
					     const struct vpmu_core_costs *table);

#endif
