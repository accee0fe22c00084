/* SPDX-License-Identifier: MIT */
/* State of one hardware thread's architectural PMU, versions 4 to 6, inside the segment; what each
 * kind of core has of it; and events. */
#ifndef VPMU_ARCH_STATE_H
#define VPMU_ARCH_STATE_H

#include "core_count.h"

#define ARCH_WIDTH 48u
#define ARCH_GENERAL 10u	/* at most */
#define ARCH_FIXED 7u
#define ARCH_COUNTERS (ARCH_GENERAL + ARCH_FIXED)

/* Counters in this order: the general ones, then the fixed ones. */
struct arch_thread {
	uint64_t value[ARCH_COUNTERS];
	uint64_t select[ARCH_GENERAL];
	uint64_t fixed_ctrl, global_ctrl, status, status_reset, status_set, in_use, capabilities;
	uint64_t misc_enable, pebs_enable;
	uint64_t offcore_rsp[2], frontend;	/* Skylake's; nothing depends on them */
	uint64_t interrupts;
	uint32_t active[ARCH_GENERAL];	/* edge detectors */
	uint32_t ticks;			/* clocks since the last one of the crystal */
	uint32_t counting;		/* enum vpmu_core_level of its enabled counters */
};

/* Fields of IA32_PERFEVTSELx, SDM 18.2.1 and 18.2.3. */
#define ARCH_CMASK VPMU_BITS(31, 24)
#define ARCH_INV VPMU_BITS(23, 23)
#define ARCH_EN VPMU_BITS(22, 22)
#define ARCH_ANY VPMU_BITS(21, 21)
#define ARCH_INT VPMU_BITS(20, 20)
#define ARCH_E VPMU_BITS(18, 18)
#define ARCH_OS VPMU_BITS(17, 17)
#define ARCH_USR VPMU_BITS(16, 16)
#define ARCH_UMASK VPMU_BITS(15, 8)
#define ARCH_CODE VPMU_BITS(7, 0)

/* Counters and events of one kind of core. */
struct arch_kind {
	uint32_t general;		/* counters */
	uint32_t fixed;			/* a bit for each that there is */
	uint32_t events;		/* a bit for each architectural event, as in leaf 23H */
	uint32_t slots;			/* per clock, as in leaf 23H */
	bool any;			/* ANY bits: versions 3 and 4 */
	uint32_t crystal;		/* core clocks in one clock of event 3C/01 */
	bool leaf_23;			/* CPUID has each kind's counters */
	uint32_t leaf_a[4];		/* what CPUID leaf 0AH says on every CPU of the machine */
};
const struct arch_kind *arch_kind_of(const struct vpmu_machine *m, uint32_t cpu);

enum arch_flag {
	ARCH_CRYSTAL = 1 << 0,	/* clocks of the reference clock */
	ARCH_BITS = 1 << 1,	/* a row for one bit of the unit mask, and bits can be joined */
	ARCH_HALF = 1 << 2,	/* counters 0 to 3 alone */
	ARCH_GROUP = 1 << 3,	/* all unit masks of the code that have no row of their own */
	/* Its threshold is a part of its name. It has no other, no invert and no edge. */
	ARCH_WHOLE = 1 << 4,
	ARCH_NONE = 1 << 5,	/* with the above: clocks in which none of the sum occurs */
};

struct arch_event {
	struct vpmu_event_info info;	/* first: the list of events is made of them */
	uint32_t flags;
	uint32_t number;		/* of the architectural event, plus 1; 0: it is none */
	uint32_t cmask;			/* required by its document, with code and unit mask */
	bool edge;			/* the same */
	uint8_t sum[VPMU_SUM_MAX], minus[VPMU_SUM_MAX];
};

#define SKL_CORE_EVENTS 183u
extern const struct arch_event skl_core_events[SKL_CORE_EVENTS];
#define SKL_CORE_GROUPS 29
extern const struct arch_event skl_core_groups[SKL_CORE_GROUPS];
static inline bool arch_is_fixed(const struct arch_event *e)
{
	return e->info.counters[0] == 'F';
}
/* The machine's nth event; NULL: there are fewer. */
const struct arch_event *arch_event_number(const struct vpmu_machine *m, uint32_t index);

/* The event that this select makes a general counter of the CPU count, or NULL. *why: the part that
 * is not counted, with the reason; NULL if all of it is. */
const struct arch_event *arch_event_of(const struct vpmu_machine *m, uint32_t cpu, uint32_t counter,
				       uint64_t select, const char **why);
/* How often the event that the select names has occurred; ticks: of the reference clock. */
uint64_t arch_times(const struct vpmu_machine *m, const struct arch_event *e, uint64_t select,
		    const uint32_t *counts, uint32_t clocks, uint32_t ticks);

#endif
