/* SPDX-License-Identifier: MIT */
/* The uncore of the Xeon 7500 and 6500 (Nehalem-EX) and of the Xeon E7 (Westmere-EX): its families,
 * and how the U-Box, which is the processor's, starts and stops the counters of its boxes. The
 * layout has a row for each kind of box with such counters: a further kind is a row, a type and
 * registers.
 * The caller holds the unit's lock. Source: Intel 323535-001 (March 2010), "guide" 2.1. */
#include "families.h"

#include "nhmex_registers.h"
#include "counter_ops.h"

#include <errno.h>

enum { MBOX_TYPE, TS_TYPE, CBOX_TYPE };
static const struct ipmu_pmu_type *const types_nhm[] = {
	[MBOX_TYPE] = &ipmu_nhmex_mbox_nhm, [TS_TYPE] = &ipmu_nhmex_mbox_ts,
	[CBOX_TYPE] = &ipmu_nhmex_cbox_nhm, NULL
};
static const struct ipmu_pmu_type *const types_wsm[] = {
	[MBOX_TYPE] = &ipmu_nhmex_mbox_wsm, [TS_TYPE] = &ipmu_nhmex_mbox_ts,
	[CBOX_TYPE] = &ipmu_nhmex_cbox_wsm, NULL
};

/* A kind of box: its enables, overflow flags and what clears them, with a bit for each counter, its
 * selects and counters, and the bits of a select that enable and that request a freeze. */
struct nhmex_unit {
	int type, boxes;
	const struct ipmu_reg *ctl, *status, *ovf_ctl, *select, *ctr;
	uint64_t en, pmi_en;
};
#define MBOX_UNIT { MBOX_TYPE, IPMU_NHMEX_BOXES, &ipmu_nhmex_box_ctl, &ipmu_nhmex_box_status, \
	&ipmu_nhmex_box_ovf_ctl, &ipmu_nhmex_cnt_ctl, &ipmu_nhmex_cnt, CTL_EN, CTL_PMI_EN }
#define CBOX_UNIT(prefix, boxes) { CBOX_TYPE, boxes, &prefix##_ctl, &prefix##_status, \
	&prefix##_ovf_ctl, &prefix##_evt_sel, &prefix##_ctr, SEL_EN, SEL_PMI_EN }
#define UNITS 2
static const struct nhmex_unit units_nhm[UNITS] = {
	MBOX_UNIT, CBOX_UNIT(ipmu_nhmex_cbox, IPMU_NHMEX_CBOXES),
};
static const struct nhmex_unit units_wsm[UNITS] = {
	MBOX_UNIT, CBOX_UNIT(ipmu_wsmex_cbox, IPMU_WSMEX_CBOXES),
};

static const struct nhmex_unit *units_of(const struct ipmu_regs *p)
{
	return p->layout;
}

static int nhmex_discover(struct ipmu_regs *p, int ncores, struct ipmu_found *found, char *note,
			  char *why)
{
	int rc = 0;

	(void)ncores, (void)note;	/* C-Boxes without a slice count too (guide 2-9) */
	found->nboxes[TS_TYPE] = IPMU_NHMEX_BOXES;
	for (const struct nhmex_unit *u = units_of(p); u < units_of(p) + UNITS && !rc; u++) {
		found->nboxes[u->type] = u->boxes;
		rc = ipmu_msr_probe(p, u->select, u->ctr, u->en, why);
	}
	return rc;
}

static bool any_active(const struct ipmu_regs *p, const struct ipmu_activity *a)
{
	for (const struct nhmex_unit *u = units_of(p); u < units_of(p) + UNITS; u++)
		for (int b = 0; b < u->boxes; b++)
			if (a->active[u->type][b])
				return true;
	return false;
}

/* Has one of these counters of a box overflowed, and may it freeze? */
static int box_froze(struct ipmu_regs *p, const struct nhmex_unit *u, int box, uint32_t active,
		     bool *frozen)
{
	uint64_t status, select;
	int rc = ipmu_msr_read(p, ipmu_reg_addr(u->status, box, 0), &status);

	for (int c = 0; c < IPMU_NHMEX_COUNTERS && !rc; c++) {
		if (!(status & active & 1u << c))
			continue;
		rc = ipmu_msr_read(p, ipmu_reg_addr(u->select, box, c), &select);
		*frozen |= !rc && select & u->pmi_en;
	}
	return rc;
}

/* Has a counter that a running session uses frozen the uncore of this package? One register read if
 * not. */
static int is_frozen(struct ipmu_regs *p, const struct ipmu_activity *a, bool *frozen)
{
	uint64_t ctl;
	int rc = ipmu_msr_read(p, ipmu_nhmex_u_ctl.addr, &ctl);

	*frozen = false;
	if (rc || !(ctl & U_FRZ_ALL) || ctl & U_EN_ALL)
		return rc;
	for (const struct nhmex_unit *u = units_of(p); u < units_of(p) + UNITS; u++)
		for (int b = 0; b < u->boxes && !rc; b++)
			rc = box_froze(p, u, b, a->active[u->type][b], frozen);
	return rc;
}

/* en_all may be someone else's, for the counters of other boxes: then it stays on, and the boxes'
 * own enables do. Otherwise it starts and stops all boxes at once. */
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

	for (const struct nhmex_unit *u = units_of(p); u < units_of(p) + UNITS; u++)
		for (int b = 0; b < u->boxes && !rc; b++) {
			rc = ipmu_msr_save(p, u->status, b, 0, &found);	/* for nhmex_quiesce() */
			if (!rc)
				rc = ipmu_msr_write(p, u->ctl, b, 0, a->active[u->type][b]);
		}
	return rc;
}

static int adds_counters(struct ipmu_regs *p, const struct ipmu_activity *a, bool *adds)
{
	uint64_t enabled;
	int rc = 0;

	*adds = false;
	for (const struct nhmex_unit *u = units_of(p); u < units_of(p) + UNITS; u++)
		for (int b = 0; b < u->boxes && !rc; b++) {
			rc = ipmu_msr_read(p, ipmu_reg_addr(u->ctl, b, 0), &enabled);
			*adds |= !rc && a->active[u->type][b] & ~enabled;
		}
	return rc;
}

/* Counters that a freeze has stopped keep their counts until their session ends. Other sessions may
 * end meanwhile. A start is refused, because it would let the frozen counters continue. */
static int nhmex_control(struct ipmu_regs *p, const struct ipmu_activity *a)
{
	bool frozen, adds = false;
	int rc;

	if (!any_active(p, a)) {
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
static int clear_flags(struct ipmu_regs *p, const struct nhmex_unit *u, int box)
{
	uint64_t found, now, flags = ipmu_reg_fields(u->ovf_ctl);
	int rc = ipmu_msr_save(p, u->status, box, 0, &found);

	if (!rc)
		rc = ipmu_msr_read(p, ipmu_reg_addr(u->status, box, 0), &now);
	if (!rc && now & ~found)
		rc = ipmu_msr_write(p, u->ovf_ctl, box, 0, now & ~found & flags);
	return rc;
}

static int nhmex_quiesce(struct ipmu_regs *p)
{
	static const struct ipmu_activity none;
	int rc;

	if (!was_saved(p, units_of(p)->status))	/* control saves those of all units */
		return 0;
	rc = nhmex_control(p, &none);
	for (const struct nhmex_unit *u = units_of(p); u < units_of(p) + UNITS; u++)
		for (int b = 0; b < u->boxes && !rc; b++)
			rc = clear_flags(p, u, b);
	return rc;
}

static const struct ipmu_reg *const switches_nhm[] = {
	&ipmu_nhmex_u_ctl, &ipmu_nhmex_box_status, &ipmu_nhmex_box_ctl, &ipmu_nhmex_cbox_status,
	&ipmu_nhmex_cbox_ctl, NULL
};
static const struct ipmu_reg *const switches_wsm[] = {
	&ipmu_nhmex_u_ctl, &ipmu_nhmex_box_status, &ipmu_nhmex_box_ctl, &ipmu_wsmex_cbox_status,
	&ipmu_wsmex_cbox_ctl, NULL
};

static int box_busy(struct ipmu_regs *p, const struct nhmex_unit *u, int box, char *why)
{
	uint64_t on, value;
	int rc = ipmu_msr_save(p, u->ctl, box, 0, &on);

	for (int c = 0; c < IPMU_NHMEX_COUNTERS && !rc; c++) {
		if (!(on >> c & 1))
			continue;
		rc = ipmu_msr_read(p, ipmu_reg_addr(u->select, box, c), &value);
		if (!rc && (value & u->en))
			rc = ipmu_access_busy(p, u->select, box, c, value, why);
	}
	return rc;
}

/* nhmex_control() switches all counters of all boxes. */
static int nhmex_busy(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		      char *why)
{
	uint64_t all = 0;
	int rc;

	(void)type, (void)box, (void)ctr;
	if (ipmu_msr_is_saved(p, &ipmu_nhmex_u_ctl, 0, 0))
		return 0;
	rc = ipmu_msr_save(p, &ipmu_nhmex_u_ctl, 0, 0, &all);
	if (rc || !(all & U_EN_ALL))
		return rc;
	for (const struct nhmex_unit *u = units_of(p); u < units_of(p) + UNITS; u++)
		for (int b = 0; b < u->boxes && !rc; b++)
			rc = box_busy(p, u, b, why);
	return rc;
}

static const int models_nhm[] = { 0x2E, -1 }, models_wsm[] = { 0x2F, -1 };

const struct ipmu_family ipmu_nehalem_ex = {
	.machine = "nehalem-ex",
	.name = "nhmex_unc", .scope = IPMU_SCOPE_PACKAGE,
	.src = "323535-001; models from SDM Table 35-15",
	.vendor = "GenuineIntel", .family = 6, .models = models_nhm,
	.models_text = "GenuineIntel family 6 model 0x2E (Xeon 7500, 6500)",
	.types = types_nhm, .registers = ipmu_nhmex_registers_nhm, .switches = switches_nhm,
	.layout = units_nhm,
	.discover = nhmex_discover, .control = nhmex_control, .quiesce = nhmex_quiesce,
	.busy = nhmex_busy,
};

const struct ipmu_family ipmu_westmere_ex = {
	.machine = "westmere-ex",
	.name = "nhmex_unc", .scope = IPMU_SCOPE_PACKAGE,
	.src = "323535-001; model and ZDP_CTL_FVC from Linux uncore_nhmex.c",
	.vendor = "GenuineIntel", .family = 6, .models = models_wsm,
	.models_text = "model 0x2F (Xeon E7)",
	.types = types_wsm, .registers = ipmu_nhmex_registers_wsm, .switches = switches_wsm,
	.layout = units_wsm,
	.discover = nhmex_discover, .control = nhmex_control, .quiesce = nhmex_quiesce,
	.busy = nhmex_busy,
};
