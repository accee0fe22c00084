/* SPDX-License-Identifier: MIT */
/* Patterns: all that one access has caused, as one number. A miss causes some ten kinds of
 * occurrences: a lookup, an entry of a tracker and its clocks, commands of the memory, snoops and
 * more. Most accesses that miss cause the same ones. These are a pattern, which the file has once,
 * and an instruction is charged the pattern. Numbers of patterns are behind those of the kinds. */
#ifndef VPMU_FEED_PATTERNS_H
#define VPMU_FEED_PATTERNS_H

#include "charge.h"

#define VPMU_PATTERNS_MAX 256u
#define VPMU_CELL_KINDS (VPMU_KINDS + VPMU_PATTERNS_MAX)	/* what a cell may be of */

/* The number of these occurrences, of which there are some; 0: they have none. */
uint32_t vpmu_pattern_of(const struct vpmu_profile_occurrence *what, uint32_t count);

#endif
