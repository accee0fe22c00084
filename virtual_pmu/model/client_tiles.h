/* SPDX-License-Identifier: MIT */
/* Rows that Meteor Lake and all later client generations share: the registers of SRC, with counters
 * of 48 bits, and the events of their two memory controllers. */
#ifndef VPMU_CLIENT_TILES_H
#define VPMU_CLIENT_TILES_H

#include "client_rows.h"

#define SRC "Linux uncore_snb.c"
#define BLOCK 0xd800u
#define WIDTH 48u
#define CTR VPMU_BITS(WIDTH - 1, 0)

/* ---- registers; KEPT is FIRST or SECOND ---- */

#define ROW(name_, unit_, at, w, m, place) { .name = name_, .cite = SRC, .access = VPMU_RW, \
	.unit = unit_, .address = at, .width = w, .mask = m, .offset = place }
/* In the state of the first tile, and of the second. */
#define FIRST(member) offsetof(struct skl_package, member)
#define SECOND(member) (sizeof(struct skl_package) * SKL_SOC_TILE + FIRST(member))
/* Both counters of a box. */
#define PAIR(name_, unit_, at, w, m, place) { .name = name_ "m", .cite = SRC, \
	.access = VPMU_RW, .unit = unit_, .address = at, .width = w, .mask = m, .counters = 2, \
	.counter_stride = 1, .counter_bytes = sizeof(struct vpmu_counter), .offset = place }
#define BOX(name, unit, at, number, KEPT) \
	PAIR(name "_PERFEVTSEL", unit, at, 64, SELECT_LONG_FIELDS, KEPT(counter[number].select)), \
	PAIR(name "_PERFCTR", unit, at + 6, WIDTH, CTR, KEPT(counter[number].value))
#define CBOS(at, count) \
	CLIENT_CBO_ROW("PERFEVTSEL", at, 0, count, 64, SELECT_LONG_FIELDS, select, SRC), \
	CLIENT_CBO_ROW("PERFCTR", at + 6, 0, count, WIDTH, CTR, value, SRC)
#define NCU(name, unit, at, KEPT) \
	ROW(name "_BOX_CTL", unit, at + 0xc, 64, SKL_GLOBAL_EN, KEPT(global_ctrl)), \
	ROW(name "_FIXED_CTRL", unit, at, 64, SELECT_EN, KEPT(counter[SKL_FIXED].select)), \
	ROW(name "_FIXED_CTR", unit, at + 6, SKL_FIXED_WIDTH, CLIENT_FIXED, \
	    KEPT(counter[SKL_FIXED].value))

/* ---- events ---- */

#define IMC(n, c, does, src, t) CLIENT_EVENT("UNC_M_" n, "IMC", c, 0, IMC_ALL, does, src, t)
#define FREE(n, c, src, t) CLIENT_EVENT(n, "IMC", c, 0, "FREE", true, src, t)
#define FREE_RUNNING(prefix, src, t) \
	FREE(prefix "MC0_TOTAL_REQCOUNT_FREERUN", BLOCK + 0x40, src, t), \
	FREE(prefix "MC1_TOTAL_REQCOUNT_FREERUN", BLOCK + 0x10040, src, t), \
	FREE(prefix "MC0_RDCAS_COUNT_FREERUN", BLOCK + 0x58, src, t), \
	FREE(prefix "MC1_RDCAS_COUNT_FREERUN", BLOCK + 0x10058, src, t), \
	FREE(prefix "MC0_WRCAS_COUNT_FREERUN", BLOCK + 0xa0, src, t), \
	FREE(prefix "MC1_WRCAS_COUNT_FREERUN", BLOCK + 0x100a0, src, t)
#define TRAFFIC(src) \
	IMC("CAS_COUNT_RD", 0x22, true, src, NULL), IMC("CAS_COUNT_WR", 0x23, true, src, NULL), \
	IMC("RD_DATA", 0x3a, true, src, NULL), IMC("WR_DATA", 0x3b, true, src, NULL), \
	IMC("TOTAL_DATA", 0x3c, true, src, NULL)
#define COMMANDS(src) \
	TRAFFIC(src), \
	IMC("ACT_COUNT_RD", 0x24, true, src, NULL), IMC("ACT_COUNT_WR", 0x25, true, src, NULL), \
	IMC("ACT_COUNT_TOTAL", 0x26, true, src, NULL), \
	IMC("PRE_COUNT_PAGE_MISS", 0x27, true, src, NULL), \
	IMC("DRAM_THERMAL_HOT", 0x19, false, src, "stays 0: the memory does not get hot"), \
	IMC("DRAM_THERMAL_WARM", 0x1a, false, src, "stays 0: the memory does not get warm")
#define CLOCK(does, src, t) CLIENT_EVENT("UNC_CLOCK.SOCKET", "FIXED", 0, 1, "FIXED", does, src, t)

/* From Lunar Lake on. */
#define DEADLINE "stays 0: nothing here asks for data by a deadline"
#define QUEUE "stays 0: the controllers' queues are not modelled"
#define SLEEP "stays 0: the memory does not sleep"
#define CONTROLLERS(src) \
	IMC("CLOCKTICKS", 0x01, true, src, \
	    "the uncore's clock; as of when it was last published"), \
	IMC("VC0_REQUESTS_RD", 0x02, true, src, NULL), \
	IMC("VC0_REQUESTS_WR", 0x03, true, src, NULL), \
	IMC("VC1_REQUESTS_RD", 0x04, false, src, DEADLINE), \
	IMC("VC1_REQUESTS_WR", 0x05, false, src, DEADLINE), \
	IMC("DRAM_SELF_REFRESH", 0x12, false, src, SLEEP), \
	IMC("RD_OCCUPANCY_CH0", 0x13, false, src, QUEUE), \
	IMC("RD_OCCUPANCY_CH1", 0x14, false, src, QUEUE), \
	IMC("DRAM_PAGE_HIT_RD", 0x1c, true, src, NULL), \
	IMC("DRAM_PAGE_EMPTY_RD", 0x1d, true, src, NULL), \
	IMC("DRAM_PAGE_MISS_RD", 0x1e, true, src, NULL), \
	IMC("DRAM_PAGE_HIT_WR", 0x1f, true, src, NULL), \
	IMC("DRAM_PAGE_EMPTY_WR", 0x20, true, src, NULL), \
	IMC("DRAM_PAGE_MISS_WR", 0x21, true, src, NULL), \
	IMC("DRAM_CKE_OFF_CYCLES", 0x29, false, src, SLEEP), \
	IMC("TOTAL_REQUESTS", 0x39, true, src, NULL)

#endif
