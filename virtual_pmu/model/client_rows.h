/* SPDX-License-Identifier: MIT */
/* Rows of registers and events that the files of the client generations are written in. */
#ifndef VPMU_CLIENT_ROWS_H
#define VPMU_CLIENT_ROWS_H

#include "client_imc.h"

#define CLIENT_AT(member) .offset = offsetof(struct skl_package, member)
#define CLIENT_CTR VPMU_BITS(SKL_CTR_WIDTH - 1, 0)
#define CLIENT_FIXED VPMU_BITS(SKL_FIXED_WIDTH - 1, 0)

#define CLIENT_CBO_ROW_BY(what, base, first, count, stride, w, m, member, src) { \
	.name = "MSR_UNC_CBO_n_" what "m", .cite = src, .address = base, .width = w, \
	.access = VPMU_RW, .mask = m, .first_box = first, .boxes = count, .box_stride = stride, \
	.counters = 2, .counter_stride = 1, CLIENT_AT(counter[SKL_CBO(0)].member), \
	.box_bytes = sizeof(struct vpmu_counter[2]), .counter_bytes = sizeof(struct vpmu_counter) }
#define CLIENT_CBO_ROW(what, base, first, count, w, m, member, src) \
	CLIENT_CBO_ROW_BY(what, base, first, count, 0x10, w, m, member, src)
#define CLIENT_CBO_SELECTS(base, first, count, src) \
	CLIENT_CBO_ROW("PERFEVTSEL", base, first, count, 64, SELECT_FIELDS, select, src)
#define CLIENT_CBO_COUNTERS(base, first, count, src) \
	CLIENT_CBO_ROW("PERFCTR", base, first, count, SKL_CTR_WIDTH, CLIENT_CTR, value, src)

/* 4 PMI_SEL bits; bit 4 of larger parts stays reserved. */
#define CLIENT_GLOBAL_CTRL(at, src) { \
	.name = "MSR_UNC_PERF_GLOBAL_CTRL", .cite = src, .access = VPMU_RW, .address = at, \
	.width = 64, .mask = SKL_GLOBAL_FRZ_ON_PMI | SKL_GLOBAL_WAKE_ON_PMI | SKL_GLOBAL_EN | \
		SKL_GLOBAL_PMI_SEL, \
	CLIENT_AT(global_ctrl) }
/* The global control of a generation whose other bits are not sourced. */
#define CLIENT_ENABLE(at, src) { \
	.name = "MSR_UNC_PERF_GLOBAL_CTRL", .cite = src, .access = VPMU_RW, .address = at, \
	.width = 64, .mask = SKL_GLOBAL_EN, CLIENT_AT(global_ctrl) }
#define CLIENT_GLOBAL_STATUS(at, src) { \
	.name = "MSR_UNC_PERF_GLOBAL_STATUS", .cite = src, .access = VPMU_RW1C, .address = at, \
	.width = 64, .mask = SKL_CBO_OVF | SKL_ARB_OVF | SKL_FIXED_OVF, CLIENT_AT(global_status) }
#define CLIENT_FIXED_CTRL(src) CLIENT_FIXED_CTRL_AT(0x394, src)
#define CLIENT_FIXED_CTRL_AT(at, src) { \
	.name = "MSR_UNC_PERF_FIXED_CTRL", .cite = src, .access = VPMU_RW, .address = at, \
	.width = 64, .mask = SELECT_EN | SELECT_OVF_EN, CLIENT_AT(counter[SKL_FIXED].select) }
#define CLIENT_FIXED_CTR(src) CLIENT_FIXED_CTR_AT(0x395, src)
#define CLIENT_FIXED_CTR_AT(at, src) { \
	.name = "MSR_UNC_PERF_FIXED_CTR", .cite = src, .access = VPMU_RW, .address = at, \
	.width = SKL_FIXED_WIDTH, .mask = CLIENT_FIXED, CLIENT_AT(counter[SKL_FIXED].value) }
#define CLIENT_CONFIG(src) { \
	.name = "MSR_UNC_CBO_CONFIG", .cite = src, .access = VPMU_RO, .address = 0x396, \
	.width = 64, CLIENT_AT(cbo_config) }
#define CLIENT_ARB_ROW(what, at, w, m, member, src) { \
	.name = "MSR_UNC_ARB_" what "m", .cite = src, .access = VPMU_RW, .address = at, \
	.width = w, .mask = m, .counters = 2, .counter_stride = 1, \
	CLIENT_AT(counter[SKL_ARB].member), .counter_bytes = sizeof(struct vpmu_counter) }
#define CLIENT_ARB_COUNTERS(src) \
	CLIENT_ARB_ROW("PERFCTR", 0x3b0, SKL_CTR_WIDTH, CLIENT_CTR, value, src)
#define CLIENT_ARB_SELECTS(src) \
	CLIENT_ARB_ROW("PERFEVTSEL", 0x3b2, 64, SELECT_FIELDS, select, src)
/* Registers of one arbiter of two; n: its number. */
#define CLIENT_ARB_N_ROW(n, what, at, w, m, member, src) { \
	.name = "MSR_UNC_ARB_" n "_" what "m", .cite = src, .access = VPMU_RW, .address = at, \
	.unit = "ARB " n, .width = w, .mask = m, .counters = 2, .counter_stride = 1, \
	CLIENT_AT(member), .counter_bytes = sizeof(struct vpmu_counter) }
/* Counter 1 alone. */
#define CLIENT_ARB_1(src) { \
	.name = "MSR_UNC_ARB_PERFCTR1", .cite = src, .access = VPMU_RW, .address = 0x3b1, \
	.width = SKL_CTR_WIDTH, .mask = CLIENT_CTR, CLIENT_AT(counter[SKL_ARB + 1].value) }, { \
	.name = "MSR_UNC_ARB_PERFEVTSEL1", .cite = src, .access = VPMU_RW, .address = 0x3b3, \
	.width = 64, .mask = SELECT_FIELDS, CLIENT_AT(counter[SKL_ARB + 1].select) }
#define CLIENT_BAR(src) { \
	.name = "IMC_BAR", .cite = src, .space = VPMU_PCI, .access = VPMU_RO, .address = 0x48, \
	.width = 64, CLIENT_AT(imc_bar) }
#define CLIENT_REQUESTS(n, at, src) { .name = n, .cite = src, .space = VPMU_MMIO, \
	.access = VPMU_RO, .address = at, .width = 32 }
#define CLIENT_DRAM(src) \
	CLIENT_REQUESTS("DRAM_GT_REQUESTS", 0x5040, src), \
	CLIENT_REQUESTS("DRAM_IA_REQUESTS", 0x5044, src), \
	CLIENT_REQUESTS("DRAM_IO_REQUESTS", 0x5048, src), \
	CLIENT_REQUESTS("DRAM_DATA_READS", 0x5050, src), \
	CLIENT_REQUESTS("DRAM_DATA_WRITES", 0x5054, src)
/* The two memory controllers of later generations, their free-running counters from `block` on. */
#define CLIENT_DATA_ROW(n, what, at, src) { .name = "MC" n "_DATA_" what, .cite = src, \
	.space = VPMU_MMIO, .access = VPMU_RO, .unit = "MC " n, .address = at, .width = 64 }
#define CLIENT_DATA(block, src) \
	CLIENT_DATA_ROW("0", "TOTAL", block + 0x40, src), \
	CLIENT_DATA_ROW("0", "READ", block + 0x58, src), \
	CLIENT_DATA_ROW("0", "WRITE", block + 0xa0, src), \
	CLIENT_DATA_ROW("1", "TOTAL", block + 0x10040, src), \
	CLIENT_DATA_ROW("1", "READ", block + 0x10058, src), \
	CLIENT_DATA_ROW("1", "WRITE", block + 0x100a0, src)
/* Only the bit that the uncore needs: ENABLE_UNCORE_PMI. */
#define CLIENT_DEBUGCTL CLIENT_DEBUGCTL_OF(SKL_ENABLE_UNCORE_PMI)
/* From Skylake on also FREEZE_PERFMON_ON_PMI, for the cores. */
#define CLIENT_DEBUGCTL_BOTH CLIENT_DEBUGCTL_OF(SKL_ENABLE_UNCORE_PMI | SKL_FREEZE_ON_PMI)
#define CLIENT_DEBUGCTL_OF(bits) { \
	.name = "IA32_DEBUGCTL", .cite = "SDM 18.9.6", .scope = VPMU_THREAD, .access = VPMU_RW, \
	.address = 0x1d9, .width = 64, .mask = bits, \
	.offset = offsetof(struct skl_thread, debugctl) }

#define CLIENT_EVENT(n, what, c, u, k, does, src, t) { .name = n, .unit = what, .code = c, \
	.umask = u, .counters = k, .driven = does, .cite = src, .why = t }

#define CLIENT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The design has .events and .event_count, as the type has. */
#define CLIENT_TYPE(name_, rows_, events_, design_, window) \
	CLIENT_TYPE_OF(1, NULL, name_, rows_, events_, design_, window)
#define CLIENT_WITH_CORES(tiles, name_, rows_, events_, design_, window) \
	CLIENT_TYPE_OF(tiles, &vpmu_arch_core, name_, rows_, events_, design_, window)
/* With core_, the PMU of its cores, and so many tiles. */
#define CLIENT_TYPE_OF(tiles, core_, name_, rows_, events_, design_, window) \
	static void name_##_client_reset(struct vpmu_segment *s) { skl_reset(s, &design_); } \
	const struct vpmu_model_type vpmu_##name_##_client = { \
		.machines = #name_, .package_bytes = tiles * sizeof(struct skl_package), \
		SKL_BEHAVIOUR, .reset = name_##_client_reset, .core = core_, \
		.rows = rows_, .row_count = CLIENT_COUNT(rows_), .mmio_bytes = window, \
		.events = events_, .event_count = CLIENT_COUNT(events_), \
	}

#endif
