/* SPDX-License-Identifier: MIT */
/* Uncore of the 5th-generation Core (Broadwell): Sandy Bridge's registers, and Skylake's events,
 * but for a few. 334060-001 2.1 has the addresses of its global control and status. */
#include "client_uncore.h"


static const struct ipmu_pmu_type cbo = {
	IPMU_CLIENT_CBO("bdw_unc_cbo"),
	.src = "Intel perfmon BDW V30",
	IPMU_SNB_CBO,
};
static const struct ipmu_pmu_type arb = {
	IPMU_CLIENT_ARB("bdw_unc_arb"), .constraints = ipmu_client_arb_constraints,
	.src = "Intel perfmon BDW V30", IPMU_SKL_ARB,
	IPMU_CLIENT_FREEZES(&ipmu_snb_global_ctrl),
};
static const struct ipmu_pmu_type clk = {
	IPMU_CLIENT_CLK("bdw_unc_clk"),
	.src = "Intel perfmon BDW V30", IPMU_SKL_CLK,
	IPMU_CLIENT_CLK_FREEZES(&ipmu_snb_global_ctrl),
};
static const struct ipmu_pmu_type imc = {
	IPMU_CLIENT_IMC("bdw_unc_imc"),
	.src = "Linux uncore_snb.c, PCM; not documented by Intel", IPMU_SKL_IMC,
};

static const struct ipmu_pmu_type *const types[] = { &cbo, &arb, &clk, &imc, NULL };

static const struct ipmu_client_layout layout = {
	IPMU_SNB_LAYOUT, .units = IPMU_SKL_UNITS(&cbo, &arb, &clk, &imc),
};

static const int models[] = { 0x3D, 0x47, -1 };

const struct ipmu_family ipmu_bdw_client_uncore = {
	.machine = "broadwell",
	.name = "bdw_unc", IPMU_CLIENT_FAMILY,
	.src = "334060-001 2.1; Intel perfmon BDW V30; Linux uncore_snb.c, LIKWID, PmcReader",
	.models = models, .models_text = "models 0x3D, 0x47 (Broadwell)",
	.types = types, .registers = ipmu_snb_registers, .switches = ipmu_snb_switches,
	.layout = &layout,
};
