/* SPDX-License-Identifier: MIT */
/* Uncore of the Core Ultra series 3 (Panther Lake) and of Wildcat Lake: Intel publishes events of
 * the memory controllers and of a clock. The controllers' counters with event selects are where a
 * discovery table says; those that always run are Alder Lake's. The clock is that of the first of
 * two cNCUs; what the second one counts is not published. */
#include "client_uncore.h"

#define SRC "Intel perfmon PTL 1.07; Linux uncore_snb.c, uncore_discovery.h"
#define LINUX "Linux uncore_snb.c, uncore_discovery.h; no document of Intel's was found"

static const struct ipmu_reg discovery = {
	.name = "UNCORE_DISCOVERY_MSR", .src = LINUX, .addr = 0x201E, .width = 64,
	.access = IPMU_RO, .discovery = true, .fields = { F("TABLE", 63, 0) },
};

/* Nova Lake has these too. Box controls stand before what they freeze, and the control of all
 * behind them: what is saved first is put back last. */
#define UNIT(name_, at_) .name = name_, .src = LINUX, .space = IPMU_MMIO, .access = IPMU_RW, \
	.addr = IPMU_UNITS_FROM + (at_), .box_stride = IPMU_UNIT_STEP, \
	.boxes = IPMU_UNITS_MAX, .unit_type = 6

const struct ipmu_reg ipmu_ptl_unit_ctl = {
	UNIT("IMC%b_UNIT_CTL", 0), .width = 32, .fields = { F_BITS("FRZ", IPMU_CLIENT_BOX_FRZ) },
};
const struct ipmu_reg ipmu_ptl_unit_perfevtsel = {
	UNIT("IMC%b_PERFEVTSEL%c", IPMU_UNIT_SELECTS), .ctr_stride = 4, .ctrs = 5, .width = 32,
	.fields = { F_THRESHOLD("THR", 31, 24), F_EVENT("INV", 23, 23), F_EDGE("E", 18, 18),
		    F_EVENT("UMASK", 15, 8), F_EVENT("EVT_SEL", 7, 0) },
};
const struct ipmu_reg ipmu_ptl_unit_perfctr = {
	UNIT("IMC%b_PERFCTR%c", IPMU_UNIT_COUNTERS), .ctr_stride = 8, .ctrs = 5, .width = 64,
	.counter = true, .fields = { F("CTR_VAL", 63, 0) },
};
const struct ipmu_reg ipmu_ptl_units_global_ctl = {
	.name = "UNITS_GLOBAL_CTL", .src = LINUX, .space = IPMU_MMIO, .access = IPMU_RW,
	.addr = IPMU_UNITS_GLOBAL, .width = 32, .fields = { F_BITS("FRZ", IPMU_CLIENT_BOX_FRZ) },
};

static const struct ipmu_reg cncu_box_ctl = {
	.name = "MSR_UNC_CNCU_0_BOX_CTL", .src = LINUX, .addr = 0x240E, .width = 64,
	.access = IPMU_RW, .fields = { F_BITS("EN", IPMU_CLIENT_GLOBAL_EN) },
};
static const struct ipmu_reg cncu_fixed_ctrl = {
	.name = "MSR_UNC_CNCU_0_FIXED_CTRL", .src = LINUX, .addr = 0x2402, .width = 64,
	.access = IPMU_RW, .fields = { F_BITS("EN", IPMU_CLIENT_EN) },
};
static const struct ipmu_reg cncu_fixed_ctr = {
	.name = "MSR_UNC_CNCU_0_FIXED_CTR", .src = LINUX, .addr = 0x2408, .width = 48,
	.access = IPMU_RW, .counter = true, .fields = { F_BITS("CTR_VAL", IPMU_CLIENT_FIXED_VAL) },
};
static const struct ipmu_fixed_event cncu_event[] = {
	{ .event = "UNC_CLOCK", .ctr = &cncu_fixed_ctr }, { 0 },
};

static const struct ipmu_reg *const registers[] = {
	&cncu_box_ctl, &cncu_fixed_ctrl, &cncu_fixed_ctr,
	IPMU_PTL_IMC_REGISTERS(&discovery), NULL,
};
static const struct ipmu_reg *const switches[] = { &cncu_box_ctl, NULL };

static const struct ipmu_pmu_type cncu = {
	IPMU_CLIENT_CLK("ptl_unc_cncu"), .src = SRC, .select = &cncu_fixed_ctrl,
	.ctr = &cncu_fixed_ctr, .fixed = cncu_event, IPMU_CLIENT_EACH,
};
static const struct ipmu_pmu_type imc = {
	IPMU_CLIENT_IMC_SELECTS("ptl_unc_imc"), .src = SRC, IPMU_PTL_IMC,
};
static const struct ipmu_pmu_type imc_free = {
	IPMU_CLIENT_IMC("ptl_unc_imc_free_running"), .src = LINUX,
	.counters = 6, .fixed = ipmu_adl_imc_events,
};

static const struct ipmu_pmu_type *const types[] = { &cncu, &imc, &imc_free, NULL };

static const struct ipmu_client_layout layout = {
	.box_ctrls = switches, .window_thaw = &ipmu_ptl_units_global_ctl,
	.remark = "Intel publishes events of the memory controllers and a clock; registers are "
		  "known from Linux",
	.units = { { .type = &cncu, .boxes = 1 }, IPMU_PTL_IMC_UNITS(&imc, &imc_free) },
};

static const int models[] = { 0xCC, 0xD5, 0xE5, -1 };

const struct ipmu_family ipmu_ptl_client_uncore = {
	.machine = "panther-lake",
	.name = "ptl_unc", IPMU_CLIENT_FAMILY, .src = SRC,
	.models = models, .models_text = "models 0xCC, 0xD5, 0xE5 (Panther Lake, Wildcat Lake)",
	.types = types, .registers = registers, .switches = switches, .layout = &layout,
};
