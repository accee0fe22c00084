/* SPDX-License-Identifier: MIT */
/* Fields of registers, as documents give them: the highest and the lowest bit. Each field is stated
 * once, and what a register takes in a write is the sum of its fields. */
#ifndef VPMU_BITS_H
#define VPMU_BITS_H

#include <stdint.h>

#define VPMU_BITS(hi, lo) (UINT64_MAX >> (63 - (hi)) & UINT64_MAX << (lo))
/* The field's content in this value. */
#define VPMU_GET(bits, value) ((uint32_t)(((value) & (bits)) / ((bits) & -(bits))))

#endif
