/* SPDX-License-Identifier: MIT */
/* Uncore of the 6th-generation Core (Skylake client) and the later parts at the same addresses.
 * Source: Intel 334060-001 (April 2016). What goes beyond it says so in its citation. */
#include "counter_ops.h"

#include "../base/why.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define GLOBAL_FRZ BITS(31, 31)
#define GLOBAL_EN BITS(29, 29)
#define CBO_OVF BITS(3, 3)
#define ARB_OVF BITS(1, 1)
#define FIXED_OVF BITS(0, 0)
/* Of the selects and of the fixed counter's control. */
#define SELECT_EN BITS(22, 22)
#define SELECT_OVF_EN BITS(20, 20)
#define CTR_VAL BITS(43, 0)
#define FIXED_CTR_VAL BITS(47, 0)
#define NO_CBO_BANKS BITS(3, 0)
#define SLICES_DOCUMENTED 8

#define EVENT_SELECT_FIELDS { F_THRESHOLD("THR", 28, 24), F_EVENT("INV", 23, 23), \
	F_BITS("EN", SELECT_EN), F_BITS("OVF_EN", SELECT_OVF_EN), F_EDGE("E", 18, 18), \
	F_EVENT("UMASK", 15, 8), F_EVENT("EVT_SEL", 7, 0) }

static const struct ipmu_reg global_ctrl = {
	.name = "MSR_UNC_PERF_GLOBAL_CTRL", .src = "334060-001 Table 2-2",
	.addr = 0xE01, .width = 64, .access = IPMU_RW, .hardware_clears = true,
	.fields = { F_BITS("FRZ_ON_PMI", GLOBAL_FRZ), F("WAKE_ON_PMI", 30, 30),
		    F_BITS("EN", GLOBAL_EN), F("PMI_SEL_CORE", 3, 0) },
};

static const struct ipmu_reg global_status = {
	.name = "MSR_UNC_PERF_GLOBAL_STATUS",
	.src = "334060-001 Table 2-3, CBO_CTR_OVF misprinted there as bit 31",
	.addr = 0xE02, .width = 64, .access = IPMU_RW1C, .hardware_clears = true,
	.fields = { F_BITS("CBO_CTR_OVF", CBO_OVF), F_BITS("ARB_CTR_OVF", ARB_OVF),
		    F_BITS("FIXED_CTR_OVF", FIXED_OVF) },
};

static const struct ipmu_reg fixed_ctrl = {
	.name = "MSR_UNC_PERF_FIXED_CTRL", .src = "334060-001 Table 2-4",
	.addr = 0x394, .width = 64, .access = IPMU_RW,
	.fields = { F_BITS("CNT_EN", SELECT_EN), F_BITS("OVF_EN", SELECT_OVF_EN) },
};

static const struct ipmu_reg fixed_ctr = {
	.name = "MSR_UNC_PERF_FIXED_CTR", .src = "334060-001 Table 2-5",
	.addr = 0x395, .width = 48, .access = IPMU_RW, .counter = true,
	.fields = { F_BITS("CTR_VAL", FIXED_CTR_VAL) },
};

static const struct ipmu_reg cbo_config = {
	.name = "MSR_UNC_CBO_CONFIG", .src = "334060-001 Table 2-6",
	.addr = 0x396, .width = 64, .access = IPMU_RO,
	.fields = { F_BITS("NO_CBO_BANKS", NO_CBO_BANKS) },
};

static const struct ipmu_reg arb_perfctr = {
	.name = "MSR_UNC_ARB_PERFCTR%c", .src = "334060-001 Table 2-8",
	.addr = 0x3B0, .ctr_stride = 1, .ctrs = 2, .width = 44, .access = IPMU_RW,
	.counter = true,
	.fields = { F_BITS("CTR_VAL", CTR_VAL) },
};

static const struct ipmu_reg arb_perfevtsel = {
	.name = "MSR_UNC_ARB_PERFEVTSEL%c", .src = "334060-001 Table 2-7",
	.addr = 0x3B2, .ctr_stride = 1, .ctrs = 2, .width = 64, .access = IPMU_RW,
	.fields = EVENT_SELECT_FIELDS,
};

/* Boxes 4 to 6 continue the stride and box 7 breaks it (Linux uncore.h); the document ends at 3. */
static const struct ipmu_reg cbo_perfevtsel = {
	.name = "MSR_UNC_CBO_%b_PERFEVTSEL%c", .src = "334060-001 Tables 2-1, 2-7",
	.addr = 0x700, .box_stride = 0x10, .ctr_stride = 1, .boxes = 8, .ctrs = 2,
	.odd_box = 7, .odd_addr = 0xF70, .width = 64, .access = IPMU_RW,
	.fields = EVENT_SELECT_FIELDS,
};

static const struct ipmu_reg cbo_perfctr = {
	.name = "MSR_UNC_CBO_%b_PERFCTR%c", .src = "334060-001 Tables 2-1, 2-8",
	.addr = 0x706, .box_stride = 0x10, .ctr_stride = 1, .boxes = 8, .ctrs = 2,
	.odd_box = 7, .odd_addr = 0xF76, .width = 44, .access = IPMU_RW,
	.counter = true,
	.fields = { F_BITS("CTR_VAL", CTR_VAL) },
};

static const struct ipmu_reg imc_bar = {
	.name = "IMC_BAR", .src = "334060-001 3.3", .space = IPMU_PCI,
	.addr = 0x48, .width = 64, .access = IPMU_RO, .fields = { F("BAR", 38, 15) },
};

#define IMC_COUNTER(name_, addr_) { .name = name_, .src = "334060-001 Table 3-3", \
	.space = IPMU_MMIO, .addr = addr_, .width = 32, .access = IPMU_RO }
static const struct ipmu_reg dram_gt_requests = IMC_COUNTER("DRAM_GT_REQUESTS", 0x5040);
static const struct ipmu_reg dram_ia_requests = IMC_COUNTER("DRAM_IA_REQUESTS", 0x5044);
static const struct ipmu_reg dram_io_requests = IMC_COUNTER("DRAM_IO_REQUESTS", 0x5048);
static const struct ipmu_reg dram_data_reads = IMC_COUNTER("DRAM_DATA_READS", 0x5050);
static const struct ipmu_reg dram_data_writes = IMC_COUNTER("DRAM_DATA_WRITES", 0x5054);

static const struct ipmu_reg *const registers[] = {
	&global_ctrl, &global_status, &fixed_ctrl, &fixed_ctr, &cbo_config,
	&arb_perfctr, &arb_perfevtsel, &cbo_perfevtsel, &cbo_perfctr,
	&imc_bar, &dram_gt_requests, &dram_ia_requests, &dram_io_requests,
	&dram_data_reads, &dram_data_writes, NULL,
};

/* ---- freeze=N: 334060-001 2.1, Table 2-2 */

static const struct ipmu_own_qualifier qualifiers[] = {
	{ .name = "freeze", .least = 1, .most = CTR_VAL }, { 0 },
};
static const struct ipmu_own_qualifier clk_qualifiers[] = {
	{ .name = "freeze", .least = 1, .most = FIXED_CTR_VAL }, { 0 },
};

/* The carry out of the counter's top bit, which is the overflow, comes with the Nth event. */
static int extend(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
		  char *why)
{
	struct ipmu_choice *choice = &e->choices[0];
	uint64_t n;
	int rc = ipmu_period(event, ipmu_qualifiers_own(q, "freeze"),
			     ipmu_type_most(e->type, "freeze"), &n, why);

	if (rc || !n)
		return rc;
	choice->select |= SELECT_OVF_EN;
	choice->preset = choice->clear = true;
	choice->preset_value = ipmu_reg_fields(e->type->ctr) + 1 - n;
	choice->extra[choice->nextra++] = (struct ipmu_extra_reg){
		.reg = &global_ctrl, .mask = GLOBAL_FRZ, .value = GLOBAL_FRZ,
	};
	return 0;
}

static int preset(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		  uint64_t value)
{
	uint64_t flag = type->ctr == &cbo_perfctr ? CBO_OVF :
			type->ctr == &fixed_ctr ? FIXED_OVF : ARB_OVF;
	int rc = ipmu_msr_write(p, type->ctr, box, ctr, value);

	return rc ? rc : ipmu_msr_write(p, &global_status, 0, 0, flag);
}

static const struct ipmu_ops ops = {
	.program = ipmu_msr_program, .read = ipmu_msr_count_read, .preset = preset,
	.extend = extend, .units = ipmu_select_units,
};

static const struct ipmu_pmu_type cbo = {
	.name = "skl_unc_cbo", .units = "events",
	.src = "334060-001 Table 3-1",
	.pfm = "skl_unc_cbo", .pfm_numbered = true,
	.per_clock = 31, .clock_mhz = 5000,	/* THR tells up to 31 (Table 2-7) */
	.counters = 2, .select = &cbo_perfevtsel, .ctr = &cbo_perfctr,
	.enable = SELECT_EN, .qualifiers = qualifiers, .ops = &ops,
};

static const struct ipmu_constraint arb_constraints[] = {
	{ .code = 0x80, .counters = 0x1, .src = "334060-001 Table 3-2" },
	{ 0 },
};

static const struct ipmu_measure arb_measures[] = {
	{ "clocks", "UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST" },
	{ "entries x clocks", "UNC_ARB_TRK_OCCUPANCY" },
	{ "requests", "UNC_ARB_TRK_REQUESTS UNC_ARB_COH_TRK_REQUESTS" },
	{ 0 },
};

static const struct ipmu_pmu_type arb = {
	.name = "skl_unc_arb", .units = "events",
	.src = "334060-001 Table 3-2", .pfm = "skl_unc_arb",
	.per_clock = 128, .clock_mhz = 5000,	/* the tracker's size is not documented */
	.counters = 2, .select = &arb_perfevtsel, .ctr = &arb_perfctr,
	.enable = SELECT_EN, .qualifiers = qualifiers,
	.constraints = arb_constraints, .measures = arb_measures, .ops = &ops,
};

static const struct ipmu_fixed_event clk_event[] = {
	{ .event = "UNC_CLOCK", .ctr = &fixed_ctr }, { 0 },
};

static const struct ipmu_pmu_type clk = {
	.name = "skl_unc_clk", .units = "clocks",
	.src = "334060-001 Table 3-2", .pfm = "skl_unc_clk",
	.per_clock = 1, .clock_mhz = 5000,
	.counters = 1, .select = &fixed_ctrl, .ctr = &fixed_ctr,
	.fixed = clk_event, .enable = SELECT_EN, .qualifiers = clk_qualifiers, .ops = &ops,
};

static const struct ipmu_fixed_event imc_events[] = {
	{ .event = "DRAM_GT_REQUESTS", .ctr = &dram_gt_requests },
	{ .event = "DRAM_IA_REQUESTS", .ctr = &dram_ia_requests },
	{ .event = "DRAM_IO_REQUESTS", .ctr = &dram_io_requests },
	{ .event = "DRAM_DATA_READS", .ctr = &dram_data_reads },
	{ .event = "DRAM_DATA_WRITES", .ctr = &dram_data_writes },
	{ 0 },
};

static const struct ipmu_measure imc_measures[] = {
	{ "64-byte transfers", "DRAM_DATA_READS DRAM_DATA_WRITES" },
	{ 0 },
};

static const struct ipmu_pmu_type imc = {
	.name = "skl_unc_imc", .units = "requests", .src = "334060-001 Table 3-3",
	.pfm = "skl_unc_imc", .per_clock = 1, .clock_mhz = 938,	/* 60 GB/s in lines of 64 bytes */
	.counters = 5, .fixed = imc_events, .measures = imc_measures,
	.ops = &ipmu_window_ops,
};

enum { CBO, ARB, CLK, IMC };
static const struct ipmu_pmu_type *const types[] = {
	[CBO] = &cbo, [ARB] = &arb, [CLK] = &clk, [IMC] = &imc, NULL
};

static int read_slices(struct ipmu_regs *p, int *slices, char *why)
{
	uint64_t config;
	int rc = ipmu_msr_read(p, cbo_config.addr, &config);

	if (rc) {
		ipmu_fail(why, 0, "%s: MSR_UNC_CBO_CONFIG (0x396) cannot be read: %s: a "
			  "hypervisor hides the uncore", p->msr_path, strerror(-rc));
		ipmu_access_explain(p, rc, why);
		return ipmu_msr_absence(rc);
	}
	*slices = (int)ipmu_bits_get(NO_CBO_BANKS, config) - 1;
	return 0;
}

static void check_slices(int *slices, int ncores, char *reason, char *note)
{
	if (*slices < 1 || *slices > SLICES_DOCUMENTED) {
		ipmu_fail(reason, 0, "MSR_UNC_CBO_CONFIG reports %d C-Boxes, addresses are known "
			  "for 1 to %d", *slices, SLICES_DOCUMENTED);
		*slices = 0;
	} else if (*slices != ncores) {
		ipmu_fail(note, 0, "%d C-Boxes beside %d cores: the sums cover the C-Boxes",
			  *slices, ncores);
	}
}

static int discover(struct ipmu_regs *p, int ncores, struct ipmu_found *found, char *note,
		    char *why)
{
	int rc = read_slices(p, &found->nboxes[CBO], why);

	if (!rc)
		rc = ipmu_msr_probe(p, &arb_perfevtsel, &arb_perfctr, SELECT_EN, why);
	if (rc)
		return rc;
	check_slices(&found->nboxes[CBO], ncores, found->reasons[CBO], note);
	found->nboxes[ARB] = found->nboxes[CLK] = 1;
	found->nboxes[IMC] = ipmu_window_open(p, &imc_bar, &dram_gt_requests,
					      found->reasons[IMC]) == 0;
	return 0;
}

/* Has the hardware switched off what was on, for a counter with freeze=? */
static int frozen(struct ipmu_regs *p, bool *is)
{
	uint64_t last = ipmu_msr_last(p, &global_ctrl, 0, 0), now = GLOBAL_EN;
	int rc = 0;

	if (last & GLOBAL_FRZ && last & GLOBAL_EN)
		rc = ipmu_msr_read(p, global_ctrl.addr, &now);
	*is = !(now & GLOBAL_EN);
	return rc;
}

static bool adds_counters(const struct ipmu_activity *a)
{
	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		for (int b = 0; b < IPMU_BOXES_MAX; b++)
			if (a->active[t][b] & ~a->running[t][b])
				return true;
	return false;
}

/* Programmed counters have their local enable; those without a user count on unread. Counters that
 * a freeze has stopped stay so until their session ends: nobody may start beside them. */
static int control(struct ipmu_regs *p, const struct ipmu_activity *a)
{
	bool is_frozen;
	int rc;

	if (!ipmu_activity_any(a))
		return ipmu_msr_write(p, &global_ctrl, 0, 0, 0);
	rc = frozen(p, &is_frozen);
	if (rc || is_frozen)
		return rc ? rc : adds_counters(a) ? -EBUSY : 0;
	return ipmu_msr_update(p, &global_ctrl, 0, 0, GLOBAL_EN, GLOBAL_EN);
}

static const struct ipmu_reg *const switches[] = { &global_ctrl, NULL };
static bool enabled(struct ipmu_regs *p, const struct ipmu_reg *select, int box, int ctr,
		    uint64_t *value)
{
	return !ipmu_msr_read(p, ipmu_reg_addr(select, box, ctr), value) && (*value & SELECT_EN);
}

/* Without a read more in the usual case, in which the uncore is off as the reset leaves it. If it
 * is on, any counter that is enabled counts for somebody: control() stops all of them. */
static int busy(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr, char *why)
{
	static const struct {
		const struct ipmu_reg *reg;
		int boxes, ctrs;
	} selects[] = { { &cbo_perfevtsel, SLICES_DOCUMENTED, 2 }, { &arb_perfevtsel, 1, 2 },
			{ &fixed_ctrl, 1, 1 } };
	uint64_t value;
	int slices = 0, rc;

	(void)type, (void)box, (void)ctr;
	if (ipmu_msr_is_saved(p, &global_ctrl, 0, 0))
		return 0;
	rc = ipmu_msr_save(p, &global_ctrl, 0, 0, &value);
	if (rc || !(value & GLOBAL_EN) || read_slices(p, &slices, NULL))
		return rc;
	for (size_t i = 0; i < sizeof(selects) / sizeof(selects[0]); i++)
		for (int b = 0; b < selects[i].boxes && (i || b < slices); b++)
			for (int c = 0; c < selects[i].ctrs; c++)
				if (enabled(p, selects[i].reg, b, c, &value))
					return ipmu_access_busy(p, selects[i].reg, b, c, value,
								why);
	return 0;
}

/* What is put back one by one must not count meanwhile. Flags that were raised since the start are
 * cleared, and all three can be: each kind of counter has its overflow forwarded for a freeze. */
static int quiesce(struct ipmu_regs *p)
{
	return ipmu_msr_quiesce(p, &global_ctrl, &global_status, &global_status,
			       ipmu_reg_fields(&global_status));
}

static const int models[] = { 0x4E, 0x5E, 0x8E, 0x9E, 0xA5, 0xA6, -1 };

const struct ipmu_family ipmu_skl_client_uncore = {
	.name = "skl_unc", .scope = IPMU_SCOPE_PACKAGE,
	.src = "334060-001; models from SDM Table 35-38 and Linux uncore.c",
	.vendor = "GenuineIntel", .family = 6, .models = models,
	.models_text = "GenuineIntel family 6 models 0x4E, 0x5E, 0x8E, 0x9E, 0xA5, 0xA6 "
		       "(6th-generation Core to Comet Lake)",
	.types = types, .registers = registers, .switches = switches,
	.discover = discover, .control = control, .quiesce = quiesce, .busy = busy,
};
