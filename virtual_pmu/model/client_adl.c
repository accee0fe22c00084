/* SPDX-License-Identifier: MIT */
/* Alder Lake client uncore PMU, and Raptor Lake's and Alder Lake-N's, which are the same: SDM Table
 * 2-49 and SRC have the registers, Intel's perfmon ADL 1.40 the events. Requests go to the two
 * arbiters in turn; a line's address says which of the two memory controllers has it. */
#include "client_rows.h"

#define SDM "SDM Table 2-49"
#define SRC "Linux uncore_snb.c"
#define JSON "Intel perfmon ADL 1.40"
#define PMCREADER "PmcReader"
#define BLOCK 0xd800u
#define CBOS 12		/* The SDM names ten; Raptor Lake has two more at the same stride. */

#define CBO(what, base, w, m, member) \
	CLIENT_CBO_ROW_BY(what, base, 0, CBOS, 8, w, m, member, SDM)
#define ARB_SELECT(n, at, number) \
	CLIENT_ARB_N_ROW(n, "PERFEVTSEL", at, 64, SELECT_FIELDS, counter[number].select, SDM)
#define ARB_COUNTER(n, at, number) \
	CLIENT_ARB_N_ROW(n, "PERFCTR", at, SKL_CTR_WIDTH, CLIENT_CTR, counter[number].value, SRC)

static const struct vpmu_register_row rows[] = {
	CLIENT_ENABLE(0x2ff0, SDM),
	{
		.name = "MSR_UNC_PERF_GLOBAL_STATUS", .cite = SDM, .access = VPMU_RW1C,
		.address = 0x2ff2, .width = 64, .unsourced = UINT64_MAX,
		CLIENT_AT(unsourced_status),
	},
	CLIENT_FIXED_CTRL_AT(0x2fde, SDM), CLIENT_FIXED_CTR_AT(0x2fdf, SDM), CLIENT_CONFIG(SRC),
	ARB_SELECT("0", 0x2fd0, SKL_ARB), ARB_COUNTER("0", 0x2fd2, SKL_ARB),
	ARB_SELECT("1", 0x2fd8, SKL_ARB_1), ARB_COUNTER("1", 0x2fda, SKL_ARB_1),
	CBO("PERFEVTSEL", 0x2000, 64, SELECT_LONG_FIELDS, select),
	CBO("PERFCTR", 0x2002, SKL_CTR_WIDTH, CLIENT_CTR, value),
	CLIENT_BAR(SRC), CLIENT_DATA(BLOCK, SRC),
	IMC_ROWS("0", IMC_BLOCK, SRC), IMC_ROWS("1", IMC_BLOCK + 0x10000u, SRC),
};

#define ARB(n, c, u, k, t) CLIENT_EVENT(n, "ARB", c, u, k, true, JSON, t)
#define FREE(n, c, s) CLIENT_EVENT(n, "IMC", c, 0, "FREE", true, s, NULL)
#define IMC(n, c, does, t) CLIENT_EVENT("UNC_M_" n, "IMC", c, 0, IMC_ALL, does, JSON, t)
#define LOOKUP(n, u) \
	CLIENT_EVENT(n, "CBO", 0x34, u, "0,1", true, PMCREADER, "not documented by Intel")

static const struct vpmu_event_info events[] = {
	ARB("UNC_ARB_TRK_REQUESTS.ALL", 0x81, 0x01, "0,1", NULL),
	ARB("UNC_ARB_REQ_TRK_REQUEST.DRD", 0x81, 0x02, "0,1", NULL),
	ARB("UNC_ARB_COH_TRK_REQUESTS.ALL", 0x84, 0x01, "0,1",
	    COHERENT_STAND_IN),
	CLIENT_EVENT("UNC_CLOCK.SOCKET", "FIXED", 0, 1, "FIXED", true, JSON, NULL),
	IMC("CLOCKTICKS", 0x01, true, "the uncore's clock; as of the last time it was published"),
	IMC("VC0_REQUESTS_RD", 0x02, true, NULL),
	IMC("VC0_REQUESTS_WR", 0x03, true, NULL),
	IMC("VC1_REQUESTS_RD", 0x04, false, "stays 0: nothing here asks for data by a deadline"),
	IMC("VC1_REQUESTS_WR", 0x05, false, "stays 0: nothing here asks for data by a deadline"),
	IMC("PREFETCH_RD", 0x0a, false, "stays 0: no prefetcher on this machine"),
	IMC("DRAM_THERMAL_HOT", 0x19, false, "stays 0: the memory does not get hot"),
	IMC("DRAM_THERMAL_WARM", 0x1a, false, "stays 0: the memory does not get warm"),
	IMC("DRAM_PAGE_HIT_RD", 0x1c, true, NULL),
	IMC("DRAM_PAGE_EMPTY_RD", 0x1d, true, NULL),
	IMC("DRAM_PAGE_MISS_RD", 0x1e, true, NULL),
	IMC("DRAM_PAGE_HIT_WR", 0x1f, true, NULL),
	IMC("DRAM_PAGE_EMPTY_WR", 0x20, true, NULL),
	IMC("DRAM_PAGE_MISS_WR", 0x21, true, NULL),
	IMC("CAS_COUNT_RD", 0x22, true, NULL),
	IMC("CAS_COUNT_WR", 0x23, true, NULL),
	IMC("ACT_COUNT_RD", 0x24, true, NULL),
	IMC("ACT_COUNT_WR", 0x25, true, NULL),
	IMC("ACT_COUNT_TOTAL", 0x26, true, NULL),
	IMC("PRE_COUNT_PAGE_MISS", 0x27, true, NULL),
	IMC("PRE_COUNT_IDLE", 0x28, false, "stays 0: pages stay open until another is needed"),
	FREE("UNC_MC0_RDCAS_COUNT_FREERUN", BLOCK + 0x58, JSON),
	FREE("UNC_MC1_RDCAS_COUNT_FREERUN", BLOCK + 0x10058, JSON),
	FREE("UNC_MC0_WRCAS_COUNT_FREERUN", BLOCK + 0xa0, JSON),
	FREE("UNC_MC1_WRCAS_COUNT_FREERUN", BLOCK + 0x100a0, JSON),
	ARB("UNC_ARB_TRK_OCCUPANCY.ALL", 0x80, 0x01, "0", "requests of the cores only"),
	ARB("UNC_ARB_TRK_REQUESTS.RD", 0x81, 0x02, "0,1", NULL),
	ARB("UNC_ARB_REQ_TRK_OCCUPANCY.DRD", 0x80, 0x02, "0", NULL),
	ARB("UNC_ARB_IFA_OCCUPANCY.ALL", 0x85, 0x01, "0", NULL),
	ARB("UNC_ARB_DAT_OCCUPANCY.ALL", 0x85, 0x01, "0", NULL),
	ARB("UNC_ARB_DAT_REQUESTS.RD", 0x81, 0x02, "0,1", NULL),
	ARB("UNC_ARB_DAT_OCCUPANCY.RD", 0x85, 0x02, "0", NULL),
	ARB("UNC_ARB_TRK_OCCUPANCY.RD", 0x80, 0x02, "0", NULL),
	FREE("UNC_MC0_TOTAL_REQCOUNT_FREERUN", BLOCK + 0x40, SRC),
	FREE("UNC_MC1_TOTAL_REQCOUNT_FREERUN", BLOCK + 0x10040, SRC),
	LOOKUP("UNC_CBO_CACHE_LOOKUP.ANY_MESI", 0x8f),
	LOOKUP("UNC_CBO_CACHE_LOOKUP.ANY_I", 0x88),
};

/* Low byte first: of the desktop parts with 8 P cores, and of Alder Lake-N. */
#define DESIGN(low, high) { \
	.events = events, .event_count = CLIENT_COUNT(events), .controllers = BLOCK, \
	.two_arbs = true, .cbo_codes = SKL_LOOKUPS, \
	.device = { low, high }, .device_of_two = { low, high } }
static const struct skl_design s_design = DESIGN(0x60, 0x46), r_design = DESIGN(0x00, 0xa7),
			       n_design = DESIGN(0x1c, 0x46);

CLIENT_WITH_CORES(1, adl, rows, events, s_design, SKL_IMC_WINDOW_64);
CLIENT_WITH_CORES(1, rpl, rows, events, r_design, SKL_IMC_WINDOW_64);
CLIENT_WITH_CORES(1, adln, rows, events, n_design, SKL_IMC_WINDOW_64);
