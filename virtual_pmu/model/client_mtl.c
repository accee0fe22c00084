/* SPDX-License-Identifier: MIT */
/* Meteor Lake's, Arrow Lake's and Lunar Lake's client uncore PMU: SRC has the registers, Intel's
 * perfmon MTL 1.22, ARL 1.20 and LNL 1.26 the events.
 *
 * Meteor Lake and Arrow Lake are made of tiles. Stated, because no document says it in so many
 * words: bit 29 of a tile's box control enables all units of the tile; the units of the SoC tile
 * see the cores that are not behind the LLC, but for TRANSACTIONS, which are of all; requests go to
 * two boxes of a kind in turn. Of Lunar Lake's HBO and sNCU no event is published; the selects and
 * counters of the second are left out, because those that Linux has would overlap. */
#include "client_tiles.h"

#define MTL "Intel perfmon MTL 1.22"
#define ARL "Intel perfmon ARL 1.20"
#define LNL "Intel perfmon LNL 1.26"
#define PMCREADER "PmcReader"
/* ---- registers ---- */

#define ARBS \
	BOX("MSR_UNC_ARB_0", "ARB 0", 0x2412, SKL_ARB, FIRST), \
	BOX("MSR_UNC_ARB_1", "ARB 1", 0x2422, SKL_ARB_1, FIRST)
#define MEMORY CLIENT_BAR(SRC), CLIENT_DATA(BLOCK, SRC), \
	IMC_ROWS("0", IMC_BLOCK, SRC), IMC_ROWS("1", IMC_BLOCK + 0x10000u, SRC)

#define TILE_ROWS \
	NCU("MSR_UNC_CNCU", "compute tile", 0x2402, FIRST), \
	NCU("MSR_UNC_SNCU", "SoC tile", 0x2002, SECOND), \
	CLIENT_CONFIG(SRC), \
	BOX("MSR_UNC_HAC_ARB_0", "HAC_ARB 0", 0x2012, SKL_ARB, SECOND), \
	BOX("MSR_UNC_HAC_ARB_1", "HAC_ARB 1", 0x2022, SKL_ARB_1, SECOND), \
	BOX("MSR_UNC_HAC_CBO_0", "HAC_CBO 0", 0x2042, SKL_CBO(0), SECOND), \
	BOX("MSR_UNC_HAC_CBO_1", "HAC_CBO 1", 0x2052, SKL_CBO(1), SECOND), \
	ARBS, CBOS(0x2442, 12)
static const struct vpmu_register_row mtl_rows[] = { TILE_ROWS, MEMORY };

/* Arrow Lake's memory controllers have the selects of Intel's document. */
#define ARL_DOCUMENT "Intel 844345, PMON_COUNTER_CONTROL"
#define ARL_SELECT (IMC_THRESHOLD | IMC_FRZ_ON_OV | IMC_EDGE | IMC_RST | IMC_CHANNELS | IMC_EVENT)
static const struct vpmu_register_row arl_rows[] = {
	TILE_ROWS, CLIENT_BAR(SRC), CLIENT_DATA(BLOCK, SRC),
	IMC_ROWS_SELECT("0", IMC_BLOCK, ARL_SELECT, ARL_DOCUMENT),
	IMC_ROWS_SELECT("1", IMC_BLOCK + 0x10000u, ARL_SELECT, ARL_DOCUMENT),
};

/* Lunar Lake's other base, which is mapped behind the first. Selects have 64 bits: Intel 831649. */
#define SAF(at) (SKL_IMC_WINDOW_64 + (at) - SKL_SAF_FROM)
#define LNL_DOCUMENT "Intel 831649"
#define NCU_SELECT (IMC_THRESHOLD | IMC_FRZ_ON_OV | IMC_EDGE | IMC_RST | VPMU_BITS(15, 0))
#define HBO_SELECT (VPMU_BITS(55, 32) | NCU_SELECT)	/* with its filter */
#define SAF_ROW(name_, unit_, at, m) { .name = name_, .cite = SRC, .space = VPMU_MMIO, \
	.access = VPMU_RW, .unit = unit_, .address = SAF(at), .width = 32, .mask = m }
#define SAF_COUNTERS(name_, unit_, at, m, n, stride) { \
	.name = name_, .cite = LNL_DOCUMENT, .space = VPMU_MMIO, .access = VPMU_RW, \
	.unit = unit_, .address = SAF(at), .width = 64, .mask = m, .counters = n, \
	.counter_stride = stride }
#define HBO_ROWS(n, base) \
	SAF_ROW("HBO_" n "_BOX_CTL", "HBO " n, base + 0x548, IMC_FRZ), \
	SAF_COUNTERS("HBO_" n "_PERFEVTSELm", "HBO " n, base + 0x550, HBO_SELECT, 4, 8), \
	SAF_COUNTERS("HBO_" n "_PERFCTRm", "HBO " n, base + 0x570, UINT64_MAX, 4, 8)
#define SAF_ROWS { \
	.name = "SAFBAR", .cite = SRC, .space = VPMU_PCI, .access = VPMU_RO, .address = 0x68, \
	.width = 64, CLIENT_AT(saf_bar) }, \
	HBO_ROWS("0", 0xe54000u), HBO_ROWS("1", 0xe53000u), \
	SAF_ROW("SNCU_GLOBAL_CTL", NULL, 0xe4b700u, IMC_RST_CTRL | IMC_RST_CTRS), \
	SAF_ROW("SNCU_BOX_CTL", NULL, 0xe4b380u, IMC_FRZ), \
	SAF_COUNTERS("SNCU_PERFEVTSELm", NULL, 0xe4b398u, NCU_SELECT, 2, 16), \
	SAF_COUNTERS("SNCU_PERFCTRm", NULL, 0xe4b390u, UINT64_MAX, 2, 16)

static const struct vpmu_register_row lnl_rows[] = {
	ROW("MSR_UNC_PERF_GLOBAL_CTRL", NULL, 0x240e, 64, SKL_GLOBAL_EN, FIRST(global_ctrl)),
	ARBS, CBOS(0x2442, 4), MEMORY, SAF_ROWS,
};

/* ---- events ---- */

#define HAC_ARB(n, c, u, src) \
	CLIENT_EVENT("UNC_HAC_ARB_" n, "HAC_ARB", c, u, "0,1", true, src, NULL)
#define HAC_CBO(n, u, src) \
	CLIENT_EVENT("UNC_HAC_CBO_TOR_ALLOCATION." n, "HAC_CBO", 0x35, u, "0,1", true, src, NULL)
#define LOOKUP(n, u) \
	CLIENT_EVENT(n, "CBO", 0x34, u, "0,1", true, PMCREADER, "not documented by Intel")

#define NO_IDLE "stays 0: pages stay open until another is needed"
#define TILE_EVENTS(src) \
	COMMANDS(src), IMC("PRE_COUNT_IDLE", 0x28, false, src, NO_IDLE), \
	FREE_RUNNING("UNC_", src, "another name of the counter"), \
	FREE_RUNNING("UNC_M_", src, NULL), \
	HAC_ARB("TRK_REQUESTS.ALL", 0x81, 0x01, src), \
	HAC_ARB("REQ_TRK_REQUEST.DRD", 0x81, 0x02, src), \
	HAC_ARB("TRANSACTIONS.ALL", 0x8a, 0x01, src), \
	HAC_ARB("TRANSACTIONS.READS", 0x8a, 0x02, src), \
	HAC_ARB("TRANSACTIONS.WRITES", 0x8a, 0x04, src), \
	HAC_CBO("DRD", SKL_TOR_DRD, src), HAC_CBO("ALL", SKL_TOR_ALL, src), \
	CLOCK(true, src, NULL)

static const struct vpmu_event_info mtl_events[] = {
	TILE_EVENTS(MTL),
	CLIENT_EVENT("UNC_ARB_DAT_OCCUPANCY.RD", "ARB", 0x85, 0x02, "0", true, MTL, NULL),
	CLIENT_EVENT("UNC_HAC_ARB_COH_TRK_REQUESTS.ALL", "HAC_ARB", 0x84, 0x01, "0,1", true, MTL,
		     COHERENT_STAND_IN),
	LOOKUP("UNC_CBO_CACHE_LOOKUP.ANY_MESI", 0x8f),
	LOOKUP("UNC_CBO_CACHE_LOOKUP.ANY_I", 0x88),
};

static const struct vpmu_event_info arl_events[] = { TILE_EVENTS(ARL) };

static const struct vpmu_event_info lnl_events[] = {
	COMMANDS(LNL), FREE_RUNNING("UNC_", SRC, NULL),
	CLOCK(false, LNL, "stays 0: no document says which register counts it"),
	CONTROLLERS(LNL),
};

/* ---- designs ---- */

/* Designs. The host bridge's number of Arrow Lake and Lunar Lake is not known: it is 0. */
#define DESIGN(events_, codes, soc_, low, high, ...) { \
	.events = events_, .event_count = CLIENT_COUNT(events_), .controllers = BLOCK, \
	.two_arbs = true, .ctr_width = WIDTH, .cbo_codes = codes, .soc = soc_, \
	.device = { low, high }, .device_of_two = { low, high }, __VA_ARGS__ }
#define SOC_DESIGN(events_) { \
	.events = events_, .event_count = CLIENT_COUNT(events_), .two_arbs = true, \
	.ctr_width = WIDTH, .cbo_codes = SKL_TOR, .arb_unit = "HAC_ARB" }
static const struct skl_design mtl_soc = SOC_DESIGN(mtl_events), arl_soc = SOC_DESIGN(arl_events);
static const struct skl_design
	mtl_design = DESIGN(mtl_events, SKL_LOOKUPS, &mtl_soc, 0x14, 0x7d, .saf = false),
	arl_design = DESIGN(arl_events, SKL_NO_CODES, &arl_soc, 0, 0, .saf = false),
	lnl_design = DESIGN(lnl_events, SKL_NO_CODES, NULL, 0, 0, .saf = true);

CLIENT_WITH_CORES(2, mtl, mtl_rows, mtl_events, mtl_design, SKL_IMC_WINDOW_64);
CLIENT_WITH_CORES(2, arl, arl_rows, arl_events, arl_design, SKL_IMC_WINDOW_64);
CLIENT_WITH_CORES(1, lnl, lnl_rows, lnl_events, lnl_design, SKL_SAF_WINDOW);
