/* SPDX-License-Identifier: MIT */
/* How long x86-64 instructions are. */
#ifndef VPMU_FEED_LENGTHS_H
#define VPMU_FEED_LENGTHS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the instruction, from its bytes alone; 0: there are not enough of them to tell. */
size_t vpmu_length_of(const uint8_t *bytes, size_t count);

#endif
