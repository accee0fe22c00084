/* SPDX-License-Identifier: MIT */
/* Accesses of instructions, of which the usual ones are decoded once: without a prefix but REX and
 * of an opcode of one or two bytes, an instruction has its accesses by its length, REX, opcode and
 * ModR/M byte, whatever follows. */
#ifndef VPMU_FEED_DECODE_CACHE_H
#define VPMU_FEED_DECODE_CACHE_H

#include "accesses.h"

/* The same as vpmu_accesses_of(). */
struct vpmu_accesses vpmu_accesses_known(const uint8_t *bytes, size_t count);

#endif
