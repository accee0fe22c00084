/* SPDX-License-Identifier: MIT */
/* State of the Knights Corner core PMU inside the segment, and its events. */
#ifndef VPMU_KNC_STATE_H
#define VPMU_KNC_STATE_H

#include "core_count.h"

#define KNC_COUNTERS 2u
#define KNC_WIDTH 40u

struct knc_thread {
	uint64_t select[KNC_COUNTERS], value[KNC_COUNTERS];
	uint64_t spflt, status, ovf_ctrl, global_ctrl;
	uint64_t interrupts;			/* 0-to-1 transitions of the line to the APIC */
	uint64_t line;				/* overflows that hold it up */
	uint32_t active[KNC_COUNTERS];		/* edge detectors */
};

struct knc_core { uint64_t tsc, seen; };	/* seen: package clock that the TSC includes */

/* Fields of IA32_PerfEvtSel, 327357-001 table 1-5. */
#define KNC_CMASK VPMU_BITS(31, 24)
#define KNC_INV VPMU_BITS(23, 23)
#define KNC_EN VPMU_BITS(22, 22)
#define KNC_ANY_THREAD VPMU_BITS(21, 21)
#define KNC_INT VPMU_BITS(20, 20)
#define KNC_E VPMU_BITS(18, 18)
#define KNC_OS VPMU_BITS(17, 17)
#define KNC_USR VPMU_BITS(16, 16)
#define KNC_CODE VPMU_BITS(15, 0)	/* Event Select and, above it, the unit mask */

struct knc_event {
	struct vpmu_event_info info;		/* first: the list of events is made of them */
	bool no_thread;				/* belongs to the core as a whole */
	uint8_t sum[VPMU_SUM_MAX];
};

#define KNC_EVENTS 63u
extern const struct knc_event knc_events[KNC_EVENTS];
/* The event that counter number `counter` counts with this select; NULL: none, with the reason in
 * *why. */
const struct knc_event *knc_event_of(uint32_t counter, uint64_t select, const char **why);

#endif
