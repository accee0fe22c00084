/* SPDX-License-Identifier: MIT */
/* C-Boxes of the Xeon 7500 and 6500 (Nehalem-EX), which have eight, and of the Xeon E7
 * (Westmere-EX), which has ten: a slice of the last-level cache each. A counter's select is laid
 * out as on the P6, so an event needs nothing beside. Counters are started and stopped together
 * with those of other boxes, in nhmex_uncore.c. Source: Intel 323535-001 (March 2010), "guide"
 * below. */
#include "nhmex_registers.h"
#include "counter_ops.h"

static int extend(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
		  char *why)
{
	struct ipmu_choice *choice = &e->choices[0];
	uint64_t n;
	int rc = ipmu_period(e->type, event, q, "freeze", &n, why);

	if (rc || !n)
		return rc;
	choice->select |= SEL_PMI_EN;
	choice->preset = true;
	choice->preset_value = CNT_EVENT_COUNT + 1 - n;	/* guide 2-15 */
	ipmu_nhmex_keep_from_cores(choice, true);
	return 0;
}

static int preset(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		  uint64_t value)
{
	const struct ipmu_reg *ovf_ctl = type == &ipmu_nhmex_cbox_wsm ? &ipmu_wsmex_cbox_ovf_ctl :
								       &ipmu_nhmex_cbox_ovf_ctl;
	int rc = ipmu_msr_write(p, type->ctr, box, ctr, value);

	return rc ? rc : ipmu_msr_write(p, ovf_ctl, box, 0, 1ull << ctr);
}

static const struct ipmu_ops ops = {
	.program = ipmu_msr_program, .read = ipmu_msr_count_read, .preset = preset,
	.extend = extend, .units = ipmu_select_units,
};

static const struct ipmu_own_qualifier qualifiers[] = {
	{ .name = "freeze", .least = 1, .most = CNT_EVENT_COUNT }, { 0 },
};

static const struct ipmu_measure measures[] = {
	{ "entries x clocks", "STARVED_EGRESS" }, { "requests", "LLC_*" }, { 0 },
};

#define CBOX(prefix) { .name = "nhmex_unc_cbox", .units = "events", \
	.src = "guide 2-27; LLC_HITS and LLC_MISSES from LIKWID", \
	.pfm = "nhmex_unc_cbox", .pfm_numbered = true, .raw = "event=0x15:umask=0x0F", \
	.per_clock = 255, .clock_mhz = 2700, /* what the threshold compares; the core's clock */ \
	.counters = IPMU_NHMEX_COUNTERS, .select = &prefix##_evt_sel, .ctr = &prefix##_ctr, \
	.enable = SEL_EN, .qualifiers = qualifiers, .measures = measures, .ops = &ops }
const struct ipmu_pmu_type ipmu_nhmex_cbox_nhm = CBOX(ipmu_nhmex_cbox),
	ipmu_nhmex_cbox_wsm = CBOX(ipmu_wsmex_cbox);
