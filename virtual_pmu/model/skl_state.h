/* SPDX-License-Identifier: MIT */
/* State of one Skylake-client package's uncore PMU inside the segment. */
#ifndef VPMU_SKL_STATE_H
#define VPMU_SKL_STATE_H

#include "counter.h"
#include "model_type.h"

#define SKL_CTR_WIDTH 44
#define SKL_FIXED_WIDTH 48

#define SKL_GLOBAL_FRZ_ON_PMI VPMU_BITS(31, 31)
#define SKL_GLOBAL_WAKE_ON_PMI VPMU_BITS(30, 30)
#define SKL_GLOBAL_EN VPMU_BITS(29, 29)
#define SKL_PMI_SEL_CORES 4u	/* bit i of the same register: PMI_SEL_COREi */
#define SKL_GLOBAL_PMI_SEL VPMU_BITS(SKL_PMI_SEL_CORES - 1, 0)

enum skl_status { SKL_FIXED_OVF = 1 << 0, SKL_ARB_OVF = 1 << 1, SKL_CBO_OVF = 1 << 3 };

enum skl_code {
	SKL_XSNP_RESPONSE = 0x22, SKL_CACHE_LOOKUP = 0x34,
	SKL_TRK_OCCUPANCY = 0x80, SKL_TRK_REQUESTS = 0x81, SKL_COH_TRK_REQUESTS = 0x84,
};

/* Unit masks of the arbiter's events. */
#define SKL_TRK_ALL 0x01u
#define SKL_TRK_DATA_READ 0x02u
#define SKL_TRK_WRITES 0x20u

/* Clocks for which the tracker's occupancy can still be corrected, because threads of a program
 * are emulated at different speeds. A power of two. */
#define SKL_WINDOW 65536u

struct skl_change { int32_t all, data_read; };

/* Numbers of the counters: the arbiter's two, two per CBo, the clock counter. */
#define SKL_ARB 0u
#define SKL_CBO(slice) (2 + 2 * (slice))
#define SKL_FIXED SKL_CBO(VPMU_SLICES_MAX)
#define SKL_COUNTERS (SKL_FIXED + 1)

/* What has happened since the registers were last brought up to date, where it is enough to know
 * how often: see skl_bulk.c. */
#define SKL_ENTRIES 1024u

struct skl_entry {
	uint64_t start, end;		/* clocks; the part before `done` is counted */
	uint32_t data_read, begun;	/* begun: there in the clock before `done` as well */
};

struct skl_bulk {
	uint64_t lookup[VPMU_SLICES_MAX][3][4];	/* [slice][bit of request][bit of state] */
	uint64_t snoop[VPMU_SLICES_MAX][2][4];	/* [slice][cause][bit of result] */
	uint64_t requests[3], coherent[3];	/* [enum vpmu_tracker] */
	uint64_t counted;	/* the clock counter has the clocks before this one */
	uint32_t entries;
	struct skl_entry entry[SKL_ENTRIES];
};

struct skl_package {
	uint64_t global_ctrl, global_status, cbo_config, imc_bar;
	uint64_t interrupts[SKL_PMI_SEL_CORES];
	struct vpmu_counter counter[SKL_COUNTERS];
	uint64_t done;			/* clocks before this one are final */
	uint64_t frozen;		/* the clock after the one that froze; 0: none did */
	uint32_t precise;		/* each occurrence is counted when it happens */
	uint32_t changes;		/* bits in `changed` */
	struct skl_bulk bulk;
	uint64_t grouped;		/* bit per counter: collects increments per clock */
	struct skl_change occupancy;	/* tracker entries valid in the clock before `done` */
	/* Changes of the occupancy at the clocks [done, done + SKL_WINDOW), as a ring. */
	uint64_t changed[SKL_WINDOW / 64];
	struct skl_change change[SKL_WINDOW];
};

struct skl_thread { uint64_t debugctl; };

static inline struct skl_package *skl_package(struct vpmu_segment *s, uint32_t package)
{
	return (struct skl_package *)(void *)((uint8_t *)s + s->registers_offset) + package;
}

/* skl_events.c */
#define SKL_EVENTS 28
extern const struct vpmu_event_info skl_events[SKL_EVENTS];
/* Does the model drive at least a part of what this select counts? */
bool skl_drives_any(uint32_t counter, uint64_t select);
/* NULL when the model drives all of it, else why not. */
const char *skl_undriven_why(uint32_t counter, uint64_t select);

/* skl_bulk.c */
/* Brings the registers to clock `done`. */
void skl_bulk_apply(struct skl_package *p);
/* Chooses the way of counting after a register was written; skl_bulk_apply has preceded the
 * write. */
void skl_bulk_choose(struct skl_package *p);
/* Back to counting in bulk, if only the ring of changes had to run empty for that. */
void skl_bulk_resume(struct skl_package *p);
/* A tracker entry in the clocks [start, end). */
void skl_occupy(struct skl_package *p, bool data_read, uint64_t start, uint64_t end);

/* skl_count.c */
void skl_advance(struct skl_package *p, uint64_t clock);
/* The select register of this counter holds a new value. */
void skl_select_written(struct skl_package *p, uint32_t counter);
/* One occurrence, in this clock, which the selects of these counters (a bit each) match. */
void skl_count(struct skl_package *p, uint64_t counters, uint64_t clock);
/* A change of the occupancy in a clock that is not final yet. */
void skl_put_change(struct skl_package *p, uint64_t clock, int32_t by, bool data_read);
bool skl_counting(const struct skl_package *p);
/* In a clock whose overflow freezes, all counters still count, in whatever order the feed
 * reports. */
bool skl_counting_in(const struct skl_package *p, uint64_t clock);
bool skl_freezing(const struct skl_package *p);
bool skl_counts_occupancy(const struct skl_package *p);
/* The counter takes n occurrences, or clocks with this increment. */
void skl_apply(struct skl_package *p, uint32_t counter, uint64_t increment, uint64_t n);

#endif
