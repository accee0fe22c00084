/* SPDX-License-Identifier: MIT */
/* State of one client package's uncore PMU inside the segment, as Sandy Bridge began it and
 * Skylake's document (334060-001) describes it, and what differs between generations. */
#ifndef VPMU_SKL_STATE_H
#define VPMU_SKL_STATE_H

#include "arch_state.h"
#include "counter.h"
#include "model_type.h"

#define SKL_CTR_WIDTH 44
#define SKL_FIXED_WIDTH 48

#define SKL_GLOBAL_FRZ_ON_PMI VPMU_BITS(31, 31)
#define SKL_GLOBAL_WAKE_ON_PMI VPMU_BITS(30, 30)
#define SKL_GLOBAL_EN VPMU_BITS(29, 29)
#define SKL_PMI_SEL_CORES 4u	/* bit i of the same register: PMI_SEL_COREi */
#define SKL_GLOBAL_PMI_SEL VPMU_BITS(SKL_PMI_SEL_CORES - 1, 0)
#define SKL_CORE_THREADS 2u

enum skl_status { SKL_FIXED_OVF = 1 << 0, SKL_ARB_OVF = 1 << 1, SKL_CBO_OVF = 1 << 3 };

/* The remark of events of the coherence tracker. */
#define COHERENT_STAND_IN "a stand-in: an entry for each request of the cores"

enum skl_code {
	SKL_XSNP_RESPONSE = 0x22, SKL_CACHE_LOOKUP = 0x34,
	SKL_TRK_OCCUPANCY = 0x80, SKL_TRK_REQUESTS = 0x81, SKL_COH_TRK_OCCUPANCY = 0x83,
	SKL_COH_TRK_REQUESTS = 0x84, SKL_DAT_OCCUPANCY = 0x85,
	SKL_TOR_ALLOCATION = 0x35, SKL_TRANSACTIONS = 0x8a,	/* of a SoC tile */
};

/* Codes of the CBo that the model drives. */
enum { SKL_LOOKUPS = 1, SKL_SNOOPS = 2, SKL_TOR = 4, SKL_NO_CODES = 8 };

/* Unit masks of TOR_ALLOCATION and of TRANSACTIONS. */
enum { SKL_TOR_DRD = 1, SKL_TOR_ALL = 8 };
enum { SKL_TRANSACTIONS_ALL = 1, SKL_TRANSACTIONS_READS = 2, SKL_TRANSACTIONS_WRITES = 4 };

/* Unit masks of the arbiter's events. */
#define SKL_TRK_ALL 0x01u
#define SKL_TRK_DATA_READ 0x02u
#define SKL_TRK_WRITES 0x20u
#define SKL_TRK_EVICTIONS 0x80u
#define SKL_ARB_CODES 16u	/* from 0x80 on */
#define SKL_TRK_KINDS 4u	/* of enum vpmu_tracker */
#define SKL_ARBS 2u

/* Clocks for which the tracker's occupancy can still be corrected, because threads of a program
 * are emulated at different speeds. */
#define SKL_WINDOW VPMU_ENTRY_CLOCKS

enum skl_entries { SKL_ALL, SKL_DATA_READS, SKL_COHERENT, SKL_ENTRY_KINDS };

struct skl_change { int32_t entries[SKL_ARBS][SKL_ENTRY_KINDS]; };

static inline uint32_t skl_entry_arb(uint8_t kind)
{
	return kind & VPMU_ENTRY_ARB_1 ? 1 : 0;
}
static inline bool skl_entry_is(uint8_t kind, enum skl_entries which)
{
	return which == SKL_ALL ||
	       (kind & (which == SKL_DATA_READS ? VPMU_ENTRY_DATA_READ : VPMU_ENTRY_COHERENT));
}
static inline void skl_entry_add(uint8_t kind, int32_t by, struct skl_change *to)
{
	for (uint32_t i = 0; i < SKL_ENTRY_KINDS; i++)
		to->entries[skl_entry_arb(kind)][i] += skl_entry_is(kind, i) ? by : 0;
}

/* Numbers of the counters: the arbiter's two, two per CBo, the clock counter, a second arbiter's
 * two. */
#define SKL_ARB 0u
#define SKL_CBO(slice) (2 + 2 * (slice))
#define SKL_FIXED SKL_CBO(VPMU_SLICES_MAX)
#define SKL_ARB_1 (SKL_FIXED + 1)
#define SKL_COUNTERS (SKL_ARB_1 + 2)

static inline bool skl_is_arb(uint32_t counter)
{
	return counter < SKL_CBO(0) || counter >= SKL_ARB_1;
}
/* The first counter of an arbiter, which alone counts occupancies; and which arbiter's it is. */
static inline uint32_t skl_first_of(uint32_t arb)
{
	return arb ? SKL_ARB_1 : SKL_ARB;
}
static inline uint32_t skl_arb_of(uint32_t counter)
{
	return counter >= SKL_ARB_1;
}
static inline bool skl_is_first(uint32_t counter)
{
	return counter == SKL_ARB || counter == SKL_ARB_1;
}

/* Occurrences since the registers were last brought up to date, where it is enough to know how
 * often: see skl_bulk.c. */
struct skl_bulk {
	struct vpmu_llc_counts llc;
	/* all: a request and a coherent one, of the first arbiter */
	uint64_t requests[SKL_ARBS][SKL_TRK_KINDS], coherent[SKL_ARBS][SKL_TRK_KINDS];
	uint64_t all[SKL_TRK_KINDS];
	uint64_t tor[SKL_ARBS][SKL_TRK_KINDS];
	uint64_t transactions[SKL_ARBS][2];	/* reads, others */
	/* The clock counter has the clocks before this one, the occupancy the changes. */
	uint64_t counted;
	struct vpmu_entries list;
};

struct skl_package {
	uint64_t global_ctrl, global_status, cbo_config, imc_bar, saf_bar;
	uint64_t discovery;		/* the MSR with the address of the table of units */
	uint64_t unsourced_status;	/* of a generation whose bits there are not known: 0 */
	/* Threads with ENABLE_UNCORE_PMI, a bit each, of the cores that PMI_SEL can name. */
	uint8_t receivers[SKL_PMI_SEL_CORES];
	uint64_t interrupts[SKL_PMI_SEL_CORES][SKL_CORE_THREADS];
	bool forwards;			/* an overflow would interrupt somebody */
	uint8_t device[2];	/* of PCI 0:0.0 */
	bool always, two_arbs;	/* the design's */
	bool single;		/* it has one arbiter, one controller and one tile */
	uint32_t controllers, ctr_width, cbo_codes;	/* the same */
	/* Turns of the arbiters and their like, by kind of request. */
	uint32_t turns[SKL_TRK_KINDS], tor_turns[SKL_TRK_KINDS], transaction_turns[2];
	uint64_t lines[3];	/* requests, reads, writes so far, for the turns of controllers */
	uint64_t imc_known, imc_driven;	/* bit per code of the controllers' selects */
	/* Offsets of the first controller's registers, how far the second's are, and a counter's
	 * bits. */
	uint32_t imc_control, imc_selects, imc_counters, imc_step;
	uint64_t imc_mask;
	bool units;		/* the design's */
	uint64_t imc_clock;	/* their clocks before this one are counted */
	bool imc_selected;	/* one of their counters has an event */
	uint8_t arb_umasks[SKL_ARB_CODES];	/* documented bits of each code from 0x80 on */
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

#define SKL_ENABLE_UNCORE_PMI VPMU_BITS(13, 13)

#define SKL_FREEZE_ON_PMI VPMU_BITS(12, 12)	/* for the core's PMU */

struct skl_thread {
	uint64_t debugctl;
	struct arch_thread core;	/* from Skylake on */
};

/* A machine of one package may have a second tile with units alike, behind an enable of its own: it
 * is kept as another package is. Its CBos are the HAC_CBOs, its arbiters the HAC_ARBs. */
#define SKL_SOC_TILE 1u

static inline struct skl_package *skl_package(struct vpmu_segment *s, uint32_t package)
{
	return (struct skl_package *)(void *)((uint8_t *)s + s->registers_offset) + package;
}
static inline uint32_t skl_tiles(const struct vpmu_segment *s)
{
	return (uint32_t)(s->state.package / sizeof(struct skl_package));
}

/* Properties of a generation besides rows and events. */
struct skl_design {
	const struct vpmu_event_info *events;
	uint32_t event_count;
	uint32_t more;		/* MSR_UNC_CBO_CONFIG says so many more slices than there are */
	/* Offset of the counters of two memory controllers of 64 bits; 0: there is one, of 32. */
	uint32_t controllers;
	bool always;		/* there is no global enable that has an effect */
	bool two_arbs;		/* requests go to one and the other in turn */
	uint32_t cbo_codes;	/* that the CBo has; 0: SKL_LOOKUPS and SKL_SNOOPS */
	const char *arb_unit;	/* of the events; NULL: "ARB" */
	const struct skl_design *soc;	/* of the SoC tile, if there is one */
	uint32_t ctr_width;	/* 0: SKL_CTR_WIDTH */
	uint8_t device[2], device_of_two[2];	/* PCI 0:0.0, low byte first; of two cores */
	bool saf;		/* it has a base for HBO and sNCU, SAFBAR */
	bool units;		/* it has a discovery table for those and the controllers */
};

/* Members of a generation's type that are the same for all, besides rows, events and design. */
#define SKL_BEHAVIOUR \
	.thread_bytes = sizeof(struct skl_thread), \
	.box_name = "CBo", .advance = skl_bring_up, \
	 .gather = skl_gather, .written = skl_written, \
	.interrupts = skl_interrupts, .pci_read = skl_pci_read, .mmio_window = skl_mmio_window, \
	.undriven = skl_undriven, .llc_lookup = skl_llc_lookup, .snoop = skl_snoop, \
	.tracker = skl_tracker, .away_request = skl_away_request, \
	.away_tracker = skl_away_tracker, .dram = skl_dram, .clock = skl_clock, \
	.bulk = skl_bulk_of, \
	.memory_command = skl_memory_command
#define SKL_IMC_WINDOW 0x8000u		/* what bits 38:15 of the BAR leave to the window */
#define SKL_IMC_WINDOW_64 0x20000u	/* two controllers of 64 KiB */
/* Behind that, what Lunar Lake has at these offsets from another base. */
#define SKL_SAF_FROM 0xe4b000u
#define SKL_SAF_TO 0xe55000u
#define SKL_SAF_WINDOW (SKL_IMC_WINDOW_64 + SKL_SAF_TO - SKL_SAF_FROM)
/* Behind that, what a discovery table describes: the table, then a page for each of its units. */
#define SKL_UNITS_FROM SKL_SAF_WINDOW
#define SKL_UNITS_TO (SKL_UNITS_FROM + 0x6000u)

/* skl_client.c */
void skl_reset(struct vpmu_segment *s, const struct skl_design *d);
void skl_bring_up(struct vpmu_segment *s, uint32_t package);
void skl_gather(struct vpmu_segment *s, uint32_t package);
void skl_written(struct vpmu_segment *s, uint32_t cpu, const struct vpmu_register *r,
		 uint64_t value);
uint64_t skl_interrupts(struct vpmu_segment *s, uint32_t cpu);
int skl_pci_read(struct vpmu_segment *s, uint32_t offset, void *buf, uint32_t bytes);
void skl_mmio_window(const struct vpmu_segment *s, uint64_t *base, uint64_t *bytes);
const char *skl_undriven(const struct vpmu_undriven *u);
void skl_llc_lookup(struct vpmu_segment *s, uint32_t package, uint32_t slice,
		    enum vpmu_request request, enum vpmu_mesi found, uint64_t clock);
void skl_snoop(struct vpmu_segment *s, uint32_t package, uint32_t slice,
	       enum vpmu_snoop_cause cause, enum vpmu_snoop_result result, uint64_t clock);
void skl_tracker(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind, bool coherent,
		 uint64_t start, uint64_t end);
void skl_away_request(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
		      uint64_t clock);
void skl_away_tracker(struct vpmu_segment *s, uint32_t package, enum vpmu_tracker kind,
		      bool coherent, uint64_t start, uint64_t end);
void skl_dram(struct vpmu_segment *s, uint32_t package, uint32_t box, uint32_t requests,
	      uint32_t read_cas, uint32_t write_cas);
void skl_bulk_of(struct vpmu_segment *s, uint32_t package, struct vpmu_bulk *out);
void skl_clock(struct vpmu_segment *s, uint32_t package, uint64_t clock);

/* client_imc.c */
void skl_memory_command(struct vpmu_segment *s, uint32_t package, uint32_t box, bool write,
			enum vpmu_page page, uint64_t clock);

/* skl_events.c */
/* Bits that the generation's events have in the unit masks of the arbiter's codes. */
void skl_arb_umasks(const struct skl_design *d, uint8_t umasks[SKL_ARB_CODES]);
/* Unit mask bits of this counter's select that the model drives; none: it stays 0. */
uint32_t skl_driven(const struct skl_package *p, uint32_t counter, uint64_t select);
static inline bool skl_drives_any(const struct skl_package *p, uint32_t counter)
{
	return skl_driven(p, counter, p->counter[counter].select);
}
#define SKL_IMC_WHY 16u		/* reasons from here on are the memory controllers' */
/* Why the model does not drive all of it; 0: it does. */
uint32_t skl_undriven_why(const struct skl_package *p, uint32_t counter);
const char *skl_undriven_text(uint32_t why);

/* skl_bulk.c */
/* Unit mask bits of the arbiter's requests that such an entry is counted by. */
uint32_t skl_tracker_umask(enum vpmu_tracker kind);
uint32_t skl_tor_umask(enum vpmu_tracker kind);
/* Brings the registers to clock `done`. */
void skl_bulk_apply(struct skl_package *p);
/* Chooses the way of counting after a register was written; skl_bulk_apply has preceded the
 * write. */
void skl_bulk_choose(struct skl_package *p);
/* A tracker entry of this arbiter, in the clocks [start, end). */
void skl_occupy(struct skl_package *p, uint32_t arb, bool data_read, bool coherent, uint64_t start,
		uint64_t end);

/* skl_count.c */
void skl_advance(struct skl_package *p, uint64_t clock);
/* Takes the changes in the clocks [from, to), and adds to `clocks` how long entries were there. */
void skl_take_changes(struct skl_package *p, uint64_t from, uint64_t to,
		      uint64_t clocks[SKL_ARBS][SKL_ENTRY_KINDS]);
/* The select register of this counter holds a new value. */
void skl_select_written(struct skl_package *p, uint32_t counter);
/* Counts an occurrence in this clock, which the selects of these counters (a bit each) match. */
void skl_count(struct skl_package *p, uint64_t counters, uint64_t clock);
/* A change of the occupancy in a clock that is not final yet. */
void skl_put_change(struct skl_package *p, uint64_t clock, int32_t by,
		    const struct vpmu_entry *e);
bool skl_counting(const struct skl_package *p);
/* In a clock whose overflow freezes, all counters still count, in whatever order the feed
 * reports. */
bool skl_counting_in(const struct skl_package *p, uint64_t clock);
bool skl_freezing(const struct skl_package *p);
/* True if this first counter of an arbiter counts the occupancy. */
bool skl_counts_occupancy(const struct skl_package *p, uint32_t counter);
enum skl_entries skl_entries_of(const struct skl_package *p, uint32_t counter);
/* The counter takes n occurrences, or clocks with this increment. */
void skl_apply(struct skl_package *p, uint32_t counter, uint64_t increment, uint64_t n);

#endif
