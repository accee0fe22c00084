/* SPDX-License-Identifier: MIT */
/* Events of the M-Box (323535-001, Table 2-84 and the pages on them; some are known from programs
 * only) and of the C-Box (page 2-27 and LIKWID), and whether the virtual machine makes them happen.
 *
 * code of the M-Box: inc_sel, or 0x20 + set_flag_sel for the events that need flag_mode = 1.
 * umask: the value in the sub-control field; for FVC_EVk evntk * 16 + bcmd or resp. */
#include "nhmex_state.h"

#define GUIDE "7500 guide 2.5"
#define CODE "not in a document: Linux, PCM or LIKWID"

#define EVENT(n, c, u, d, w, s) { .name = n, .unit = "MBOX", .code = c, .umask = u, \
				  .counters = "0-5", .driven = d, .why = w, .cite = s }
#define YES(n, c, u, w, s) EVENT(n, c, u, true, w, s)
#define NO(n, c, u, w, s) EVENT(n, c, u, false, w, s)

#define QUEUES "stays 0: commands pass the model's dispatch queues at once"
#define EMPTY "every clock: commands pass the model's dispatch queues at once"
#define ERRORS "stays 0: no errors happen on this machine"
#define RETRIED "stays 0: no command is retried or starved on this machine"
#define FRAMES "stays 0: the model has no SMI link"
#define MOVES "stays 0: the model has read and write commands only"
#define RESPONSES "stays 0: the model does not answer the B-Box"
#define INDEX "with fvid 0; commands have no fill-victim index in the model: others stay 0"
#define THERMAL "stays 0: the model has no temperature"
#define REFRESHES "stays 0: the model's DRAM needs no refresh"
#define UPKEEP "stays 0: the model has no such DRAM command"
#define PATROL "stays 0: the model does not scrub memory"
#define SCHEDULED "with fvid 0, which counts all: each is held for the memory's latency"
#define UNKNOWN "stays 0: its meaning is not documented"
#define MODE "stays 0: the model's scheduler is always in the trade-off mode"
#define CLOSING "stays 0: every CAS of the model leaves its page open"

#define FVC(k) \
	NO("FVC_EV" #k ".SMI_CRC_ERR", 0x0d + (k), 0, ERRORS, GUIDE), \
	NO("FVC_EV" #k ".MEM_ECC_ERR", 0x0d + (k), 1, ERRORS, GUIDE), \
	NO("FVC_EV" #k ".POISON_TXN", 0x0d + (k), 2, ERRORS, GUIDE), \
	NO("FVC_EV" #k ".ALERT_FRAMES", 0x0d + (k), 3, FRAMES, GUIDE), \
	NO("FVC_EV" #k ".FAST_RESET", 0x0d + (k), 4, FRAMES, GUIDE), \
	YES("FVC_EV" #k ".BBOX_CMDS.READS", 0x0d + (k), 0x50, INDEX, GUIDE), \
	YES("FVC_EV" #k ".BBOX_CMDS.WRITES", 0x0d + (k), 0x51, INDEX, GUIDE), \
	NO("FVC_EV" #k ".BBOX_CMDS.MERGE", 0x0d + (k), 0x52, MOVES, GUIDE), \
	NO("FVC_EV" #k ".BBOX_CMDS.V2F", 0x0d + (k), 0x53, MOVES, GUIDE), \
	NO("FVC_EV" #k ".BBOX_CMDS.V2V", 0x0d + (k), 0x54, MOVES, GUIDE), \
	NO("FVC_EV" #k ".BBOX_CMDS.F2V", 0x0d + (k), 0x55, MOVES, GUIDE), \
	NO("FVC_EV" #k ".BBOX_CMDS.F2B", 0x0d + (k), 0x56, MOVES, GUIDE), \
	NO("FVC_EV" #k ".BBOX_CMDS.SPRWR", 0x0d + (k), 0x57, MOVES, GUIDE), \
	NO("FVC_EV" #k ".BBOX_RSP.ACK", 0x0d + (k), 0x60, RESPONSES, GUIDE), \
	NO("FVC_EV" #k ".BBOX_RSP.RETRY", 0x0d + (k), 0x61, RESPONSES, GUIDE), \
	NO("FVC_EV" #k ".BBOX_RSP.COR", 0x0d + (k), 0x62, RESPONSES, GUIDE), \
	NO("FVC_EV" #k ".BBOX_RSP.UNCOR", 0x0d + (k), 0x63, RESPONSES, GUIDE), \
	NO("FVC_EV" #k ".BBOX_RSP.SPEC_ACK", 0x0d + (k), 0x64, RESPONSES, GUIDE), \
	NO("FVC_EV" #k ".BBOX_RSP.SPR_ACK", 0x0d + (k), 0x65, RESPONSES, GUIDE), \
	NO("FVC_EV" #k ".BBOX_RSP.SPR_UNCOR", 0x0d + (k), 0x67, RESPONSES, GUIDE), \
	NO("FVC_EV" #k ".SMI_NB_TRIG", 0x0d + (k), 7, FRAMES, GUIDE)

#define PROGRAM "not in a document that was found: LIKWID"
#define REQUESTED "requests of the cores; write-backs of their L2 are none"
#define SHARED "stays 0: a request for a shared line hits, as no other package has it"
#define SHARED_HIT "requests of the cores, stores to a line that others of the package share too"
#define NO_F "stays 0: the model has no state F"
#define REMOTE "stays 0: the model's packages do not snoop each other"
#define CBOX(n, c, u, d, w, s) { .name = n, .unit = "CBOX", .code = c, .umask = u, \
				 .counters = "0-5", .driven = d, .why = w, .cite = s }
#define EGRESS(n, u) CBOX("STARVED_EGRESS." n, 0x0b, u, false, "stays 0: the model has no ring", \
			  "7500 guide 2-27")

#define DRAM(n, u) NO("DRAM_CMD." n, 0x0a, u, UPKEEP, CODE)
#define DRAM_YES(n, u, w) YES("DRAM_CMD." n, 0x0a, u, w, CODE)
#define OCCUPANCY(n, u) NO("BCMD_SCHEDQ_OCCUPANCY." n, 0x26, u, MOVES, GUIDE)
#define OCCUPANCY_YES(n, u) YES("BCMD_SCHEDQ_OCCUPANCY." n, 0x26, u, SCHEDULED, GUIDE)

const struct vpmu_event_info nhmex_events[NHMEX_EVENTS] = {
	NO("DSP_FILL.RDQ_FULL", 0x00, 1, QUEUES, CODE),
	NO("DSP_FILL.WRQ_FULL", 0x00, 2, QUEUES, CODE),
	NO("DSP_FILL.RDQ_EMPTY", 0x00, 4, QUEUES, CODE),
	NO("DSP_FILL.WRQ_EMPTY", 0x00, 8, QUEUES, CODE),
	NO("CYCLES_MFULL", 0x01, 0, RETRIED, GUIDE),
	NO("RETRY_MFULL", 0x02, 0, RETRIED, CODE),
	NO("RETRY_STARVE", 0x03, 0, RETRIED, CODE),
	NO("THERM_TRP_UP.LT_LO", 0x04, 0, THERMAL, CODE),
	NO("THERM_TRP_UP.GT_LO", 0x04, 1, THERMAL, CODE),
	NO("THERM_TRP_UP.GT_MID_FALL", 0x04, 2, THERMAL, CODE),
	NO("THERM_TRP_UP.GT_MID_RISE", 0x04, 3, THERMAL, CODE),
	NO("THERM_TRP_DN.LT_LO", 0x05, 0, THERMAL, CODE),
	NO("THERM_TRP_DN.GT_LO", 0x05, 1, THERMAL, CODE),
	NO("THERM_TRP_DN.GT_MID_FALL", 0x05, 2, THERMAL, CODE),
	NO("THERM_TRP_DN.GT_MID_RISE", 0x05, 3, THERMAL, CODE),
	NO("REFRESH", 0x06, 0, REFRESHES, CODE),
	NO("REFRESH_CONFLICT", 0x07, 0, REFRESHES, CODE),
	NO("SCHED_MODE_CHANGES", 0x08, 0, MODE, CODE),
	NO("FRM_TYPE.3CMD", 0x09, 0x0, FRAMES, GUIDE),
	NO("FRM_TYPE.WDAT", 0x09, 0x1, FRAMES, GUIDE),
	NO("FRM_TYPE.SYNC", 0x09, 0x2, FRAMES, GUIDE),
	NO("FRM_TYPE.CHNL", 0x09, 0x3, FRAMES, GUIDE),
	NO("FRM_TYPE.NOP", 0x09, 0x8, FRAMES, GUIDE),
	NO("FRM_TYPE.1CMD", 0x09, 0xc, FRAMES, GUIDE),
	NO("DRAM_CMD.ALL", 0x0a, 0x00, "stays 0: PLD command 0 has no certain meaning", CODE),
	NO("DRAM_CMD.ILLEGAL", 0x0a, 0x00, "stays 0: PLD command 0 has no certain meaning", CODE),
	DRAM("PREALL", 0x01),
	DRAM_YES("RAS", 0x02, "one for each page miss or empty bank"),
	DRAM_YES("CAS_RD_OPN", 0x03, "one for each read"),
	DRAM_YES("CAS_WR_OPN", 0x04, "one for each write"),
	NO("DRAM_CMD.CAS_RD_CLS", 0x0a, 0x05, CLOSING, CODE),
	NO("DRAM_CMD.CAS_WR_CLS", 0x0a, 0x06, CLOSING, CODE),
	DRAM("MRS", 0x07),
	DRAM("RFR", 0x09),
	DRAM("ENSR", 0x0a),
	DRAM("EXSR", 0x0b),
	DRAM("NOP", 0x0c),
	DRAM("TRKL", 0x10),
	DRAM_YES("PRE", 0x11, "one for each page miss"),
	DRAM("SYNC", 0x12),
	DRAM("CKE_HI", 0x14),
	DRAM("CKE_LO", 0x15),
	DRAM("SOFT_RST", 0x17),
	DRAM("WR_CFG", 0x1c),
	DRAM("RD_CFG", 0x1d),
	DRAM("ZQCAL", 0x1e),
	NO("RETRIES", 0x0b, 0, RETRIED, CODE),
	NO("MA_PAR_ERR", 0x0c, 0, ERRORS, GUIDE),
	FVC(0), FVC(1), FVC(2), FVC(3),
	NO("PATROL_TXNS", 0x11, 0, PATROL, CODE),
	NO("TRANS_CMDS", 0x12, 0, UNKNOWN, CODE),
	YES("PAGE_MISS", 0x13, 0, NULL, CODE),
	YES("PAGE_HIT", 0x14, 0, NULL, GUIDE),
	YES("PAGE_EMPTY", 0x15, 0, NULL, GUIDE),
	YES("PGT_PAGE_EV.OPN2CLS", 0x16, 0, "one for each page miss", CODE),
	YES("PGT_PAGE_EV.CLS2OPN", 0x16, 1, "one for each page miss or empty bank", CODE),
	NO("MULTICAS", 0x17, 0, PATROL, GUIDE),
	NO("FVID_RACE", 0x18, 0, ERRORS, GUIDE),
	NO("TT_CMD_CONFLICT", 0x19, 0, THERMAL, CODE),
	YES("BBOX_CMDS_ALL", 0x1a, 0, "reads and writes", GUIDE),
	YES("CYCLES", 0x1b, 0, "the machine's uncore clock", GUIDE),
	NO("SCHED_INFLIGHT_CMDS", 0x1c, 0, UNKNOWN, CODE),
	YES("INFLIGHT_CMDS", 0x1d, 0, "reads and writes", GUIDE),
	NO("CYCLES_DSP_FILL.RDQ_FULL", 0x20, 1, QUEUES, GUIDE),
	NO("CYCLES_DSP_FILL.WRQ_FULL", 0x20, 2, QUEUES, GUIDE),
	YES("CYCLES_DSP_FILL.RDQ_EMPTY", 0x20, 4, EMPTY, GUIDE),
	YES("CYCLES_DSP_FILL.WRQ_EMPTY", 0x20, 8, EMPTY, GUIDE),
	YES("CYCLES_SCHED_MODE.TRADEOFF", 0x21, 0, "every clock: the model's only mode", CODE),
	NO("CYCLES_SCHED_MODE.RDPRIO", 0x21, 1, MODE, CODE),
	NO("CYCLES_SCHED_MODE.WRPRIO", 0x21, 2, MODE, CODE),
	NO("CYCLES_SCHED_MODE.ADAPTIVE", 0x21, 3, MODE, CODE),
	NO("CYCLES_RETRYQ_MFULL", 0x23, 0, RETRIED, GUIDE),
	NO("CYCLES_RETRYQ_STARVED", 0x24, 0, RETRIED, GUIDE),
	NO("CYCLES_PGT_STATE.CLOSED", 0x25, 0, "stays 0: the page table counts as open", CODE),
	YES("CYCLES_PGT_STATE.OPEN", 0x25, 1, "every clock: the page table counts as open", CODE),
	OCCUPANCY_YES("READS", 0), OCCUPANCY_YES("WRITES", 1), OCCUPANCY("MERGE", 2),
	OCCUPANCY("V2F", 3), OCCUPANCY("V2V", 4), OCCUPANCY("F2V", 5), OCCUPANCY("F2B", 6),
	OCCUPANCY("SPRWR", 7), OCCUPANCY_YES("ALL", 8),
	EGRESS("P2C_AD_SB", 0x01), EGRESS("C2S_AD_SB", 0x02), EGRESS("AD_SB", 0x03),
	EGRESS("AD_NSB", 0x04), EGRESS("AD", 0x07), EGRESS("AK_SB", 0x08), EGRESS("AK_NSB", 0x10),
	EGRESS("AK", 0x18), EGRESS("BL_SB", 0x20), EGRESS("BL_NSB", 0x40), EGRESS("BL", 0x60),
	EGRESS("IV", 0x80),
	CBOX("LLC_MISSES.ALL", 0x14, 0x07, true, REQUESTED, PROGRAM),
	CBOX("LLC_MISSES.SHARED", 0x14, 0x01, false, SHARED, PROGRAM),
	CBOX("LLC_MISSES.FORWARD", 0x14, 0x02, false, NO_F, PROGRAM),
	CBOX("LLC_MISSES.INVALID", 0x14, 0x04, true, REQUESTED, PROGRAM),
	CBOX("LLC_HITS.ALL", 0x15, 0x0f, true, REQUESTED, PROGRAM),
	CBOX("LLC_HITS.MODIFIED", 0x15, 0x01, true, REQUESTED, PROGRAM),
	CBOX("LLC_HITS.EXCLUSIVE", 0x15, 0x02, true, REQUESTED, PROGRAM),
	CBOX("LLC_HITS.SHARED", 0x15, 0x04, true, SHARED_HIT, PROGRAM),
	CBOX("LLC_HITS.FORWARD", 0x15, 0x08, false, NO_F, PROGRAM),
	CBOX("TRANS_IPQ", 0x1b, 0, false, REMOTE, "7500 guide 2-27"),
	CBOX("SNPS.REMOTE_ANY", 0x27, 0x03, false, REMOTE, "7500 guide 2-27"),
	CBOX("SNPS.REMOTE_RD", 0x27, 0x01, false, REMOTE, "7500 guide 2-27"),
	CBOX("SNPS.REMOTE_RFO", 0x27, 0x02, false, REMOTE, "7500 guide 2-27"),
};
