/* SPDX-License-Identifier: MIT */
/* Uncore of the 2nd-generation Core (Sandy Bridge): Skylake's registers, whose global control and
 * status have moved since, and at most four slices. libpfm4 has the slices already, with the clock
 * in the table of the first one. */
#include "client_uncore.h"

const struct ipmu_reg ipmu_snb_global_ctrl = {
	.name = "MSR_UNC_PERF_GLOBAL_CTRL", .src = "SDM 18.9.6, Table 2-22",
	.addr = 0x391, .width = 64, .access = IPMU_RW, .hardware_clears = true,
	.fields = IPMU_CLIENT_GLOBAL_FIELDS,
};

const struct ipmu_reg ipmu_snb_global_status = {
	.name = "MSR_UNC_PERF_GLOBAL_STATUS", .src = "SDM 18.9.6, Table 2-22; flags from LIKWID",
	.addr = 0x392, .width = 64, .access = IPMU_RW1C, .hardware_clears = true,
	.fields = { F("CBO_CTR_OVF", 3, 3), F("ARB_CTR_OVF", 1, 1), F("FIXED_CTR_OVF", 0, 0) },
};

/* The SDM names a fifth slice and four counters of each in one table, and two counters in its text:
 * programs that ran there use four slices of two, and so do we. */
const struct ipmu_reg ipmu_snb_cbo_perfevtsel = {
	.name = "MSR_UNC_CBO_%b_PERFEVTSEL%c", .src = "SDM 18.9.6, Table 2-22",
	.addr = 0x700, .box_stride = 0x10, .ctr_stride = 1, .boxes = 4, .ctrs = 2,
	.width = 64, .access = IPMU_RW, .fields = IPMU_CLIENT_SELECT_FIELDS,
};

const struct ipmu_reg ipmu_snb_cbo_perfctr = {
	.name = "MSR_UNC_CBO_%b_PERFCTR%c", .src = "SDM 18.9.6, Table 2-22",
	.addr = 0x706, .box_stride = 0x10, .ctr_stride = 1, .boxes = 4, .ctrs = 2,
	.width = 44, .access = IPMU_RW, .counter = true, .fields = IPMU_CLIENT_CTR_FIELDS,
};

const struct ipmu_reg *const ipmu_snb_registers[] = {
	&ipmu_snb_global_ctrl, &ipmu_snb_global_status, IPMU_SKL_PACKAGE_REGISTERS,
	&ipmu_snb_cbo_perfevtsel, &ipmu_snb_cbo_perfctr, NULL,
};

const struct ipmu_reg *const ipmu_snb_switches[] = { &ipmu_snb_global_ctrl, NULL };

static const struct ipmu_pmu_type cbo = {
	IPMU_CLIENT_CBO("snb_unc_cbo"),
	.src = "Intel perfmon SNB V19",
	IPMU_SNB_CBO, .pfm_plain = 1,
};
static const struct ipmu_pmu_type arb = {
	IPMU_CLIENT_ARB("snb_unc_arb"), .constraints = ipmu_client_arb_constraints,
	.src = "Intel perfmon SNB V19", IPMU_SKL_ARB,
	IPMU_CLIENT_FREEZES(&ipmu_snb_global_ctrl),
};
static const struct ipmu_pmu_type clk = {
	IPMU_CLIENT_CLK("snb_unc_clk"),
	.src = "Intel perfmon SNB V19", IPMU_SKL_CLK,
	IPMU_CLIENT_CLK_FREEZES(&ipmu_snb_global_ctrl),
};
static const struct ipmu_pmu_type imc = {
	IPMU_CLIENT_IMC("snb_unc_imc"),
	.src = "Linux uncore_snb.c, PCM; not documented by Intel", IPMU_SKL_IMC,
};

static const struct ipmu_pmu_type *const types[] = { &cbo, &arb, &clk, &imc, NULL };

static const struct ipmu_client_layout layout = {
	IPMU_SNB_LAYOUT, .units = IPMU_SKL_UNITS(&cbo, &arb, &clk, &imc),
};

static const int models[] = { 0x2A, -1 };

const struct ipmu_family ipmu_snb_client_uncore = {
	.machine = "sandy-bridge",
	.name = "snb_unc", IPMU_CLIENT_FAMILY,
	.src = "SDM 18.9.6, Table 2-22; Intel perfmon SNB V19; Linux uncore_snb.c",
	.models = models, .models_text = "model 0x2A (Sandy Bridge)",
	.types = types, .registers = ipmu_snb_registers, .switches = ipmu_snb_switches,
	.layout = &layout,
};
