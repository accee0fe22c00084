/* SPDX-License-Identifier: MIT */
/* Uncore of the 6th-generation Core (Skylake client) and the later parts at the same addresses.
 * Source: Intel 334060-001 (April 2016). What goes beyond it says so in its citation. */
#include "client_uncore.h"

const struct ipmu_reg ipmu_skl_global_ctrl = {
	.name = "MSR_UNC_PERF_GLOBAL_CTRL", .src = "334060-001 Table 2-2",
	.addr = 0xE01, .width = 64, .access = IPMU_RW, .hardware_clears = true,
	.fields = IPMU_CLIENT_GLOBAL_FIELDS,
};

const struct ipmu_reg ipmu_skl_global_status = {
	.name = "MSR_UNC_PERF_GLOBAL_STATUS",
	.src = "334060-001 Table 2-3, CBO_CTR_OVF misprinted there as bit 31",
	.addr = 0xE02, .width = 64, .access = IPMU_RW1C, .hardware_clears = true,
	.fields = { F("CBO_CTR_OVF", 3, 3), F("ARB_CTR_OVF", 1, 1), F("FIXED_CTR_OVF", 0, 0) },
};

const struct ipmu_reg ipmu_skl_fixed_ctrl = {
	.name = "MSR_UNC_PERF_FIXED_CTRL", .src = "334060-001 Table 2-4",
	.addr = 0x394, .width = 64, .access = IPMU_RW,
	.fields = { F_BITS("CNT_EN", IPMU_CLIENT_EN), F_BITS("OVF_EN", IPMU_CLIENT_OVF_EN) },
};

const struct ipmu_reg ipmu_skl_fixed_ctr = {
	.name = "MSR_UNC_PERF_FIXED_CTR", .src = "334060-001 Table 2-5",
	.addr = 0x395, .width = 48, .access = IPMU_RW, .counter = true,
	.fields = { F_BITS("CTR_VAL", IPMU_CLIENT_FIXED_VAL) },
};

const struct ipmu_reg ipmu_skl_cbo_config = {
	.name = "MSR_UNC_CBO_CONFIG", .src = "334060-001 Table 2-6",
	.addr = 0x396, .width = 64, .access = IPMU_RO,
	.fields = { F_BITS("NO_CBO_BANKS", IPMU_CLIENT_BANKS) },
};

const struct ipmu_reg ipmu_skl_arb_perfctr = {
	.name = "MSR_UNC_ARB_PERFCTR%c", .src = "334060-001 Table 2-8",
	.addr = 0x3B0, .ctr_stride = 1, .ctrs = 2, .width = 44, .access = IPMU_RW,
	.counter = true, .fields = IPMU_CLIENT_CTR_FIELDS,
};

const struct ipmu_reg ipmu_skl_arb_perfevtsel = {
	.name = "MSR_UNC_ARB_PERFEVTSEL%c", .src = "334060-001 Table 2-7",
	.addr = 0x3B2, .ctr_stride = 1, .ctrs = 2, .width = 64, .access = IPMU_RW,
	.fields = IPMU_CLIENT_SELECT_FIELDS,
};

/* Boxes 4 to 6 continue the stride and box 7 breaks it (Linux uncore.h); the document ends at 3. */
static const uint16_t cbo_offsets[] = { 0, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x870 };

static const struct ipmu_reg cbo_perfevtsel = {
	.name = "MSR_UNC_CBO_%b_PERFEVTSEL%c", .src = "334060-001 Tables 2-1, 2-7",
	.addr = 0x700, .box_offsets = cbo_offsets, .ctr_stride = 1, .boxes = 8, .ctrs = 2,
	.width = 64, .access = IPMU_RW,
	.fields = IPMU_CLIENT_SELECT_FIELDS,
};

static const struct ipmu_reg cbo_perfctr = {
	.name = "MSR_UNC_CBO_%b_PERFCTR%c", .src = "334060-001 Tables 2-1, 2-8",
	.addr = 0x706, .box_offsets = cbo_offsets, .ctr_stride = 1, .boxes = 8, .ctrs = 2,
	.width = 44, .access = IPMU_RW,
	.counter = true, .fields = IPMU_CLIENT_CTR_FIELDS,
};

const struct ipmu_reg ipmu_skl_imc_bar = {
	.name = "IMC_BAR", .src = "334060-001 3.3", .space = IPMU_PCI,
	.addr = 0x48, .width = 64, .access = IPMU_RO, .fields = { F("BAR", 38, 15) },
};

#define REQUESTS(name_, addr_) IPMU_CLIENT_REQUESTS(name_, addr_, "334060-001 Table 3-3")
const struct ipmu_reg ipmu_skl_dram_gt_requests = REQUESTS("DRAM_GT_REQUESTS", 0x5040);
const struct ipmu_reg ipmu_skl_dram_ia_requests = REQUESTS("DRAM_IA_REQUESTS", 0x5044);
const struct ipmu_reg ipmu_skl_dram_io_requests = REQUESTS("DRAM_IO_REQUESTS", 0x5048);
const struct ipmu_reg ipmu_skl_dram_data_reads = REQUESTS("DRAM_DATA_READS", 0x5050);
const struct ipmu_reg ipmu_skl_dram_data_writes = REQUESTS("DRAM_DATA_WRITES", 0x5054);

static const struct ipmu_reg *const registers[] = {
	&ipmu_skl_global_ctrl, &ipmu_skl_global_status, IPMU_SKL_PACKAGE_REGISTERS,
	&cbo_perfevtsel, &cbo_perfctr, NULL,
};

const struct ipmu_fixed_event ipmu_skl_clk_event[] = {
	{ .event = "UNC_CLOCK", .ctr = &ipmu_skl_fixed_ctr }, { 0 },
};

const struct ipmu_fixed_event ipmu_skl_imc_events[] = {
	{ .event = "DRAM_GT_REQUESTS", .ctr = &ipmu_skl_dram_gt_requests },
	{ .event = "DRAM_IA_REQUESTS", .ctr = &ipmu_skl_dram_ia_requests },
	{ .event = "DRAM_IO_REQUESTS", .ctr = &ipmu_skl_dram_io_requests },
	{ .event = "DRAM_DATA_READS", .ctr = &ipmu_skl_dram_data_reads },
	{ .event = "DRAM_DATA_WRITES", .ctr = &ipmu_skl_dram_data_writes },
	{ 0 },
};

static const struct ipmu_pmu_type cbo = {
	IPMU_CLIENT_CBO("skl_unc_cbo"), .src = "334060-001 Table 3-1",
	.select = &cbo_perfevtsel, .ctr = &cbo_perfctr, IPMU_CLIENT_FREEZES(&ipmu_skl_global_ctrl),
};
const struct ipmu_pmu_type ipmu_skl_arb = {
	IPMU_CLIENT_ARB("skl_unc_arb"), .constraints = ipmu_client_arb_constraints,
	.src = "334060-001 Table 3-2", IPMU_SKL_ARB,
	IPMU_CLIENT_FREEZES(&ipmu_skl_global_ctrl),
};
const struct ipmu_pmu_type ipmu_skl_clk = {
	IPMU_CLIENT_CLK("skl_unc_clk"), .src = "334060-001 Table 3-2", IPMU_SKL_CLK,
	IPMU_CLIENT_CLK_FREEZES(&ipmu_skl_global_ctrl),
};
const struct ipmu_pmu_type ipmu_skl_imc = {
	IPMU_CLIENT_IMC("skl_unc_imc"), .src = "334060-001 Table 3-3", IPMU_SKL_IMC,
};

static const struct ipmu_pmu_type *const types[] = {
	&cbo, &ipmu_skl_arb, &ipmu_skl_clk, &ipmu_skl_imc, NULL,
};

static const struct ipmu_client_layout layout = {
	.global_ctrl = &ipmu_skl_global_ctrl, .global_status = &ipmu_skl_global_status,
	.cbo_config = &ipmu_skl_cbo_config, .more = -1, .slices_max = 8,
	.units = IPMU_SKL_UNITS(&cbo, &ipmu_skl_arb, &ipmu_skl_clk, &ipmu_skl_imc),
};

static const struct ipmu_reg *const switches[] = { &ipmu_skl_global_ctrl, NULL };
static const int models[] = { 0x4E, 0x5E, 0x8E, 0x9E, 0xA5, 0xA6, -1 };

const struct ipmu_family ipmu_skl_client_uncore = {
	.machine = "skylake-client",
	.name = "skl_unc", IPMU_CLIENT_FAMILY,
	.src = "334060-001; models from SDM Table 35-38 and Linux uncore.c",
	.models = models,
	.models_text = "GenuineIntel family 6 models 0x4E, 0x5E, 0x8E, 0x9E, 0xA5, 0xA6 "
		       "(6th-generation Core to Comet Lake)",
	.types = types, .registers = registers, .switches = switches, .layout = &layout,
};
