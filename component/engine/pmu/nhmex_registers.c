/* SPDX-License-Identifier: MIT */
/* Registers of the U-Box, the M-Boxes and the C-Boxes. Source: Intel 323535-001 (March 2010),
 * "guide"; addresses also in the SDM's Table 35-15. Fields with a single source other than Intel
 * are marked unconfirmed. */
#include "nhmex_registers.h"

#define BOXES IPMU_NHMEX_BOXES
#define COUNTERS IPMU_NHMEX_COUNTERS

const struct ipmu_reg ipmu_nhmex_u_ctl = {
	.name = "U_MSR_PMON_GLOBAL_CTL", .src = "guide 2.1", .addr = 0xC00, .width = 32,
	.access = IPMU_RW, .hardware_clears = true, .shared = true,
	.fields = { F_BITS("frz_all", U_FRZ_ALL), F_BITS("rst_all", U_RST_ALL),
		    F_BITS("en_all", U_EN_ALL), F_BITS("pmi_core_sel", U_PMI_CORE_SEL),
		    F("en", 0, 0) },
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
	.fields = { F_BITS("queue", DSP_QUEUE) },
};

const struct ipmu_reg ipmu_nhmex_iss = {
	BOX_REG("PMU_ISS", "guide 2-118; LIKWID: 9:4", 0xCA6), .access = IPMU_RW,
	.fields = { F_BITS("frame", ISS_FRAME), F_UNCONFIRMED("mode", ISS_MODE),
		    F_UNCONFIRMED("command_mode", ISS_COMMAND_MODE) },
};

const struct ipmu_reg ipmu_nhmex_map = {
	BOX_REG("PMU_MAP", "guide Table 2-93; fvid by analogy with Table 2-89", 0xCA7),
	.access = IPMU_RW,
	.fields = { F_BITS("cmd", MAP_CMD), F_BITS("fvid", MAP_FVID) },
};

const struct ipmu_reg ipmu_nhmex_msc_thr = {
	BOX_REG("PMU_MSC_THR", "SDM Table 35-15; fields: LIKWID", 0xCA8), .access = IPMU_RW,
	.fields = { F_UNCONFIRMED("down", THR_DOWN), F_UNCONFIRMED("up", THR_UP),
		    F_UNCONFIRMED("dimm", THR_DIMM), F_UNCONFIRMED("all_dimms", THR_ALL_DIMMS) },
};

const struct ipmu_reg ipmu_nhmex_pgt = {
	BOX_REG("PMU_PGT", "SDM Table 35-15; fields: LIKWID", 0xCA9), .access = IPMU_RW,
	.fields = { F_UNCONFIRMED("state", PGT_STATE),
		    F_UNCONFIRMED("transition", PGT_TRANSITION) },
};

const struct ipmu_reg ipmu_nhmex_pld = {
	BOX_REG("PMU_PLD", "SDM Table 35-15; fields: LIKWID", 0xCAA), .access = IPMU_RW,
	.fields = { F_UNCONFIRMED("cmd", PLD_CMD), F_UNCONFIRMED("by_mode", PLD_BY_MODE) },
};

const struct ipmu_reg ipmu_nhmex_fvc_nhm = {
	BOX_REG("PMU_ZDP_CTL_FVC", "guide Tables 2-82, 2-83, 2-89", 0xCAB), .access = IPMU_RW,
	.fields = { F_BITS("pbox_init_err", FVC_PBOX_INIT_ERR), F_BITS("evnt3", FVC_EVNT(3)),
		    F_BITS("evnt2", FVC_EVNT(2)), F_BITS("evnt1", FVC_EVNT(1)),
		    F_BITS("evnt0", FVC_EVNT(0)), F_BITS("resp", FVC_RESP),
		    F_BITS("bcmd", FVC_BCMD), F_BITS("fvid", FVC_FVID) },
};

const struct ipmu_reg ipmu_nhmex_fvc_wsm = {
	BOX_REG("PMU_ZDP_CTL_FVC", "Linux uncore_nhmex.c, Westmere-EX", 0xCAB),
	.access = IPMU_RW,
	.fields = { F("pbox_init_err", 24, 24), F("evnt3", 23, 21), F("evnt2", 20, 18),
		    F("evnt1", 17, 15), F("evnt0", 14, 12), F("resp", 11, 9), F("bcmd", 8, 6),
		    F_BITS("fvid", FVC_WSM_FVID) },
};

#define COUNTER_REG(name_, src_, addr_) .name = "M%b_MSR_PMU_" name_ "_%c", .src = src_, \
	.addr = addr_, .box_stride = 0x40, .ctr_stride = 2, .boxes = BOXES, .ctrs = COUNTERS

const struct ipmu_reg ipmu_nhmex_cnt_ctl = {
	COUNTER_REG("CNT_CTL", "guide Table 2-67", 0xCB0), .width = 64, .access = IPMU_RW,
	.fields = { F_EVENT_BITS("set_flag_sel", CTL_SET_FLAG_SEL),
		    F_EVENT_BITS("inc_sel", CTL_INC_SEL), F_EVENT_BITS("flag_mode", CTL_FLAG),
		    F_EVENT_BITS("wrap_mode", CTL_WRAP), F_EVENT_BITS("storage_mode", CTL_STORAGE),
		    F_EVENT_BITS("count_mode", CTL_COUNT_MODE),
		    F_EVENT_BITS("pmi_en", CTL_PMI_EN), F_BITS("en", CTL_EN) },
};

const struct ipmu_reg ipmu_nhmex_cnt = {
	COUNTER_REG("CNT", "guide Table 2-68", 0xCB1), .width = 48, .access = IPMU_RW,
	.counter = true,
	.fields = { F_BITS("event_count", CNT_EVENT_COUNT) },
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

/* C-Boxes: the guide's pages with their addresses were not found, the SDM's tables have them. The
 * bits of the box's own registers are one for each counter, as in the guide's other boxes. */
static const uint16_t cbox_offsets[] = {
	0, 0x80, 0x40, 0xC0, 0x20, 0xA0, 0x60, 0xE0, 0x240, 0x2C0,
};
#define CBOX_REG(name_, addr_, boxes_) .name = "C%b_MSR_PMON_" name_, .addr = addr_, \
	.src = "SDM Tables 35-15, 35-17; fields: guide Tables 2-13, 2-64 to 2-66", \
	.box_offsets = cbox_offsets, .boxes = boxes_
#define CBOX_REGS(prefix, boxes_) \
const struct ipmu_reg prefix##_ctl = { \
	CBOX_REG("GLOBAL_CTL", 0xD00, boxes_), .width = 32, .access = IPMU_RW, \
	.fields = { F("ctr_en", 5, 0) }, \
}; \
const struct ipmu_reg prefix##_status = { \
	CBOX_REG("GLOBAL_STATUS", 0xD01, boxes_), .width = 32, .access = IPMU_RO, \
}; \
const struct ipmu_reg prefix##_ovf_ctl = { \
	CBOX_REG("GLOBAL_OVF_CTL", 0xD02, boxes_), .width = 32, .access = IPMU_WO, \
	.fields = { F("clr_ov", 5, 0) }, \
}; \
const struct ipmu_reg prefix##_evt_sel = { \
	CBOX_REG("EVT_SEL_%c", 0xD10, boxes_), .ctr_stride = 2, .ctrs = COUNTERS, .width = 64, \
	.access = IPMU_RW, \
	.fields = { F_THRESHOLD("threshold", 31, 24), F_EVENT("invert", 23, 23), \
		    F_BITS("en", SEL_EN), F_BITS("pmi_en", SEL_PMI_EN), \
		    F_EDGE("edge_detect", 18, 18), F_EVENT("umask", 15, 8), \
		    F_EVENT("ev_sel", 7, 0) }, \
}; \
const struct ipmu_reg prefix##_ctr = { \
	CBOX_REG("CTR_%c", 0xD11, boxes_), .ctr_stride = 2, .ctrs = COUNTERS, .width = 48, \
	.access = IPMU_RW, .counter = true, \
	.fields = { F_BITS("event_count", CNT_EVENT_COUNT) }, \
}
CBOX_REGS(ipmu_nhmex_cbox, IPMU_NHMEX_CBOXES);
CBOX_REGS(ipmu_wsmex_cbox, IPMU_WSMEX_CBOXES);
#define CBOX(prefix) \
	&prefix##_ctl, &prefix##_status, &prefix##_ovf_ctl, &prefix##_evt_sel, &prefix##_ctr

#define REGISTERS(fvc, cbox) { \
	&ipmu_nhmex_u_ctl, &u_status, &u_ovf_ctl, &ipmu_nhmex_box_ctl, &ipmu_nhmex_box_status, \
	&ipmu_nhmex_box_ovf_ctl, &ipmu_nhmex_timestamp, &ipmu_nhmex_dsp, &ipmu_nhmex_iss, \
	&ipmu_nhmex_map, &ipmu_nhmex_msc_thr, &ipmu_nhmex_pgt, &ipmu_nhmex_pld, fvc, \
	&ipmu_nhmex_cnt_ctl, &ipmu_nhmex_cnt, &mm_cfg, &addr_match, &addr_mask, \
	CBOX(cbox), NULL }
const struct ipmu_reg *const ipmu_nhmex_registers_nhm[] =
	REGISTERS(&ipmu_nhmex_fvc_nhm, ipmu_nhmex_cbox);
const struct ipmu_reg *const ipmu_nhmex_registers_wsm[] =
	REGISTERS(&ipmu_nhmex_fvc_wsm, ipmu_wsmex_cbox);
