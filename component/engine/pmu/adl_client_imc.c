/* SPDX-License-Identifier: MIT */
/* The memory controllers of client processors from Alder Lake to Lunar Lake: two, each with five
 * counters that have event selects and three that always run, all of 64 bits, in its page of the
 * window. Linux gives their places; Intel documents the request counter (767626 and 844345,
 * PWM_TOTAL_REQCOUNT), and the selects on Arrow Lake alone. */
#include "client_uncore.h"

#define SRC "Linux uncore_snb.c; in no document of Intel's that was found"
#define REQCOUNT "Intel 767626, 844345: PWM_TOTAL_REQCOUNT, MC1 at + 10000h"

const struct ipmu_reg ipmu_adl_imc_bar = {
	.name = "IMC_BAR", .src = "Linux uncore_snb.c; PCM", .space = IPMU_PCI,
	.addr = 0x48, .width = 64, .access = IPMU_RO, .fields = { F("BAR", 63, 12) },
};

#define OF_BOTH(name_, addr_) .name = "MC%b_" name_, .src = SRC, .space = IPMU_MMIO, \
	.addr = addr_, .box_stride = 0x10000, .boxes = 2, .access = IPMU_RW

const struct ipmu_reg ipmu_adl_imc_box_ctl = {
	OF_BOTH("BOX_CTL", 0xD9C4), .width = 32, .fields = { F_BITS("FRZ", IPMU_CLIENT_BOX_FRZ) },
};
const struct ipmu_reg ipmu_adl_imc_perfevtsel = {
	OF_BOTH("PERFEVTSEL%c", 0xD9D0), .ctr_stride = 4, .ctrs = 5, .width = 32,
	.fields = { F_EDGE("E", 18, 18), F_EVENT("CHMASK", 11, 8), F_EVENT("EVT_SEL", 7, 0) },
};
const struct ipmu_reg ipmu_adl_imc_perfctr = {
	OF_BOTH("PERFCTR%c", 0xD9E8), .ctr_stride = 8, .ctrs = 5, .width = 64, .counter = true,
	.fields = { F("CTR_VAL", 63, 0) },
};
/* The second controller's control serves both. */
const struct ipmu_reg ipmu_adl_imc_global_ctl = {
	.name = "MC1_GLOBAL_CTL", .src = SRC, .space = IPMU_MMIO, .addr = 0x1D9C0, .width = 32,
	.access = IPMU_RW, .hardware_clears = true, .moves = IPMU_CLIENT_RESET,
	.fields = { F_BITS("RST", IPMU_CLIENT_RESET) },
};

#define DATA(name_, addr_) DATA_OF(name_, addr_, SRC)
#define DATA_OF(name_, addr_, src_) { \
	.name = name_, .src = src_, .space = IPMU_MMIO, .addr = addr_, .width = 64, \
	.access = IPMU_RO }
const struct ipmu_reg ipmu_adl_imc_data[6] = {
	DATA_OF("MC0_DATA_TOTAL", 0xD840, REQCOUNT), DATA("MC0_DATA_READ", 0xD858),
	DATA("MC0_DATA_WRITE", 0xD8A0), DATA_OF("MC1_DATA_TOTAL", 0x1D840, REQCOUNT),
	DATA("MC1_DATA_READ", 0x1D858), DATA("MC1_DATA_WRITE", 0x1D8A0),
};

#define EVENTS(prefix) \
	{ .event = prefix "MC0_TOTAL_REQCOUNT_FREERUN", .ctr = &ipmu_adl_imc_data[0] }, \
	{ .event = prefix "MC0_RDCAS_COUNT_FREERUN", .ctr = &ipmu_adl_imc_data[1] }, \
	{ .event = prefix "MC0_WRCAS_COUNT_FREERUN", .ctr = &ipmu_adl_imc_data[2] }, \
	{ .event = prefix "MC1_TOTAL_REQCOUNT_FREERUN", .ctr = &ipmu_adl_imc_data[3] }, \
	{ .event = prefix "MC1_RDCAS_COUNT_FREERUN", .ctr = &ipmu_adl_imc_data[4] }, \
	{ .event = prefix "MC1_WRCAS_COUNT_FREERUN", .ctr = &ipmu_adl_imc_data[5] }
const struct ipmu_fixed_event ipmu_adl_imc_events[] = { EVENTS("UNC_"), { 0 } };
/* Other names of the same counters: each is a counter here, that is read and nothing else. */
const struct ipmu_fixed_event ipmu_mtl_imc_events[] = {
	EVENTS("UNC_M_"), EVENTS("UNC_"), { 0 },
};
