/* SPDX-License-Identifier: MIT */
/* Counting what hardware threads do. The feed reports how often an event occurred in a stretch of
 * clocks, but not in which of them. Counting rules for single clocks use this model:
 *
 *   `times` occurrences are spread over `clocks` clocks as evenly as they can be. With
 *   times <= clocks, `times` clocks have one each and the others none. With more, every clock has
 *   times / clocks of them, and times % clocks clocks have one more. Without a clock (the thread
 *   did not cause the occurrences) each has a clock of its own, and no other clocks pass.
 *   Stalls are not among these clocks: nothing occurs in them but clocks.
 *
 * A threshold t (CMASK) then adds 1 for each clock with at least t occurrences; inverted, with
 * fewer than t. Without threshold the occurrences themselves are added and invert means nothing.
 *
 * Edge adds 1 where a clock meets the condition (without threshold: at least one occurrence) and
 * the clock before does not. Clocks that do not meet it and clocks that do alternate, starting with
 * one that does not; what is left over of either kind follows at the end. So with a clocks that
 * meet it and b > 0 that do not there are min(a, b) edges, and with b = 0 there is one, if the last
 * clock of the stretch before did not meet it. Each stall is a row by itself, and adds an edge as
 * long as there are such clocks. */
#ifndef VPMU_CORE_COUNT_H
#define VPMU_CORE_COUNT_H

#include "model_type.h"

struct vpmu_filter {
	uint32_t threshold;
	bool invert, edge;
};

struct vpmu_stalls {
	uint64_t rows, clocks;		/* how many, and of all of them */
	bool counted;			/* the event occurs once in each of these clocks */
};

/* Gain of the counter; *active is the edge detector: the last clock met the condition. */
uint64_t vpmu_filter_gain(const struct vpmu_filter *f, uint32_t *active, uint64_t times,
			  uint64_t clocks, struct vpmu_stalls stalls);
/* Those of `times` occurrences that are in the first `part` of `clocks` clocks. */
static inline uint64_t vpmu_times_until(uint64_t times, uint64_t clocks, uint64_t part)
{
	return part < clocks ? times * part / clocks : times;
}

/* A sum of kinds of occurrences, as one more than their numbers; 0 ends it. */
#define VPMU_SUM_MAX 10
enum {
	VPMU_SUM_CLOCKS = VPMU_CORE_EVENTS + 1,
	VPMU_SUM_IDLE,			/* clocks without an instruction */
};
_Static_assert(VPMU_SUM_IDLE <= UINT8_MAX, "sums are made of bytes");
#define VPMU_OF(kind) (1 + VPMU_##kind)

/* Is it a sum of clocks, with those of stalls? */
static inline bool vpmu_sum_has_stalls(const uint8_t *sum)
{
	return sum[0] == VPMU_SUM_CLOCKS || sum[0] == VPMU_SUM_IDLE;
}

uint64_t vpmu_sum(const uint8_t *sum, const uint32_t *counts, uint32_t clocks);

/* Gains of one PMU's counters in a stretch of clocks: a lane for each counter that counts. */
struct vpmu_lane {
	uint64_t *value;
	uint32_t *active;		/* edge detector; NULL: it has none */
	uint64_t status;		/* its bit in the overflow status */
	bool interrupts;		/* an overflow sends the interrupt */
	struct vpmu_filter filter;
	uint64_t times;
	bool has_stalls;
};
#define VPMU_LANES_MAX 17u
struct vpmu_stretch {
	struct vpmu_lane lane[VPMU_LANES_MAX];
	uint32_t lanes, clocks, stalls, stall_clocks;
	uint32_t width;			/* of the counters */
	bool freezes;			/* an overflow that interrupts stops the PMU */
};
struct vpmu_overflows {
	uint64_t status;		/* bits of the counters that wrapped */
	uint32_t interrupts;		/* how many of them send the interrupt */
};
/* Moves the counters. Where an overflow freezes the PMU, those clocks count that end with its. */
struct vpmu_overflows vpmu_stretch_take(const struct vpmu_stretch *st);

#endif
