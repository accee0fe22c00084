/* SPDX-License-Identifier: MIT */
/* Decodes what a faulting instruction would have stored. */
#ifndef VPMU_NATIVE_STORE_H
#define VPMU_NATIVE_STORE_H

#include <stdbool.h>
#include <stdint.h>

/* The general registers by the numbers that instructions have for them. */
struct vpmu_registers { uint64_t general[16]; };

struct vpmu_decoded_store {
	uint32_t length;	/* of the instruction */
	uint32_t bytes;		/* stored: 4 or 8 */
	uint64_t value;
	/* A logical operation on what is there: the flags that it leaves. */
	bool flags_set;
	uint64_t flags;
};

#define VPMU_STORE_FLAGS UINT64_C(0x8c5)	/* CF, PF, ZF, SF, OF */

/* code: at least 15 bytes, as far as they are the instruction's. there: what the address holds.
 * False: it is none of the stores that compilers make of an assignment or of |=, &= and ^= to 32 or
 * 64 bits. */
bool vpmu_store_decode(const uint8_t *code, const struct vpmu_registers *r, uint64_t there,
		       struct vpmu_decoded_store *out);

#endif
