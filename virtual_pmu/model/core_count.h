/* SPDX-License-Identifier: MIT */
/* Counting what hardware threads do. The feed says how often something happened in a stretch of
 * clocks, not in which of them, so the counting rules that look at single clocks need one:
 *
 *   `times` happenings in `clocks` clocks are spread as evenly as they can be. With times <= clocks
 *   that is one in each of `times` clocks and none in the others. With more, every clock has
 *   times / clocks of them, and times % clocks clocks have one more. Without a clock (happenings
 *   that a thread did not cause) each has one of its own, and no other clocks pass.
 *
 * A threshold t (CMASK) then adds 1 for each clock with at least t happenings; inverted, with fewer
 * than t; without threshold the happenings themselves are added and invert means nothing.
 *
 * Edge adds 1 where a clock meets the condition (without threshold: at least one happening) and the
 * clock before did not. Those that meet it are taken as isolated: clocks that do not and clocks
 * that do alternate, starting with one that does not, and what is left over of either kind follows
 * at the end. So with a clocks that do and b > 0 that do not there are min(a, b) edges, and with
 * b = 0 one, if the last clock of the stretch before did not. */
#ifndef VPMU_CORE_COUNT_H
#define VPMU_CORE_COUNT_H

#include "model_type.h"

struct vpmu_filter {
	uint32_t threshold;
	bool invert, edge;
};

/* What the counter gains; *active is the edge detector: the last clock met the condition. */
uint64_t vpmu_filter_gain(const struct vpmu_filter *f, uint32_t *active, uint64_t times,
			  uint64_t clocks);
/* Those of `times` happenings that are in the first `part` of `clocks` clocks. */
static inline uint64_t vpmu_times_until(uint64_t times, uint64_t clocks, uint64_t part)
{
	return part < clocks ? times * part / clocks : times;
}

/* A sum of kinds of happenings, as one more than their numbers; 0 ends it. */
#define VPMU_SUM_MAX 10
enum {
	VPMU_SUM_CLOCKS = VPMU_CORE_EVENTS + 1,
	VPMU_SUM_IDLE,			/* clocks without an instruction */
};
_Static_assert(VPMU_SUM_IDLE <= UINT8_MAX, "sums are made of bytes");
#define VPMU_OF(kind) (1 + VPMU_##kind)

uint64_t vpmu_sum(const uint8_t *sum, const uint32_t *counts, uint32_t clocks);

#endif
