/* SPDX-License-Identifier: MIT */
/* Properties of an instruction's memory accesses, for machines that count no core events. Finding
 * them takes a quarter of the time that the instruction's class takes. An unknown property is
 * false. */
#ifndef VPMU_FEED_ACCESSES_H
#define VPMU_FEED_ACCESSES_H

#include "instructions.h"

struct vpmu_accesses {
	enum vpmu_store store;		/* as in its class */
	bool vector;			/* of SSE or AVX, without a mask */
	bool none;			/* only registers; the next follows, or the block ends */
	bool once;			/* always has exactly one, of at most 16 bytes */
	enum vpmu_prefetch prefetch;
	bool modifies;			/* reads and then writes the same place, not locked */
	uint16_t writes;		/* general registers, a bit each, RAX first; if `none` or
					   `once` */
};

struct vpmu_accesses vpmu_accesses_of(const uint8_t *bytes, size_t count);

/* The length of the first instruction of these bytes; 0: it is none. */
size_t vpmu_instruction_size(const uint8_t *bytes, size_t count);

struct vpmu_code { const uint8_t *bytes; size_t count; };

/* Do these vector instructions, of which none between the first and the last has an access, load
 * from a place and then store all of it? */
bool vpmu_load_and_store(const struct vpmu_code *code, size_t instructions);

#endif
