/* SPDX-License-Identifier: MIT */
/* Occurrences in hardware threads and memory controllers. The execution feed reports them to the
 * model of a machine whose PMUs count them. The model maps them to its documented events. */
#ifndef VPMU_CORE_EVENTS_H
#define VPMU_CORE_EVENTS_H

#include "../machine/segment.h"

/* An X(NAME) per kind. Reads and writes of data are loads and stores, an atomic counts as both.
 * "L2" is the level behind the L1s that a core reaches first, shared or not. A _REST is those of
 * its kind that compute nothing, as the feed's instructions.h has it. _MOVES are not in their kind:
 * those of SSE are X87_SIMD_MOVES, too. FP_ are operations of an element: a fused one counts twice.
 * _WALKED had a long walk. In a stall the thread waits for a fill buffer, or where the clock
 * estimates time for anything else. UOPS_ of a table are Skylake's. PENDING are clocks of loads
 * that missed a level, from request to arrival, PENDING_CLOCKS those with such a load, and
 * PENDING_STALLS those of stalls among them; each is counted when the load is made. */
#define VPMU_CORE_EVENT_LIST(X) \
	X(INSTRUCTIONS) X(UOPS) \
	X(BRANCHES) X(BRANCHES_TAKEN) X(BRANCHES_CONDITIONAL) X(BRANCHES_CONDITIONAL_TAKEN) \
	X(BRANCHES_CALL) X(BRANCHES_RETURN) X(BRANCHES_INDIRECT) \
	X(MISPREDICTED) X(MISPREDICTED_TAKEN) X(MISPREDICTED_CONDITIONAL) \
	X(MISPREDICTED_CALL) X(MISPREDICTED_RETURN) X(MISPREDICTED_INDIRECT) \
	X(LOADS) X(STORES) X(LOCKED) X(SPLIT_LOADS) X(SPLIT_STORES) \
	X(L1D_READ_MISSES) X(L1D_WRITE_MISSES) X(L1D_WRITE_BACKS) \
	X(CODE_READS) X(CODE_MISSES) \
	X(DTLB_READ_MISSES) X(DTLB_WRITE_MISSES) X(ITLB_MISSES) \
	X(DTLB_LONG_WALKS) X(ITLB_LONG_WALKS) \
	X(L2_READ_HIT_M) X(L2_READ_HIT_E) X(L2_READ_HIT_S) X(L2_READ_MISS) \
	X(L2_WRITE_HIT_M) X(L2_WRITE_HIT_E) X(L2_WRITE_HIT_S) X(L2_WRITE_MISS) \
	X(L2_CODE_HIT) X(L2_CODE_MISS) X(L2_LINES_IN) X(L2_LINES_OUT) X(L2_LINES_OUT_M) \
	X(FILL_READ_CACHE) X(FILL_WRITE_CACHE) X(FILL_CODE_CACHE) \
	X(FILL_READ_MEMORY) X(FILL_WRITE_MEMORY) X(FILL_CODE_MEMORY) \
	X(LOADS_L1_MISSED) X(LOADS_L2_MISSED) X(LOADS_DTLB_MISSED) X(STORES_DTLB_MISSED) \
	X(LOADS_L3_MISSED) X(LOADS_WALKED) X(STORES_WALKED) X(DTLB_WRITE_LONG_WALKS) \
	X(SNOOPED_HIT) X(SNOOPED_HITM) X(SNOOPED_FOR_READ) X(SNOOPED_FOR_WRITE) \
	X(X87_REST) X(SSE_PACKED_SINGLE_REST) X(SSE_PACKED_DOUBLE_REST) \
	X(SSE_SCALAR_SINGLE_REST) X(SSE_SCALAR_DOUBLE_REST) \
	X(X87) X(X87_SIMD_MOVES) X(MMX64) X(SSE_INTEGER) \
	X(SSE_PACKED_SINGLE) X(SSE_PACKED_DOUBLE) X(SSE_SCALAR_SINGLE) X(SSE_SCALAR_DOUBLE) \
	X(SSE_INTEGER_MOVES) X(SSE_PACKED_SINGLE_MOVES) X(SSE_PACKED_DOUBLE_MOVES) \
	X(SSE_SCALAR_SINGLE_MOVES) X(SSE_SCALAR_DOUBLE_MOVES) \
	X(VECTOR) X(VECTOR_LOADS) X(VECTOR_STORES) X(VECTOR_READ_MISSES) X(VECTOR_WRITE_MISSES) \
	X(VECTOR_ELEMENTS) X(MULTIPLIES) X(DIVIDES) \
	X(PREFETCH1) X(PREFETCH1_MISSES) X(PREFETCH1_L2_MISSES) X(PREFETCH2) X(PREFETCH2_MISSES) \
	X(FP_SCALAR_SINGLE) X(FP_SCALAR_DOUBLE) X(FP_128_SINGLE) X(FP_128_DOUBLE) \
	X(FP_256_SINGLE) X(FP_256_DOUBLE) \
	X(UOPS_ISSUED) X(UOPS_EXECUTED) X(UOPS_FUSED) X(DIVIDER_CLOCKS) X(FILLS_FULL) \
	X(L1_PENDING) X(L2_PENDING) X(L3_PENDING) \
	X(L1_PENDING_CLOCKS) X(L2_PENDING_CLOCKS) X(L3_PENDING_CLOCKS) \
	X(L1_PENDING_STALLS) X(L2_PENDING_STALLS) X(L3_PENDING_STALLS) \
	X(INTERRUPTS) X(STALLS) X(STALL_CLOCKS)

enum vpmu_core_event {
#define X(name) VPMU_##name,
	VPMU_CORE_EVENT_LIST(X)
#undef X
	VPMU_CORE_EVENTS
};

/* Levels of detail that counters need of hardware threads: nothing; instructions and clocks,
 * without the moment at which a counter overflows; all of the above. */
enum vpmu_core_level { VPMU_CORE_NOTHING, VPMU_CORE_RETIRED, VPMU_CORE_ALL };

/* A hardware thread did these things in its last `clocks` clocks, each in a clock of its own (at
 * most one instruction a clock; that is the clock model), all at one level. Raised in bulk: at
 * least every 1,024 clocks (every 10,000 at level VPMU_CORE_RETIRED), at every system call and
 * before each register access of the thread. Snoops by other cores are raised separately, for the
 * snooped core's first thread, with 0 clocks. Machine lock held. Does nothing on machines
 * without a core PMU. */
enum vpmu_ring { VPMU_USER, VPMU_KERNEL };
void vpmu_core_events_at(struct vpmu_segment *s, uint32_t cpu, enum vpmu_ring ring,
			 const uint32_t *counts, uint32_t clocks);
/* The same at user level. */
static inline void vpmu_core_events(struct vpmu_segment *s, uint32_t cpu, const uint32_t *counts,
				    uint32_t clocks)
{
	vpmu_core_events_at(s, cpu, VPMU_USER, counts, clocks);
}
/* Does this machine's model count core events? And which now: where a machine also has an uncore
 * PMU, only while a core's counter counts. */
bool vpmu_core_events_modelled(const struct vpmu_machine *m);
enum vpmu_core_level vpmu_core_events_wanted(const struct vpmu_segment *s);
bool vpmu_core_events_beside(const struct vpmu_machine *m);	/* ... an uncore PMU */

/* A read or write command reaches memory controller `box` of `package`, the home of the address,
 * and finds its DRAM page open, closed, or another one open. clock: UCLK of that package. */
enum vpmu_page { VPMU_PAGE_HIT, VPMU_PAGE_EMPTY, VPMU_PAGE_MISS };
void vpmu_memory_command(struct vpmu_segment *s, uint32_t package, uint32_t box, bool write,
			 enum vpmu_page page, uint64_t clock);

#endif
