/* SPDX-License-Identifier: MIT */
/* Uncore of the second Core Ultra (Arrow Lake S and H): Meteor Lake's registers. Intel publishes
 * events of the SoC tile and of the memory controllers, none of the compute tile but its clock, and
 * documents the memory controllers' selects for the 200H and 200U. */
#include "client_uncore.h"

#define SRC "Linux uncore_snb.c; Intel 844345 for the memory controllers"
#define JSON "Intel perfmon ARL 1.20"

#define EDC "Intel 844345, PMON_COUNTER_CONTROL"

/* FRZ_ON_OV: an overflow is reported to the global control, which decides about a freeze; its bits
 * for that are in no document that was found. */
static const struct ipmu_reg imc_perfevtsel = {
	.name = "MC%b_PERFEVTSEL%c", .src = EDC, .space = IPMU_MMIO, .access = IPMU_RW,
	.addr = 0xD9D0, .box_stride = 0x10000, .boxes = 2, .ctr_stride = 4, .ctrs = 5, .width = 32,
	.fields = { F_THRESHOLD("THRESH", 31, 24), F_EVENT("INVERT", 23, 23),
		    F("FRZ_ON_OV", 20, 20), F_EDGE("EDGE_DET", 18, 18),
		    F("RST", 17, 17), F_EVENT("CH_MASK", 11, 8), F_EVENT("EV_SEL", 7, 0) },
};

static const struct ipmu_reg *const registers[] = {
	IPMU_MTL_TILE_REGISTERS, IPMU_ADL_IMC_REGISTERS_OF(&imc_perfevtsel), NULL,
};

static const struct ipmu_pmu_type hac_arb = { IPMU_MTL_HAC_ARB("arl_unc_hac_arb"), .src = JSON };
static const struct ipmu_pmu_type hac_cbo = { IPMU_MTL_HAC_CBO("arl_unc_hac_cbo"), .src = JSON };
static const struct ipmu_pmu_type cncu = { IPMU_MTL_CNCU("arl_unc_cncu"), .src = JSON };
static const struct ipmu_pmu_type sncu = { IPMU_MTL_SNCU("arl_unc_sncu"), .src = JSON };
static const struct ipmu_pmu_type imc = {
	IPMU_CLIENT_IMC_SELECTS("arl_unc_imc"), .src = JSON "; " EDC,
	.select = &imc_perfevtsel, .ctr = &ipmu_adl_imc_perfctr,
};
static const struct ipmu_pmu_type imc_free = {
	IPMU_CLIENT_IMC("arl_unc_imc_free_running"), .src = JSON "; Intel 844345",
	.counters = 12, .fixed = ipmu_mtl_imc_events,
};

static const struct ipmu_pmu_type *const types[] = {
	&hac_arb, &hac_cbo, &cncu, &sncu, &imc, &imc_free, NULL,
};

static const struct ipmu_client_layout layout = {
	.box_ctrls = ipmu_mtl_switches, .window_reset = &ipmu_adl_imc_global_ctl,
	.remark = "Intel publishes no event of the compute tile, and documents no MSR",
	.units = {
		IPMU_MTL_TILE_UNITS(&hac_arb, &hac_cbo, &cncu, &sncu),
		IPMU_ADL_IMC_UNITS(&imc, &imc_free),
	},
};

static const int models[] = { 0xC5, 0xC6, -1 };

const struct ipmu_family ipmu_arl_client_uncore = {
	.machine = "arrow-lake",
	.name = "arl_unc", IPMU_CLIENT_FAMILY, .src = JSON "; " SRC,
	.models = models, .models_text = "models 0xC5, 0xC6 (Arrow Lake)",
	.types = types, .registers = registers, .switches = ipmu_mtl_switches, .layout = &layout,
};
