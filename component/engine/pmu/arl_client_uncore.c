/* SPDX-License-Identifier: MIT */
/* Uncore of the second Core Ultra (Arrow Lake S and H): Meteor Lake's registers. Intel publishes
 * events of the SoC tile and of the memory controllers, none of the compute tile but its clock. */
#include "client_uncore.h"

#define SRC "Linux uncore_snb.c; not documented by Intel"
#define JSON "Intel perfmon ARL 1.20"

static const struct ipmu_reg *const registers[] = {
	IPMU_MTL_TILE_REGISTERS, IPMU_ADL_IMC_REGISTERS, NULL,
};

static const struct ipmu_pmu_type hac_arb = { IPMU_MTL_HAC_ARB("arl_unc_hac_arb"), .src = JSON };
static const struct ipmu_pmu_type hac_cbo = { IPMU_MTL_HAC_CBO("arl_unc_hac_cbo"), .src = JSON };
static const struct ipmu_pmu_type cncu = { IPMU_MTL_CNCU("arl_unc_cncu"), .src = JSON };
static const struct ipmu_pmu_type sncu = { IPMU_MTL_SNCU("arl_unc_sncu"), .src = JSON };
static const struct ipmu_pmu_type imc = {
	IPMU_CLIENT_IMC_SELECTS("arl_unc_imc"), .src = JSON "; Linux uncore_snb.c", IPMU_ADL_IMC,
};
static const struct ipmu_pmu_type imc_free = {
	IPMU_CLIENT_IMC("arl_unc_imc_free_running"), .src = JSON "; Linux uncore_snb.c",
	.counters = 12, .fixed = ipmu_mtl_imc_events,
};

static const struct ipmu_pmu_type *const types[] = {
	&hac_arb, &hac_cbo, &cncu, &sncu, &imc, &imc_free, NULL,
};

static const struct ipmu_client_layout layout = {
	.box_ctrls = ipmu_mtl_switches, .window_reset = &ipmu_adl_imc_global_ctl,
	.remark = "Intel publishes no event of the compute tile, and documents no register",
	.units = {
		IPMU_MTL_TILE_UNITS(&hac_arb, &hac_cbo, &cncu, &sncu),
		IPMU_ADL_IMC_UNITS(&imc, &imc_free),
	},
};

static const int models[] = { 0xC5, 0xC6, -1 };

const struct ipmu_family ipmu_arl_client_uncore = {
	.name = "arl_unc", IPMU_CLIENT_FAMILY, .src = JSON "; " SRC,
	.models = models, .models_text = "models 0xC5, 0xC6 (Arrow Lake)",
	.types = types, .registers = registers, .switches = ipmu_mtl_switches, .layout = &layout,
};
