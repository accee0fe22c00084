/* SPDX-License-Identifier: MIT */
/* State of one Xeon 7500 or E7 package's U-Box and its two M-Boxes inside the segment. */
#ifndef VPMU_NHMEX_STATE_H
#define VPMU_NHMEX_STATE_H

#include "model_type.h"

#define NHMEX_BOXES 2u
#define NHMEX_COUNTERS 6u
#define NHMEX_WIDTH 48
#define NHMEX_CNT_MASK ((UINT64_C(1) << NHMEX_WIDTH) - 1)

/* U_MSR_PMON_GLOBAL_CTL */
#define NHMEX_FRZ_ALL (UINT64_C(1) << 31)
#define NHMEX_RST_ALL (UINT64_C(1) << 29)
#define NHMEX_EN_ALL (UINT64_C(1) << 28)

/* U_MSR_PMON_GLOBAL_STATUS: ov_s0 and ov_s1. An M-Box's overflow comes through the S-Box of its
 * number (guide 2-3). The positions, 3 and 2, are a third party's (LIKWID 5.2). */
#define NHMEX_U_OVERFLOW(box) (UINT64_C(1) << (3 - (box)))

/* M_MSR_PMU_CNT_CTL, Table 2-67 */
#define CTL_EN(c) ((c) & 1)
#define CTL_PMI_EN(c) ((c) >> 1 & 1)
#define CTL_COUNT_MODE(c) ((uint32_t)((c) >> 2 & 3))
#define CTL_STORAGE_MODE(c) ((uint32_t)((c) >> 4 & 3))
#define CTL_WRAP_MODE(c) ((c) >> 6 & 1)
#define CTL_FLAG_MODE(c) ((c) >> 7 & 1)
#define CTL_INC_SEL(c) ((uint32_t)((c) >> 9 & 0x1f))
#define CTL_SET_FLAG_SEL(c) ((uint32_t)((c) >> 19 & 7))

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

struct nhmex_box {
	uint64_t global_ctl, status, ovf_ctl, timestamp;
	uint64_t dsp, iss, map, msc_thr, pgt, pld, fvc;
	uint64_t mm_cfg, addr_match, addr_mask;
	uint64_t ctl[NHMEX_COUNTERS], cnt[NHMEX_COUNTERS];
};

struct nhmex_package {
	uint64_t u_ctl, u_status, u_ovf_ctl;
	struct nhmex_box box[NHMEX_BOXES];
	uint64_t done;			/* clocks before this one are final */
	uint64_t frozen;		/* the clock after the one that froze; 0: none did */
	uint64_t westmere;		/* ZDP_CTL_FVC has a sixth fvid bit: all fields one up */
};

struct nhmex_thread { uint64_t pebs_enable; };

/* What one command of the B-Box does. */
enum nhmex_occurrence {
	NHMEX_READ = 1, NHMEX_WRITE = 2,
	NHMEX_HIT = 4, NHMEX_EMPTY = 8, NHMEX_MISS = 16,
};

/* What a counter counts, as its box is programmed now. */
struct nhmex_source {
	bool clocks;		/* every clock */
	uint32_t occurrences;	/* commands that do one of these */
	uint32_t opposite;	/* those that undo it: with them count_mode 2 goes down */
	uint32_t code, umask;	/* for the remark below */
	uint32_t why;		/* why it does not count what it asks for: row of reasons */
};

static inline struct nhmex_package *nhmex_package(struct vpmu_segment *s, uint32_t package)
{
	return vpmu_package_state(s, package);
}

/* nhmex_events.c */
#define NHMEX_EVENTS 167
extern const struct vpmu_event_info nhmex_events[NHMEX_EVENTS];

/* nhmex_select.c */
struct nhmex_source nhmex_source(const struct nhmex_package *p, const struct nhmex_box *b,
				 uint64_t ctl);
const char *nhmex_undriven_why(uint32_t why);
const char *nhmex_undriven_event(const struct vpmu_undriven *u);

/* nhmex_count.c */
void nhmex_advance(struct nhmex_package *p, uint64_t clock);
void nhmex_command(struct nhmex_package *p, struct nhmex_box *b, uint32_t occurrences,
		   uint64_t clock);
/* Whether everything along the chain lets the counter count. */
bool nhmex_enabled(const struct nhmex_package *p, const struct nhmex_box *b, uint32_t counter);

#endif
