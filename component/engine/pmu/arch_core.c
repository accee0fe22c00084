/* SPDX-License-Identifier: MIT */
/* Architectural PerfMon: the fixed counters and the general ones of each hardware thread, with the
 * seven architectural events on any Intel CPU that has version 2 or later, and on Skylake to Comet
 * Lake client all events of libpfm4's table (SDM 325384-059 sections 18.2, 18.9 and 19.2).
 *
 * The kernel writes the same registers. So of the global control only the bits of counters are
 * changed that a session uses, and nobody starts beside a counter that somebody else has enabled.
 * How many counters a CPU has CPUID leaf 0AH says: on a hybrid machine, what all kinds have. */
#include "core2.h"

#include "core_ops.h"
#include "families.h"
#include "raw_event.h"

#include "../access/cpuid.h"
#include "../base/why.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Bits of the global control, status and overflow control, one for each general counter. */
#define GENERAL_MAX 8
#define GENERAL_BITS BITS(GENERAL_MAX - 1, 0)
#define ANY_THREAD BITS(21, 21)
#define PMC_WRITTEN BITS(31, 0)

#define FIXED_FIELD(n) F_BITS("PMI" #n, IPMU_FIXED_PMI(n)), \
	F_BITS("AnyThread" #n, IPMU_FIXED_ANY_THREAD(n)), F_BITS("ENABLE" #n, IPMU_FIXED_ENABLE(n))

static const struct ipmu_reg fixed_ctr = {
	.name = "IA32_FIXED_CTR%c", .src = "SDM Table 35-2; width: CPUID.0AH:EDX[12:5]",
	.addr = 0x309, .ctr_stride = 1, .ctrs = 3, .width = 48, .access = IPMU_RW,
	.counter = true, .fields = { F("CTR_VAL", 47, 0) },
};

static const struct ipmu_reg fixed_ctr_ctrl = {
	.name = "IA32_FIXED_CTR_CTRL", .src = "SDM 18.2.3, Table 35-2",
	.addr = 0x38D, .width = 64, .access = IPMU_RW, .shared = true,
	.fields = { FIXED_FIELD(2), FIXED_FIELD(1), FIXED_FIELD(0) },
};

static const struct ipmu_reg global_status = {
	.name = "IA32_PERF_GLOBAL_STATUS", .src = "SDM 18.2.2, Table 35-2",
	.addr = 0x38E, .width = 64, .access = IPMU_RO,
	.fields = { F_BITS("FIXED_CTR_Ovf", IPMU_FIXED_BITS), F_BITS("PMC_Ovf", GENERAL_BITS) },
};

static const struct ipmu_reg global_ctrl = {
	.name = "IA32_PERF_GLOBAL_CTRL", .src = "SDM 18.2.2, Table 35-2",
	.addr = 0x38F, .width = 64, .access = IPMU_RW, .shared = true,
	.fields = { F_BITS("FIXED_CTR_En", IPMU_FIXED_BITS), F_BITS("PMC_En", GENERAL_BITS) },
};

static const struct ipmu_reg global_ovf_ctrl = {
	.name = "IA32_PERF_GLOBAL_OVF_CTRL", .src = "SDM 18.2.2, Table 35-2",
	.addr = 0x390, .width = 64, .access = IPMU_WO,
	.fields = { F_BITS("FIXED_CTR_ClrOvf", IPMU_FIXED_BITS),
		    F_BITS("PMC_ClrOvf", GENERAL_BITS) },
};

/* A write takes bits 31:0 and copies bit 31 above them. A counter that was found with other bits
 * there is restored in its low 32 bits only. */
static const struct ipmu_reg pmc = {
	.name = "IA32_PMC%c", .src = "SDM 18.2.1; width: CPUID.0AH:EAX[23:16]",
	.addr = 0xC1, .ctr_stride = 1, .ctrs = GENERAL_MAX, .width = 48, .access = IPMU_RW,
	.counter = true, .fields = { F_BITS("CTR_VAL", PMC_WRITTEN) },
};

static const struct ipmu_reg a_pmc = {
	.name = "IA32_A_PMC%c", .src = "SDM 18.9.3: writes of full width",
	.addr = 0x4C1, .ctr_stride = 1, .ctrs = GENERAL_MAX, .width = 48, .access = IPMU_RW,
	.counter = true, .fields = { F("CTR_VAL", 47, 0) },
};

#define PERFEVTSEL_FIELDS F_THRESHOLD("CMASK", 31, 24), F_EVENT("INV", 23, 23), \
	F_BITS("EN", IPMU_CORE_EN), F_BITS("INT", IPMU_CORE_INT), F("PC", 19, 19), \
	F_EDGE("E", 18, 18), F_EVENT_BITS("OS", IPMU_CORE_OS), \
	F_EVENT_BITS("USR", IPMU_CORE_USR), F_EVENT("UMASK", 15, 8), F_EVENT("Event Select", 7, 0)
#define PERFEVTSEL .name = "IA32_PERFEVTSEL%c", .addr = 0x186, .ctr_stride = 1, \
	.ctrs = GENERAL_MAX, .width = 64, .access = IPMU_RW

static const struct ipmu_reg perfevtsel = {
	PERFEVTSEL, .src = "SDM 18.2.1; bit 21 in versions 3 and 4 only",
	.fields = { PERFEVTSEL_FIELDS },
};

static const struct ipmu_reg perfevtsel_any = {
	PERFEVTSEL, .src = "SDM 18.2.1, 18.2.3",
	.fields = { F_EVENT_BITS("ANY", ANY_THREAD), PERFEVTSEL_FIELDS },
};

/* Parameters of the events 0xB7 and 0xBB, and of 0xC6. */
static const struct ipmu_reg offcore_rsp = {
	.name = "MSR_OFFCORE_RSP_%c", .src = "SDM 18.9.8; bits: Linux intel_skl_extra_regs",
	.addr = 0x1A6, .ctr_stride = 1, .ctrs = 2, .width = 64, .access = IPMU_RW,
	.fields = { F_EVENT("Supplier, snoop", 37, 15), F_EVENT("Request", 11, 0) },
};

static const struct ipmu_reg pebs_frontend = {
	.name = "MSR_PEBS_FRONTEND", .src = "perfmon SKL; bits: Linux intel_skl_extra_regs",
	.addr = 0x3F7, .width = 64, .access = IPMU_RW,
	.fields = { F_EVENT("Bubble", 22, 8), F_EVENT("Event high", 4, 4),
		    F_EVENT("Event", 2, 0) },
};

static const struct ipmu_reg *const registers[] = {
	&fixed_ctr, &fixed_ctr_ctrl, &global_status, &global_ctrl, &global_ovf_ctrl, &pmc,
	&perfevtsel, NULL,
};
static const struct ipmu_reg *const skl_registers[] = {
	&fixed_ctr, &fixed_ctr_ctrl, &global_status, &global_ctrl, &global_ovf_ctrl, &a_pmc,
	&perfevtsel_any, &offcore_rsp, &pebs_frontend, NULL,
};

/* ---- events */

enum { OFFCORE_0 = 0xB7, OFFCORE_1 = 0xBB, FRONTEND = 0xC6, LATENCY = 0xCD };

/* No CPU's fixed counters have fewer than the 40 bits that ovf= takes. */
static const struct ipmu_pmu_type fixed = {
	.name = "core_fixed", .units = "events",
	.src = "SDM 18.2.2", .pfm = "core_fixed",
	.per_clock = 8, .clock_mhz = 6000,	/* wider than any core retires today */
	.counters = IPMU_FIXED_COUNTERS, .select = &fixed_ctr_ctrl,
	.ctr = &fixed_ctr, .measures = ipmu_fixed_measures,
	.qualifiers = ipmu_core_qualifiers, .ops = &ipmu_fixed_ops,
};

/* The architectural events, by libpfm4's names. libpfm4 fills its own table by CPUID of the process
 * that starts it, and the counted machine may be another one. */
static const struct core_event {
	uint16_t code;
	const char *name, *desc;
} arch_events[] = {	/* SDM Table 19-1 */
	{ 0x003C, "UNHALTED_CORE_CYCLES", "core clocks while the thread is not halted" },
	{ 0x00C0, "INSTRUCTION_RETIRED", "instructions that retire" },
	{ 0x013C, "UNHALTED_REFERENCE_CYCLES",
	  "clocks of a reference, of the same rate always, while the thread is not halted" },
	{ 0x4F2E, "LLC_REFERENCES", "requests of the core to the last-level cache" },
	{ 0x412E, "LLC_MISSES", "requests of the core that miss the last-level cache" },
	{ 0x00C4, "BRANCH_INSTRUCTIONS_RETIRED", "branch instructions that retire" },
	{ 0x00C5, "MISPREDICTED_BRANCH_RETIRED", "mispredicted branches that retire" },
};
#define ARCH_EVENTS ((int)(sizeof(arch_events) / sizeof(arch_events[0])))

static const struct core_event *arch_event(const char *name)
{
	for (int i = 0; i < ARCH_EVENTS; i++)
		if (strcasecmp(arch_events[i].name, name) == 0)
			return &arch_events[i];
	return NULL;
}

static bool arch_knows(const char *event)
{
	return arch_event(event) != NULL;
}

static int arch_more(const char *event, int n, const char **name, const char **desc)
{
	if (event || n >= ARCH_EVENTS)
		return -ENOENT;
	*name = arch_events[n].name;
	*desc = arch_events[n].desc;
	return 0;
}

static int arch_encode(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
		       const uint64_t *codes, int ncodes, char *why)
{
	const struct core_event *known = arch_event(event);
	uint64_t select;
	int rc;

	(void)codes, (void)ncodes;
	if (!known)
		return ipmu_fail(why, -ENOENT, "%s has no event %s: papi_native_avail lists its "
				 "events", e->type->name, event);
	rc = ipmu_raw_modifiers(e->type, q, &select, why);
	select |= known->code;
	return rc ? rc : ipmu_core_encode(e, event, q, &select, 1, why);
}

static int parameter(struct ipmu_event *e, const char *event, uint64_t value, char *why)
{
	static const struct { uint8_t code, index; const struct ipmu_reg *reg; } rows[] = {
		{ OFFCORE_0, 0, &offcore_rsp }, { OFFCORE_1, 1, &offcore_rsp },
		{ FRONTEND, 0, &pebs_frontend },
	};
	struct ipmu_choice *choice = &e->choices[0];
	uint8_t code = choice->select & 0xFF;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct ipmu_reg *reg = rows[i].reg;

		if (rows[i].code != code)
			continue;
		if (!value || (value & ~ipmu_reg_fields(reg)))
			return ipmu_fail(why, -EINVAL, "%s.%s needs a parameter of bits 0x%llX "
					 "besides: name it by its unit masks", e->type->name, event,
					 (unsigned long long)ipmu_reg_fields(reg));
		choice->nextra = 1;
		choice->extra[0] = (struct ipmu_extra_reg){
			.reg = reg, .index = rows[i].index,
			.mask = ipmu_reg_fields(reg), .value = value,
		};
	}
	return 0;
}

static int skl_encode(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
		      const uint64_t *codes, int ncodes, char *why)
{
	int rc;

	if (ipmu_fixed_alone(codes[0]))
		return ipmu_fixed_encode(e, &fixed, event, q, codes, ncodes, why);
	if ((codes[0] & 0xFF) == LATENCY)
		return ipmu_fail(why, -ENOTSUP, "%s.%s needs PEBS, which is not supported; "
				 "use a counting event", e->type->name, event);
	rc = ipmu_core_encode(e, event, q, codes, ncodes, why);
	if (!rc && (codes[0] & 0xFFFF) == 0x01C0)	/* SKL: perfmon, Linux */
		e->choices[0].counters = codes[0] >> 24 & 0xFF ? 0xD : 0x2;
	return rc ? rc : parameter(e, event, codes[1], why);
}

static int arch_preset(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		       uint64_t value)
{
	(void)box;
	return ipmu_core_preset(p, type->ctr, ctr, value & ipmu_reg_fields(type->ctr),
				&global_ovf_ctrl, 1ull << ctr);
}

static const struct ipmu_ops arch_ops = {
	.knows = arch_knows, .more = arch_more,
	.encode = arch_encode, .program = ipmu_core_program, .read = ipmu_msr_count_read,
	.preset = arch_preset,
	.units = ipmu_select_units,
};

/* Names of events whose table has a threshold or an edge say what they are counted in. */
static const char *skl_units(const struct ipmu_event *e, const char *event, const char *plain)
{
	if (strcmp(plain, "clocks") == 0 || strcmp(plain, "occurrences") == 0)
		return plain;
	return ipmu_select_units(e, event, plain);
}

static const struct ipmu_ops skl_ops = {
	.encode = skl_encode, .program = ipmu_core_program, .read = ipmu_msr_count_read,
	.preset = arch_preset,
	.units = skl_units,
};

/* A write sets bits 31:0 and copies bit 31 above them: no start value is further from the wrap. */
#define MODIFIERS { .name = "u", .form = "u" }, { .name = "k", .form = "k" }, \
	{ .name = "e", .form = "e" }, { .name = "i", .form = "i" }, { .name = "c", .most = 255 }

static const struct ipmu_own_qualifier pmc_qualifiers[] = {
	MODIFIERS, { .name = "ovf", .least = 1, .most = 1ull << 31 }, { 0 },
};
static const struct ipmu_own_qualifier alias_qualifiers[] = {
	MODIFIERS, { .name = "t", .form = "t" },
	{ .name = "ovf", .least = 1, .most = 1ull << 40 }, { 0 },
};

static const struct ipmu_measure arch_measures[] = {	/* SDM 18.2.1.2 */
	{ "clocks", "UNHALTED_CORE_CYCLES" },
	{ "reference clocks", "UNHALTED_REFERENCE_CYCLES" },
	{ "instructions", "INSTRUCTION_RETIRED BRANCH_INSTRUCTIONS_RETIRED "
	  "MISPREDICTED_BRANCH_RETIRED" },
	{ 0 },
};

static const struct ipmu_measure skl_measures[] = {	/* Intel perfmon SKL 59 */
	{ "occurrences", "CPU_CLK_THREAD_UNHALTED:RING0_TRANS IDQ:MS_SWITCHES IDQ:MS_DSB_OCCUR "
	  "INT_MISC:RECOVERY_STALLS_COUNT L1D_PEND_MISS:OCCURRENCES L1D_PEND_MISS:EDGE "
	  "MACHINE_CLEARS:COUNT RS_EVENTS:EMPTY_END UOPS_RETIRED:STALL_OCCURRENCES" },
	{ "reference clocks", "UNHALTED_REFERENCE_CYCLES CPU_CLK_THREAD_UNHALTED:REF* "
	  "CPU_CLK_THREAD_UNHALTED:ONE_THREAD_ACTIVE" },
	{ "clocks", "UNHALTED_CORE_CYCLES CPU_CLK_UNHALTED CPU_CLK_THREAD_UNHALTED "
	  "CYCLE_ACTIVITY:* *_MISSES:WALK_ACTIVE FP_ASSIST IDQ:*_CYCLES "
	  "IDQ:*_CYCLES_*_UOPS IDQ_UOPS_NOT_DELIVERED:CYCLES_* "
	  "INST_RETIRED:TOTAL_CYCLES INT_MISC:*_CYCLES* L1D_PEND_MISS:PENDING_CYCLES* "
	  "UOPS_EXECUTED:*CYCLES* LSD:CYCLES_* UOPS_ISSUED:*STALL_CYCLES "
	  "UOPS_RETIRED:*_CYCLES ARITH OFFCORE_REQUESTS_OUTSTANDING:*CYCLES* "
	  "OFFCORE_REQUESTS_OUTSTANDING:*_GE_6 RESOURCE_STALLS" },
	{ "entries x clocks", "L1D_PEND_MISS OFFCORE_REQUESTS_OUTSTANDING "
	  "*_MISSES:WALK_PENDING *_MISSES:WALK_DURATION" },
	{ "micro-ops", "UOPS_ISSUED UOPS_EXECUTED UOPS_RETIRED" },
	{ "instructions", "INST_RETIRED INSTRUCTION_RETIRED INSTRUCTIONS_RETIRED "
	  "BR_INST_RETIRED BR_MISP_RETIRED BRANCH_INSTRUCTIONS_RETIRED "
	  "MISPREDICTED_BRANCH_RETIRED" },
	{ 0 },
};

static const struct ipmu_pmu_type arch = {
	.name = "ix86arch", .units = "events",
	.src = "SDM Tables 18-1 and 19-1", .pfm = "", .own_names = true,
	.per_clock = 16, .clock_mhz = 6000,
	.counters = GENERAL_MAX, .select = &perfevtsel, .ctr = &pmc,
	.enable = IPMU_CORE_EN, .qualifiers = pmc_qualifiers, .measures = arch_measures,
	.ops = &arch_ops,
};

#define HALF(code_) { .code = code_, .counters = 0xF, \
	.src = "Intel perfmon SKL 59: CounterHTOff 0 to 3" }

static const struct ipmu_constraint skl_constraints[] = {
	HALF(OFFCORE_0), HALF(OFFCORE_1), HALF(FRONTEND), HALF(0xD0), HALF(0xD1), HALF(0xD2),
	HALF(0xD3), HALF(0xD4), HALF(0xA3), { 0 },
};

static const struct ipmu_pmu_type skl = {
	.name = "skl", .units = "events",
	.src = "Intel perfmon SKL 59", .pfm = "skl", .raw = "event=0xC0:umask=0x00",
	.per_clock = 64, .clock_mhz = 6000,	/* outstanding requests, summed per clock */
	.counters = GENERAL_MAX, .select = &perfevtsel_any, .ctr = &a_pmc,
	.enable = IPMU_CORE_EN, .any_thread = ANY_THREAD, .constraints = skl_constraints,
	.qualifiers = ipmu_core_qualifiers, .measures = skl_measures, .ops = &skl_ops,
};

/* The architectural names of Skylake's events: the counters are those of skl. */
static int alias_encode(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
			const uint64_t *codes, int ncodes, char *why)
{
	int rc = arch_encode(e, event, q, codes, ncodes, why);

	e->type = &skl;
	return rc;
}

static const struct ipmu_ops alias_ops = {
	.knows = arch_knows, .more = arch_more, .encode = alias_encode,
	.program = ipmu_core_program, .read = ipmu_msr_count_read,
	.units = ipmu_select_units,
};

static const struct ipmu_pmu_type alias = {
	.name = "ix86arch", .units = "events",
	.src = "SDM Tables 18-1 and 19-1", .pfm = "", .own_names = true, .keeps_name = true,
	.per_clock = 16, .clock_mhz = 6000,
	.counters = GENERAL_MAX, .select = &perfevtsel_any, .ctr = &a_pmc,
	.enable = IPMU_CORE_EN, .any_thread = ANY_THREAD,
	.qualifiers = alias_qualifiers, .measures = arch_measures, .ops = &alias_ops,
};

/* The first two of either family. */
enum { FIXED, GENERAL, ALIAS };
static const struct ipmu_pmu_type *const types[] = {
	[FIXED] = &fixed, [GENERAL] = &arch, NULL
};
static const struct ipmu_pmu_type *const skl_types[] = {
	[FIXED] = &fixed, [GENERAL] = &skl, [ALIAS] = &alias, NULL
};

/* ---- CPUs */

/* Cores that are known without CPUID, by the family and the models of their CPUs. */
static const int skl_models[] = { 0x4E, 0x5E, 0x8E, 0x9E, 0xA5, 0xA6, -1 };
static const struct known_cores {
	int family;
	const int *models;	/* up to -1; NULL: all, as of the clients' family 18 */
} skl_cores[] = { { 6, skl_models }, { 0 } }, arch_cores[] = {	/* the latter from Ice Lake on */
	{ 6, (const int[]){ 0x7D, 0x7E, 0x8C, 0x8D, 0x97, 0x9A, 0xA7, 0xAA, 0xAC, 0xB5, 0xB7,
			    0xBA, 0xBD, 0xBE, 0xBF, 0xC5, 0xC6, 0xCC, 0xD5, 0xE5, -1 } },
	{ 18, NULL }, { 0 },
};

static bool is_known(const struct known_cores *cores, int family, int model)
{
	for (; cores->family; cores++) {
		const int *m = cores->models;

		if (cores->family != family)
			continue;
		while (m && *m >= 0 && *m != model)
			m++;
		if (!m || *m >= 0)
			return true;
	}
	return false;
}

/* All of them have the same family, model and version. */
static int any_cpu(const struct ipmu_topology *topo)
{
	return topo->ncpus ? topo->cpus[0].os_cpu : 0;
}

static bool matches(const struct ipmu_topology *topo)
{
	struct ipmu_cpuid id;

	if (is_known(arch_cores, topo->family, topo->model))
		return true;
	ipmu_cpuid_read(any_cpu(topo), &id);
	return id.family == topo->family && id.model == topo->model && id.version >= 2;
}

static void cpuid_vendor(int os_cpu, char text[32])
{
	uint32_t r[4], words[3] = { 0 };

	strcpy(text, "of an unknown vendor");
	if (!ipmu_cpuid_leaf(os_cpu, 0, r) || !r[IPMU_EBX])
		return;
	words[0] = r[IPMU_EBX];
	words[1] = r[IPMU_EDX];
	words[2] = r[IPMU_ECX];
	snprintf(text, 32, "%.12s", (const char *)words);
}

static void mismatch(const struct ipmu_topology *topo, char *text, size_t bytes)
{
	char cpu[32];
	struct ipmu_cpuid id;

	ipmu_cpuid_read(any_cpu(topo), &id);
	if (id.family < 0)
		cpuid_vendor(any_cpu(topo), cpu);
	else
		snprintf(cpu, sizeof(cpu), "family %d model 0x%X", id.family, (unsigned)id.model);
	if (id.family != topo->family || id.model != topo->model)
		snprintf(text, bytes, "PerfMon 2 was not found: CPUID is another CPU's, %s", cpu);
	else
		snprintf(text, bytes, "PerfMon 2 was not found: CPUID leaf 0AH reports version "
			 "%d, a hypervisor or the firmware may hide it", id.version);
}

static uint8_t usable(const struct ipmu_cpuid *id)
{
	int n = id->general < GENERAL_MAX ? id->general : GENERAL_MAX;

	return (uint8_t)(id->microcode_counts && n > 3 ? 3 : n);
}

static int discover_counters(struct ipmu_regs *p, const struct ipmu_cpuid *id,
			     const struct ipmu_pmu_type *general, struct ipmu_found *found,
			     char *why)
{
	found->widths[FIXED] = (uint8_t)id->width;
	found->nboxes[FIXED] = ipmu_fixed_discover(p, &fixed, id->fixed, &global_ctrl,
						   found->reasons[FIXED]);
	found->widths[GENERAL] = (uint8_t)id->general_width;
	found->counters[GENERAL] = usable(id);
	if (!found->counters[GENERAL])
		ipmu_fail(found->reasons[GENERAL], 0, "CPUID leaf 0AH reports no general counter");
	else
		found->nboxes[GENERAL] = !ipmu_msr_probe(p, general->select, general->ctr,
							 IPMU_CORE_EN, found->reasons[GENERAL]);
	if (found->nboxes[FIXED] || found->nboxes[GENERAL])
		return 0;
	return ipmu_fail(why, -ENXIO, "%s", found->reasons[FIXED]);
}

/* CPUID is believed only if it speaks of such a CPU: the topology may describe another machine.
 * least: the general counters that all such cores have. */
static int read_cpuid(int os_cpu, struct ipmu_cpuid *id, const struct known_cores *cores, int least,
		      char *why)
{
	bool known;

	ipmu_cpuid_read(os_cpu, id);
	known = is_known(cores, id->family, id->model);
	if (id->version < 2 && known)
		return ipmu_fail(why, -ENXIO, "CPUID leaf 0AH reports version %d of PerfMon: a "
				 "hypervisor or the firmware hides the counters", id->version);
	if (id->version < 2 || (cores == skl_cores && !known))
		*id = (struct ipmu_cpuid){ .fixed = IPMU_FIXED_COUNTERS, .width = 48,
					   .general = least, .general_width = 48 };
	return 0;
}

static int arch_discover(struct ipmu_regs *p, int ncores, struct ipmu_found *found, char *note,
			 char *why)
{
	struct ipmu_cpuid id;
	int rc = read_cpuid(p->os_cpu, &id, arch_cores, 6, why);

	(void)ncores, (void)note;
	return rc ? rc : discover_counters(p, &id, &arch, found, why);
}

/* Four counters are there whether a core's second thread is on or off. */
static int skl_discover(struct ipmu_regs *p, int ncores, struct ipmu_found *found, char *note,
			char *why)
{
	struct ipmu_cpuid id;
	int rc = read_cpuid(p->os_cpu, &id, skl_cores, 4, why);

	(void)ncores, (void)note;
	if (!rc)
		rc = discover_counters(p, &id, &skl, found, why);
	found->nboxes[ALIAS] = found->nboxes[GENERAL];
	strcpy(found->reasons[ALIAS], found->reasons[GENERAL]);
	return rc;
}

/* Bits of the global control that are this library's to change: the fixed counters', and those of
 * general ones that it has programmed. */
static uint64_t own_bits(struct ipmu_regs *p)
{
	uint64_t bits = IPMU_FIXED_BITS;

	for (int c = 0; c < GENERAL_MAX; c++)
		if (ipmu_msr_is_saved(p, &perfevtsel, 0, c))
			bits |= 1ull << c;
	return bits;
}

static int arch_control(struct ipmu_regs *p, const struct ipmu_activity *a)
{
	uint64_t found, active;
	int rc = ipmu_msr_save(p, &global_status, 0, 0, &found);

	active = ipmu_bits_put(IPMU_FIXED_BITS, a->active[FIXED][0]) | a->active[GENERAL][0];
	return rc ? rc : ipmu_msr_update(p, &global_ctrl, 0, 0, own_bits(p) | active, active);
}

static int arch_quiesce(struct ipmu_regs *p)
{
	int rc;

	if (!ipmu_msr_is_saved(p, &global_ctrl, 0, 0))
		return 0;	/* nothing has been started */
	rc = ipmu_msr_update(p, &global_ctrl, 0, 0, own_bits(p), 0);
	if (rc || !ipmu_msr_is_saved(p, &global_status, 0, 0) ||
	    ipmu_access_is_left(p, &global_ctrl, 0, 0))
		return rc;
	return ipmu_msr_clear_flags(p, &global_status, &global_ovf_ctrl, own_bits(p));
}

static const struct ipmu_reg *const switches[] = { &global_status, &global_ctrl, NULL };

/* The kernel sets the whole global control whenever it counts with any counter. It is saved before
 * any select, and so restored after them: a counter with its old value must not count on. */
static int arch_busy(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		     char *why)
{
	bool known = ipmu_msr_is_saved(p, &global_ctrl, 0, 0);
	uint64_t value;
	int rc = known ? 0 : ipmu_msr_save(p, &global_ctrl, 0, 0, &value);

	(void)box;
	if (!rc && type != &fixed && !ipmu_msr_is_saved(p, type->select, 0, ctr)) {
		rc = ipmu_msr_save(p, type->select, 0, ctr, &value);
		if (!rc && (value & IPMU_CORE_EN))
			rc = ipmu_access_busy(p, type->select, 0, ctr, value, why);
	}
	return known || rc ? rc : ipmu_fixed_busy(p, &fixed, &global_ctrl, why);
}

const struct ipmu_family ipmu_skl_core = {
	.machine = "skylake-cores",
	.name = "skl_core", .scope = IPMU_SCOPE_CPU, .src = "SDM 325384-059 section 18.9; "
	"Intel perfmon SKL 59",
	.vendor = "GenuineIntel", .family = 6, .models = skl_models,
	.models_text = "cores of Skylake to Comet Lake client",
	.types = skl_types, .registers = skl_registers, .switches = switches,
	.discover = skl_discover, .control = arch_control, .quiesce = arch_quiesce,
	.busy = arch_busy,
};

const struct ipmu_family ipmu_arch_core = {
	.machine = "architectural",
	.name = "arch_core", .scope = IPMU_SCOPE_CPU, .src = "SDM 325384-059 section 18.2",
	.vendor = "GenuineIntel", .matches = matches, .mismatch = mismatch,
	.models_text = "any CPU with PerfMon 2",
	.types = types, .registers = registers, .switches = switches,
	.discover = arch_discover, .control = arch_control, .quiesce = arch_quiesce,
	.busy = arch_busy,
};
