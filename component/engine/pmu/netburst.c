/* SPDX-License-Identifier: MIT */
/* NetBurst: Pentium 4 and its Xeons. All PMU registers belong to a core; bits in the ESCRs select
 * the hardware threads to count. Errata behind what follows: writes of counters can be lost (N15,
 * O8). OVF stays set until its CCCR is written. */
#include "netburst.h"

#include "counter_ops.h"

#include "../base/why.h"

#include <errno.h>
#include <string.h>

#define PERFMON_AVAILABLE BITS(7, 7)

uint64_t ipmu_netburst_preset(uint64_t n, bool pmi)
{
	return (pmi ? 1 - n : 0 - n) & ipmu_reg_fields(&ipmu_netburst_counters[0]);
}

/* The counter stands still and compares nothing while it is written, else the write may be lost. */
static int preset(struct ipmu_regs *p, int ctr, uint64_t select)
{
	bool pmi = select & (CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1);
	uint64_t period = select >> 32;
	int rc = ipmu_msr_write(p, &ipmu_netburst_cccrs[ctr], 0, 0, 0);

	return rc ? rc : ipmu_msr_write(p, &ipmu_netburst_counters[ctr], 0, 0,
					period ? ipmu_netburst_preset(period, pmi) : 0);
}

/* Without ENABLE: control() sets it for all counters of a session together. */
static int program(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		   uint64_t select)
{
	uint64_t found;
	int rc = ipmu_msr_save(p, &ipmu_netburst_counters[ctr], 0, 0, &found);

	(void)type, (void)box;
	if (!rc && (select >> 32 || (select & CCCR_CASCADE)))
		rc = preset(p, ctr, select);
	if (rc)
		return rc;
	return ipmu_msr_write(p, &ipmu_netburst_cccrs[ctr], 0, 0,
			      (uint32_t)select & ~CCCR_ENABLE);
}

static const struct ipmu_ops ops = {
	.program = program, .read = ipmu_msr_count_read, .encode = ipmu_netburst_encode,
	.for_threads = ipmu_netburst_for_threads, .check_threads = ipmu_netburst_check_threads,
	.knows = ipmu_netburst_knows, .more = ipmu_netburst_more, .units = ipmu_netburst_units,
};

static int cccr_number(const struct ipmu_reg *reg)
{
	bool is = reg >= ipmu_netburst_cccrs && reg < ipmu_netburst_cccrs + NETBURST_COUNTERS;

	return is ? (int)(reg - ipmu_netburst_cccrs) : -1;
}

/* Switch a counter. The receiver of a cascade is started by the other counter, and stopped by
 * clearing CASCADE. Every switch writes OVF as 0. */
static int switch_counter(struct ipmu_regs *p, int ctr, uint64_t cccr, bool on)
{
	uint64_t wanted = cccr & ~(CCCR_ENABLE | CCCR_OVF);

	if (on && !(cccr & CCCR_CASCADE))
		wanted |= CCCR_ENABLE;
	else if (!on)
		wanted &= ~CCCR_CASCADE;
	return ipmu_msr_write(p, &ipmu_netburst_cccrs[ctr], 0, 0,
			      wanted & ipmu_reg_writable(&ipmu_netburst_cccrs[ctr]));
}

/* There is no global enable: one write for each counter that starts or stops. Sources of cascades
 * stand beside their receivers, so the order does not matter: those wait. */
static int control(struct ipmu_regs *p, const struct ipmu_activity *a)
{
	int first = 0;

	for (int i = 0; i < p->nsaved; i++) {
		int ctr = cccr_number(p->saved[i].reg), rc;

		if (ctr < 0)
			continue;
		rc = switch_counter(p, ctr, p->saved[i].now, a->active[0][0] >> ctr & 1);
		first = first ? first : rc;
	}
	return first;
}

static int quiesce(struct ipmu_regs *p)
{
	static const struct ipmu_activity none;

	return control(p, &none);
}

static int discover(struct ipmu_regs *p, int ncores, struct ipmu_found *found, char *note,
		    char *why)
{
	const struct ipmu_reg *reg = &ipmu_netburst_misc_enable;
	uint64_t value;
	int rc = ipmu_msr_read(p, reg->addr, &value);

	(void)ncores, (void)note;
	if (rc) {
		ipmu_fail(why, 0, "%s: IA32_MISC_ENABLE (0x1A0) cannot be read: %s: a hypervisor "
			  "hides it", p->msr_path, strerror(-rc));
		ipmu_access_explain(p, rc, why);
		return ipmu_msr_absence(rc);
	}
	if (!(value & PERFMON_AVAILABLE))
		return ipmu_fail(why, -ENXIO, "%s: IA32_MISC_ENABLE bit 7 is 0: performance "
				 "monitoring is switched off on this CPU; look in the firmware's "
				 "settings", p->msr_path);
	rc = ipmu_msr_probe(p, &ipmu_netburst_cccrs[2], &ipmu_netburst_counters[2], CCCR_ENABLE,
			    why);
	found->nboxes[0] = rc == 0;
	return rc;
}

/* Counters have no switch in common. */
static int busy(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr, char *why)
{
	const struct ipmu_reg *reg = &ipmu_netburst_cccrs[ctr];
	uint64_t value;
	int rc;

	(void)type, (void)box;
	if (ipmu_msr_is_saved(p, reg, 0, 0))
		return 0;
	rc = ipmu_msr_save(p, reg, 0, 0, &value);
	return rc || !(value & CCCR_ENABLE) ? rc : ipmu_access_busy(p, reg, 0, 0, value, why);
}

#define TYPE(name_) { .name = name_, .units = "events", \
	.src = "SDM tables 18-63, 19-28 to 19-33", .pfm = name_, .own_names = true, \
	.counters = NETBURST_COUNTERS, \
	.selects = ipmu_netburst_cccrs, .ctrs = ipmu_netburst_counters, \
	.per_clock = 15, .clock_mhz = 3800, /* active queue entries, Table 19-33 */ \
	.switched = CCCR_ENABLE, .cascade = CCCR_CASCADE, \
	.qualifiers = ipmu_netburst_qualifiers, .measures = ipmu_netburst_measures, .ops = &ops }

static const struct ipmu_pmu_type netburst = TYPE("netburst");
static const struct ipmu_pmu_type netburst_p = TYPE("netburst_p");

static const struct ipmu_pmu_type *const types[] = { &netburst, NULL };
static const struct ipmu_pmu_type *const types_p[] = { &netburst_p, NULL };
static const int models[] = { 0, 1, 2, -1 }, models_p[] = { 3, 4, 6, -1 };

#define FAMILY .src = "SDM 325384-059 18.15, 18.16", .scope = IPMU_SCOPE_CPU, .per_core = true, \
	.vendor = "GenuineIntel", .family = 15, .discover = discover, .control = control, \
	.quiesce = quiesce, .busy = busy, .shared_resources = ipmu_netburst_shared_resources

const struct ipmu_family ipmu_netburst = {
	.machine = "pentium4",
	.name = "netburst", FAMILY, .models = models,
	.models_text = "GenuineIntel family 15 models 0 to 2 (Pentium 4)",
	.types = types, .registers = ipmu_netburst_registers,
};

const struct ipmu_family ipmu_netburst_p = {
	.machine = "prescott",
	.name = "netburst_p", FAMILY, .models = models_p,
	.models_text = "family 15 models 3, 4, 6 (Pentium 4)",
	.types = types_p, .registers = ipmu_netburst_p_registers,
};
