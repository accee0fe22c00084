/* SPDX-License-Identifier: MIT */
/* Panther Lake's, Wildcat Lake's and Nova Lake's client uncore PMU: SRC has the registers, Intel's
 * perfmon PTL 1.07 and NVL 1.00 the events. What a discovery table describes is in client_units.c.
 *
 * Stated, because no document says it: Panther Lake's second cNCU counts the uncore's clock as the
 * first one does. No event of slices, SANTA and IA core bridge is published: they count nothing.
 * SANTA stands where Lunar Lake's arbiter does, and is kept as that is; the IA core bridge and the
 * second cNCU are kept as a second tile's arbiter and clock are. */
#include "client_tiles.h"

#define TABLE "Linux uncore_discovery.h"
#define PTL "Intel perfmon PTL 1.07"
#define NVL "Intel perfmon NVL 1.00"
/* ---- registers ---- */

#define DISCOVERY(name_, at) { .name = name_, .cite = TABLE, .access = VPMU_RO, .address = at, \
	.width = 64, CLIENT_AT(discovery) }

#define UNIT_ROW(name_, unit_, at, m) { .name = name_, .cite = TABLE, .space = VPMU_MMIO, \
	.access = VPMU_RW, .unit = unit_, .address = at, .width = 32, .mask = m }
#define UNIT_ROWS(name_, unit_, at, n) \
	UNIT_ROW(name_ "_UNIT_CTL", unit_, at, UNIT_RST_CTRS | UNIT_RST_CTRL | UNIT_FRZ), { \
	.name = name_ "_PERFEVTSELm", .cite = TABLE, .space = VPMU_MMIO, .access = VPMU_RW, \
	.unit = unit_, .address = at + UNIT_SELECTS, .width = 32, .mask = UNIT_SELECT, \
	.counters = n, .counter_stride = 4 }, { \
	.name = name_ "_PERFCTRm", .cite = TABLE, .space = VPMU_MMIO, .access = VPMU_RW, \
	.unit = unit_, .address = at + UNIT_COUNTERS, .width = UNIT_WIDTH, \
	.mask = VPMU_BITS(UNIT_WIDTH - 1, 0), .counters = n, .counter_stride = 8 }
#define DISCOVERED \
	CLIENT_BAR(SRC), CLIENT_DATA(BLOCK, SRC), \
	UNIT_ROWS("IMC0", "MC 0", UNIT_IMC(0), 5), UNIT_ROWS("IMC1", "MC 1", UNIT_IMC(1), 5), \
	UNIT_ROWS("SNCU", NULL, UNIT_SNCU, 2), UNIT_ROWS("HBO0", "HBO 0", UNIT_HBO(0), 4), \
	UNIT_ROWS("HBO1", "HBO 1", UNIT_HBO(1), 4), \
	UNIT_ROW("UNITS_GLOBAL_CTL", NULL, UNITS_GLOBAL_CTL, UNIT_FRZ)

static const struct vpmu_register_row ptl_rows[] = {
	DISCOVERY("UNCORE_DISCOVERY_MSR", 0x201e), CBOS(0x2442, 6),
	BOX("MSR_UNC_IA_CORE_BRIDGE", "IA_CORE_BRIDGE 0", 0x2022, SKL_ARB, SECOND),
	BOX("MSR_UNC_SANTA_0", "SANTA 0", 0x2412, SKL_ARB, FIRST),
	BOX("MSR_UNC_SANTA_1", "SANTA 1", 0x2422, SKL_ARB_1, FIRST),
	NCU("MSR_UNC_CNCU_0", "cNCU 0", 0x2402, FIRST),
	NCU("MSR_UNC_CNCU_1", "cNCU 1", 0x2542, SECOND), DISCOVERED,
};

static const struct vpmu_register_row nvl_rows[] = {
	DISCOVERY("PACKAGE_UNCORE_DISCOVERY_MSR", 0x711), CBOS(0x2102, 12),
	BOX("MSR_UNC_SANTA_0", "SANTA 0", 0x2042, SKL_ARB, FIRST),
	BOX("MSR_UNC_SANTA_1", "SANTA 1", 0x2052, SKL_ARB_1, FIRST),
	NCU("MSR_UNC_CNCU", NULL, 0x2022, FIRST), DISCOVERED,
};

/* ---- events ---- */

static const struct vpmu_event_info ptl_events[] = {
	COMMANDS(PTL), FREE_RUNNING("UNC_", SRC, NULL), CLOCK(true, PTL, NULL), CONTROLLERS(PTL),
};

static const struct vpmu_event_info nvl_events[] = {
	TRAFFIC(NVL), FREE_RUNNING("UNC_", SRC, NULL),
};

/* ---- designs ---- */

/* No number of the host bridge is known: it is 0. */
#define DESIGN(events_, second) { \
	.events = events_, .event_count = CLIENT_COUNT(events_), .controllers = BLOCK, \
	.two_arbs = true, .ctr_width = WIDTH, .cbo_codes = SKL_NO_CODES, .soc = second, \
	.units = true }
static const struct skl_design ptl_second = {
	.two_arbs = true, .ctr_width = WIDTH, .cbo_codes = SKL_NO_CODES,
};
static const struct skl_design ptl_design = DESIGN(ptl_events, &ptl_second),
			       nvl_design = DESIGN(nvl_events, NULL);

CLIENT_WITH_CORES(2, ptl, ptl_rows, ptl_events, ptl_design, SKL_UNITS_TO);
CLIENT_WITH_CORES(2, wcl, ptl_rows, ptl_events, ptl_design, SKL_UNITS_TO);
CLIENT_WITH_CORES(1, nvl, nvl_rows, nvl_events, nvl_design, SKL_UNITS_TO);
