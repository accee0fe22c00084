/* SPDX-License-Identifier: MIT */
/* Uncore of the 11th-generation desktop Core (Rocket Lake): registers of the arbiter and the clock
 * as on Skylake, memory controller as well; the slices' have moved, and Intel publishes no event of
 * theirs. Of the global registers only the enable is sourced, so there is no freeze. */
#include "client_uncore.h"

const struct ipmu_reg ipmu_rkl_global_ctrl = {
	.name = "MSR_UNC_PERF_GLOBAL_CTRL", .src = "Linux uncore_snb.c",
	.addr = 0xE01, .width = 64, .access = IPMU_RW,
	.fields = { F_BITS("EN", IPMU_CLIENT_GLOBAL_EN) },
};

static const struct ipmu_reg *const registers[] = {
	&ipmu_rkl_global_ctrl, IPMU_SKL_PACKAGE_REGISTERS, NULL,
};
const struct ipmu_reg *const ipmu_rkl_switches[] = { &ipmu_rkl_global_ctrl, NULL };

/* Intel's event file has these on counter 1 only, Linux on both. */
static const struct ipmu_constraint constraints[] = {
	{ .code = 0x80, .counters = 0x1, .src = "Intel perfmon RKL V1.04" },
	{ .code = 0x81, .counters = 0x2, .src = "Intel perfmon RKL V1.04" },
	{ .code = 0x84, .counters = 0x2, .src = "Intel perfmon RKL V1.04" },
	{ .code = 0x85, .counters = 0x1, .src = "Intel perfmon RKL V1.04" },
	{ 0 },
};

static const struct ipmu_pmu_type arb = {
	IPMU_CLIENT_ARB("rkl_unc_arb"), .constraints = constraints, IPMU_SKL_ARB,
	.src = "Intel perfmon RKL V1.04", IPMU_CLIENT_TOGETHER,
};
static const struct ipmu_pmu_type clk = {
	IPMU_CLIENT_CLK("rkl_unc_clk"), IPMU_SKL_CLK,
	.src = "Intel perfmon RKL V1.04", IPMU_CLIENT_TOGETHER,
};
static const struct ipmu_pmu_type imc = {
	IPMU_CLIENT_IMC("rkl_unc_imc"), IPMU_SKL_IMC,
	.src = "Linux uncore_snb.c, PCM; not documented by Intel",
};

static const struct ipmu_pmu_type *const types[] = { &arb, &clk, &imc, NULL };

static const struct ipmu_client_layout layout = {
	.global_ctrl = &ipmu_rkl_global_ctrl,
	.cbo_config = &ipmu_skl_cbo_config, .slices_max = 8,
	.units = IPMU_RKL_UNITS(&arb, &clk, &imc),
};

static const int models[] = { 0xA7, -1 };

const struct ipmu_family ipmu_rkl_client_uncore = {
	.machine = "rocket-lake",
	.name = "rkl_unc", IPMU_CLIENT_FAMILY,
	.src = "Intel perfmon RKL V1.04; Linux uncore_snb.c",
	.models = models, .models_text = "model 0xA7 (Rocket Lake)",
	.types = types, .registers = registers, .switches = ipmu_rkl_switches,
	.layout = &layout,
};
