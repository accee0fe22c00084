/* SPDX-License-Identifier: MIT */
/* Panther Lake's and Nova Lake's client uncore PMU: SRC has the registers, Intel's perfmon PTL 1.07
 * and NVL 1.00 the events. What a discovery table describes is in client_units.c.
 *
 * Stated, because no document says it: Panther Lake's second cNCU counts the uncore's clock as the
 * first one does. No event of slices, SANTA and IA core bridge is published: they count nothing.
 * SANTA stands where Lunar Lake's arbiter does, and is kept as that is; the IA core bridge and the
 * second cNCU are kept as a second tile's arbiter and clock are. */
#include "client_rows.h"

#define SRC "Linux uncore_snb.c"
#define TABLE "Linux uncore_discovery.h"
#define PTL "Intel perfmon PTL 1.07"
#define NVL "Intel perfmon NVL 1.00"
#define BLOCK 0xd800u
#define WIDTH 48u
#define CTR VPMU_BITS(WIDTH - 1, 0)

/* ---- registers ---- */

#define ROW(name_, unit_, at, w, m, place) { .name = name_, .cite = SRC, .access = VPMU_RW, \
	.unit = unit_, .address = at, .width = w, .mask = m, .offset = place }
#define FIRST(member) offsetof(struct skl_package, member)
#define SECOND(member) (sizeof(struct skl_package) * SKL_SOC_TILE + FIRST(member))
#define PAIR(name_, unit_, at, w, m, place) { .name = name_ "m", .cite = SRC, \
	.access = VPMU_RW, .unit = unit_, .address = at, .width = w, .mask = m, .counters = 2, \
	.counter_stride = 1, .counter_bytes = sizeof(struct vpmu_counter), .offset = place }
#define BOX(name, unit, at, number, KEPT) \
	PAIR(name "_PERFEVTSEL", unit, at, 64, SELECT_LONG_FIELDS, KEPT(counter[number].select)), \
	PAIR(name "_PERFCTR", unit, at + 6, WIDTH, CTR, KEPT(counter[number].value))
#define CBOS(at, count) \
	CLIENT_CBO_ROW("PERFEVTSEL", at, 0, count, 64, SELECT_LONG_FIELDS, select, SRC), \
	CLIENT_CBO_ROW("PERFCTR", at + 6, 0, count, WIDTH, CTR, value, SRC)
#define CNCU(name, unit, at, KEPT) \
	ROW(name "_BOX_CTL", unit, at + 0xc, 64, SKL_GLOBAL_EN, KEPT(global_ctrl)), \
	ROW(name "_FIXED_CTRL", unit, at, 64, SELECT_EN, KEPT(counter[SKL_FIXED].select)), \
	ROW(name "_FIXED_CTR", unit, at + 6, SKL_FIXED_WIDTH, CLIENT_FIXED, \
	    KEPT(counter[SKL_FIXED].value))
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
	CNCU("MSR_UNC_CNCU_0", "cNCU 0", 0x2402, FIRST),
	CNCU("MSR_UNC_CNCU_1", "cNCU 1", 0x2542, SECOND), DISCOVERED,
};

static const struct vpmu_register_row nvl_rows[] = {
	DISCOVERY("PACKAGE_UNCORE_DISCOVERY_MSR", 0x711), CBOS(0x2102, 12),
	BOX("MSR_UNC_SANTA_0", "SANTA 0", 0x2042, SKL_ARB, FIRST),
	BOX("MSR_UNC_SANTA_1", "SANTA 1", 0x2052, SKL_ARB_1, FIRST),
	CNCU("MSR_UNC_CNCU", NULL, 0x2022, FIRST), DISCOVERED,
};

/* ---- events ---- */

#define IMC(n, c, does, src, t) CLIENT_EVENT("UNC_M_" n, "IMC", c, 0, IMC_ALL, does, src, t)
#define FREE(n, c) CLIENT_EVENT(n, "IMC", c, 0, "FREE", true, SRC, NULL)
#define FREE_RUNNING \
	FREE("UNC_MC0_TOTAL_REQCOUNT_FREERUN", BLOCK + 0x40), \
	FREE("UNC_MC1_TOTAL_REQCOUNT_FREERUN", BLOCK + 0x10040), \
	FREE("UNC_MC0_RDCAS_COUNT_FREERUN", BLOCK + 0x58), \
	FREE("UNC_MC1_RDCAS_COUNT_FREERUN", BLOCK + 0x10058), \
	FREE("UNC_MC0_WRCAS_COUNT_FREERUN", BLOCK + 0xa0), \
	FREE("UNC_MC1_WRCAS_COUNT_FREERUN", BLOCK + 0x100a0)
#define TRAFFIC(src) \
	IMC("CAS_COUNT_RD", 0x22, true, src, NULL), IMC("CAS_COUNT_WR", 0x23, true, src, NULL), \
	IMC("RD_DATA", 0x3a, true, src, NULL), IMC("WR_DATA", 0x3b, true, src, NULL), \
	IMC("TOTAL_DATA", 0x3c, true, src, NULL)

#define DEADLINE "stays 0: nothing here asks for data by a deadline"
#define QUEUE "stays 0: the controllers' queues are not modelled"
#define SLEEP "stays 0: the memory does not sleep"

static const struct vpmu_event_info ptl_events[] = {
	TRAFFIC(PTL), FREE_RUNNING,
	CLIENT_EVENT("UNC_CLOCK.SOCKET", "FIXED", 0, 1, "FIXED", true, PTL, NULL),
	IMC("ACT_COUNT_RD", 0x24, true, PTL, NULL), IMC("ACT_COUNT_WR", 0x25, true, PTL, NULL),
	IMC("ACT_COUNT_TOTAL", 0x26, true, PTL, NULL),
	IMC("PRE_COUNT_PAGE_MISS", 0x27, true, PTL, NULL),
	IMC("CLOCKTICKS", 0x01, true, PTL, "the uncore's clock; as of when it was last published"),
	IMC("VC0_REQUESTS_RD", 0x02, true, PTL, NULL),
	IMC("VC0_REQUESTS_WR", 0x03, true, PTL, NULL),
	IMC("VC1_REQUESTS_RD", 0x04, false, PTL, DEADLINE),
	IMC("VC1_REQUESTS_WR", 0x05, false, PTL, DEADLINE),
	IMC("DRAM_SELF_REFRESH", 0x12, false, PTL, SLEEP),
	IMC("RD_OCCUPANCY_CH0", 0x13, false, PTL, QUEUE),
	IMC("RD_OCCUPANCY_CH1", 0x14, false, PTL, QUEUE),
	IMC("DRAM_THERMAL_HOT", 0x19, false, PTL, "stays 0: the memory does not get hot"),
	IMC("DRAM_THERMAL_WARM", 0x1a, false, PTL, "stays 0: the memory does not get warm"),
	IMC("DRAM_PAGE_HIT_RD", 0x1c, true, PTL, NULL),
	IMC("DRAM_PAGE_EMPTY_RD", 0x1d, true, PTL, NULL),
	IMC("DRAM_PAGE_MISS_RD", 0x1e, true, PTL, NULL),
	IMC("DRAM_PAGE_HIT_WR", 0x1f, true, PTL, NULL),
	IMC("DRAM_PAGE_EMPTY_WR", 0x20, true, PTL, NULL),
	IMC("DRAM_PAGE_MISS_WR", 0x21, true, PTL, NULL),
	IMC("DRAM_CKE_OFF_CYCLES", 0x29, false, PTL, SLEEP),
	IMC("TOTAL_REQUESTS", 0x39, true, PTL, NULL),
};

static const struct vpmu_event_info nvl_events[] = { TRAFFIC(NVL), FREE_RUNNING };

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

CLIENT_WITH_CORES(2, ptl, VPMU_PANTHER_LAKE, ptl_rows, ptl_events, ptl_design, SKL_UNITS_TO);
CLIENT_WITH_CORES(1, nvl, VPMU_NOVA_LAKE, nvl_rows, nvl_events, nvl_design, SKL_UNITS_TO);
