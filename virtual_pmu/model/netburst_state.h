/* SPDX-License-Identifier: MIT */
/* State of one NetBurst core's PMU inside the segment, shared by its logical processors. */
#ifndef VPMU_NETBURST_STATE_H
#define VPMU_NETBURST_STATE_H

#include "model_type.h"

#define P4_COUNTERS 18u
#define P4_WIDTH 40
#define P4_COUNTER_MASK VPMU_BITS(P4_WIDTH - 1, 0)

/* CCCR */
#define P4_OVF VPMU_BITS(31, 31)
#define P4_CASCADE VPMU_BITS(30, 30)
#define P4_OVF_PMI_T1 VPMU_BITS(27, 27)
#define P4_OVF_PMI_T0 VPMU_BITS(26, 26)
#define P4_FORCE_OVF VPMU_BITS(25, 25)
#define P4_EDGE VPMU_BITS(24, 24)
#define CCCR_THRESHOLD VPMU_BITS(23, 20)
#define P4_COMPLEMENT VPMU_BITS(19, 19)
#define P4_COMPARE VPMU_BITS(18, 18)
#define CCCR_ACTIVE_THREAD VPMU_BITS(17, 16)
#define CCCR_SELECT VPMU_BITS(15, 13)
#define P4_ENABLE VPMU_BITS(12, 12)
#define P4_EXTENDED VPMU_BITS(11, 11)

/* ESCR */
#define ESCR_EVENT VPMU_BITS(30, 25)
#define ESCR_MASK VPMU_BITS(24, 9)
#define ESCR_TAG_VALUE VPMU_BITS(8, 5)
#define ESCR_TAG_ENABLE VPMU_BITS(4, 4)
#define ESCR_T0_OS VPMU_BITS(3, 3)
#define ESCR_T0_USR VPMU_BITS(2, 2)
#define ESCR_T1_OS VPMU_BITS(1, 1)
#define ESCR_T1_USR VPMU_BITS(0, 0)

/* MSR_PEBS_ENABLE, and of its bits 12:0 and of MSR_PEBS_MATRIX_VERT those of Table 19-33 */
#define PEBS_RECORDS VPMU_BITS(26, 25)	/* for either logical processor */
#define PEBS_UOP_TAG VPMU_BITS(24, 24)
#define PEBS_MISPREDICTED VPMU_BITS(16, 15)
#define PEBS_REPLAY VPMU_BITS(12, 0)
#define REPLAY_L1 VPMU_BITS(0, 0)
#define REPLAY_L2 VPMU_BITS(1, 1)
#define REPLAY_DTLB VPMU_BITS(2, 2)
#define REPLAY_SPLIT VPMU_BITS(10, 10)
#define VERT_LOADS VPMU_BITS(0, 0)
#define VERT_STORES VPMU_BITS(1, 1)
#define VERT_BRANCHES VPMU_BITS(4, 4)

/* Groups of counters: BPU 0-3, MS 4-7, FLAME 8-11, IQ 12-17. */
enum p4_group { P4_BPU_GROUP, P4_MS_GROUP, P4_FLAME_GROUP, P4_IQ_GROUP };

/* Units with a pair of ESCRs; CRU has three pairs. Group and number as in Table 18-63. */
#define P4_UNIT_LIST(X) \
	X(BPU, BPU, 0) X(IS, BPU, 1) X(MOB, BPU, 2) X(ITLB, BPU, 3) X(PMH, BPU, 4) X(IX, BPU, 5) \
	X(FSB, BPU, 6) X(BSU, BPU, 7) X(MS, MS, 0) X(TC, MS, 1) X(TBPU, MS, 2) \
	X(FLAME, FLAME, 0) X(FIRM, FLAME, 1) X(SAAT, FLAME, 2) X(U2L, FLAME, 3) X(DAC, FLAME, 5) \
	X(IQ, IQ, 0) X(ALF, IQ, 1) X(RAT, IQ, 2) X(SSU, IQ, 3) X(CRU0, IQ, 4) X(CRU2, IQ, 5) \
	X(CRU4, IQ, 6)

enum p4_unit {
#define X(name, group, number) P4_##name,
	P4_UNIT_LIST(X)
#undef X
	P4_UNITS,
	P4_FSB1 = P4_FSB, P4_BSU0 = P4_BSU, P4_BSU1 = P4_BSU,
};

/* Kinds that a core event's line may count besides those of core_events.h. */
enum p4_kind {
	VPMU_CLOCKS = VPMU_CORE_EVENTS, VPMU_NOTHING, VPMU_BUS,
	VPMU_FRONT_END_TAGGED, VPMU_EXECUTION_TAGGED, VPMU_REPLAY_TAGGED,
	VPMU_TAGGED_INSTRUCTIONS, VPMU_BOTH_DELIVER, VPMU_FIRST_DELIVERS, VPMU_SECOND_DELIVERS,
	VPMU_BOGUS_UOPS,
};

/* Micro-ops that a mispredicted branch lets in behind it, a stand-in for the wrong path, which this
 * machine does not execute. A branch is resolved at the end of the misprediction pipeline of 20
 * stages (Intel Technology Journal Q1, 2001), and the machine starts an instruction a clock: one
 * instruction of one micro-op in each stage. They are of no kind and carry no tag. */
#define P4_BOGUS_UOPS 20

struct p4_core {
	uint64_t counter[P4_COUNTERS], cccr[P4_COUNTERS], escr[P4_UNITS][2];
	uint64_t tc_precise_event, pebs_enable, pebs_matrix_vert, misc_enable;
	uint64_t interrupts[2];		/* raised to each logical processor */
	/* Bit per counter. due: overflowed, the PMI comes with the next event. level: the filter
	 * passed in the last clock, for EDGE. */
	uint32_t due, level;
	/* The erratum of lost writes (N15): the first of two writes of a counter has no effect.
	 * written: bit per counter, the next write is the second; kept: what a lost one leaves. */
	uint32_t lossy, written;
	uint64_t kept[P4_COUNTERS];
};

struct p4_thread { uint64_t ds_area; };

/* Activity of one logical processor in some clocks. */
struct p4_batch {
	struct vpmu_segment *s;
	struct p4_core *core;
	uint32_t cpu, thread;		/* thread: 0 or 1 within the core */
	enum vpmu_ring ring;
	uint64_t clocks, count[VPMU_CORE_EVENTS];
};

/* A line of the event list, in the order of netburst_events[]. */
struct p4_event {
	enum p4_unit unit;
	uint32_t select, bit;
	bool independent;		/* of the thread: TI */
	int32_t sum[4];			/* kind + 1, negative to take away; 0 ends it */
};

/* netburst_table.c */
#define NETBURST_EVENTS 181
extern const struct vpmu_event_info netburst_events[NETBURST_EVENTS];
extern const struct p4_event p4_events[NETBURST_EVENTS];
/* Number of the line, or -1. */
int p4_event_find(enum p4_unit unit, uint32_t select, uint32_t bit);
enum p4_group p4_unit_group(enum p4_unit unit);
enum p4_group p4_counter_group(uint32_t counter);
/* 0 or 1: which ESCR of a unit this counter can use. */
uint32_t p4_counter_side(uint32_t counter);
/* The unit that the CCCR of this counter selects; P4_UNITS: there is none. */
enum p4_unit p4_counter_unit(const struct p4_core *core, uint32_t counter);

/* IOQ_allocation counts only with something of each kind in its mask: the request type, read or
 * write, the memory type, the source. */
static inline bool p4_bus_mask_complete(uint32_t mask)
{
	return (mask & 0x1f) && (mask & 0x60) && (mask & 0xf80) && (mask & 0x6000);
}

/* netburst_input.c: inputs to this counter in the batch; *listens: the ESCR listens to this
 * logical processor at all. */
uint64_t p4_input(const struct p4_batch *b, uint32_t counter, bool *listens);

/* netburst_remark.c: note what counters are enabled on that is not driven. */
void p4_remark(struct vpmu_segment *s, const struct p4_core *core);
const char *p4_undriven_why(const struct vpmu_undriven *u);
const char *p4_undriven_event(const struct vpmu_undriven *u);

/* netburst_count.c */
void p4_count(struct p4_batch *b);

/* netburst_cascade.c. A source is a counter, or P4_COUNTERS where there is none. */
bool p4_running(const struct p4_core *core, uint32_t counter);	/* enabled or cascading */
uint32_t p4_cascade_source(uint32_t counter);
uint32_t p4_extended_source(uint32_t counter);
bool p4_overflowed(const struct p4_core *core, uint32_t counter);
/* Does the counter wait for an overflow of this source? */
bool p4_cascades_from(const struct p4_core *core, uint32_t counter, uint32_t source);

static inline struct p4_core *p4_core(struct vpmu_segment *s, uint32_t cpu)
{
	return vpmu_core_state(s, vpmu_cpu_core(&s->machine, cpu));
}

#endif
