/* SPDX-License-Identifier: MIT */
/* Classes of x86-64 instructions, which events distinguish, from their bytes, which Zydis decodes.
 * EVEX, XOP, FMA4, 3DNow! and TSX have no class: none of the machines executes them.
 *
 * Stated rules, where documents leave room:
 * - An instruction is of at most one unit. Loads, stores and copies of x87, MMX and SSE registers
 *   are MOVE, whatever they move; x87 exchanges too. Shuffles, conversions and logic are not.
 *   A move's type is that of its name; what has none there, as MOVDQA and MOVQ, is of integers.
 * - Of x87 and floating point types compute: addition to division, square roots, reciprocals,
 *   remainders, minimum and maximum, comparisons, rounding, conversions, x87's functions and
 *   scaling. Logic, shuffles, signs, constants and control do not.
 * - A conversion is of the floating point type it converts from, or else to.
 * - Square roots are divides. Fused multiply-adds are multiplies.
 * - Vector elements: by the type of a floating point instruction; integers and untyped moves count
 *   as 32-bit elements; a scalar is one element.
 * - Uops: one per instruction, one more per store, and one more per load that is not all it does;
 *   so `plain_load` instructions have none but that of their load. */
#ifndef VPMU_FEED_INSTRUCTIONS_H
#define VPMU_FEED_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vpmu_branch {
	VPMU_NO_BRANCH,
	VPMU_CONDITIONAL,	/* Jcc, JRCXZ, LOOP */
	VPMU_JUMP,
	VPMU_JUMP_INDIRECT,
	VPMU_CALL,
	VPMU_CALL_INDIRECT,
	VPMU_RETURN,		/* also IRET */
};

enum vpmu_unit {
	VPMU_UNIT_NONE, VPMU_UNIT_X87, VPMU_UNIT_MOVE, VPMU_UNIT_MMX, VPMU_UNIT_SSE_INTEGER,
	VPMU_UNIT_PACKED_SINGLE, VPMU_UNIT_PACKED_DOUBLE, VPMU_UNIT_SCALAR_SINGLE,
	VPMU_UNIT_SCALAR_DOUBLE,
};

enum vpmu_prefetch { VPMU_NO_PREFETCH, VPMU_PREFETCH_NTA, VPMU_PREFETCH_T0, VPMU_PREFETCH_T1,
		     VPMU_PREFETCH_T2 };

static inline bool vpmu_prefetches_to_l1(enum vpmu_prefetch kind)
{
	return kind == VPMU_PREFETCH_NTA || kind == VPMU_PREFETCH_T0;
}

enum vpmu_store {
	VPMU_ORDINARY,
	VPMU_NONTEMPORAL,	/* past the caches: MOVNTI, MOVNTQ, MOVNTPS/PD/DQ, MASKMOVQ/DQU */
	VPMU_FENCE,		/* SFENCE, MFENCE: empty the write-combining buffers */
};

struct vpmu_class {
	enum vpmu_branch branch;
	enum vpmu_store store;
	enum vpmu_unit unit;
	enum vpmu_unit moved;	/* of a MOVE of XMM or YMM registers, the unit of its type */
	enum vpmu_prefetch prefetch;	/* PREFETCHW and AMD's PREFETCH are T0, PREFETCHWT1 is T1 */
	uint32_t elements;	/* of a vector instruction, else 0 */
	bool vector;		/* works on XMM or YMM registers */
	bool locked;		/* LOCK prefix, or XCHG with memory */
	bool repeated;		/* string instruction with a REP prefix */
	bool plain_load;	/* only brings memory to a register, perhaps extended */
	bool many;		/* several loads or stores of their own: CMPS, gathers */
	bool no_access;		/* `none` of accesses.h */
	/* Arithmetic on floating point elements: of which `unit`, and how often it counts; a dot
	 * product and a fused operation twice. */
	uint32_t operations;
	bool wide;		/* ... of 256 bits */
	bool multiply, divide;
	bool computes;		/* of x87 or a floating point type, and arithmetic */
};

/* A cut-off or unknown instruction has no class: all zero. */
struct vpmu_class vpmu_class_of(const uint8_t *bytes, size_t count);

#endif
