/* SPDX-License-Identifier: MIT */
/* A programmable counter of the Sandy Bridge-style uncore units: threshold, invert, edge,
 * width and wrap (334060-001 tables 2-7 and 2-8). It takes stretches of equal clocks. */
#ifndef VPMU_COUNTER_H
#define VPMU_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "bits.h"

#define SELECT_THR VPMU_BITS(28, 24)
#define SELECT_LONG_THR VPMU_BITS(29, 24)	/* of later units; reserved, so 0, in the others */
#define SELECT_INV VPMU_BITS(23, 23)
#define SELECT_EN VPMU_BITS(22, 22)
#define SELECT_OVF_EN VPMU_BITS(20, 20)
#define SELECT_E VPMU_BITS(18, 18)
#define SELECT_UMASK VPMU_BITS(15, 8)
#define SELECT_EVENT VPMU_BITS(7, 0)
#define SELECT_FIELDS (SELECT_THR | SELECT_INV | SELECT_EN | SELECT_OVF_EN | SELECT_E | \
		       SELECT_UMASK | SELECT_EVENT)
#define SELECT_LONG_FIELDS (SELECT_LONG_THR | SELECT_FIELDS)

struct vpmu_counter {
	uint64_t select, value;
	/* A momentary event under THR or E needs its increments per clock: those of the clock
	 * group_clock are being collected, all earlier clocks have been applied. */
	uint64_t group_clock;
	uint32_t group_increment;
	uint32_t active;	/* edge detector: the condition held in the previous clock */
};

/* The condition of THR and INV for this increment; without THR: increment > 0. */
bool vpmu_counter_condition(uint64_t select, uint64_t increment);
/* n clocks with this increment each; true when the counter of `width` bits wrapped. */
bool vpmu_counter_apply(struct vpmu_counter *c, uint32_t width, uint64_t increment, uint64_t n);
/* In which of the next n such clocks (1..n) it will wrap first; 0: in none. */
uint64_t vpmu_counter_wraps_in(const struct vpmu_counter *c, uint32_t width, uint64_t increment,
			       uint64_t n);

#endif
