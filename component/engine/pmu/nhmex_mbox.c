/* SPDX-License-Identifier: MIT */
/* Memory controllers (M-Boxes) of the Xeon 7500 and 6500 (Nehalem-EX) and of the Xeon E7
 * (Westmere-EX): their types, and how an event is programmed. What starts and stops them together
 * with other boxes is in nhmex_uncore.c. Source: Intel 323535-001 (March 2010), "guide" below. */
#include "nhmex_registers.h"
#include "counter_ops.h"

#include "../base/why.h"

#include <errno.h>
#include <strings.h>

#define COUNTERS IPMU_NHMEX_COUNTERS

static int preset(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		  uint64_t value)
{
	int rc = ipmu_msr_write(p, type->ctr, box, ctr, value);

	return rc ? rc : ipmu_msr_write(p, &ipmu_nhmex_box_ovf_ctl, box, 0, 1ull << ctr);
}

static const struct ipmu_ops ops_nhm = {
	.program = ipmu_msr_program, .read = ipmu_msr_count_read,
	.check = ipmu_nhmex_check, .encode = ipmu_nhmex_encode_nhm, .preset = preset,
	.units = ipmu_nhmex_units,
};
static const struct ipmu_ops ops_wsm = {
	.program = ipmu_msr_program, .read = ipmu_msr_count_read,
	.check = ipmu_nhmex_check, .encode = ipmu_nhmex_encode_wsm, .preset = preset,
	.units = ipmu_nhmex_units,
};

static bool timestamp_knows(const char *event)
{
	return strcasecmp(event, "TIMESTAMP") == 0;
}

static int timestamp_more(const char *event, int n, const char **name, const char **desc)
{
	if (event || n)
		return -ENOENT;
	*name = "TIMESTAMP";
	*desc = "M-Box clocks modulo 65,536: 16 bits that wrap every few ten microseconds, for "
		"intervals shorter than that (CYCLES counts all clocks)";
	return 0;
}

static int timestamp_encode(struct ipmu_event *e, const char *event,
			    const struct ipmu_qualifiers *q, const uint64_t *codes, int ncodes,
			    char *why)
{
	const struct ipmu_qualifier *unknown = ipmu_qualifiers_first(q, IPMU_OF_PFM);

	(void)codes, (void)ncodes;
	if (!timestamp_knows(event))
		return ipmu_fail(why, -ENOENT, "%s has no event %s, only TIMESTAMP", e->type->name,
				 event);
	if (unknown)
		return ipmu_fail(why, -ENOKEY, IPMU_QUALIFIER_FORMAT,
				 IPMU_QUALIFIER_WORDS(unknown));
	e->nchoices = 1;
	e->choices[0].counters = 1;
	return 0;
}

static const struct ipmu_ops ops_timestamp = {
	.program = ipmu_program_nothing, .read = ipmu_msr_count_read, .encode = timestamp_encode,
	.knows = timestamp_knows, .more = timestamp_more,
};

static const struct ipmu_own_qualifier qualifiers[] = {
	{ .name = "freeze", .least = 1, .most = CNT_EVENT_COUNT }, { 0 },
};

static const struct ipmu_measure measures[] = {
	{ "clocks", "CYCLES CYCLES_* RAW" },
	{ "entries x clocks", "BCMD_SCHEDQ_OCCUPANCY SCHED_INFLIGHT_CMDS" },
	{ "requests", "FVC_EV?:BBOX_CMDS_* BBOX_CMDS_ALL INFLIGHT_CMDS" },
	{ 0 },
};

#define MBOX(ops_) { .name = "nhmex_unc_mbox", .units = "events", .src = "guide Table 2-84", \
	.pfm = "nhmex_unc_mbox", .pfm_numbered = true, \
	.per_clock = 255, .clock_mhz = 2700, /* requests in flight, at most; the core's clock */ \
	.counters = COUNTERS, .select = &ipmu_nhmex_cnt_ctl, .ctr = &ipmu_nhmex_cnt, \
	.enable = CTL_EN, .qualifiers = qualifiers, .measures = measures, .ops = ops_ }
const struct ipmu_pmu_type ipmu_nhmex_mbox_nhm = MBOX(&ops_nhm),
	ipmu_nhmex_mbox_wsm = MBOX(&ops_wsm);

static const struct ipmu_fixed_event timestamp_event[] = {
	{ .event = "TIMESTAMP", .ctr = &ipmu_nhmex_timestamp }, { 0 },
};

/* libpfm4 has no PMU for it: it is neither programmed nor known to the kernel. */
const struct ipmu_pmu_type ipmu_nhmex_mbox_ts = {
	.name = "nhmex_unc_mbox_ts", .units = "clocks modulo 65536", .src = "guide 2-101",
	.pfm_numbered = true, .own_names = true,
	.counters = 1, .fixed = timestamp_event, .ops = &ops_timestamp,
};
