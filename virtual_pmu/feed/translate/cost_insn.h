/* SPDX-License-Identifier: MIT */
/* An instruction as block_cost.c needs it: which registers it reads and writes, its access, and the
 * class of its cost. Registers are those of chains.h, a bit each. */
#ifndef VPMU_FEED_COST_INSN_H
#define VPMU_FEED_COST_INSN_H

#include "accesses.h"

enum vpmu_fusion {
	VPMU_FUSES_NOT,
	VPMU_FUSES_ALL,		/* with each Jcc behind it: TEST, AND */
	VPMU_FUSES_MOST,	/* not with JO, JS, JP: CMP, ADD, SUB */
	VPMU_FUSES_ZERO,	/* nor with those that need CF: INC, DEC */
};

enum vpmu_load_width { VPMU_LOAD_GENERAL, VPMU_LOAD_VECTOR, VPMU_LOAD_YMM };

struct vpmu_cost_insn {
	uint64_t reads, writes;		/* without the address; RSP not for PUSH, POP, CALL, RET */
	uint16_t address;		/* general registers of the address */
	uint8_t class;			/* enum vpmu_cost_class */
	uint8_t base, index, scale;	/* of the address: registers, or VPMU_NO_REGISTER */
	uint8_t fusion;			/* enum vpmu_fusion */
	uint8_t load_width;		/* enum vpmu_load_width */
	uint8_t constant_at, constant_bytes;	/* the address's constant, in the bytes */
	int8_t stack;			/* what PUSH, POP, CALL and RET add to RSP */
	bool loads, stores;
	bool relative;			/* its address is relative to RIP */
	bool segment;			/* ... to FS or GS */
	bool hidden;			/* its access is not in its text: the stack, strings */
	bool renamed;			/* sets registers to zero, without an operand */
	bool jumps;			/* directly: the constant is the distance */
};

/* Unknown bytes are an instruction of class VPMU_COST_UNKNOWN. */
void vpmu_cost_insns_of(const struct vpmu_code *code, uint32_t count,
			struct vpmu_cost_insn *insns);

#endif
