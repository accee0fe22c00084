/* SPDX-License-Identifier: MIT */
/* Uncore of the 10-core Comet Lake: Skylake's, but MSR_UNC_CBO_CONFIG is the number of slices
 * itself, and the addresses of the eighth and later ones continue without a break. Both are from
 * one program that ran there, PmcReader; Intel documents neither, and Linux uses eight slices. */
#include "client_uncore.h"

#define SRC "PmcReader, on the i9-10900K"

static const struct ipmu_reg cbo_perfevtsel = {
	.name = "MSR_UNC_CBO_%b_PERFEVTSEL%c", .src = SRC,
	.addr = 0x700, .box_stride = 0x10, .ctr_stride = 1, .boxes = 10, .ctrs = 2,
	.width = 64, .access = IPMU_RW, .fields = IPMU_CLIENT_SELECT_FIELDS,
};

static const struct ipmu_reg cbo_perfctr = {
	.name = "MSR_UNC_CBO_%b_PERFCTR%c", .src = SRC,
	.addr = 0x706, .box_stride = 0x10, .ctr_stride = 1, .boxes = 10, .ctrs = 2,
	.width = 44, .access = IPMU_RW, .counter = true, .fields = IPMU_CLIENT_CTR_FIELDS,
};

static const struct ipmu_reg *const registers[] = {
	&ipmu_skl_global_ctrl, &ipmu_skl_global_status, IPMU_SKL_PACKAGE_REGISTERS,
	&cbo_perfevtsel, &cbo_perfctr, NULL,
};

static const struct ipmu_pmu_type cbo = {
	IPMU_CLIENT_CBO("skl_unc_cbo"), .src = SRC,
	.select = &cbo_perfevtsel, .ctr = &cbo_perfctr, IPMU_CLIENT_FREEZES(&ipmu_skl_global_ctrl),
};

static const struct ipmu_pmu_type *const types[] = {
	&cbo, &ipmu_skl_arb, &ipmu_skl_clk, &ipmu_skl_imc, NULL,
};

static const struct ipmu_client_layout layout = {
	.global_ctrl = &ipmu_skl_global_ctrl, .global_status = &ipmu_skl_global_status,
	.cbo_config = &ipmu_skl_cbo_config, .slices_max = 10,
	.remark = "the number of C-Boxes and the addresses of the last three are not documented "
		  "by Intel",
	.units = IPMU_SKL_UNITS(&cbo, &ipmu_skl_arb, &ipmu_skl_clk, &ipmu_skl_imc),
};

/* The smaller ones of that model are as Skylake is. */
static bool has_ten_cores(const struct ipmu_topology *topo)
{
	return topo->model == 0xA5 && topo->npackages > 0 && topo->packages[0].ncores > 8;
}

static const struct ipmu_reg *const switches[] = { &ipmu_skl_global_ctrl, NULL };

const struct ipmu_family ipmu_cml_client_uncore = {
	.machine = "comet-lake-10",
	.name = "cml_unc", IPMU_CLIENT_FAMILY, .src = "334060-001; " SRC,
	.matches = has_ten_cores,
	.models_text = "family 6 model 0xA5 with ten cores (Comet Lake)",
	.types = types, .registers = registers, .switches = switches, .layout = &layout,
};
