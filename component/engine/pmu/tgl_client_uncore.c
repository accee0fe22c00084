/* SPDX-License-Identifier: MIT */
/* Uncore of the 11th-generation mobile Core (Tiger Lake): as Rocket Lake's, with two memory
 * controllers of three 64-bit counters each, which the two models have at other offsets. */
#include "client_uncore.h"

#define SRC "Intel perfmon TGL 1.19; Linux uncore_snb.c"

static const struct ipmu_reg imc_bar = {
	.name = "IMC_BAR", .src = "Linux uncore_snb.c; PCM", .space = IPMU_PCI,
	.addr = 0x48, .width = 64, .access = IPMU_RO, .fields = { F("BAR", 63, 12) },
};

#define DATA(name_, addr_) { .name = name_, .src = SRC, .space = IPMU_MMIO, .addr = addr_, \
	.width = 64, .access = IPMU_RO }
#define CONTROLLERS(model, block) \
	static const struct ipmu_reg model##_total0 = DATA("MC0_DATA_TOTAL", block + 0x40), \
		model##_read0 = DATA("MC0_DATA_READ", block + 0x58), \
		model##_write0 = DATA("MC0_DATA_WRITE", block + 0xA0), \
		model##_total1 = DATA("MC1_DATA_TOTAL", block + 0x10040), \
		model##_read1 = DATA("MC1_DATA_READ", block + 0x10058), \
		model##_write1 = DATA("MC1_DATA_WRITE", block + 0x100A0); \
	static const struct ipmu_fixed_event model##_events[] = { \
		{ .event = "UNC_MC0_TOTAL_REQCOUNT_FREERUN", .ctr = &model##_total0 }, \
		{ .event = "UNC_MC0_RDCAS_COUNT_FREERUN", .ctr = &model##_read0 }, \
		{ .event = "UNC_MC0_WRCAS_COUNT_FREERUN", .ctr = &model##_write0 }, \
		{ .event = "UNC_MC1_TOTAL_REQCOUNT_FREERUN", .ctr = &model##_total1 }, \
		{ .event = "UNC_MC1_RDCAS_COUNT_FREERUN", .ctr = &model##_read1 }, \
		{ .event = "UNC_MC1_WRCAS_COUNT_FREERUN", .ctr = &model##_write1 }, \
		{ 0 }, \
	}; \
	static const struct ipmu_reg *const model##_registers[] = { \
		&ipmu_rkl_global_ctrl, &ipmu_skl_fixed_ctrl, &ipmu_skl_fixed_ctr, \
		&ipmu_skl_cbo_config, &ipmu_skl_arb_perfctr, &ipmu_skl_arb_perfevtsel, &imc_bar, \
		&model##_total0, &model##_read0, &model##_write0, \
		&model##_total1, &model##_read1, &model##_write1, NULL, \
	}; \
	static const struct ipmu_pmu_type model##_imc = { \
		IPMU_CLIENT_IMC("tgl_unc_imc"), .src = SRC, .counters = 6, \
		.fixed = model##_events, \
	}; \
	static const struct ipmu_pmu_type *const model##_types[] = { \
		&arb, &clk, &model##_imc, NULL \
	}; \
	static const struct ipmu_client_layout model##_layout = { \
		.global_ctrl = &ipmu_rkl_global_ctrl, \
		.cbo_config = &ipmu_skl_cbo_config, .slices_max = 8, \
		.units = IPMU_RKL_UNITS(&arb, &clk, &model##_imc), \
	}

static const struct ipmu_pmu_type arb = {
	IPMU_CLIENT_ARB("tgl_unc_arb"), .constraints = ipmu_client_arb_constraints,
	IPMU_SKL_ARB,
	.src = SRC, IPMU_CLIENT_TOGETHER,
};
static const struct ipmu_pmu_type clk = {
	IPMU_CLIENT_CLK("tgl_unc_clk"), IPMU_SKL_CLK, .src = SRC, IPMU_CLIENT_TOGETHER,
};

CONTROLLERS(u, 0x5000);
CONTROLLERS(h, 0xD800);

static const int u_models[] = { 0x8C, -1 }, h_models[] = { 0x8D, -1 };

const struct ipmu_family ipmu_tgl_client_uncore = {
	.machine = "tiger-lake-u",
	.name = "tgl_unc", IPMU_CLIENT_FAMILY, .src = SRC, .models = u_models,
	.models_text = "model 0x8C (Tiger Lake U)", .types = u_types, .registers = u_registers,
	.switches = ipmu_rkl_switches, .layout = &u_layout,
};

const struct ipmu_family ipmu_tglh_client_uncore = {
	.machine = "tiger-lake-h",
	.name = "tglh_unc", IPMU_CLIENT_FAMILY, .src = SRC, .models = h_models,
	.models_text = "model 0x8D (Tiger Lake H)", .types = h_types, .registers = h_registers,
	.switches = ipmu_rkl_switches, .layout = &h_layout,
};
