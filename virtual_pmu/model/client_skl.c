/* SPDX-License-Identifier: MIT */
/* Skylake client uncore PMU, from 334060-001 (April 2016), and the 10-core Comet Lake's. */
#include "client_rows.h"

#define LINUX_CBO7 "Linux uncore_snb.c: the eighth CBo is at 0xF70"
#define PMCREADER "PmcReader, on the i9-10900K"

#define PACKAGE_ROWS \
	CLIENT_GLOBAL_CTRL(0xe01, "334060-001 Table 2-2"), \
	CLIENT_GLOBAL_STATUS(0xe02, "334060-001 Table 2-3"), \
	CLIENT_FIXED_CTRL("334060-001 Table 2-4"), CLIENT_FIXED_CTR("334060-001 Table 2-5"), \
	CLIENT_CONFIG("334060-001 Table 2-6"), CLIENT_ARB_COUNTERS("334060-001 Table 2-8"), \
	CLIENT_ARB_SELECTS("334060-001 Table 2-7"), CLIENT_BAR("334060-001 3.3"), \
	CLIENT_DRAM("334060-001 Table 3-3"), CLIENT_DEBUGCTL_BOTH

static const struct vpmu_register_row rows[] = {
	PACKAGE_ROWS,
	CLIENT_CBO_SELECTS(0x700, 0, 7, "334060-001 Table 2-7"),
	CLIENT_CBO_COUNTERS(0x706, 0, 7, "334060-001 Table 2-8"),
	CLIENT_CBO_SELECTS(0xf70, 7, 1, LINUX_CBO7),
	CLIENT_CBO_COUNTERS(0xf76, 7, 1, LINUX_CBO7),
};

static const struct vpmu_register_row cml_rows[] = {
	PACKAGE_ROWS,
	CLIENT_CBO_SELECTS(0x700, 0, 10, PMCREADER),
	CLIENT_CBO_COUNTERS(0x706, 0, 10, PMCREADER),
};

#define CBO(n, c, u, t) CLIENT_EVENT(n, "CBO", c, u, "0,1", true, "334060-001 Table 3-1", t)
#define ARB(n, c, u, k, s, t) CLIENT_EVENT(n, "ARB", c, u, k, true, s, t)
#define IMC(n, c, d, t) CLIENT_EVENT(n, "IMC", c, 0, "FREE", d, "334060-001 Table 3-3", t)
#define TABLE "334060-001 Table 3-2"
#define JSON "Intel perfmon events, Skylake uncore"

static const struct vpmu_event_info events[] = {
	CBO("UNC_CBO_XSNP_RESPONSE.MISS_XCORE", 0x22, 0x41, NULL),
	CBO("UNC_CBO_XSNP_RESPONSE.MISS_EVICTION", 0x22, 0x81, NULL),
	CBO("UNC_CBO_XSNP_RESPONSE.HIT_XCORE", 0x22, 0x44, NULL),
	CBO("UNC_CBO_XSNP_RESPONSE.HITM_XCORE", 0x22, 0x48, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.WRITE_M", 0x34, 0x21, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.ANY_M", 0x34, 0x81, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.READ_I", 0x34, 0x18, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.ANY_I", 0x34, 0x88, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.READ_MESI", 0x34, 0x1f, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.WRITE_MESI", 0x34, 0x2f, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.ANY_MESI", 0x34, 0x8f, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.ANY_ES", 0x34, 0x86, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.READ_ES", 0x34, 0x16, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.WRITE_ES", 0x34, 0x26, NULL),
	ARB("UNC_ARB_TRK_OCCUPANCY.ALL", 0x80, 0x01, "0", TABLE, "requests of the cores only"),
	ARB("UNC_ARB_TRK_REQUESTS.ALL", 0x81, 0x01, "0,1", TABLE, NULL),
	ARB("UNC_ARB_TRK_REQUESTS.WRITES", 0x81, 0x20, "0,1", TABLE, NULL),
	ARB("UNC_ARB_COH_TRK_REQUESTS.ALL", 0x84, 0x01, "0,1", TABLE,
	    COHERENT_STAND_IN),
	ARB("UNC_ARB_TRK_OCCUPANCY.CYCLES_WITH_ANY_REQUEST", 0x80, 0x01, "0", TABLE, "with THR=1"),
	{
		.name = "UNC_CLOCK.SOCKET", .unit = "FIXED", .code = 0, .umask = 1,
		.counters = "FIXED", .driven = true, .cite = TABLE,
	},
	ARB("UNC_ARB_TRK_OCCUPANCY.DATA_READ", 0x80, 0x02, "0", JSON, NULL),
	ARB("UNC_ARB_TRK_REQUESTS.DATA_READ", 0x81, 0x02, "0,1", JSON, NULL),
	ARB("UNC_ARB_TRK_REQUESTS.DRD_DIRECT", 0x81, 0x02, "0,1", JSON, "same as DATA_READ"),
	IMC("DRAM_GT_REQUESTS", 0x5040, false, "stays 0: no graphics on this machine"),
	IMC("DRAM_IA_REQUESTS", 0x5044, true, NULL),
	IMC("DRAM_IO_REQUESTS", 0x5048, false, "stays 0: no I/O traffic on this machine"),
	IMC("DRAM_DATA_READS", 0x5050, true, NULL),
	IMC("DRAM_DATA_WRITES", 0x5054, true, NULL),
};

/* The host bridges of parts with four cores and with two. */
static const struct skl_design design = {
	.events = events, .event_count = CLIENT_COUNT(events),
	.more = 1, .device = { 0x1f, 0x19 }, .device_of_two = { 0x0f, 0x19 },
};
static const struct skl_design cml_design = {
	.events = events, .event_count = CLIENT_COUNT(events),
	.more = 0, .device = { 0x54, 0x9b }, .device_of_two = { 0x54, 0x9b },
};

CLIENT_TYPE_OF(1, &vpmu_skl_core, skl, rows, events, design, SKL_IMC_WINDOW);
CLIENT_TYPE_OF(1, &vpmu_skl_core, cml, cml_rows, events, cml_design,
	       SKL_IMC_WINDOW);
