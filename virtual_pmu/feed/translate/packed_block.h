/* SPDX-License-Identifier: MIT */
/* A block of guest code packed into a callback's user data: line << 17 | lines << 10 | insns.
 * QEMU's blocks have at most 512 instructions of at most 15 bytes. */
#ifndef VPMU_FEED_PACKED_BLOCK_H
#define VPMU_FEED_PACKED_BLOCK_H

#include <stdint.h>

static inline uint64_t vpmu_block_pack(uint64_t line, uint32_t lines, uint32_t instructions)
{
	return line << 17 | (uint64_t)lines << 10 | instructions;
}

static inline uint64_t vpmu_packed_line(uint64_t packed)
{
	return packed >> 17;
}

static inline uint32_t vpmu_packed_lines(uint64_t packed)
{
	return packed >> 10 & 0x7f;
}

static inline uint32_t vpmu_packed_instructions(uint64_t packed)
{
	return packed & 0x3ff;
}

#endif
