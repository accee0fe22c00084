/* SPDX-License-Identifier: MIT */
/* Registers of the M-Boxes. Source: Intel 323535-001 (March 2010), "guide"; addresses also in the
 * SDM's Table 35-15. Fields with a single source other than Intel are marked unconfirmed. */
#include "nhmex_registers.h"

#define BOXES IPMU_NHMEX_BOXES
#define COUNTERS IPMU_NHMEX_COUNTERS

const struct ipmu_reg ipmu_nhmex_u_ctl = {
	.name = "U_MSR_PMON_GLOBAL_CTL", .src = "guide 2.1", .addr = 0xC00, .width = 32,
	.access = IPMU_RW, .hardware_clears = true, .shared = true,
	.fields = { F("frz_all", 31, 31), F("rst_all", 29, 29), F("en_all", 28, 28),
		    F("pmi_core_sel", 4, 1), F("en", 0, 0) },
};

static const struct ipmu_reg u_status = {
	.name = "U_MSR_PMON_GLOBAL_STATUS", .src = "guide 2.1", .addr = 0xC01, .width = 32,
	.access = IPMU_RO,
};

/* Its bits are not known, and not needed: the summary follows the boxes' flags (guide 2.1). */
static const struct ipmu_reg u_ovf_ctl = {
	.name = "U_MSR_PMON_GLOBAL_OVF_CTL", .src = "guide 2.1", .addr = 0xC02, .width = 32,
	.access = IPMU_RW,
};

#define BOX_REG(name_, src_, addr_) .name = "M%b_MSR_" name_, .src = src_, .addr = addr_, \
	.box_stride = 0x40, .boxes = BOXES, .width = 32

const struct ipmu_reg ipmu_nhmex_box_ctl = {
	BOX_REG("PERF_GLOBAL_CTL", "guide Table 2-64", 0xCA0), .access = IPMU_RW,
	.fields = { F("ctr_en", 5, 0) },
};

const struct ipmu_reg ipmu_nhmex_box_status = {
	BOX_REG("PERF_GLOBAL_STATUS", "guide Table 2-65", 0xCA1), .access = IPMU_RO,
};

const struct ipmu_reg ipmu_nhmex_box_ovf_ctl = {
	BOX_REG("PERF_GLOBAL_OVF_CTL", "guide Table 2-66", 0xCA2), .access = IPMU_WO,
	.fields = { F("clr_ov", 5, 0) },
};

const struct ipmu_reg ipmu_nhmex_timestamp = {
	.name = "M%b_MSR_PMU_TIMESTAMP_UNIT", .src = "guide 2-101; SDM Table 35-15",
	.addr = 0xCA4, .box_stride = 0x40, .boxes = BOXES, .width = 16, .access = IPMU_RO,
};

const struct ipmu_reg ipmu_nhmex_dsp = {
	BOX_REG("PMU_DSP", "guide Table 2-85", 0xCA5), .access = IPMU_RW,
	.fields = { F("queue", 10, 7) },
};

const struct ipmu_reg ipmu_nhmex_iss = {
	BOX_REG("PMU_ISS", "guide 2-118; LIKWID: 9:4", 0xCA6), .access = IPMU_RW,
	.fields = { F("frame", 3, 0), F_UNCONFIRMED("mode", 6, 4),
		    F_UNCONFIRMED("command_mode", 9, 7) },
};

const struct ipmu_reg ipmu_nhmex_map = {
	BOX_REG("PMU_MAP", "guide Table 2-93; fvid by analogy with Table 2-89", 0xCA7),
	.access = IPMU_RW,
	.fields = { F("cmd", 8, 5), F("fvid", 4, 0) },
};

const struct ipmu_reg ipmu_nhmex_msc_thr = {
	BOX_REG("PMU_MSC_THR", "SDM Table 35-15; fields: LIKWID", 0xCA8), .access = IPMU_RW,
	.fields = { F_UNCONFIRMED("down", 10, 9), F_UNCONFIRMED("up", 8, 7),
		    F_UNCONFIRMED("dimm", 6, 4), F_UNCONFIRMED("all_dimms", 3, 3) },
};

const struct ipmu_reg ipmu_nhmex_pgt = {
	BOX_REG("PMU_PGT", "SDM Table 35-15; fields: LIKWID", 0xCA9), .access = IPMU_RW,
	.fields = { F_UNCONFIRMED("state", 6, 6), F_UNCONFIRMED("transition", 0, 0) },
};

const struct ipmu_reg ipmu_nhmex_pld = {
	BOX_REG("PMU_PLD", "SDM Table 35-15; fields: LIKWID", 0xCAA), .access = IPMU_RW,
	.fields = { F_UNCONFIRMED("cmd", 12, 8), F_UNCONFIRMED("by_mode", 0, 0) },
};

const struct ipmu_reg ipmu_nhmex_fvc_nhm = {
	BOX_REG("PMU_ZDP_CTL_FVC", "guide Tables 2-82, 2-83, 2-89", 0xCAB), .access = IPMU_RW,
	.fields = { F("pbox_init_err", 23, 23), F("evnt3", 22, 20), F("evnt2", 19, 17),
		    F("evnt1", 16, 14), F("evnt0", 13, 11), F("resp", 10, 8), F("bcmd", 7, 5),
		    F("fvid", 4, 0) },
};

const struct ipmu_reg ipmu_nhmex_fvc_wsm = {
	BOX_REG("PMU_ZDP_CTL_FVC", "Linux uncore_nhmex.c, Westmere-EX", 0xCAB),
	.access = IPMU_RW,
	.fields = { F("pbox_init_err", 24, 24), F("evnt3", 23, 21), F("evnt2", 20, 18),
		    F("evnt1", 17, 15), F("evnt0", 14, 12), F("resp", 11, 9), F("bcmd", 8, 6),
		    F("fvid", 5, 0) },
};

#define COUNTER_REG(name_, src_, addr_) .name = "M%b_MSR_PMU_" name_ "_%c", .src = src_, \
	.addr = addr_, .box_stride = 0x40, .ctr_stride = 2, .boxes = BOXES, .ctrs = COUNTERS

const struct ipmu_reg ipmu_nhmex_cnt_ctl = {
	COUNTER_REG("CNT_CTL", "guide Table 2-67", 0xCB0), .width = 64, .access = IPMU_RW,
	.fields = { F("set_flag_sel", 21, 19), F("inc_sel", 13, 9), F("flag_mode", 7, 7),
		    F("wrap_mode", 6, 6), F("storage_mode", 5, 4), F("count_mode", 3, 2),
		    F("pmi_en", 1, 1), F("en", 0, 0) },
};

const struct ipmu_reg ipmu_nhmex_cnt = {
	COUNTER_REG("CNT", "guide Table 2-68", 0xCB1), .width = 48, .access = IPMU_RW,
	.counter = true,
	.fields = { F("event_count", 47, 0) },
};

/* The address filter; no event here uses it. */
#define FILTER_REG(name_, addr_) .name = "M%b_MSR_PMU_" name_, \
	.src = "SDM Table 35-15; fields: Linux uncore_nhmex.c", .addr = addr_, \
	.box_stride = 8, .boxes = BOXES, .width = 64, .access = IPMU_RW, .never_write = true

static const struct ipmu_reg mm_cfg = {
	FILTER_REG("MM_CFG", 0xE54), .fields = { F("en", 63, 63) },
};
static const struct ipmu_reg addr_match = {
	FILTER_REG("ADDR_MATCH", 0xE55), .fields = { F("match", 33, 0) },
};
static const struct ipmu_reg addr_mask = {
	FILTER_REG("ADDR_MASK", 0xE56), .fields = { F("mask", 26, 0) },
};

#define REGISTERS(fvc) { \
	&ipmu_nhmex_u_ctl, &u_status, &u_ovf_ctl, &ipmu_nhmex_box_ctl, &ipmu_nhmex_box_status, \
	&ipmu_nhmex_box_ovf_ctl, &ipmu_nhmex_timestamp, &ipmu_nhmex_dsp, &ipmu_nhmex_iss, \
	&ipmu_nhmex_map, &ipmu_nhmex_msc_thr, &ipmu_nhmex_pgt, &ipmu_nhmex_pld, fvc, \
	&ipmu_nhmex_cnt_ctl, &ipmu_nhmex_cnt, &mm_cfg, &addr_match, &addr_mask, NULL }
const struct ipmu_reg *const ipmu_nhmex_registers_nhm[] = REGISTERS(&ipmu_nhmex_fvc_nhm);
const struct ipmu_reg *const ipmu_nhmex_registers_wsm[] = REGISTERS(&ipmu_nhmex_fvc_wsm);
