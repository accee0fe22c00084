/* SPDX-License-Identifier: MIT */
/* Haswell client uncore PMU: SRC has the registers, Intel's perfmon HSW 36 the events. */
#include "client_rows.h"

#define SRC "Linux uncore_snb.c; LIKWID"
#define MEM "Linux uncore_snb.c; PCM"
#define JSON "Intel perfmon HSW 36"
#define EXTERNAL "stays 0: no external snoops happen on this machine"

static const struct vpmu_register_row rows[] = {
	CLIENT_GLOBAL_CTRL(0x391, SRC), CLIENT_GLOBAL_STATUS(0x392, SRC),
	CLIENT_FIXED_CTRL(SRC), CLIENT_FIXED_CTR(SRC), CLIENT_CONFIG(SRC),
	CLIENT_ARB_COUNTERS(SRC), CLIENT_ARB_SELECTS(SRC),
	CLIENT_CBO_SELECTS(0x700, 0, 4, SRC), CLIENT_CBO_COUNTERS(0x706, 0, 4, SRC),
	CLIENT_BAR(MEM), CLIENT_DRAM(MEM), CLIENT_DEBUGCTL,
};

#define CBO(n, c, u, d, s, t) CLIENT_EVENT(n, "CBO", c, u, "0,1", d, s, t)
#define ARB(n, c, u, k, t) CLIENT_EVENT(n, "ARB", c, u, k, true, JSON, t)
#define IMC(n, c, d, t) CLIENT_EVENT(n, "IMC", c, 0, "FREE", d, MEM, t)

static const struct vpmu_event_info events[] = {
	CBO("UNC_CBO_XSNP_RESPONSE.MISS_EXTERNAL", 0x22, 0x21, false, JSON, EXTERNAL),
	CBO("UNC_CBO_XSNP_RESPONSE.MISS_XCORE", 0x22, 0x41, true, JSON, NULL),
	CBO("UNC_CBO_XSNP_RESPONSE.MISS_EVICTION", 0x22, 0x81, true, JSON, NULL),
	CBO("UNC_CBO_XSNP_RESPONSE.HIT_EXTERNAL", 0x22, 0x24, false, JSON, EXTERNAL),
	CBO("UNC_CBO_XSNP_RESPONSE.HIT_XCORE", 0x22, 0x44, true, JSON, NULL),
	CBO("UNC_CBO_XSNP_RESPONSE.HIT_EVICTION", 0x22, 0x84, true, JSON, NULL),
	CBO("UNC_CBO_XSNP_RESPONSE.HITM_EXTERNAL", 0x22, 0x28, false, JSON, EXTERNAL),
	CBO("UNC_CBO_XSNP_RESPONSE.HITM_XCORE", 0x22, 0x48, true, JSON, NULL),
	CBO("UNC_CBO_XSNP_RESPONSE.HITM_EVICTION", 0x22, 0x88, true, JSON, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.READ_M", 0x34, 0x11, true, JSON, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.WRITE_M", 0x34, 0x21, true, JSON, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.EXTSNP_M", 0x34, 0x41, false, JSON, EXTERNAL),
	CBO("UNC_CBO_CACHE_LOOKUP.ANY_M", 0x34, 0x81, true, JSON, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.READ_I", 0x34, 0x18, true, JSON, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.WRITE_I", 0x34, 0x28, true, JSON, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.EXTSNP_I", 0x34, 0x48, false, JSON, EXTERNAL),
	CBO("UNC_CBO_CACHE_LOOKUP.ANY_I", 0x34, 0x88, true, JSON, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.READ_MESI", 0x34, 0x1f, true, JSON, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.WRITE_MESI", 0x34, 0x2f, true, JSON, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.EXTSNP_MESI", 0x34, 0x4f, false, JSON, EXTERNAL),
	CBO("UNC_CBO_CACHE_LOOKUP.ANY_MESI", 0x34, 0x8f, true, JSON, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.ANY_ES", 0x34, 0x86, true, JSON, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.EXTSNP_ES", 0x34, 0x46, false, JSON, EXTERNAL),
	CBO("UNC_CBO_CACHE_LOOKUP.READ_ES", 0x34, 0x16, true, JSON, NULL),
	CBO("UNC_CBO_CACHE_LOOKUP.WRITE_ES", 0x34, 0x26, true, JSON, NULL),
	ARB("UNC_ARB_TRK_OCCUPANCY.ALL", 0x80, 0x01, "0", "requests of the cores only"),
	ARB("UNC_ARB_TRK_REQUESTS.ALL", 0x81, 0x01, "0,1", NULL),
	ARB("UNC_ARB_TRK_REQUESTS.WRITES", 0x81, 0x20, "0,1", NULL),
	ARB("UNC_ARB_COH_TRK_OCCUPANCY.All", 0x83, 0x01, "0",
	    COHERENT_STAND_IN),
	ARB("UNC_ARB_COH_TRK_REQUESTS.ALL", 0x84, 0x01, "0,1",
	    COHERENT_STAND_IN),
	ARB("UNC_ARB_TRK_OCCUPANCY.CYCLES_WITH_ANY_REQUEST", 0x80, 0x01, "0", "with THR=1"),
	CLIENT_EVENT("UNC_CLOCK.SOCKET", "FIXED", 0, 1, "FIXED", true, JSON, NULL),
	IMC("DRAM_DATA_READS", 0x5050, true, NULL),
	IMC("DRAM_DATA_WRITES", 0x5054, true, NULL),
	IMC("DRAM_GT_REQUESTS", 0x5040, false, "stays 0: no graphics on this machine"),
	IMC("DRAM_IA_REQUESTS", 0x5044, true, NULL),
	IMC("DRAM_IO_REQUESTS", 0x5048, false, "stays 0: no I/O traffic on this machine"),
};

static const struct skl_design design = {
	.events = events, .event_count = CLIENT_COUNT(events),
	.more = 1, .device = { 0x00, 0x0c }, .device_of_two = { 0x04, 0x0a },
};

CLIENT_TYPE(hsw, rows, events, design, SKL_IMC_WINDOW);
