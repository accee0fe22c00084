/* SPDX-License-Identifier: MIT */
/* Uncore of the 12th to 14th-generation Core (Alder Lake, Raptor Lake, Alder Lake-N): all registers
 * but MSR_UNC_CBO_CONFIG have moved, there are two arbiters, and the memory controllers have event
 * selects beside what they always count. The threshold of an arbiter has a bit less than that of a
 * slice. Intel publishes no event of the slices. */
#include "client_uncore.h"

#define SRC "SDM Table 2-49; Linux uncore_snb.c"
#define JSON "Intel perfmon ADL 1.40"

static const struct ipmu_reg global_ctrl = {
	.name = "MSR_UNC_PERF_GLOBAL_CTRL", .src = SRC,
	.addr = 0x2FF0, .width = 64, .access = IPMU_RW,
	.fields = { F_BITS("EN", IPMU_CLIENT_GLOBAL_EN) },
};
static const struct ipmu_reg fixed_ctrl = {
	.name = "MSR_UNC_PERF_FIXED_CTRL", .src = SRC,
	.addr = 0x2FDE, .width = 64, .access = IPMU_RW,
	.fields = { F_BITS("EN", IPMU_CLIENT_EN), F_BITS("OVF_EN", IPMU_CLIENT_OVF_EN) },
};
static const struct ipmu_reg fixed_ctr = {
	.name = "MSR_UNC_PERF_FIXED_CTR", .src = SRC,
	.addr = 0x2FDF, .width = 48, .access = IPMU_RW, .counter = true,
	.fields = { F_BITS("CTR_VAL", IPMU_CLIENT_FIXED_VAL) },
};
static const struct ipmu_reg cbo_perfevtsel = {
	.name = "MSR_UNC_CBO_%b_PERFEVTSEL%c", .src = SRC "; PmcReader",
	.addr = 0x2000, .box_stride = 8, .ctr_stride = 1, .boxes = 12, .ctrs = 2,
	.width = 64, .access = IPMU_RW, .fields = IPMU_CLIENT_WIDE_SELECT_FIELDS,
};
static const struct ipmu_reg cbo_perfctr = {
	.name = "MSR_UNC_CBO_%b_PERFCTR%c", .src = SRC "; PmcReader",
	.addr = 0x2002, .box_stride = 8, .ctr_stride = 1, .boxes = 12, .ctrs = 2,
	.width = 44, .access = IPMU_RW, .counter = true, .fields = IPMU_CLIENT_CTR_FIELDS,
};
static const struct ipmu_reg arb_perfevtsel = {
	.name = "MSR_UNC_ARB_%b_PERFEVTSEL%c", .src = SRC,
	.addr = 0x2FD0, .box_stride = 8, .ctr_stride = 1, .boxes = 2, .ctrs = 2,
	.width = 64, .access = IPMU_RW, .fields = IPMU_CLIENT_SELECT_FIELDS,
};
static const struct ipmu_reg arb_perfctr = {
	.name = "MSR_UNC_ARB_%b_PERFCTR%c", .src = "Linux uncore_snb.c; PmcReader",
	.addr = 0x2FD2, .box_stride = 8, .ctr_stride = 1, .boxes = 2, .ctrs = 2,
	.width = 44, .access = IPMU_RW, .counter = true, .fields = IPMU_CLIENT_CTR_FIELDS,
};

static const struct ipmu_reg *const registers[] = {
	&global_ctrl, &fixed_ctrl, &fixed_ctr, &ipmu_skl_cbo_config, &cbo_perfevtsel, &cbo_perfctr,
	&arb_perfevtsel, &arb_perfctr, IPMU_ADL_IMC_REGISTERS, NULL,
};
static const struct ipmu_reg *const switches[] = { &global_ctrl, NULL };

static const struct ipmu_fixed_event clk_event[] = {
	{ .event = "UNC_CLOCK", .ctr = &fixed_ctr }, { 0 },
};

static const struct ipmu_pmu_type cbo = {
	IPMU_CLIENT_CBO("adl_unc_cbo"), .src = SRC,
	.select = &cbo_perfevtsel, .ctr = &cbo_perfctr, IPMU_CLIENT_TOGETHER,
};
static const struct ipmu_pmu_type arb = {
	IPMU_CLIENT_ARB("adl_unc_arb"), .pfm_numbered = true,
	.constraints = ipmu_client_arb_constraints, .src = JSON,
	.select = &arb_perfevtsel, .ctr = &arb_perfctr, IPMU_CLIENT_TOGETHER,
};
static const struct ipmu_pmu_type clk = {
	IPMU_CLIENT_CLK("adl_unc_clk"), .src = JSON,
	.select = &fixed_ctrl, .ctr = &fixed_ctr, .fixed = clk_event, IPMU_CLIENT_TOGETHER,
};
static const struct ipmu_pmu_type imc = {
	IPMU_CLIENT_IMC_SELECTS("adl_unc_imc"), .src = JSON "; Linux uncore_snb.c", IPMU_ADL_IMC,
};
static const struct ipmu_pmu_type imc_free = {
	IPMU_CLIENT_IMC("adl_unc_imc_free_running"), .src = JSON "; Linux uncore_snb.c",
	.counters = 6, .fixed = ipmu_adl_imc_events,
};

static const struct ipmu_pmu_type *const types[] = { &cbo, &arb, &clk, &imc, &imc_free, NULL };

static const struct ipmu_client_layout layout = {
	.global_ctrl = &global_ctrl, .window_reset = &ipmu_adl_imc_global_ctl,
	.cbo_config = &ipmu_skl_cbo_config, .slices_max = 12, .hybrid = true,
	.remark = "Intel publishes no event of the C-Boxes",
	.units = {
		{ .type = &cbo, .boxes = IPMU_CLIENT_SLICES }, { .type = &arb, .boxes = 2 },
		{ .type = &clk, .boxes = 1 }, IPMU_ADL_IMC_UNITS(&imc, &imc_free),
	},
};

static const int models[] = { 0x97, 0x9A, 0xB7, 0xBA, 0xBE, 0xBF, -1 };

const struct ipmu_family ipmu_adl_client_uncore = {
	.machine = "alder-lake",
	.name = "adl_unc", IPMU_CLIENT_FAMILY, .src = JSON "; " SRC,
	.models = models,
	.models_text = "models 0x97, 0x9A, 0xB7, 0xBA, 0xBE, 0xBF (Alder Lake, Raptor Lake)",
	.types = types, .registers = registers, .switches = switches, .layout = &layout,
};
