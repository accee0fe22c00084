/* SPDX-License-Identifier: MIT */
/* Recognises, by their bytes, the few x86-64 instructions whose stores bypass the caches. */
#ifndef VPMU_FEED_NONTEMPORAL_H
#define VPMU_FEED_NONTEMPORAL_H

#include <stddef.h>
#include <stdint.h>

enum vpmu_instruction {
	VPMU_ORDINARY,
	VPMU_NONTEMPORAL,	/* MOVNTI, MOVNTQ, MOVNTPS/PD/DQ, MASKMOVQ/DQU, and VEX forms */
	VPMU_FENCE,		/* SFENCE, MFENCE: empty the write-combining buffers */
};

enum vpmu_instruction vpmu_instruction_kind(const uint8_t *bytes, size_t count);

#endif
