/* SPDX-License-Identifier: MIT */
/* The address of an instruction's one access: a sum of registers and a constant. Translation does
 * not know the registers' values. Still, two accesses by the same registers differ by a
 * constant. */
#ifndef VPMU_FEED_ADDRESSES_H
#define VPMU_FEED_ADDRESSES_H

#include "accesses.h"

#define VPMU_RSP 4u			/* by the numbers that instructions have for registers */
#define VPMU_NO_REGISTER 16u

struct vpmu_address {
	uint32_t base, index, scale;	/* scale: 0 without an index */
	uint64_t constant;		/* with VPMU_NO_REGISTER for a base, all of the address */
	uint32_t shift;			/* log2 of its bytes, 16 at most */
	bool stores;
};

/* Finds the address of an instruction that has one access, and ends at `end`. False: it is of more
 * than 16 bytes, or by other registers than 64-bit ones, or relative to FS or GS. */
bool vpmu_address_of(struct vpmu_code code, uint64_t end, struct vpmu_address *a);

/* Gives the constant that an instruction adds to RSP, for PUSH, POP, and ADD, SUB or LEA of a
 * constant. False: not known. */
bool vpmu_stack_moves(struct vpmu_code code, int64_t *by);

#endif
