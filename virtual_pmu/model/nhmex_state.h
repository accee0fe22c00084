/* SPDX-License-Identifier: MIT */
/* State of one Xeon 7500 or E7 package's U-Box, its M-Boxes and its C-Boxes inside the segment. */
#ifndef VPMU_NHMEX_STATE_H
#define VPMU_NHMEX_STATE_H

#include "model_type.h"

#define NHMEX_BOXES 2u
#define NHMEX_CBOXES 10u		/* of an E7; a Xeon 7500 has the first eight */
#define NHMEX_COUNTERS 6u
#define NHMEX_WIDTH 48
#define NHMEX_CNT_MASK VPMU_BITS(NHMEX_WIDTH - 1, 0)

/* U_MSR_PMON_GLOBAL_CTL */
#define NHMEX_FRZ_ALL VPMU_BITS(31, 31)
#define NHMEX_RST_ALL VPMU_BITS(29, 29)
#define NHMEX_EN_ALL VPMU_BITS(28, 28)
#define NHMEX_PMI_CORE_SEL VPMU_BITS(4, 1)
#define NHMEX_EN VPMU_BITS(0, 0)

/* U_MSR_PMON_GLOBAL_STATUS: ov_s0 and ov_s1. An M-Box's overflow comes through the S-Box of its
 * number (guide 2-3). The positions, 3 and 2, are a third party's (LIKWID 5.2). */
#define NHMEX_U_OVERFLOW(box) (UINT64_C(1) << (3 - (box)))
/* The S-Box of a C-Box: four each (guide 2-47). Those of C-Boxes 8 and 9 are not documented. */
#define NHMEX_SBOX_OF(cbox) ((cbox) / 4 & 1)

/* C_MSR_PMON_EVT_SEL, Table 2-13; bits 15:0 as in Linux */
#define SEL_THRESHOLD VPMU_BITS(31, 24)
#define SEL_INVERT VPMU_BITS(23, 23)
#define SEL_EN VPMU_BITS(22, 22)
#define SEL_PMI_EN VPMU_BITS(20, 20)
#define SEL_EDGE VPMU_BITS(18, 18)
#define SEL_UMASK VPMU_BITS(15, 8)
#define SEL_EVENT VPMU_BITS(7, 0)
enum nhmex_cbox_code {
	NHMEX_STARVED_EGRESS = 0x0b, NHMEX_LLC_MISSES = 0x14, NHMEX_LLC_HITS = 0x15,
	NHMEX_TRANS_IPQ = 0x1b, NHMEX_SNPS = 0x27,
};
#define NHMEX_MISS_I 4u		/* in the unit mask of LLC_MISSES */

/* M_MSR_PMU_CNT_CTL, Table 2-67 */
#define CTL_SET_FLAG_SEL VPMU_BITS(21, 19)
#define CTL_INC_SEL VPMU_BITS(13, 9)
#define CTL_FLAG_MODE VPMU_BITS(7, 7)
#define CTL_WRAP_MODE VPMU_BITS(6, 6)
#define CTL_STORAGE_MODE VPMU_BITS(5, 4)
#define CTL_COUNT_MODE VPMU_BITS(3, 2)
#define CTL_PMI_EN VPMU_BITS(1, 1)
#define CTL_EN VPMU_BITS(0, 0)

/* Sub-control registers: fields that this machine uses, and those that a document names. */
#define DSP_QUEUE VPMU_BITS(10, 7)
#define ISS_COMMAND_MODE VPMU_BITS(9, 7)
#define ISS_MODE VPMU_BITS(6, 4)
#define ISS_FRAME VPMU_BITS(3, 0)
#define MAP_CMD VPMU_BITS(8, 5)
#define MAP_FVID VPMU_BITS(4, 0)
#define PGT_STATE VPMU_BITS(6, 6)
#define PGT_TRANSITION VPMU_BITS(0, 0)
#define PLD_CMD VPMU_BITS(12, 8)
#define PLD_BY_MODE VPMU_BITS(0, 0)
#define MM_CFG_EN VPMU_BITS(63, 63)
/* ZDP_CTL_FVC; on Westmere-EX fvid has one bit more, and the others stand one bit higher. */
#define FVC_PBOX_INIT_ERR VPMU_BITS(23, 23)
#define FVC_EVNT(k) VPMU_BITS(13 + 3 * (k), 11 + 3 * (k))
#define FVC_RESP VPMU_BITS(10, 8)
#define FVC_BCMD VPMU_BITS(7, 5)
#define FVC_FVID VPMU_BITS(4, 0)
#define FVC_ABOVE_FVID (FVC_PBOX_INIT_ERR | FVC_EVNT(3) | FVC_EVNT(2) | FVC_EVNT(1) | \
			FVC_EVNT(0) | FVC_RESP | FVC_BCMD)
#define FVC_WESTMERE_FVID VPMU_BITS(5, 0)

enum nhmex_inc {
	NHMEX_DSP_FILL = 0x00, NHMEX_FRM_TYPE = 0x09, NHMEX_DRAM_CMD = 0x0a, NHMEX_RETRIES = 0x0b,
	NHMEX_FVC_EV0 = 0x0d, NHMEX_FVC_EV3 = 0x10, NHMEX_PAGE_MISS = 0x13, NHMEX_PAGE_HIT = 0x14,
	NHMEX_PAGE_EMPTY = 0x15, NHMEX_PGT_PAGE_EV = 0x16, NHMEX_BBOX_CMDS_ALL = 0x1a,
	NHMEX_CYCLES = 0x1b, NHMEX_INFLIGHT_CMDS = 0x1d,
};

enum nhmex_flag {
	NHMEX_CYCLES_DSP_FILL = 0, NHMEX_CYCLES_SCHED_MODE = 1, NHMEX_CYCLES_MFULL = 3,
	NHMEX_CYCLES_STARVED = 4, NHMEX_CYCLES_PGT_STATE = 5, NHMEX_SCHEDQ_OCCUPANCY = 6,
};

enum nhmex_counting { NHMEX_UP = 0, NHMEX_DOWN = 1, NHMEX_BOTH = 2 };

/* nhmex_queue.c: commands of one kind in a box's scheduler. At least as many places as a command
 * takes clocks. */
#define NHMEX_QUEUE 256u
struct nhmex_queue {
	uint64_t next, last;		/* the first and the last clock in which commands leave */
	uint32_t first, used, commands;
	struct { uint32_t after, commands; } leavers[NHMEX_QUEUE];	/* after: clocks between */
};

struct nhmex_box {
	uint64_t global_ctl, status, ovf_ctl, timestamp;
	uint64_t dsp, iss, map, msc_thr, pgt, pld, fvc;
	uint64_t mm_cfg, addr_match, addr_mask;
	uint64_t ctl[NHMEX_COUNTERS], cnt[NHMEX_COUNTERS];
	struct nhmex_queue queue[2];	/* reads, writes */
};

struct nhmex_cbox {
	uint64_t global_ctl, status, ovf_ctl;
	uint64_t sel[NHMEX_COUNTERS], ctr[NHMEX_COUNTERS];
};

struct nhmex_package {
	uint64_t u_ctl, u_status, u_ovf_ctl;
	struct nhmex_box box[NHMEX_BOXES];
	struct nhmex_cbox cbox[NHMEX_CBOXES];
	struct vpmu_llc_counts llc;	/* lookups that are not in the counters yet */
	uint32_t precise;		/* the clock of each lookup matters: none is noted */
	uint64_t done;			/* clocks before this one are final */
	uint64_t frozen;		/* the clock after the one that froze; 0: none did */
	uint64_t westmere;		/* ZDP_CTL_FVC has a sixth fvid bit: all fields one up */
	uint64_t latency[2];		/* of reads and writes, in clocks */
};

struct nhmex_thread { uint64_t pebs_enable; };

/* Effects of one command of the B-Box; SERVED: it leaves the queue. */
enum nhmex_occurrence {
	NHMEX_READ = 1, NHMEX_WRITE = 2,
	NHMEX_HIT = 4, NHMEX_EMPTY = 8, NHMEX_MISS = 16,
	NHMEX_SERVED = 32,
};

/* The source of a counter, as its box is programmed now. */
struct nhmex_source {
	uint32_t clocks;	/* in every clock so many: 1, or as many as the queue holds */
	uint32_t occurrences;	/* commands that do one of these */
	uint32_t opposite;	/* those that undo it: with them count_mode 2 goes down */
	uint32_t code, umask;	/* for the remark below */
	uint32_t why;		/* why it does not count as programmed: row of reasons */
};

static inline struct nhmex_package *nhmex_package(struct vpmu_segment *s, uint32_t package)
{
	return vpmu_package_state(s, package);
}

/* nhmex_events.c */
#define NHMEX_EVENTS 192
extern const struct vpmu_event_info nhmex_events[NHMEX_EVENTS];

/* nhmex_select.c */
struct nhmex_source nhmex_source(const struct nhmex_package *p, const struct nhmex_box *b,
				 uint64_t ctl);
/* Meaning of a C-Box's select: what it counts, or why it stays 0. */
enum nhmex_cbox_event {
	NHMEX_CBOX_HITS, NHMEX_CBOX_MISSES, NHMEX_CBOX_NO_F, NHMEX_CBOX_NO_MISS,
	NHMEX_CBOX_NO_RING, NHMEX_CBOX_NO_SNOOPS, NHMEX_CBOX_COMPARES, NHMEX_CBOX_NO_EVENT,
};
enum nhmex_cbox_event nhmex_cbox_event(uint64_t select);
uint32_t nhmex_cbox_why(uint64_t select);	/* 0: it counts */
const char *nhmex_undriven_why(uint32_t why);
const char *nhmex_undriven_event(const struct vpmu_undriven *u);

/* nhmex_cbox.c */
bool nhmex_cbox_enabled(const struct nhmex_package *p, const struct nhmex_cbox *b,
			uint32_t counter);
void nhmex_cbox_lookup(struct nhmex_package *p, uint32_t slice, enum vpmu_request request,
		       enum vpmu_mesi state, uint64_t clock);
/* Put what was noted into the counters, and note from now on or not. */
void nhmex_cbox_apply(struct nhmex_package *p);

/* nhmex_queue.c */
/* A command enters in the clock `now` and leaves in the clock `end`. */
void nhmex_queue_enter(struct nhmex_queue *q, uint64_t now, uint64_t end);
/* The next clock in which commands leave; UINT64_MAX: the queue is empty. */
static inline uint64_t nhmex_queue_next(const struct nhmex_queue *q)
{
	return q->used ? q->next : UINT64_MAX;
}
/* Takes out those that leave up to and with this clock, and returns how many. */
uint32_t nhmex_queue_leave(struct nhmex_queue *q, uint64_t clock);

/* nhmex_count.c */
void nhmex_advance(struct nhmex_package *p, uint64_t clock);
/* Counting may begin: what has left before does not count. */
void nhmex_begin(struct nhmex_package *p);
void nhmex_command(struct nhmex_package *p, struct nhmex_box *b, uint32_t occurrences,
		   uint64_t clock);
/* Does anything count that happens in this clock? In a clock whose overflow freezes, all counters
 * still count, in whatever order the feed reports. */
bool nhmex_counting_in(const struct nhmex_package *p, uint64_t clock);
/* An overflow of this clock has requested a PMI: the U-Box may freeze all boxes. */
void nhmex_pmi(struct nhmex_package *p, uint64_t clock);
/* Whether everything along the chain lets the counter count. */
bool nhmex_enabled(const struct nhmex_package *p, const struct nhmex_box *b, uint32_t counter);

#endif
