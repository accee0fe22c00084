/* SPDX-License-Identifier: MIT */
/* State of one core's PMU of a Core 2 inside the segment, and its events. */
#ifndef VPMU_CORE2_STATE_H
#define VPMU_CORE2_STATE_H

#include "core_count.h"

#define CORE2_FIXED 3u
#define CORE2_GENERAL 2u
#define CORE2_COUNTERS (CORE2_GENERAL + CORE2_FIXED)
#define CORE2_WIDTH 40u

/* Counters in this order: the general ones, then the fixed ones. */
struct core2_core {
	uint64_t value[CORE2_COUNTERS];
	uint64_t select[CORE2_GENERAL];
	uint64_t fixed_ctrl, status, global_ctrl, ovf_ctrl, pebs_enable, misc_enable, debugctl;
	uint64_t interrupts;
	uint32_t active[CORE2_GENERAL];		/* edge detectors */
};

/* Fields of IA32_PERFEVTSELx, SDM 18.2.1. */
#define CORE2_CMASK VPMU_BITS(31, 24)
#define CORE2_INV VPMU_BITS(23, 23)
#define CORE2_EN VPMU_BITS(22, 22)
#define CORE2_INT VPMU_BITS(20, 20)
#define CORE2_PC VPMU_BITS(19, 19)
#define CORE2_E VPMU_BITS(18, 18)
#define CORE2_OS VPMU_BITS(17, 17)
#define CORE2_USR VPMU_BITS(16, 16)
#define CORE2_UMASK VPMU_BITS(15, 8)
#define CORE2_CODE VPMU_BITS(7, 0)

/* Fields of MSR_PERF_FIXED_CTR_CTRL, SDM 18.4.1, for each fixed counter. */
#define CORE2_FIXED_PMI(n) VPMU_BITS(4 * (n) + 3, 4 * (n) + 3)
#define CORE2_FIXED_USR(n) VPMU_BITS(4 * (n) + 1, 4 * (n) + 1)
#define CORE2_FIXED_OS(n) VPMU_BITS(4 * (n), 4 * (n))
#define CORE2_FIXED_FIELDS(n) (CORE2_FIXED_PMI(n) | CORE2_FIXED_USR(n) | CORE2_FIXED_OS(n))

/* Bits of the global control, status and overflow control: one for each counter. */
#define CORE2_GLOBAL_FIXED VPMU_BITS(34, 32)
#define CORE2_GLOBAL_GENERAL VPMU_BITS(1, 0)

/* Sub-fields of the unit mask: SDM tables 18-2 to 18-5, and 18-6 and 18-7 of the
 * page on the fixed counters. */
enum core2_field {
	CORE2_CORE = 1 << 0, CORE2_AGENT = 1 << 1, CORE2_PREFETCH = 1 << 2, CORE2_MESI = 1 << 3,
	CORE2_RESPONSE = 1 << 4, CORE2_TYPE = 1 << 5,
	/* Not a field: this event's hits are counted without their state. */
	CORE2_ANY_HIT = 1 << 6,
	/* Neither: a row for one bit of the unit mask, and bits can be joined. */
	CORE2_KINDS = 1 << 7,
	/* Nor this: it happens on a booted machine only. */
	CORE2_BOOTED = 1 << 8,
};

struct core2_event {
	struct vpmu_event_info info;	/* first: the list of events is made of them */
	uint32_t fields;
	/* Events with MESI, a response or a type: one sum per bit, from bit 0 (I S E M; CLEAN, HIT,
	 * none, HITM; CMP2S, CMP2I). Others: sum less minus. */
	uint8_t sum[VPMU_SUM_MAX], minus[VPMU_SUM_MAX];
	uint8_t state[4][VPMU_SUM_MAX];
};

#define CORE2_EVENTS 112u
extern const struct core2_event core2_events[CORE2_EVENTS];

/* The event that this select makes counter number `counter` count, or NULL. *why: the part that is
 * not counted, with the reason; NULL if all of it is. For an event of booted machines alone, the
 * reason why it is 0 on others. */
const struct core2_event *core2_event_of(uint32_t counter, uint64_t select, const char **why);
/* How often the event that the select names has occurred. */
uint64_t core2_times(const struct core2_event *e, uint64_t select, const uint32_t *counts,
		     uint32_t clocks);
/* Cores whose occurrences the select counts: its own, or also the other core of its package, or
 * those of other packages. */
bool core2_counts_from(const struct core2_event *e, uint64_t select, bool same_core,
		       bool same_package);

#endif
