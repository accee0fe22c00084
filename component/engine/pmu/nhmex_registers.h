/* SPDX-License-Identifier: MIT */
/* What the files on the M-Boxes of the Xeon 7500 and E7 share. */
#ifndef IPMU_NHMEX_REGISTERS_H
#define IPMU_NHMEX_REGISTERS_H

#include "pmu.h"

#define IPMU_NHMEX_BOXES 2
#define IPMU_NHMEX_COUNTERS 6

/* Of the U-Box's control register; guide 2.1. */
#define U_FRZ_ALL (1ull << 31)
#define U_RST_ALL (1ull << 29)	/* a command: it resets the counters of all boxes and of others */
#define U_EN_ALL (1ull << 28)
#define U_PMI_CORE_SEL 0x1Eull	/* cores that a PMI is passed on to */

/* Of CNT_CTL; guide Table 2-67. */
#define CTL_EN 0x1ull
#define CTL_PMI_EN 0x2ull
#define CTL_WRAP 0x40ull
#define CTL_FLAG 0x80ull

extern const struct ipmu_reg ipmu_nhmex_u_ctl, ipmu_nhmex_box_ctl, ipmu_nhmex_box_status,
	ipmu_nhmex_box_ovf_ctl, ipmu_nhmex_timestamp, ipmu_nhmex_dsp, ipmu_nhmex_iss,
	ipmu_nhmex_map, ipmu_nhmex_msc_thr, ipmu_nhmex_pgt, ipmu_nhmex_pld, ipmu_nhmex_fvc_nhm,
	ipmu_nhmex_fvc_wsm, ipmu_nhmex_cnt_ctl, ipmu_nhmex_cnt;
extern const struct ipmu_reg *const ipmu_nhmex_registers_nhm[];
extern const struct ipmu_reg *const ipmu_nhmex_registers_wsm[];

/* ops->encode of the M-Box type, by the layout of ZDP_CTL_FVC. */
int ipmu_nhmex_encode_nhm(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
			  const uint64_t *codes, int ncodes, char *why);
const char *ipmu_nhmex_units(const struct ipmu_event *e, const char *event, const char *plain);
int ipmu_nhmex_encode_wsm(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
			  const uint64_t *codes, int ncodes, char *why);

#endif
