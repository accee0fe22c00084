/* SPDX-License-Identifier: MIT */
/* Uncore of the 10th-generation Core (Ice Lake): as Rocket Lake's, but the global enable has no
 * effect (specification update, ICL068): each counter is switched by itself. Nor has counter 0 of
 * the arbiter, so that there is one counter, number 1. */
#include "client_uncore.h"

#define ERRATUM "Intel perfmon ICL 1.24; Linux uncore_snb.c for erratum ICL068"

static const struct ipmu_reg arb_perfctr = {
	.name = "MSR_UNC_ARB_PERFCTR1", .src = ERRATUM,
	.addr = 0x3B1, .width = 44, .access = IPMU_RW, .counter = true,
	.fields = IPMU_CLIENT_CTR_FIELDS,
};

static const struct ipmu_reg arb_perfevtsel = {
	.name = "MSR_UNC_ARB_PERFEVTSEL1", .src = ERRATUM,
	.addr = 0x3B3, .width = 64, .access = IPMU_RW, .fields = IPMU_CLIENT_SELECT_FIELDS,
};

static const struct ipmu_reg *const registers[] = {
	&ipmu_skl_fixed_ctrl, &ipmu_skl_fixed_ctr, &ipmu_skl_cbo_config, &arb_perfctr,
	&arb_perfevtsel, IPMU_SKL_IMC_REGISTERS, NULL,
};

static const struct ipmu_pmu_type arb = {
	.name = "icl_unc_arb", .units = "events", .pfm = "icl_unc_arb", .counters = 1,
	.raw = IPMU_CLIENT_ARB_RAW,
	.per_clock = 128, .clock_mhz = 5000,	/* the tracker's size is not documented */
	.measures = ipmu_client_arb_measures, .ops = &ipmu_client_ops, .src = ERRATUM,
	.select = &arb_perfevtsel, .ctr = &arb_perfctr, IPMU_CLIENT_EACH,
};
static const struct ipmu_pmu_type clk = {
	IPMU_CLIENT_CLK("icl_unc_clk"), IPMU_SKL_CLK, .src = ERRATUM, IPMU_CLIENT_EACH,
};
static const struct ipmu_pmu_type imc = {
	IPMU_CLIENT_IMC("icl_unc_imc"), IPMU_SKL_IMC,
	.src = "Linux uncore_snb.c, PCM; not documented by Intel",
};

static const struct ipmu_pmu_type *const types[] = { &arb, &clk, &imc, NULL };

static const struct ipmu_client_layout layout = {
	.cbo_config = &ipmu_skl_cbo_config, .slices_max = 8,
	.units = IPMU_RKL_UNITS(&arb, &clk, &imc),
};

static const int models[] = { 0x7D, 0x7E, -1 };

const struct ipmu_family ipmu_icl_client_uncore = {
	.machine = "ice-lake",
	.name = "icl_unc", IPMU_CLIENT_FAMILY, .src = ERRATUM,
	.models = models, .models_text = "models 0x7D, 0x7E (Ice Lake client)",
	.types = types, .registers = registers, .layout = &layout,
};
