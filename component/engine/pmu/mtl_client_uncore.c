/* SPDX-License-Identifier: MIT */
/* Uncore of the first Core Ultra (Meteor Lake) and of Arrow Lake-U: a compute tile with slices,
 * arbiters and a clock, and an SoC tile with arbiters (HAC_ARB), slices of requests (HAC_CBO) and a
 * clock of its own. There is no global enable: each tile has one, and each counter. Linux gives the
 * registers; Intel publishes events of the SoC tile, of one arbiter and of no slice. */
#include "client_uncore.h"

#define SRC "Linux uncore_snb.c; PmcReader; no document of Intel's was found"
#define JSON "Intel perfmon MTL 1.22"

#define SELECTS(unit_, addr_, boxes_) { .name = "MSR_UNC_" unit_ "_%b_PERFEVTSEL%c", .src = SRC, \
	.addr = addr_, .box_stride = 0x10, .ctr_stride = 1, .boxes = boxes_, .ctrs = 2, \
	.width = 64, .access = IPMU_RW, .fields = IPMU_CLIENT_WIDE_SELECT_FIELDS }
#define COUNTERS(unit_, addr_, boxes_) { .name = "MSR_UNC_" unit_ "_%b_PERFCTR%c", .src = SRC, \
	.addr = addr_, .box_stride = 0x10, .ctr_stride = 1, .boxes = boxes_, .ctrs = 2, \
	.width = 48, .access = IPMU_RW, .counter = true, \
	.fields = { F_BITS("CTR_VAL", IPMU_CLIENT_FIXED_VAL) } }
#define BOX_CTL(tile_, addr_) { .name = "MSR_UNC_" tile_ "_BOX_CTL", .src = SRC, \
	.addr = addr_, .width = 64, .access = IPMU_RW, \
	.fields = { F_BITS("EN", IPMU_CLIENT_GLOBAL_EN) } }
#define FIXED_CTRL(tile_, addr_) { .name = "MSR_UNC_" tile_ "_FIXED_CTRL", .src = SRC, \
	.addr = addr_, .width = 64, .access = IPMU_RW, \
	.fields = { F_BITS("EN", IPMU_CLIENT_EN) } }
#define FIXED_CTR(tile_, addr_) { .name = "MSR_UNC_" tile_ "_FIXED_CTR", .src = SRC, \
	.addr = addr_, .width = 48, .access = IPMU_RW, .counter = true, \
	.fields = { F_BITS("CTR_VAL", IPMU_CLIENT_FIXED_VAL) } }

const struct ipmu_reg ipmu_mtl_cncu_box_ctl = BOX_CTL("CNCU", 0x240E);
const struct ipmu_reg ipmu_mtl_cncu_fixed_ctrl = FIXED_CTRL("CNCU", 0x2402);
const struct ipmu_reg ipmu_mtl_cncu_fixed_ctr = FIXED_CTR("CNCU", 0x2408);
const struct ipmu_reg ipmu_mtl_sncu_box_ctl = BOX_CTL("SNCU", 0x200E);
const struct ipmu_reg ipmu_mtl_sncu_fixed_ctrl = FIXED_CTRL("SNCU", 0x2002);
const struct ipmu_reg ipmu_mtl_sncu_fixed_ctr = FIXED_CTR("SNCU", 0x2008);
const struct ipmu_reg ipmu_mtl_hac_arb_perfevtsel = SELECTS("HAC_ARB", 0x2012, 2);
const struct ipmu_reg ipmu_mtl_hac_arb_perfctr = COUNTERS("HAC_ARB", 0x2018, 2);
const struct ipmu_reg ipmu_mtl_hac_cbo_perfevtsel = SELECTS("HAC_CBO", 0x2042, 2);
const struct ipmu_reg ipmu_mtl_hac_cbo_perfctr = COUNTERS("HAC_CBO", 0x2048, 2);
static const struct ipmu_reg arb_perfevtsel = SELECTS("ARB", 0x2412, 2);
static const struct ipmu_reg arb_perfctr = COUNTERS("ARB", 0x2418, 2);
static const struct ipmu_reg cbo_perfevtsel = SELECTS("CBO", 0x2442, 12);
static const struct ipmu_reg cbo_perfctr = COUNTERS("CBO", 0x2448, 12);

static const struct ipmu_reg *const registers[] = {
	IPMU_MTL_TILE_REGISTERS, &ipmu_skl_cbo_config, &arb_perfevtsel, &arb_perfctr,
	&cbo_perfevtsel, &cbo_perfctr, IPMU_ADL_IMC_REGISTERS, NULL,
};
const struct ipmu_reg *const ipmu_mtl_switches[] = {
	&ipmu_mtl_cncu_box_ctl, &ipmu_mtl_sncu_box_ctl, NULL,
};

const struct ipmu_fixed_event ipmu_mtl_cncu_event[] = {
	{ .event = "UNC_CLOCK", .ctr = &ipmu_mtl_cncu_fixed_ctr }, { 0 },
};
const struct ipmu_fixed_event ipmu_mtl_sncu_event[] = {
	{ .event = "UNC_CLOCK", .ctr = &ipmu_mtl_sncu_fixed_ctr }, { 0 },
};

static const struct ipmu_pmu_type cbo = {
	IPMU_CLIENT_CBO("mtl_unc_cbo"), .src = SRC,
	.select = &cbo_perfevtsel, .ctr = &cbo_perfctr, IPMU_CLIENT_EACH,
};
static const struct ipmu_pmu_type arb = {
	IPMU_CLIENT_ARB("mtl_unc_arb"), .pfm_numbered = true,
	.constraints = ipmu_client_arb_constraints, .src = JSON,
	.select = &arb_perfevtsel, .ctr = &arb_perfctr, IPMU_CLIENT_EACH,
};
static const struct ipmu_pmu_type hac_arb = { IPMU_MTL_HAC_ARB("mtl_unc_hac_arb"), .src = JSON };
static const struct ipmu_pmu_type hac_cbo = { IPMU_MTL_HAC_CBO("mtl_unc_hac_cbo"), .src = JSON };
static const struct ipmu_pmu_type cncu = { IPMU_MTL_CNCU("mtl_unc_cncu"), .src = JSON };
static const struct ipmu_pmu_type sncu = { IPMU_MTL_SNCU("mtl_unc_sncu"), .src = JSON };
static const struct ipmu_pmu_type imc = {
	IPMU_CLIENT_IMC_SELECTS("mtl_unc_imc"), .src = JSON "; Linux uncore_snb.c", IPMU_ADL_IMC,
};
static const struct ipmu_pmu_type imc_free = {
	IPMU_CLIENT_IMC("mtl_unc_imc_free_running"), .src = JSON "; Linux uncore_snb.c",
	.counters = 12, .fixed = ipmu_mtl_imc_events,
};

static const struct ipmu_pmu_type *const types[] = {
	&cbo, &arb, &hac_arb, &hac_cbo, &cncu, &sncu, &imc, &imc_free, NULL,
};

static const struct ipmu_client_layout layout = {
	.box_ctrls = ipmu_mtl_switches, .window_reset = &ipmu_adl_imc_global_ctl,
	.cbo_config = &ipmu_skl_cbo_config, .slices_max = 12, .hybrid = true,
	.remark = "Intel publishes no event of the C-Boxes, and documents no MSR",
	.units = {
		{ .type = &cbo, .boxes = IPMU_CLIENT_SLICES }, { .type = &arb, .boxes = 2 },
		IPMU_MTL_TILE_UNITS(&hac_arb, &hac_cbo, &cncu, &sncu),
		IPMU_ADL_IMC_UNITS(&imc, &imc_free),
	},
};

static const int models[] = { 0xAA, 0xAC, 0xB5, -1 };

const struct ipmu_family ipmu_mtl_client_uncore = {
	.machine = "meteor-lake",
	.name = "mtl_unc", IPMU_CLIENT_FAMILY, .src = JSON "; " SRC,
	.models = models, .models_text = "models 0xAA, 0xAC, 0xB5 (Meteor Lake, Arrow Lake-U)",
	.types = types, .registers = registers, .switches = ipmu_mtl_switches, .layout = &layout,
};
