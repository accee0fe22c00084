/* SPDX-License-Identifier: MIT */
/* Memory controllers (M-Boxes) of the Xeon 7500 and 6500 (Nehalem-EX) and of the Xeon E7
 * (Westmere-EX). Source: Intel 323535-001 (March 2010), "guide" below. The families' operations
 * discover(), control(), quiesce() and busy() expect the system's lock and the entered unit. The
 * U-Box's global enable may serve other boxes' users: if it was found on, it stays on. */
#include "families.h"

#include "nhmex_registers.h"
#include "counter_ops.h"

#include "../base/why.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#define BOXES IPMU_NHMEX_BOXES
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
static const struct ipmu_pmu_type mbox_nhm = MBOX(&ops_nhm), mbox_wsm = MBOX(&ops_wsm);

static const struct ipmu_fixed_event timestamp_event[] = {
	{ .event = "TIMESTAMP", .ctr = &ipmu_nhmex_timestamp }, { 0 },
};

/* libpfm4 has no PMU for it: it is neither programmed nor known to the kernel. */
static const struct ipmu_pmu_type mbox_ts = {
	.name = "nhmex_unc_mbox_ts", .units = "clocks modulo 65536", .src = "guide 2-101",
	.pfm_numbered = true, .own_names = true,
	.counters = 1, .fixed = timestamp_event, .ops = &ops_timestamp,
};

enum { MBOX_TYPE, TS_TYPE };
static const struct ipmu_pmu_type *const types_nhm[] = {
	[MBOX_TYPE] = &mbox_nhm, [TS_TYPE] = &mbox_ts, NULL
};
static const struct ipmu_pmu_type *const types_wsm[] = {
	[MBOX_TYPE] = &mbox_wsm, [TS_TYPE] = &mbox_ts, NULL
};

static int discover(struct ipmu_regs *p, int ncores, struct ipmu_found *found, char *note,
		    char *why)
{
	(void)ncores, (void)note;
	found->nboxes[MBOX_TYPE] = found->nboxes[TS_TYPE] = BOXES;
	return ipmu_msr_probe(p, &ipmu_nhmex_cnt_ctl, &ipmu_nhmex_cnt, CTL_EN, why);
}

static bool any_active(const struct ipmu_activity *a)
{
	return a->active[MBOX_TYPE][0] || a->active[MBOX_TYPE][1];
}

/* Has a counter that a running session uses frozen the uncore of this package? One register read if
 * not. */
static int is_frozen(struct ipmu_regs *p, const struct ipmu_activity *a, bool *frozen)
{
	uint64_t ctl, status, select;
	int rc = ipmu_msr_read(p, ipmu_nhmex_u_ctl.addr, &ctl);

	*frozen = false;
	if (rc || !(ctl & U_FRZ_ALL) || ctl & U_EN_ALL)
		return rc;
	for (int b = 0; b < BOXES && !rc; b++) {
		rc = ipmu_msr_read(p, ipmu_reg_addr(&ipmu_nhmex_box_status, b, 0), &status);
		for (int c = 0; c < COUNTERS && !rc; c++) {
			if (!(status & a->active[MBOX_TYPE][b] & 1u << c))
				continue;
			rc = ipmu_msr_read(p, ipmu_reg_addr(&ipmu_nhmex_cnt_ctl, b, c), &select);
			*frozen |= !rc && select & CTL_PMI_EN;
		}
	}
	return rc;
}

/* Start or stop both boxes at once by en_all. If en_all was found on, it may serve somebody else's
 * counters in other boxes: then it stays on, and the boxes' own enables decide. */
static int switch_all(struct ipmu_regs *p, bool on)
{
	uint64_t found, mask = on ? U_EN_ALL : U_FRZ_ALL;
	int rc = ipmu_msr_save(p, &ipmu_nhmex_u_ctl, 0, 0, &found);

	if (rc)
		return rc;
	if (!(found & U_EN_ALL))
		mask |= U_EN_ALL;
	return ipmu_msr_update(p, &ipmu_nhmex_u_ctl, 0, 0, mask | U_RST_ALL, on ? U_EN_ALL : 0);
}

static int enable_counters(struct ipmu_regs *p, const struct ipmu_activity *a)
{
	uint64_t found;
	int rc = 0;

	for (int b = 0; b < BOXES && !rc; b++) {
		rc = ipmu_msr_save(p, &ipmu_nhmex_box_status, b, 0, &found);	/* for quiesce() */
		if (!rc)
			rc = ipmu_msr_write(p, &ipmu_nhmex_box_ctl, b, 0, a->active[MBOX_TYPE][b]);
	}
	return rc;
}

static int adds_counters(struct ipmu_regs *p, const struct ipmu_activity *a, bool *adds)
{
	uint64_t enabled;
	int rc = 0;

	*adds = false;
	for (int b = 0; b < BOXES && !rc; b++) {
		rc = ipmu_msr_read(p, ipmu_reg_addr(&ipmu_nhmex_box_ctl, b, 0), &enabled);
		*adds |= !rc && a->active[MBOX_TYPE][b] & ~enabled;
	}
	return rc;
}

/* Counters that a freeze has stopped keep their counts until their session ends. Other sessions may
 * end meanwhile, but none may start: that would restart the frozen counters. */
static int control(struct ipmu_regs *p, const struct ipmu_activity *a)
{
	bool frozen, adds = false;
	int rc;

	if (!any_active(a)) {
		rc = switch_all(p, false);
		return rc ? rc : enable_counters(p, a);
	}
	rc = is_frozen(p, a, &frozen);
	if (!rc && frozen)
		rc = adds_counters(p, a, &adds);
	if (!rc)
		rc = adds ? -EBUSY : enable_counters(p, a);
	return rc || frozen ? rc : switch_all(p, true);
}

static bool was_saved(const struct ipmu_regs *p, const struct ipmu_reg *reg)
{
	for (int i = 0; i < p->nsaved; i++)
		if (p->saved[i].reg == reg)
			return true;
	return false;
}

/* The flags of counters that have overflowed since; they are cleared at the box, and the U-Box's
 * summary follows. */
static int quiesce(struct ipmu_regs *p)
{
	static const struct ipmu_activity none;
	uint64_t flags = ipmu_reg_fields(&ipmu_nhmex_box_ovf_ctl), found, now;
	int rc;

	if (!was_saved(p, &ipmu_nhmex_box_status))
		return 0;
	rc = control(p, &none);
	for (int b = 0; b < BOXES && !rc; b++) {
		rc = ipmu_msr_save(p, &ipmu_nhmex_box_status, b, 0, &found);
		if (!rc)
			rc = ipmu_msr_read(p, ipmu_reg_addr(&ipmu_nhmex_box_status, b, 0), &now);
		if (!rc && now & ~found)
			rc = ipmu_msr_write(p, &ipmu_nhmex_box_ovf_ctl, b, 0, now & ~found & flags);
	}
	return rc;
}

static const struct ipmu_reg *const switches[] = { &ipmu_nhmex_u_ctl, &ipmu_nhmex_box_status,
						   &ipmu_nhmex_box_ctl, NULL };
/* control() switches all counters of both boxes. */
static int busy(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr, char *why)
{
	uint64_t all, on, value;
	int rc;

	(void)type, (void)box, (void)ctr;
	if (ipmu_msr_is_saved(p, &ipmu_nhmex_u_ctl, 0, 0))
		return 0;
	rc = ipmu_msr_save(p, &ipmu_nhmex_u_ctl, 0, 0, &all);
	for (int b = 0; b < BOXES && !rc && (all & U_EN_ALL); b++) {
		rc = ipmu_msr_save(p, &ipmu_nhmex_box_ctl, b, 0, &on);
		for (int c = 0; c < COUNTERS && !rc; c++) {
			if (!(on >> c & 1))
				continue;
			rc = ipmu_msr_read(p, ipmu_reg_addr(&ipmu_nhmex_cnt_ctl, b, c), &value);
			if (!rc && (value & CTL_EN))
				rc = ipmu_access_busy(p, &ipmu_nhmex_cnt_ctl, b, c, value, why);
		}
	}
	return rc;
}

static const int models_nhm[] = { 0x2E, -1 }, models_wsm[] = { 0x2F, -1 };

const struct ipmu_family ipmu_nehalem_ex = {
	.name = "nhmex_unc", .scope = IPMU_SCOPE_PACKAGE,
	.src = "323535-001; models from SDM Table 35-15",
	.vendor = "GenuineIntel", .family = 6, .models = models_nhm,
	.models_text = "GenuineIntel family 6 model 0x2E (Xeon 7500, 6500)",
	.types = types_nhm, .registers = ipmu_nhmex_registers_nhm, .switches = switches,
	.discover = discover, .control = control, .quiesce = quiesce, .busy = busy,
};

const struct ipmu_family ipmu_westmere_ex = {
	.name = "nhmex_unc", .scope = IPMU_SCOPE_PACKAGE,
	.src = "323535-001; model and ZDP_CTL_FVC from Linux uncore_nhmex.c",
	.vendor = "GenuineIntel", .family = 6, .models = models_wsm,
	.models_text = "model 0x2F (Xeon E7)",
	.types = types_wsm,
	.registers = ipmu_nhmex_registers_wsm, .switches = switches,
	.discover = discover, .control = control, .quiesce = quiesce, .busy = busy,
};
