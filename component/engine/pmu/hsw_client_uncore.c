/* SPDX-License-Identifier: MIT */
/* Uncore of the 4th-generation Core (Haswell): Sandy Bridge's, by Linux and LIKWID. */
#include "client_uncore.h"


static const struct ipmu_pmu_type cbo = {
	IPMU_CLIENT_CBO("hsw_unc_cbo"),
	.src = "Intel perfmon HSW V36",
	IPMU_SNB_CBO,
};
static const struct ipmu_pmu_type arb = {
	IPMU_CLIENT_ARB("hsw_unc_arb"), .constraints = ipmu_client_arb_constraints,
	.src = "Intel perfmon HSW V36", IPMU_SKL_ARB,
	IPMU_CLIENT_FREEZES(&ipmu_snb_global_ctrl),
};
static const struct ipmu_pmu_type clk = {
	IPMU_CLIENT_CLK("hsw_unc_clk"),
	.src = "Intel perfmon HSW V36", IPMU_SKL_CLK,
	IPMU_CLIENT_CLK_FREEZES(&ipmu_snb_global_ctrl),
};
static const struct ipmu_pmu_type imc = {
	IPMU_CLIENT_IMC("hsw_unc_imc"),
	.src = "Linux uncore_snb.c, PCM; not documented by Intel", IPMU_SKL_IMC,
};

static const struct ipmu_pmu_type *const types[] = { &cbo, &arb, &clk, &imc, NULL };

static const struct ipmu_client_layout layout = {
	IPMU_SNB_LAYOUT, .units = IPMU_SKL_UNITS(&cbo, &arb, &clk, &imc),
};

static const int models[] = { 0x3C, 0x45, 0x46, -1 };

const struct ipmu_family ipmu_hsw_client_uncore = {
	.machine = "haswell",
	.name = "hsw_unc", IPMU_CLIENT_FAMILY,
	.src = "Intel perfmon HSW V36; Linux uncore_snb.c, LIKWID, PmcReader",
	.models = models, .models_text = "models 0x3C, 0x45, 0x46 (Haswell)",
	.types = types, .registers = ipmu_snb_registers, .switches = ipmu_snb_switches,
	.layout = &layout,
};
