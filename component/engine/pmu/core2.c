/* SPDX-License-Identifier: MIT */
/* Core 2: three fixed counters (SDM page 18-17: Tables 18-6 to 18-8, section 18.4.1) and, beside
 * them, two general counters; their registers are from the same edition of the SDM, 325384-059. */
#include "core2.h"

#include "core_ops.h"
#include "counter_ops.h"
#include "raw_event.h"

#include "../base/why.h"

#include <errno.h>
#include <string.h>

#define EMON_AVAILABLE BITS(7, 7)
#define PEBS_ENABLE BITS(0, 0)
/* Bits of the global control, status and overflow control, one for each general counter. */
#define GENERAL_BITS BITS(1, 0)
#define PMC_WRITTEN BITS(31, 0)

#define FIXED_FIELD(n) F_BITS("PMI" #n, IPMU_FIXED_PMI(n)), \
	F_BITS("ENABLE" #n, IPMU_FIXED_ENABLE(n))

static const struct ipmu_reg fixed_ctr = {
	.name = "MSR_PERF_FIXED_CTR%c", .src = "SDM Table 18-8",
	.addr = 0x309, .ctr_stride = 1, .ctrs = 3, .width = 40, .access = IPMU_RW,
	.counter = true, .fields = { F("CTR_VAL", 39, 0) },
};

static const struct ipmu_reg fixed_ctr_ctrl = {
	.name = "MSR_PERF_FIXED_CTR_CTRL", .src = "SDM 18.4.1, Table 35-3",
	.addr = 0x38D, .width = 64, .access = IPMU_RW,
	.fields = { FIXED_FIELD(2), FIXED_FIELD(1), FIXED_FIELD(0) },
};

static const struct ipmu_reg global_status = {
	.name = "MSR_PERF_GLOBAL_STATUS", .src = "SDM 18.4.2, Table 35-3",
	.addr = 0x38E, .width = 64, .access = IPMU_RO,
	.fields = { F("CondChgd", 63, 63), F("OvfBuffer", 62, 62),
		    F_BITS("FIXED_CTR_Ovf", IPMU_FIXED_BITS), F_BITS("PMC_Ovf", GENERAL_BITS) },
};

static const struct ipmu_reg global_ctrl = {
	.name = "MSR_PERF_GLOBAL_CTRL", .src = "SDM 18.4.2, Table 35-3",
	.addr = 0x38F, .width = 64, .access = IPMU_RW,
	.fields = { F_BITS("FIXED_CTR_En", IPMU_FIXED_BITS), F_BITS("PMC_En", GENERAL_BITS) },
};

static const struct ipmu_reg global_ovf_ctrl = {
	.name = "MSR_PERF_GLOBAL_OVF_CTRL", .src = "SDM 18.4.2, Table 35-3",
	.addr = 0x390, .width = 64, .access = IPMU_WO,
	.fields = { F("ClrCondChgd", 63, 63), F("ClrOvfBuffer", 62, 62),
		    F_BITS("FIXED_CTR_ClrOvf", IPMU_FIXED_BITS),
		    F_BITS("PMC_ClrOvf", GENERAL_BITS) },
};

/* A write takes bits 31:0 and copies bit 31 into bits 39:32. So a counter that is found above
 * 0x7FFFFFFF and below 0xFF80000000 is restored in its low 32 bits only. */
static const struct ipmu_reg pmc = {
	.name = "IA32_PMC%c", .src = "SDM 18.2, Table 35-2",
	.addr = 0xC1, .ctr_stride = 1, .ctrs = 2, .width = 40, .access = IPMU_RW,
	.counter = true, .fields = { F_BITS("CTR_VAL", PMC_WRITTEN) },
};

static const struct ipmu_reg perfevtsel = {
	.name = "IA32_PERFEVTSEL%c", .src = "SDM 18.2.1; bit 21 from PerfMon 3 on only",
	.addr = 0x186, .ctr_stride = 1, .ctrs = 2, .width = 32, .access = IPMU_RW,
	.fields = { F_THRESHOLD("CMASK", 31, 24), F_EVENT("INV", 23, 23),
		    F_BITS("EN", IPMU_CORE_EN), F_BITS("INT", IPMU_CORE_INT), F("PC", 19, 19),
		    F_EDGE("E", 18, 18), F_EVENT_BITS("OS", IPMU_CORE_OS),
		    F_EVENT_BITS("USR", IPMU_CORE_USR), F_EVENT("UMASK", 15, 8),
		    F_EVENT("Event Select", 7, 0) },
};

static const struct ipmu_reg pebs_enable = {
	.name = "IA32_PEBS_ENABLE", .src = "SDM 18.4.4, Table 35-3",
	.addr = 0x3F1, .width = 64, .access = IPMU_RW, .never_write = true,
	.fields = { F_BITS("PEBS on IA32_PMC0", PEBS_ENABLE) },
};

static const struct ipmu_reg misc_enable = {	/* never written */
	.name = "IA32_MISC_ENABLE", .src = "SDM Table 35-3",
	.addr = 0x1A0, .width = 64, .access = IPMU_RW,
};

static const struct ipmu_reg *const registers[] = {
	&fixed_ctr, &fixed_ctr_ctrl, &global_status, &global_ctrl, &global_ovf_ctrl, &pmc,
	&perfevtsel, &pebs_enable, &misc_enable, NULL,
};

#define ONLY(code_, counters_) { .code = code_, .counters = counters_, \
	.src = "SDM Table 19-23; 0xC9: Linux arch/x86/events/intel/core.c" }

static const struct ipmu_constraint constraints[] = {
	ONLY(0x10, 1), ONLY(0x11, 2), ONLY(0x12, 2), ONLY(0x13, 2), ONLY(0x14, 1), ONLY(0x18, 1),
	ONLY(0x19, 2), ONLY(0xA1, 1), ONLY(0xC9, 1), ONLY(0xCB, 1), { 0 },
};

enum { CORE, FIXED };
static const struct ipmu_pmu_type core, core_fixed;

static int core_encode(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
		       const uint64_t *codes, int ncodes, char *why)
{
	uint64_t select = codes[0];

	if (ipmu_fixed_alone(select))
		return ipmu_fixed_encode(e, &core_fixed, event, q, codes, ncodes, why);
	/* SDM Table 19-23 gives BUSQ_EMPTY the CORE sub-field, libpfm4 the AGENT. Its "this agent"
	 * is made "this core", which means this agent as well. */
	if ((select & 0xFFFF) == 0x7D && !ipmu_raw_is(e->type, event))
		select |= 0x4000;
	if (ipmu_core2_check_umask(event, select, why))
		return -EINVAL;
	return ipmu_core_encode(e, event, q, &select, 1, why);
}

static int core_preset(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		       uint64_t value)
{
	(void)box;
	return ipmu_core_preset(p, type->ctr, ctr, value & PMC_WRITTEN, &global_ovf_ctrl,
				1ull << ctr);
}

static const struct ipmu_ops core_ops = {
	.check = ipmu_core2_check_names, .encode = core_encode, .program = ipmu_core_program,
	.read = ipmu_msr_count_read, .preset = core_preset, .units = ipmu_select_units,
};

/* A write sets bits 31:0 and copies bit 31 above them: no start value is further from the wrap. */
static const struct ipmu_own_qualifier core_qualifiers[] = {
	{ .name = "ovf", .least = 1, .most = 1ull << 31 }, { 0 },
};

/* Units from SDM Table 19-23: clocks of the bus where it says bus cycles. */
static const struct ipmu_measure core_measures[] = {
	{ "bus clocks", "CPU_CLK_UNHALTED:BUS CPU_CLK_UNHALTED:NO_OTHER BUS_DRDY_CLOCKS "
	  "BUS_LOCK_CLOCKS BUS_DATA_RCV BUS_HIT_DRV BUS_HITM_DRV" },
	{ "clocks", "UNHALTED_CORE_CYCLES CPU_CLK_UNHALTED RS_UOPS_DISPATCHED_CYCLES "
	  "RS_UOPS_DISPATCHED_NONE SB_DRAIN_CYCLES STORE_BLOCK PAGE_WALKS:CYCLES "
	  "CYCLES_DIV_BUSY IDLE_DURING_DIV L2_ADS L2_DBUS_BUSY_RD L2_NO_REQ BUSQ_EMPTY "
	  "BUS_IO_WAIT INST_QUEUE CYCLES_L1I_MEM_STALLED ILD_STALL CYCLES_INT_MASKED "
	  "CYCLES_INT_PENDING_AND_MASKED RAT_STALLS RESOURCE_STALLS" },
	{ "reference clocks", "UNHALTED_REFERENCE_CYCLES" },
	{ "entries x clocks", "L1D_PEND_MISS BUS_REQUEST_OUTSTANDING" },
	{ "micro-ops", "RS_UOPS_DISPATCHED FP_COMP_OPS_EXE SIMD_UOPS_EXEC SIMD_SAT_UOP_EXEC "
	  "SIMD_UOP_TYPE_EXEC UOPS_RETIRED" },
	{ "instructions", "INSTRUCTION_RETIRED INSTRUCTIONS_RETIRED BRANCH_INSTRUCTIONS_RETIRED "
	  "MISPREDICTED_BRANCH_RETIRED SSE_PRE_EXEC SSE_PRE_MISS BR_INST_EXEC BR_MISSP_EXEC "
	  "BR_BAC_MISSP_EXEC BR_CND_EXEC BR_CND_MISSP_EXEC BR_IND_EXEC BR_IND_MISSP_EXEC "
	  "BR_RET_EXEC BR_RET_MISSP_EXEC BR_RET_BAC_MISSP_EXEC BR_CALL_EXEC BR_CALL_MISSP_EXEC "
	  "BR_IND_CALL_EXEC MACRO_INSTS INST_RETIRED X87_OPS_RETIRED:FXCH BR_INST_RETIRED "
	  "BR_INST_RETIRED_MISPRED SIMD_INST_RETIRED ITLB_MISS_RETIRED SIMD_COMP_INST_RETIRED "
	  "SIMD_INSTR_RETIRED SIMD_SAT_INSTR_RETIRED BR_INST_DECODED" },
	{ 0 },
};

static const struct ipmu_pmu_type core = {
	.name = "core", .units = "events",
	.src = "SDM Table 19-23", .pfm = "core", .raw = "event=0xC0:umask=0x00",
	.per_clock = 16, .clock_mhz = 3400,	/* outstanding requests, summed per clock */
	.counters = 2, .select = &perfevtsel, .ctr = &pmc,
	.enable = IPMU_CORE_EN, .constraints = constraints,
	.qualifiers = core_qualifiers, .measures = core_measures, .ops = &core_ops,
};

static const struct ipmu_pmu_type core_fixed = {
	.name = "core_fixed", .units = "events",
	.src = "SDM Table 18-8", .pfm = "core_fixed",
	.per_clock = 5, .clock_mhz = 3400,	/* four instructions, two of them fused */
	.counters = IPMU_FIXED_COUNTERS, .select = &fixed_ctr_ctrl,
	.ctr = &fixed_ctr, .measures = ipmu_fixed_measures,
	.qualifiers = ipmu_core_qualifiers, .ops = &ipmu_fixed_ops,
};

static const struct ipmu_pmu_type *const types[] = {
	[CORE] = &core, [FIXED] = &core_fixed, NULL
};

static const int models[] = { 0x0F, 0x16, 0x17, 0x1D, -1 };

/* CPUID is believed only if it speaks of a Core 2: the topology may describe another machine. Parts
 * with PerfMon 1 have the counters and do not report them; those with 2 may forget to. */
static int documented_counters(int os_cpu, struct ipmu_found *found)
{
	struct ipmu_cpuid id;
	bool core2 = false;

	ipmu_cpuid_read(os_cpu, &id);
	for (const int *m = models; *m >= 0; m++)
		core2 = core2 || (id.family == 6 && id.model == *m);
	if (!core2 || id.version < 2)
		return IPMU_FIXED_COUNTERS;
	found->widths[FIXED] = (uint8_t)id.width;
	return id.hypervisor || id.fixed > IPMU_FIXED_COUNTERS ? id.fixed : IPMU_FIXED_COUNTERS;
}

static int general_usable(struct ipmu_regs *p, char *reason)
{
	uint64_t misc, pebs;

	if (ipmu_msr_read(p, misc_enable.addr, &misc) == 0 && !(misc & EMON_AVAILABLE)) {
		ipmu_fail(reason, 0, "%s: IA32_MISC_ENABLE bit 7 says that performance monitoring "
			  "is not available: the firmware or a hypervisor has switched it off",
			  p->msr_path);
		return 0;
	}
	if (ipmu_msr_read(p, pebs_enable.addr, &pebs) == 0 && (pebs & PEBS_ENABLE)) {
		ipmu_fail(reason, 0, "%s: IA32_PEBS_ENABLE is set: somebody samples with counter "
			  "0; end that program first", p->msr_path);
		return 0;
	}
	return 1;
}

static int core2_discover(struct ipmu_regs *p, int ncores, struct ipmu_found *found, char *note,
			  char *why)
{
	uint64_t value;
	int rc = ipmu_msr_read(p, perfevtsel.addr, &value);

	(void)ncores, (void)note;
	if (rc) {
		ipmu_fail(why, 0, "%s: IA32_PERFEVTSEL0 (0x186) cannot be read: %s: a hypervisor "
			  "hides the counters", p->msr_path, strerror(-rc));
		ipmu_access_explain(p, rc, why);
		return ipmu_msr_absence(rc);
	}
	found->nboxes[CORE] = general_usable(p, found->reasons[CORE]);
	found->nboxes[FIXED] = ipmu_fixed_discover(p, &core_fixed,
						    documented_counters(p->os_cpu, found),
						   &global_ctrl, found->reasons[FIXED]);
	if (found->nboxes[CORE] || found->nboxes[FIXED])
		return 0;
	return ipmu_fail(why, -ENXIO, "%s", found->reasons[CORE]);
}

static int core2_control(struct ipmu_regs *p, const struct ipmu_activity *a)
{
	uint64_t found, fixed = a->active[FIXED][0];
	int rc = ipmu_msr_save(p, &global_status, 0, 0, &found);

	if (rc)
		return rc;
	return ipmu_msr_write(p, &global_ctrl, 0, 0,
			      ipmu_bits_put(IPMU_FIXED_BITS, fixed) | a->active[CORE][0]);
}

static int core2_quiesce(struct ipmu_regs *p)
{
	return ipmu_msr_quiesce(p, &global_ctrl, &global_status, &global_ovf_ctrl,
				IPMU_FIXED_BITS | GENERAL_BITS);
}

static const struct ipmu_reg *const switches[] = { &global_status, &global_ctrl, NULL };

static int core2_busy(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		      char *why)
{
	bool known = ipmu_msr_is_saved(p, &global_ctrl, 0, 0);
	int rc = ipmu_core_busy(p, &global_ctrl, &perfevtsel, 2, why);

	(void)type, (void)box, (void)ctr;
	return known || rc ? rc : ipmu_fixed_busy(p, &core_fixed, &global_ctrl, why);
}

const struct ipmu_family ipmu_core2 = {
	.machine = "core2",
	.name = "core2", .scope = IPMU_SCOPE_CPU, .src = "SDM 325384-059 chapters 18, 19, 35",
	.vendor = "GenuineIntel", .family = 6, .models = models,
	.models_text = "GenuineIntel family 6 models 0x0F, 0x16, 0x17, 0x1D (Core 2)",
	.types = types, .registers = registers, .switches = switches,
	.discover = core2_discover, .control = core2_control, .quiesce = core2_quiesce,
	.busy = core2_busy,
};
