/* SPDX-License-Identifier: MIT */
/* A machine for the feed's unit tests: a segment in memory, and a model that only records. */
#ifndef FEED_MACHINE_H
#define FEED_MACHINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "virtual_pmu/feed/thread/clock.h"
#include "virtual_pmu/feed/cache/write_combining.h"
#include "virtual_pmu/feed/thread/machine_lock.h"
#include "virtual_pmu/model/core_events.h"

struct record {
	uint64_t lookup[8][16];		/* [enum vpmu_request][enum vpmu_mesi] */
	uint64_t snoop[16][16];		/* [cause][result] */
	uint64_t tracker[4], coherent, slice[VPMU_SLICES_MAX];
	uint64_t away_requests[4], away_tracker[4];
	uint64_t requests, reads, writes;
	uint64_t start[64], end[64];	/* of the first tracker entries */
	uint64_t tracked;		/* a sum over all of them, in any order */
	uint64_t clock;
	uint64_t core[16][VPMU_CORE_EVENTS], core_clocks[16], reports;	/* [cpu] */
	uint32_t longest;		/* clocks of one report */
	uint64_t command[8][2][2][3];	/* [package][box][write][enum vpmu_page] */
};

static struct record seen;
static bool core_wanted;

static inline void assert_locked(const struct vpmu_segment *s)
{
	assert_int_not_equal(__atomic_load_n(&s->lock.word, __ATOMIC_RELAXED), 0);
}

bool vpmu_core_events_modelled(const struct vpmu_machine *m)
{
	(void)m;
	return core_wanted;
}

static bool core_by_uncore;	/* only while segment->core_counting says so */

enum vpmu_core_level vpmu_core_events_wanted(const struct vpmu_segment *s)
{
	return core_by_uncore ? s->core_counting : core_wanted ? VPMU_CORE_ALL : VPMU_CORE_NOTHING;
}

void vpmu_core_events_at(struct vpmu_segment *s, uint32_t cpu, enum vpmu_ring ring,
			 const uint32_t *counts, uint32_t clocks)
{
	assert_int_equal(ring, VPMU_USER);
	assert_locked(s);
	assert_in_range(cpu, 0, 15);
	for (uint32_t i = 0; i < VPMU_CORE_EVENTS; i++)
		seen.core[cpu][i] += counts[i];
	seen.core_clocks[cpu] += clocks;
	seen.reports++;
	seen.longest = clocks > seen.longest ? clocks : seen.longest;
	assert_true(counts[VPMU_INSTRUCTIONS] <= clocks);
}

void vpmu_memory_command(struct vpmu_segment *s, uint32_t package, uint32_t box, bool write,
			 enum vpmu_page page, uint64_t clock)
{
	assert_locked(s);
	assert_true(clock <= s->uclk[package]);
	seen.command[package][box][write][page]++;
}

void vpmu_llc_lookup(struct vpmu_segment *s, uint32_t package, uint32_t slice,
		     enum vpmu_request request, enum vpmu_mesi found, uint64_t clock)
{
	(void)package, (void)clock;
	assert_locked(s);
	seen.lookup[request][found]++;
	seen.slice[slice]++;
}

void vpmu_snoop(struct vpmu_segment *s, uint32_t package, uint32_t slice,
		enum vpmu_snoop_cause cause, enum vpmu_snoop_result result, uint64_t clock)
{
	(void)package, (void)slice, (void)clock;
	assert_locked(s);
	seen.snoop[cause][result]++;
}

static uint64_t tracked(uint32_t package, enum vpmu_tracker kind, uint64_t start, uint64_t end)
{
	uint64_t hash = (start * 4 + kind) * 0x9e3779b97f4a7c15u + end;

	return (hash ^ hash >> 32) * 0xbf58476d1ce4e5b9u + package;
}

/* An entry of the tracker lasts as long as memory takes. */
static uint32_t entry_clocks(const struct vpmu_machine *m, enum vpmu_tracker kind)
{
	return kind == VPMU_TRK_DATA_READ || kind == VPMU_TRK_CODE_READ ? m->memory_clocks :
									  m->write_clocks;
}

void vpmu_tracker(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind, bool coherent,
		  uint64_t start, uint64_t end)
{
	uint64_t n = seen.tracker[0] + seen.tracker[1] + seen.tracker[2];

	assert_locked(s);
	assert_int_equal(end - start, entry_clocks(&s->machine, kind));
	if (n < 64) {
		seen.start[n] = start;
		seen.end[n] = end;
	}
	seen.tracker[kind]++;
	seen.tracked += tracked(package, kind, start, end);
	seen.coherent += coherent;
}

void vpmu_away_request(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
		       uint64_t clock)
{
	(void)package, (void)clock;
	assert_locked(s);
	seen.away_requests[kind]++;
}

void vpmu_away_tracker(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
		       bool coherent, uint64_t start, uint64_t end)
{
	(void)coherent;
	assert_locked(s);
	assert_int_equal(end - start, entry_clocks(&s->machine, kind));
	seen.away_tracker[kind]++;
	seen.tracked += 3 * tracked(package, kind, start, end);
}

void vpmu_dram_at(struct vpmu_segment *s, uint32_t package, uint32_t box, uint32_t requests,
		  uint32_t read_cas, uint32_t write_cas)
{
	assert_in_range(box, 0, s->machine.memory_boxes - 1);
	vpmu_dram(s, package, requests, read_cas, write_cas);
}

void vpmu_dram(struct vpmu_segment *s, uint32_t package, uint32_t requests, uint32_t read_cas,
	       uint32_t write_cas)
{
	(void)package;
	assert_locked(s);
	seen.requests += requests;
	seen.reads += read_cas;
	seen.writes += write_cas;
}

/* NULL: there are none, and each lookup is reported by itself. */
static struct vpmu_llc_counts *llc_counts;
static uint32_t told_singly;

bool vpmu_bulk_of(struct vpmu_segment *s, uint32_t package, struct vpmu_bulk *out)
{
	(void)s, (void)package;
	*out = (struct vpmu_bulk){ .precise = &told_singly, .llc = llc_counts };
	return llc_counts;
}

void vpmu_clock(struct vpmu_segment *s, uint32_t package, uint64_t clock)
{
	assert_locked(s);
	assert_true(clock >= s->uclk[package]);
	s->uclk[package] = seen.clock = clock;
}

#define READS(state) seen.lookup[VPMU_READ][state]
#define WRITES(state) seen.lookup[VPMU_WRITE][state]
#define XCORE(result) seen.snoop[VPMU_XCORE][result]
#define EVICTION(result) seen.snoop[VPMU_EVICTION][result]

static inline uint64_t all_lookups(void)
{
	uint64_t n = 0;

	for (int i = 0; i < 16; i++)
		n += seen.lookup[VPMU_READ][i] + seen.lookup[VPMU_WRITE][i];
	return n;
}

static inline uint64_t all_snoops(void)
{
	uint64_t n = 0;

	for (int i = 0; i < 16; i++)
		n += XCORE(i) + EVICTION(i);
	return n;
}

/* Four cores of one thread; every level one set of the given number of ways. 0: no such level. */
static inline struct vpmu_machine one_set_machine(uint32_t l1, uint32_t l2, uint32_t llc)
{
	return (struct vpmu_machine){
		.name = "test", .packages = 1, .cores = 4, .threads = 1, .slices = 1,
		.l1i = { l1 * 64, l1, 64 }, .l1d = { l1 * 64, l1, 64 }, .l2 = { l2 * 64, l2, 64 },
		.llc = { llc * 64, llc, 64 }, .llc_level = 3,
		.llc_clocks = 30, .memory_clocks = 100, .write_clocks = 60, .fill_buffers = 2,
	};
}

static struct vpmu_segment *segment_of(const struct vpmu_machine *m)
{
	uint64_t header = (sizeof(struct vpmu_segment) + 4095) & ~4095ull;
	uint64_t bytes = vpmu_caches_bytes(m);
	struct vpmu_segment *s = aligned_alloc(4096, header + bytes);

	assert_non_null(s);
	assert_int_not_equal(bytes, 0);
	memset(s, 0, header + bytes);
	s->machine = *m;
	s->caches_offset = header;
	s->caches_bytes = bytes;
	s->bytes = header + bytes;
	memset(&seen, 0, sizeof(seen));
	return s;
}

static inline uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static inline uint64_t hash_of(const void *bytes, uint64_t count)
{
	const uint64_t *word = bytes;
	uint64_t hash = 1;

	for (uint64_t i = 0; i < count / sizeof(*word); i++)
		hash = hash * 0x100000001b3ull + word[i];
	return hash;
}

#endif
