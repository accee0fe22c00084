/* SPDX-License-Identifier: MIT */
/* The three fixed counters, which Core 2 and later CPUs have alike: they are architectural from
 * PerfMon version 2 on (SDM 325384-059 section 18.2.2). Families use ipmu_fixed_ops,
 * ipmu_fixed_discover() and ipmu_fixed_busy(). ipmu_cpuid_read() returns CPUID's description of
 * counters. The caller holds the system's lock and has entered the unit. */
#include "core2.h"

#include "core_ops.h"

#include "../access/cpuid.h"
#include "../base/why.h"

#include <cpuid.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Written only, so that it needs no row among a family's registers. */
static const struct ipmu_reg ovf_ctrl = {
	.name = "IA32_PERF_GLOBAL_OVF_CTRL", .src = "SDM 18.2.2, Table 35-2",
	.addr = 0x390, .width = 64, .access = IPMU_WO,
	.fields = { F_BITS("FIXED_CTR_ClrOvf", IPMU_FIXED_BITS) },
};

const struct ipmu_measure ipmu_fixed_measures[] = {
	{ "instructions", "INST_RETIRED" },
	{ "reference clocks", "CPU_CLK_UNHALTED:REF UNHALTED_REFERENCE_CYCLES" },
	{ "clocks", "CPU_CLK_UNHALTED" },
	{ 0 },
};

static bool is_intel(const uint32_t r[4])
{
	return r[IPMU_EBX] == signature_INTEL_ebx && r[IPMU_ECX] == signature_INTEL_ecx &&
	       r[IPMU_EDX] == signature_INTEL_edx;
}

void ipmu_cpuid_read(int os_cpu, struct ipmu_cpuid *id)
{
	uint32_t r[4];

	*id = (struct ipmu_cpuid){ .family = -1, .model = -1 };
	if (!ipmu_cpuid_leaf(os_cpu, 0, r) || !is_intel(r) || !ipmu_cpuid_leaf(os_cpu, 1, r))
		return;
	id->family = (int)(r[IPMU_EAX] >> 8 & 0xF);
	id->model = (int)(r[IPMU_EAX] >> 4 & 0xF);
	if (id->family == 6 || id->family == 15)
		id->model |= (int)(r[IPMU_EAX] >> 12 & 0xF0);
	if (id->family == 15)
		id->family += (int)(r[IPMU_EAX] >> 20 & 0xFF);
	id->hypervisor = r[IPMU_ECX] >> 31 & 1;
	if (!ipmu_cpuid_leaf(os_cpu, 0xA, r))
		return;
	id->version = (int)(r[IPMU_EAX] & 0xFF);
	id->general = (int)(r[IPMU_EAX] >> 8 & 0xFF);
	id->general_width = (int)(r[IPMU_EAX] >> 16 & 0xFF);
	id->fixed = (int)(r[IPMU_EDX] & 0x1F);
	id->width = (int)(r[IPMU_EDX] >> 5 & 0xFF);
	if (ipmu_cpuid_leaf(os_cpu, 7, r))
		id->microcode_counts = (r[IPMU_EDX] >> 13 & 1) && !(r[IPMU_EDX] >> 11 & 1);
}

/* ---- the fixed counters, here and on Core 2 */

/* libpfm4's codes of the three events are those of the general counters' equivalents. */
static int counter_of(uint64_t code)
{
	return code == 0x00C0 ? 0 : code == 0x003C ? 1 : code == 0x0300 ? 2 : -1;
}

static int fixed_encode(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
			const uint64_t *codes, int ncodes, char *why)
{
	char text[IPMU_QUALIFIERS_TEXT];
	struct ipmu_choice *choice = &e->choices[0];
	uint64_t os = codes[0] & IPMU_CORE_OS ? 1 : 0, usr = codes[0] & IPMU_CORE_USR ? 2 : 0;
	int n = counter_of(codes[0] & 0xFFFF);
	uint64_t period;

	(void)ncodes;
	if (n < 0)
		return ipmu_fail(why, -ENOENT, "no fixed counter counts %s.%s%s", e->type->name,
				 event, ipmu_qualifiers_text(q, IPMU_OF_PFM, text));
	if (!os && !usr)
		return ipmu_fail(why, -EINVAL, "%s.%s%s counts at no privilege level: without u "
				 "and k it counts at both", e->type->name, event,
				 ipmu_qualifiers_text(q, IPMU_OF_PFM, text));
	if (ipmu_core_period(e, event, q, &period, why))
		return -EINVAL;
	e->nchoices = 1;
	e->interrupts = period;
	choice->counters = 1ull << n;
	choice->nextra = 1;
	choice->extra[0] = (struct ipmu_extra_reg){
		.reg = e->type->select,
		.mask = IPMU_FIXED_PMI(n) | IPMU_FIXED_ANY_THREAD(n) | IPMU_FIXED_ENABLE(n),
		.value = ipmu_bits_put(IPMU_FIXED_ENABLE(n), os | usr) |
			 (period ? IPMU_FIXED_PMI(n) : 0),
	};
	return 0;
}

/* The counter's field of the control register is the event's extra register, and has been written.
 * What the counter holds after a reset is undefined, so it starts from 0. */
static int fixed_program(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
			 uint64_t select)
{
	(void)select;
	return ipmu_msr_write(p, type->ctr, box, ctr, 0);
}

static int fixed_preset(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
			uint64_t value)
{
	(void)box;
	return ipmu_core_preset(p, type->ctr, ctr, value, &ovf_ctrl,
				IPMU_FIXED_BIT(ctr));
}

const struct ipmu_ops ipmu_fixed_ops = {
	.encode = fixed_encode, .program = fixed_program, .read = ipmu_msr_count_read,
	.preset = fixed_preset,
};

bool ipmu_fixed_alone(uint64_t code)
{
	return counter_of(code & 0xFFFF) == 2;
}

/* libpfm4's tables of general counters take more: all modifiers, and a unit mask as a number. */
static bool has_more_than_levels(const struct ipmu_qualifiers *q)
{
	for (int i = 0; i < q->n; i++)
		if (q->list[i].owner == IPMU_OF_PFM && !ipmu_qualifier_is(&q->list[i], "u") &&
		    !ipmu_qualifier_is(&q->list[i], "k"))
			return true;
	return false;
}

int ipmu_fixed_encode(struct ipmu_event *e, const struct ipmu_pmu_type *fixed, const char *event,
		      const struct ipmu_qualifiers *q, const uint64_t *codes, int ncodes,
		      char *why)
{
	char text[IPMU_QUALIFIERS_TEXT];

	if (has_more_than_levels(q))
		return ipmu_fail(why, -EINVAL, "%s.%s%s: a fixed counter takes u and k alone",
				 e->type->name, event, ipmu_qualifiers_text(q, IPMU_OF_PFM, text));
	e->type = fixed;
	return fixed_encode(e, event, q, codes, ncodes, why);
}

#define PATTERN 0x2AA55ull

/* Nobody counts with them: try one, then restore it. */
static int holds(struct ipmu_regs *p, const struct ipmu_pmu_type *type, char *reason)
{
	uint64_t value = 0;
	int rc = ipmu_msr_write(p, type->ctr, 0, 0, PATTERN);

	if (!rc)
		rc = ipmu_msr_count_read(p, type, 0, 0, &value);
	if (ipmu_access_restore(p) && !rc)
		rc = -EIO;
	if (!rc && value == PATTERN)
		return 1;
	ipmu_fail(reason, rc, "%s: fixed counter 0 (0x%X) %s: a hypervisor gives no counters",
		  p->msr_path, (unsigned)type->ctr->addr,
		  rc ? strerror(-rc) : "does not hold what is written");
	if (rc)
		ipmu_access_explain(p, rc, reason);
	return 0;
}

int ipmu_fixed_discover(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int nfixed,
			const struct ipmu_reg *ctrl, char *reason)
{
	uint64_t enabled, fields;
	int rc = ipmu_msr_read(p, ctrl->addr, &enabled);

	if (!rc)
		rc = ipmu_msr_read(p, type->select->addr, &fields);
	if (rc) {
		ipmu_fail(reason, 0, "%s: the fixed counters' control registers (0x38D, 0x38F) "
			  "cannot be read: %s", p->msr_path, strerror(-rc));
		ipmu_access_explain(p, rc, reason);
		return 0;
	}
	if (nfixed < IPMU_FIXED_COUNTERS) {
		ipmu_fail(reason, 0, "CPUID reports %d fixed counters, not %d: a hypervisor hides "
			  "them", nfixed, IPMU_FIXED_COUNTERS);
		return 0;
	}
	if (p->peers)
		return 1;	/* they have tried them */
	for (uint64_t n = 0; n < IPMU_FIXED_COUNTERS; n++)
		if ((enabled & IPMU_FIXED_BIT(n)) && (fields & IPMU_FIXED_ENABLE(n))) {
			if (p->take_busy || p->told)
				return 1;
			ipmu_fail(reason, 0, "%s: fixed counter %d is in use by somebody else, and "
				  "the control registers are those of all: end that use (the "
				  "kernel's perf events; the NMI watchdog: sysctl "
				  "kernel.nmi_watchdog=0), or set IPMU_TAKE_BUSY=1 to take it and "
				  "give it back afterwards", p->msr_path, (int)n);
			return 0;
		}
	return holds(p, type, reason);
}

int ipmu_fixed_busy(struct ipmu_regs *p, const struct ipmu_pmu_type *type,
		    const struct ipmu_reg *global, char *why)
{
	uint64_t enabled, fields;
	int rc = ipmu_msr_save(p, global, 0, 0, &enabled);

	if (rc || !(enabled & IPMU_FIXED_BITS))
		return rc;
	rc = ipmu_msr_read(p, type->select->addr, &fields);
	for (uint64_t n = 0; n < IPMU_FIXED_COUNTERS && !rc; n++)
		if ((enabled & IPMU_FIXED_BIT(n)) && (fields & IPMU_FIXED_ENABLE(n)))
			rc = ipmu_access_busy(p, type->select, 0, 0, fields, why);
	return rc;
}
