/* SPDX-License-Identifier: MIT */
/* Kinds of occurrences that the execution feed reports to the model: the arguments of the entry
 * points in model.h and core_events.h, numbered. A profile says how often an instruction has caused
 * each kind. Which kinds an event counts is found by raising one kind after the other on a machine
 * that nothing runs on. */
#ifndef VPMU_KINDS_H
#define VPMU_KINDS_H

#include "core_events.h"
#include "model.h"

/* X(NAME) per kind outside hardware threads, in the order of the arguments. _CLOCKS are those of an
 * entry of the tracker behind its first one. AWAY are entries where cores that are not behind
 * the LLC meet the others. DRAM_ with a number are of that memory controller, those without are for
 * one and the other in turn. */
#define VPMU_KIND_LIST(X) \
	X(LOOKUP_READ_M) X(LOOKUP_READ_E) X(LOOKUP_READ_S) X(LOOKUP_READ_I) \
	X(LOOKUP_WRITE_M) X(LOOKUP_WRITE_E) X(LOOKUP_WRITE_S) X(LOOKUP_WRITE_I) \
	X(SNOOP_XCORE_MISS) X(SNOOP_XCORE_HIT) X(SNOOP_XCORE_HITM) \
	X(SNOOP_EVICTION_MISS) X(SNOOP_EVICTION_HIT) X(SNOOP_EVICTION_HITM) \
	X(TRACKER_DATA_READ) X(TRACKER_CODE_READ) X(TRACKER_WRITE) X(TRACKER_EVICTION) \
	X(TRACKER_DATA_READ_CLOCKS) X(TRACKER_CODE_READ_CLOCKS) X(TRACKER_WRITE_CLOCKS) \
	X(TRACKER_EVICTION_CLOCKS) \
	X(AWAY_REQUEST_DATA_READ) X(AWAY_REQUEST_CODE_READ) X(AWAY_REQUEST_WRITE) \
	X(AWAY_REQUEST_EVICTION) \
	X(AWAY_DATA_READ) X(AWAY_CODE_READ) X(AWAY_WRITE) X(AWAY_EVICTION) \
	X(AWAY_DATA_READ_CLOCKS) X(AWAY_CODE_READ_CLOCKS) X(AWAY_WRITE_CLOCKS) \
	X(AWAY_EVICTION_CLOCKS) \
	X(DRAM_REQUESTS) X(DRAM_READS) X(DRAM_WRITES) \
	X(DRAM_REQUESTS_0) X(DRAM_READS_0) X(DRAM_WRITES_0) \
	X(DRAM_REQUESTS_1) X(DRAM_READS_1) X(DRAM_WRITES_1) \
	X(MEMORY_READ_HIT) X(MEMORY_READ_EMPTY) X(MEMORY_READ_MISS) \
	X(MEMORY_WRITE_HIT) X(MEMORY_WRITE_EMPTY) X(MEMORY_WRITE_MISS)

enum vpmu_kind {
#define X(name) VPMU_KIND_##name,
	VPMU_KIND_LIST(X)
#undef X
	VPMU_KIND_CORE,		/* the first one of cores */
};

/* Behind these: what hardware threads do, and the clocks that pass there, once for cores and once
 * for E cores. */
#define VPMU_KINDS_OF_CORE ((uint32_t)VPMU_CORE_EVENTS + 1)
#define VPMU_KINDS (VPMU_KIND_CORE + 2 * VPMU_KINDS_OF_CORE)
/* event: or VPMU_CORE_EVENTS, for clocks. */
static inline uint32_t vpmu_kind_core(bool little, uint32_t event)
{
	return VPMU_KIND_CORE + (little ? VPMU_KINDS_OF_CORE : 0) + event;
}

static inline uint32_t vpmu_kind_lookup(enum vpmu_request request, enum vpmu_mesi found)
{
	return (request == VPMU_WRITE ? VPMU_KIND_LOOKUP_WRITE_M : VPMU_KIND_LOOKUP_READ_M) +
	       (uint32_t)__builtin_ctz(found);
}

/* The first of three: requests, reads and writes. boxes: of the machine's packages, at most 2. */
static inline uint32_t vpmu_kind_dram(uint32_t boxes, uint32_t box)
{
	return boxes ? VPMU_KIND_DRAM_REQUESTS_0 + 3 * box : VPMU_KIND_DRAM_REQUESTS;
}

static inline uint32_t vpmu_kind_snoop(enum vpmu_snoop_cause cause, enum vpmu_snoop_result result)
{
	return (cause == VPMU_XCORE ? VPMU_KIND_SNOOP_XCORE_MISS : VPMU_KIND_SNOOP_EVICTION_MISS) +
	       (result == VPMU_SNOOP_MISS ? 0u : result == VPMU_SNOOP_HIT ? 1u : 2u);
}

/* "LOOKUP_READ_M", "CORE.LOADS", "E_CORE.CLOCKS", in text[]. False: there is no such kind. */
#define VPMU_KIND_NAME_MAX 48
bool vpmu_kind_name(uint32_t kind, char text[VPMU_KIND_NAME_MAX]);
/* Lets the kind occur so often on the first package, slice, box or core of its sort, as the feed
 * would report it. The package's clock advances by VPMU_RAISED_CLOCKS. A hardware thread has twice
 * as many clocks, and in them the kind beside VPMU_RAISED_BASE or more of each of its events, since
 * the model subtracts some of these from others. So what the kind adds to an event is the gain
 * without that of 0 times. A kind of a hardware thread may occur less often, by VPMU_RAISED_BASE at
 * most. Machine lock held. False: the machine has no such kind, or it is too often. */
#define VPMU_RAISED_CLOCKS 4096
#define VPMU_RAISED_BASE 64
bool vpmu_kind_raise(struct vpmu_segment *s, uint32_t kind, int32_t times);

#endif
