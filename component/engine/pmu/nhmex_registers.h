/* SPDX-License-Identifier: MIT */
/* Registers that the files on the uncore of the Xeon 7500 and E7 share. */
#ifndef IPMU_NHMEX_REGISTERS_H
#define IPMU_NHMEX_REGISTERS_H

#include "pmu.h"

#define IPMU_NHMEX_BOXES 2	/* M-Boxes */
#define IPMU_NHMEX_CBOXES 8
#define IPMU_WSMEX_CBOXES 10
#define IPMU_NHMEX_COUNTERS 6	/* of a box of either kind */

/* Bits of the U-Box's control register; guide 2.1. */
#define U_FRZ_ALL BITS(31, 31)
#define U_RST_ALL BITS(29, 29)	/* a command: it resets the counters of all boxes and of others */
#define U_EN_ALL BITS(28, 28)
#define U_PMI_CORE_SEL BITS(4, 1)	/* cores that a PMI is passed on to */

/* Bits of the C-Boxes' EVT_SEL; guide Table 2-13. */
#define SEL_EN BITS(22, 22)
#define SEL_PMI_EN BITS(20, 20)

/* Bits of CNT_CTL; guide Table 2-67. */
#define CTL_SET_FLAG_SEL BITS(21, 19)
#define CTL_INC_SEL BITS(13, 9)
#define CTL_FLAG BITS(7, 7)
#define CTL_WRAP BITS(6, 6)
#define CTL_STORAGE BITS(5, 4)
#define CTL_COUNT_MODE BITS(3, 2)
#define CTL_PMI_EN BITS(1, 1)
#define CTL_EN BITS(0, 0)
#define CNT_EVENT_COUNT BITS(47, 0)

/* Fields of the sub-control registers; the citations stand at their tables. */
#define DSP_QUEUE BITS(10, 7)
#define ISS_FRAME BITS(3, 0)
#define ISS_MODE BITS(6, 4)
#define ISS_COMMAND_MODE BITS(9, 7)
#define MAP_CMD BITS(8, 5)
#define MAP_FVID BITS(4, 0)
#define THR_DOWN BITS(10, 9)
#define THR_UP BITS(8, 7)
#define THR_DIMM BITS(6, 4)
#define THR_ALL_DIMMS BITS(3, 3)
#define PGT_STATE BITS(6, 6)
#define PGT_TRANSITION BITS(0, 0)
#define PLD_CMD BITS(12, 8)
#define PLD_BY_MODE BITS(0, 0)
/* Fields of ZDP_CTL_FVC in the layout of Nehalem-EX. */
#define FVC_PBOX_INIT_ERR BITS(23, 23)
#define FVC_EVNT(n) BITS(13 + 3 * (n), 11 + 3 * (n))
#define FVC_RESP BITS(10, 8)
#define FVC_BCMD BITS(7, 5)
#define FVC_FVID BITS(4, 0)
/* ... and in that of Westmere-EX, where it has one bit more and moves the others up by one. */
#define FVC_WSM_FVID BITS(5, 0)

extern const struct ipmu_reg ipmu_nhmex_u_ctl, ipmu_nhmex_box_ctl, ipmu_nhmex_box_status,
	ipmu_nhmex_box_ovf_ctl, ipmu_nhmex_timestamp, ipmu_nhmex_dsp, ipmu_nhmex_iss,
	ipmu_nhmex_map, ipmu_nhmex_msc_thr, ipmu_nhmex_pgt, ipmu_nhmex_pld, ipmu_nhmex_fvc_nhm,
	ipmu_nhmex_fvc_wsm, ipmu_nhmex_cnt_ctl, ipmu_nhmex_cnt;
/* Those of the C-Boxes on Nehalem-EX and on Westmere-EX. */
extern const struct ipmu_reg ipmu_nhmex_cbox_ctl, ipmu_nhmex_cbox_status, ipmu_nhmex_cbox_ovf_ctl,
	ipmu_nhmex_cbox_evt_sel, ipmu_nhmex_cbox_ctr, ipmu_wsmex_cbox_ctl, ipmu_wsmex_cbox_status,
	ipmu_wsmex_cbox_ovf_ctl, ipmu_wsmex_cbox_evt_sel, ipmu_wsmex_cbox_ctr;
extern const struct ipmu_reg *const ipmu_nhmex_registers_nhm[];
extern const struct ipmu_reg *const ipmu_nhmex_registers_wsm[];

/* nhmex_mbox.c */
extern const struct ipmu_pmu_type ipmu_nhmex_mbox_nhm, ipmu_nhmex_mbox_wsm, ipmu_nhmex_mbox_ts;

/* nhmex_cbox.c */
extern const struct ipmu_pmu_type ipmu_nhmex_cbox_nhm, ipmu_nhmex_cbox_wsm;

/* Make the choice's counter report an overflow to the U-Box. `freeze`: an overflow freezes all
 * boxes. No core is interrupted. */
void ipmu_nhmex_keep_from_cores(struct ipmu_choice *choice, bool freeze);
/* ops->check of the M-Box type: raw fields that mean nothing in what they stand with. */
int ipmu_nhmex_check(const struct ipmu_pmu_type *type, const char *event,
		     const struct ipmu_qualifiers *q, char *why);
/* ops->encode of the M-Box type, by the layout of ZDP_CTL_FVC. */
int ipmu_nhmex_encode_nhm(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
			  const uint64_t *codes, int ncodes, char *why);
const char *ipmu_nhmex_units(const struct ipmu_event *e, const char *event, const char *plain);
int ipmu_nhmex_encode_wsm(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
			  const uint64_t *codes, int ncodes, char *why);

#endif
