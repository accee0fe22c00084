/* SPDX-License-Identifier: MIT */
/* Knights Corner core PMU: two 40-bit counters for each hardware thread. Transcribed from Intel
 * 327357-001 revision 1.01 (July 2012). What goes beyond it says so in its citation. */
#include "core_ops.h"
#include "counter_ops.h"
#include "families.h"

#include "../base/why.h"

#define USER_PREF BITS(63, 63)
#define SPFLT_ENABLE(ctr) BITS(ctr, ctr)
#define SPFLT_ENABLES (SPFLT_ENABLE(1) | SPFLT_ENABLE(0))
#define ANY_THREAD BITS(21, 21)
#define COUNTERS 2

static const struct ipmu_reg perfcnt = {
	.name = "IA32_PerfCnt%c", .src = "327357-001 Tables 1-2, 1-4: a write sets all 40 bits",
	.addr = 0x20, .ctr_stride = 1, .ctrs = 2, .width = 40, .access = IPMU_RW,
	.counter = true, .fields = { F("Events Counted", 39, 0) },
};

static const struct ipmu_reg perfevtsel = {
	.name = "IA32_PerfEvtSel%c", .src = "327357-001 Tables 1-2, 1-5",
	.addr = 0x28, .ctr_stride = 1, .ctrs = 2, .width = 32, .access = IPMU_RW,
	.fields = { F_THRESHOLD("CMASK", 31, 24), F_EVENT("INV", 23, 23),
		    F_BITS("EN", IPMU_CORE_EN), F_EVENT_BITS("Thread Count Mode", ANY_THREAD),
		    F_BITS("INT", IPMU_CORE_INT), F_EDGE("E", 18, 18),
		    F_EVENT_BITS("OS", IPMU_CORE_OS), F_EVENT_BITS("USR", IPMU_CORE_USR),
		    F_EVENT("UMASK", 15, 8), F_EVENT("Event Select", 7, 0) },
};

static const struct ipmu_reg spflt_control = {
	.name = "PERF_SPFLT_CONTROL", .src = "327357-001 Tables 1-2, 1-7",
	.addr = 0x2C, .width = 64, .access = IPMU_RW, .moves = USER_PREF,
	.fields = { F_BITS("User Preference", USER_PREF),
		    F_BITS("SPFLT Enable Counter 1", SPFLT_ENABLE(1)),
		    F_BITS("SPFLT Enable Counter 0", SPFLT_ENABLE(0)) },
};

static const struct ipmu_reg global_status = {
	.name = "IA32_PERF_GLOBAL_STATUS", .src = "327357-001 Tables 1-2, 1-8",
	.addr = 0x2D, .width = 32, .access = IPMU_RO,
	.fields = { F("PerfCnt1", 1, 1), F("PerfCnt0", 0, 0) },
};

static const struct ipmu_reg global_ovf_ctrl = {
	.name = "IA32_PERF_GLOBAL_OVF_CTRL", .src = "327357-001 Tables 1-2, 1-9",
	.addr = 0x2E, .width = 32, .access = IPMU_WO,
	.fields = { F("PerfCnt1", 1, 1), F("PerfCnt0", 0, 0) },
};

static const struct ipmu_reg global_ctrl = {
	.name = "IA32_PERF_GLOBAL_CTRL", .src = "327357-001 Tables 1-2, 1-10",
	.addr = 0x2F, .width = 32, .access = IPMU_RW,
	.fields = { F("IA32_PerfEvtSel1", 1, 1), F("IA32_PerfEvtSel0", 0, 0) },
};

static const struct ipmu_reg *const registers[] = {
	&perfcnt, &perfevtsel, &spflt_control, &global_status, &global_ovf_ctrl, &global_ctrl,
	NULL,
};

#define ONLY_0(code_) { .code = code_, .counters = 0x1, \
	.src = "Linux arch/x86/events/intel/knc.c; the document is silent" }

static const struct ipmu_constraint constraints[] = {
	ONLY_0(0xC3), ONLY_0(0xC4), ONLY_0(0xC8), ONLY_0(0xC9), ONLY_0(0xCA), ONLY_0(0xCB),
	ONLY_0(0xCC), ONLY_0(0xCE), ONLY_0(0xCF), ONLY_0(0xD7), ONLY_0(0xE3), ONLY_0(0xE6),
	ONLY_0(0xE7), ONLY_0(0xF1), ONLY_0(0xF2), ONLY_0(0xF6), ONLY_0(0xF7), ONLY_0(0xFC),
	ONLY_0(0xFD), ONLY_0(0xFE), ONLY_0(0xFF), { 0 },
};

/* CRI events that no thread causes: snoops and victims. A counter of any thread of the core counts
 * those (1.2 (3), Table 1-5 bit 21); which they are, the document leaves open. With Thread Count
 * Mode set and one counter a core, the count is the core's even if silicon gives one of them a
 * thread. */
static bool without_thread(uint64_t select)
{
	static const uint16_t codes[] = { 0x10D7, 0x10E3, 0x10E6, 0x10E7 };

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i] == (select & 0xFFFF))
			return true;
	return false;
}

static int encode(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
		  const uint64_t *codes, int ncodes, char *why)
{
	int rc = ipmu_core_encode(e, event, q, codes, ncodes, why);

	if (!rc && without_thread(e->choices[0].select))
		e->choices[0].select |= ANY_THREAD;
	return rc;
}

/* Table 1-7 lets User Preference matter only to counters whose SPFLT Enable bit is set; read the
 * other way round, a counter would need both. With both set a counter runs in either reading. But
 * if any SPFLT Enable bit is set already, User Preference is the program's own switch, worked with
 * the SPFLT instruction: then the register stays as it is. */
static int prefer(struct ipmu_regs *p, int ctr)
{
	uint64_t found, both = USER_PREF | SPFLT_ENABLE(ctr);
	int rc = ipmu_msr_save(p, &spflt_control, 0, 0, &found);

	if (rc || (found & SPFLT_ENABLES))
		return rc;
	return ipmu_msr_update(p, &spflt_control, 0, 0, both, both);
}

static int program(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		   uint64_t select)
{
	int rc = prefer(p, ctr);

	return rc ? rc : ipmu_msr_program(p, type, box, ctr, select);
}

static int preset(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		  uint64_t value)
{
	(void)box;
	return ipmu_core_preset(p, type->ctr, ctr, value, &global_ovf_ctrl, 1ull << ctr);
}

static const struct ipmu_ops ops = {
	.program = program, .read = ipmu_msr_count_read, .encode = encode, .preset = preset,
	.units = ipmu_select_units,
};

static const struct ipmu_measure measures[] = {	/* Table 1-6 */
	{ "clocks", "CPU_CLK_UNHALTED EXEC_STAGE_CYCLES FE_STALLED MICROCODE_CYCLES" },
	{ "instructions", "INSTRUCTIONS_EXECUTED INSTRUCTIONS_EXECUTED_V_PIPE "
	  "VPU_INSTRUCTIONS_EXECUTED VPU_INSTRUCTIONS_EXECUTED_V_PIPE" },
	{ "elements", "VPU_ELEMENTS_ACTIVE" },
	{ 0 },
};

static const struct ipmu_pmu_type knc = {
	.name = "knc", .units = "events",
	.src = "327357-001 Table 1-6", .pfm = "knc", .raw = "event=0x16:umask=0x00",
	.per_clock = 16, .clock_mhz = 1400,	/* elements of a vector instruction */
	.counters = COUNTERS, .select = &perfevtsel, .ctr = &perfcnt,
	.enable = IPMU_CORE_EN, .any_thread = ANY_THREAD,
	.constraints = constraints, .measures = measures,
	.qualifiers = ipmu_core_qualifiers, .ops = &ops,
};

static const struct ipmu_pmu_type *const types[] = { &knc, NULL };

static int discover(struct ipmu_regs *p, int ncores, struct ipmu_found *found, char *note,
		    char *why)
{
	uint64_t spflt;
	int rc = ipmu_msr_probe(p, &perfevtsel, &perfcnt, IPMU_CORE_EN, why);

	(void)ncores;
	if (rc)
		return rc;
	found->nboxes[0] = 1;
	if (!ipmu_msr_read(p, spflt_control.addr, &spflt) && (spflt & SPFLT_ENABLES))
		ipmu_fail(note, 0, "PERF_SPFLT_CONTROL is in use: counters that it enables count "
			  "only while the program has set User Preference by SPFLT");
	return 0;
}

static int control(struct ipmu_regs *p, const struct ipmu_activity *a)
{
	uint64_t found;
	int rc = ipmu_msr_save(p, &global_status, 0, 0, &found);

	return rc ? rc : ipmu_msr_write(p, &global_ctrl, 0, 0, a->active[0][0]);
}

static int quiesce(struct ipmu_regs *p)
{
	return ipmu_msr_quiesce(p, &global_ctrl, &global_status, &global_ovf_ctrl,
				ipmu_reg_fields(&global_ovf_ctrl));
}

static int busy(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr, char *why)
{
	(void)type, (void)box, (void)ctr;
	return ipmu_core_busy(p, &global_ctrl, &perfevtsel, COUNTERS, why);
}

static const struct ipmu_reg *const switches[] = { &global_status, &global_ctrl, &spflt_control,
						   NULL };
static const int models[] = { 1, -1 };

const struct ipmu_family ipmu_knc = {
	.machine = "knights-corner",
	.name = "knc", .scope = IPMU_SCOPE_CPU,
	.src = "327357-001; family and model from libpfm4 and Linux",
	.vendor = "GenuineIntel", .family = 11, .models = models,
	.models_text = "GenuineIntel family 11 model 1 (Knights Corner)",
	.types = types, .registers = registers, .switches = switches,
	.discover = discover, .control = control, .quiesce = quiesce, .busy = busy,
};
