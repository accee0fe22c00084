/* SPDX-License-Identifier: MIT */
/* Uncore of the 3rd-generation Core (Ivy Bridge): Sandy Bridge's, by Linux and LIKWID. */
#include "client_uncore.h"


static const struct ipmu_pmu_type cbo = {
	IPMU_CLIENT_CBO("ivb_unc_cbo"),
	.src = "Intel perfmon IVB V24",
	IPMU_SNB_CBO, .pfm_plain = 1,
};
static const struct ipmu_pmu_type arb = {
	IPMU_CLIENT_ARB("ivb_unc_arb"), .constraints = ipmu_client_arb_constraints,
	.src = "Intel perfmon IVB V24", IPMU_SKL_ARB,
	IPMU_CLIENT_FREEZES(&ipmu_snb_global_ctrl),
};
static const struct ipmu_pmu_type clk = {
	IPMU_CLIENT_CLK("ivb_unc_clk"),
	.src = "Intel perfmon IVB V24", IPMU_SKL_CLK,
	IPMU_CLIENT_CLK_FREEZES(&ipmu_snb_global_ctrl),
};
static const struct ipmu_pmu_type imc = {
	IPMU_CLIENT_IMC("ivb_unc_imc"),
	.src = "Linux uncore_snb.c, PCM; not documented by Intel", IPMU_SKL_IMC,
};

static const struct ipmu_pmu_type *const types[] = { &cbo, &arb, &clk, &imc, NULL };

static const struct ipmu_client_layout layout = {
	IPMU_SNB_LAYOUT, .units = IPMU_SKL_UNITS(&cbo, &arb, &clk, &imc),
};

static const int models[] = { 0x3A, -1 };

const struct ipmu_family ipmu_ivb_client_uncore = {
	.machine = "ivy-bridge",
	.name = "ivb_unc", IPMU_CLIENT_FAMILY,
	.src = "Intel perfmon IVB V24; Linux uncore_snb.c, LIKWID",
	.models = models, .models_text = "model 0x3A (Ivy Bridge)",
	.types = types, .registers = ipmu_snb_registers, .switches = ipmu_snb_switches,
	.layout = &layout,
};
