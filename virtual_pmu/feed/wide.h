/* SPDX-License-Identifier: MIT */
/* Accesses of 16 and 32 bytes, which QEMU shows as pieces of 8 that lie side by side. Pieces in one
 * line are one access to it, so that some of them can be passed over: those that start in every
 * other 8 bytes of a line. A piece in front of such a one or behind it, which the same instruction
 * has, is in the same line, and is none of these. In a line's last 8 bytes this does not hold: the
 * other piece may be in the next line. */
#ifndef VPMU_FEED_WIDE_H
#define VPMU_FEED_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#define VPMU_WIDE_PASSED 0x0000ff00ff00ff00ull	/* bit per byte of a line */

static inline bool vpmu_wide_passes(uint64_t address)
{
	return VPMU_WIDE_PASSED >> address % 64 & 1;
}

/* Only an access that starts in a line's last 7 bytes can cross its end: QEMU splits an
 * instruction's larger ones, except for 16-byte atomics, which must be aligned. */
static inline bool vpmu_may_cross_line(uint64_t address)
{
	return address % 64 > 64 - 8;
}

#endif
