/* SPDX-License-Identifier: MIT */
/* The uncore of client processors: how it is discovered, started and stopped; client_uncore.h has
 * the layouts. A family's operations are ipmu_client_discover(), ipmu_client_control(),
 * ipmu_client_quiesce() and ipmu_client_busy(). The caller holds the system's lock and has entered
 * the unit. Counters that a freeze has stopped are not started again before their session ends.
 * ipmu_client_quiesce() is async-signal-safe. */
#include "client_uncore.h"

#include "../base/why.h"

#include <errno.h>
#include <string.h>

static const struct ipmu_client_layout *layout_of(const struct ipmu_regs *p)
{
	return p->layout;
}

/* ---- what names of events need beside libpfm4's codes */

const struct ipmu_own_qualifier ipmu_client_qualifiers[] = {
	{ .name = "freeze", .least = 1, .most = IPMU_CLIENT_CTR_VAL }, { 0 },
};
const struct ipmu_own_qualifier ipmu_client_clk_qualifiers[] = {
	{ .name = "freeze", .least = 1, .most = IPMU_CLIENT_FIXED_VAL }, { 0 },
};

/* Occupancies are added up by counter 0 alone. */
const struct ipmu_constraint ipmu_client_arb_constraints[] = {
	{ .code = 0x80, .counters = 0x1, .src = "334060-001 Table 3-2; SDM 18.9.6.1" },
	{ .code = 0x83, .counters = 0x1, .src = "SDM 18.9.6.1; Intel perfmon" },
	{ .code = 0x85, .counters = 0x1, .src = "Intel perfmon" },
	{ 0 },
};

const struct ipmu_measure ipmu_client_arb_measures[] = {
	{ "clocks", "UNC_ARB_TRK_OCCUPANCY:CYCLES_*" },
	{ "entries x clocks", "UNC_ARB_*OCCUPANCY" },
	{ "requests", "UNC_*ARB_*REQUEST UNC_*ARB_*REQUESTS UNC_HAC_ARB_TRANSACTIONS" },
	{ 0 },
};

const struct ipmu_measure ipmu_client_imc_measures[] = {
	{ "64-byte transfers", "DRAM_DATA_READS DRAM_DATA_WRITES UNC_*CAS_COUNT_FREERUN" },
	{ "clocks", "UNC_M_CLOCKTICKS UNC_M_DRAM_THERMAL_* UNC_M_DRAM_SELF_REFRESH "
		    "UNC_M_DRAM_CKE_OFF_CYCLES" },
	{ "32-byte transfers", "UNC_M_*_DATA" },
	{ "entries x clocks", "UNC_M_RD_OCCUPANCY_CH?" },
	{ "requests", "UNC_M_VC?_REQUESTS_* UNC_M_PREFETCH_RD UNC_M_TOTAL_REQUESTS "
		      "UNC_M_DRAM_PAGE_*" },
	{ 0 },
};

/* freeze=N, 334060-001 2.1 and Table 2-2: the carry out of the counter's top bit, which is the
 * overflow, comes with the Nth event. */
static int extend(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
		  char *why)
{
	struct ipmu_choice *choice = &e->choices[0];
	uint64_t n;
	int rc = ipmu_period(e->type, event, q, "freeze", &n, why);

	if (rc || !n)
		return rc;
	choice->select |= IPMU_CLIENT_OVF_EN;
	choice->preset = choice->clear = true;
	choice->preset_value = ipmu_reg_fields(e->type->ctr) + 1 - n;
	choice->extra[choice->nextra++] = (struct ipmu_extra_reg){
		.reg = e->type->freeze, .mask = IPMU_CLIENT_GLOBAL_FRZ,
		.value = IPMU_CLIENT_GLOBAL_FRZ,
	};
	return 0;
}

static int client_preset(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
			 uint64_t value)
{
	const struct ipmu_client_layout *l = layout_of(p);
	const struct ipmu_client_unit *u = l->units;
	int rc = ipmu_msr_write(p, type->ctr, box, ctr, value);

	while (u->type && u->type != type)
		u++;
	return rc ? rc : ipmu_msr_write(p, l->global_status, 0, 0, u->overflow);
}

const struct ipmu_ops ipmu_client_ops = {
	.program = ipmu_msr_program, .read = ipmu_msr_count_read, .preset = client_preset,
	.extend = extend, .units = ipmu_select_units,
};

/* ---- what the machine has */

static bool in_window(const struct ipmu_client_unit *u)
{
	return u->boxes == IPMU_CLIENT_WINDOW;
}

static int read_slices(struct ipmu_regs *p, int *slices, char *why)
{
	const struct ipmu_client_layout *l = layout_of(p);
	uint64_t config;
	int rc = l->cbo_config ? ipmu_msr_read(p, l->cbo_config->addr, &config) : 0;

	*slices = 0;
	if (!l->cbo_config)
		return 0;
	if (rc) {
		ipmu_fail(why, 0, "%s: MSR_UNC_CBO_CONFIG (0x396) cannot be read: %s: a "
			  "hypervisor hides the uncore", p->msr_path, strerror(-rc));
		ipmu_access_explain(p, rc, why);
		return ipmu_msr_absence(rc);
	}
	*slices = (int)ipmu_bits_get(IPMU_CLIENT_BANKS, config) + l->more;
	return 0;
}

static void check_slices(const struct ipmu_client_layout *l, int *slices, int ncores, char *reason,
			 char *note)
{
	if (*slices < 1 || *slices > l->slices_max) {
		ipmu_fail(reason, 0, "MSR_UNC_CBO_CONFIG reports %d C-Boxes, addresses are known "
			  "for 1 to %d", *slices, l->slices_max);
		*slices = 0;
	} else if (*slices != ncores && !l->hybrid) {
		ipmu_fail(note, 0, "%d C-Boxes, but %d cores: sums are over the C-Boxes",
			  *slices, ncores);
	} else if (l->remark) {
		ipmu_fail(note, 0, "%s", l->remark);
	}
}

static int boxes_of(struct ipmu_regs *p, const struct ipmu_client_unit *u, int slices,
		    char *reason)
{
	int rc = 0;

	if (!in_window(u))
		return u->boxes == IPMU_CLIENT_SLICES ? slices : u->boxes;
	if (u->type->select)
		return ipmu_client_window_boxes(p, u, reason);
	for (const struct ipmu_fixed_event *e = u->type->fixed; e->event && !rc; e++)
		rc = ipmu_window_open(p, e->ctr, e->ctr->addr, reason);
	return rc ? ipmu_client_no_boxes(rc) : 1;
}

/* Try a counter of the first unit with selects that is no slice: such a unit is always there. */
static int probe(struct ipmu_regs *p, char *why)
{
	const struct ipmu_client_unit *u = layout_of(p)->units;

	while (u->type && (u->boxes < 1 || u->type->fixed))
		u++;
	if (!u->type)
		return 0;	/* all that it has is in the window */
	return ipmu_msr_probe(p, u->type->select, u->type->ctr, IPMU_CLIENT_EN, why);
}

/* Does every register of the units that this machine would have answer, with nothing in bits that
 * the family does not know? Only reads: nothing has been written yet. */
static int answers(struct ipmu_regs *p, const struct ipmu_reg *reg, int boxes, char *why)
{
	uint64_t value, known = reg->width < 64 ? (1ull << reg->width) - 1 : ipmu_reg_fields(reg);
	char name[64];
	int rc = 0;

	for (int b = 0; b < boxes; b++)
		for (int c = 0; c < (reg->ctrs ? reg->ctrs : 1); c++) {
			ipmu_reg_name(reg, b, c, name);
			rc = ipmu_msr_read(p, ipmu_reg_addr(reg, b, c), &value);
			if (rc)
				return ipmu_fail(why, -ENXIO, "this CPU does not answer like that "
						 "family: %s (0x%X): %s", name,
						 (unsigned)ipmu_reg_addr(reg, b, c), strerror(-rc));
			if (value & ~known)
				return ipmu_fail(why, -ENXIO, "this CPU does not answer like that "
						 "family: %s (0x%X) holds 0x%llX, with bits that "
						 "it does not have there", name,
						 (unsigned)ipmu_reg_addr(reg, b, c),
						 (unsigned long long)value);
		}
	return rc;
}

static int instances(const struct ipmu_client_layout *l, const struct ipmu_reg *reg, int slices)
{
	for (const struct ipmu_client_unit *u = l->units; u->type; u++)
		if (u->boxes == IPMU_CLIENT_SLICES &&
		    (u->type->select == reg || u->type->ctr == reg))
			return slices;
	return reg->boxes ? reg->boxes : 1;
}

static int try_registers(struct ipmu_regs *p, int slices, char *why)
{
	const struct ipmu_client_layout *l = layout_of(p);
	int rc = 0;

	if (l->cbo_config && (slices < 1 || slices > l->slices_max))
		return ipmu_fail(why, -ENXIO, "this CPU does not answer like that family: "
				 "MSR_UNC_CBO_CONFIG (0x396) would mean %d C-Boxes, of 1 to %d",
				 slices, l->slices_max);
	for (const struct ipmu_reg *const *r = p->registers; *r && !rc; r++)
		if ((*r)->space == IPMU_MSR)
			rc = answers(p, *r, instances(l, *r, slices), why);
	return rc;
}

/* Use as many counters as the table has, at most those of the family. Their width is the
 * table's. */
static void take_discovered(const struct ipmu_regs *p, const struct ipmu_pmu_type *type,
			    struct ipmu_found *found, int t)
{
	const struct ipmu_discovered *d = &p->discovered;

	found->widths[t] = d->width;
	found->counters[t] = (uint8_t)(d->ctrs < type->counters ? d->ctrs : type->counters);
}

int ipmu_client_discover(struct ipmu_regs *p, int ncores, struct ipmu_found *found, char *note,
			 char *why)
{
	const struct ipmu_client_layout *l = layout_of(p);
	int slices, rc = read_slices(p, &slices, why);

	if (!rc && p->trial)
		rc = try_registers(p, slices, why);
	if (!rc)
		rc = probe(p, why);
	if (rc)
		return rc;
	if (l->remark && !l->cbo_config)
		ipmu_fail(note, 0, "%s", l->remark);
	for (int t = 0; l->units[t].type; t++) {
		if (l->units[t].boxes == IPMU_CLIENT_SLICES)
			check_slices(l, &slices, ncores, found->reasons[t], note);
		rc = boxes_of(p, &l->units[t], slices, found->reasons[t]);
		if (rc < 0)
			return ipmu_fail(why, rc, "%s", found->reasons[t]);
		found->nboxes[t] = rc;
		if (rc && ipmu_client_discovered(&l->units[t]))
			take_discovered(p, l->units[t].type, found, t);
	}
	return 0;
}

/* ---- start and stop */

/* Has the hardware switched off what was on, for a counter with freeze=? */
static int frozen(struct ipmu_regs *p, bool *is)
{
	const struct ipmu_reg *ctrl = layout_of(p)->global_ctrl;
	uint64_t last = ipmu_msr_last(p, ctrl, 0, 0), now = IPMU_CLIENT_GLOBAL_EN;
	int rc = 0;

	if (last & IPMU_CLIENT_GLOBAL_FRZ && last & IPMU_CLIENT_GLOBAL_EN)
		rc = ipmu_msr_read(p, ctrl->addr, &now);
	*is = !(now & IPMU_CLIENT_GLOBAL_EN);
	return rc;
}

static bool any_in_msrs(const struct ipmu_regs *p, const struct ipmu_activity *a)
{
	const struct ipmu_client_unit *units = layout_of(p)->units;

	for (int t = 0; units[t].type; t++)
		for (int b = 0; !in_window(&units[t]) && b < IPMU_BOXES_MAX; b++)
			if (a->active[t][b])
				return true;
	return false;
}

static bool adds_counters(const struct ipmu_activity *a)
{
	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		for (int b = 0; b < IPMU_BOXES_MAX; b++)
			if (a->active[t][b] & ~a->running[t][b])
				return true;
	return false;
}

/* ---- without a global enable: that of each counter that we have written */

static const struct ipmu_client_unit *client_unit(struct ipmu_regs *p,
						  const struct ipmu_reg *select, int *index)
{
	const struct ipmu_client_unit *u = layout_of(p)->units;

	while (u->type && u->type->select != select)
		u++;
	*index = (int)(u - layout_of(p)->units);
	return u->type ? u : NULL;
}

static int switch_each(struct ipmu_regs *p, const struct ipmu_activity *a)
{
	int first = 0, t, box, ctr, rc;

	for (int i = 0; i < p->nsaved; i++) {
		const struct ipmu_reg *reg = p->saved[i].reg;
		bool on;

		if (reg->space != IPMU_MSR || !client_unit(p, reg, &t))
			continue;
		ipmu_reg_at(p->registers, p->saved[i].addr, &box, &ctr);
		on = a->active[t][box] >> ctr & 1;
		if (!on && p->saved[i].state == IPMU_SAVED_FOUND)
			continue;	/* only read so far, and not to be used */
		rc = ipmu_msr_update(p, reg, box, ctr, IPMU_CLIENT_EN, on ? IPMU_CLIENT_EN : 0);
		first = first ? first : rc;
	}
	return first;
}

/* Switch the boxes on before their counters start, and off after these stop: nothing counts in
 * between. */
static int switch_boxes(struct ipmu_regs *p, bool on)
{
	const struct ipmu_reg *const *r = layout_of(p)->box_ctrls;
	uint64_t found;
	int rc = 0;

	for (; r && *r && !rc; r++)
		if (on) {
			rc = ipmu_msr_save(p, *r, 0, 0, &found);
			if (!rc)
				rc = ipmu_msr_write(p, *r, 0, 0, IPMU_CLIENT_GLOBAL_EN);
		} else if (ipmu_msr_is_saved(p, *r, 0, 0)) {
			rc = ipmu_msr_write(p, *r, 0, 0, 0);
		}
	return rc;
}

static int control_each(struct ipmu_regs *p, const struct ipmu_activity *a)
{
	bool on = any_in_msrs(p, a);
	int rc = on ? switch_boxes(p, true) : 0;

	if (!rc)
		rc = switch_each(p, a);
	return rc || on ? rc : switch_boxes(p, false);
}

/* Stop the counters in MSRs, unless nobody has checked them for foreign users. That is so if the
 * process counts in the window alone: their control is not saved then. */
static int stop_msrs(struct ipmu_regs *p, const struct ipmu_reg *ctrl)
{
	return layout_of(p)->window_reset && !ipmu_msr_is_saved(p, ctrl, 0, 0) && !p->take_busy ?
	       0 : ipmu_msr_write(p, ctrl, 0, 0, 0);
}

/* Start or stop all counters in MSRs at once. Programmed counters have their local enable; those
 * without a user count on unread. Counters that a freeze has stopped stay so until their session
 * ends: no other may start meanwhile. */
static int control_msrs(struct ipmu_regs *p, const struct ipmu_activity *a)
{
	const struct ipmu_reg *ctrl = layout_of(p)->global_ctrl;
	bool is_frozen;
	int rc;

	if (!ctrl)
		return control_each(p, a);
	if (!any_in_msrs(p, a))
		return stop_msrs(p, ctrl);
	rc = frozen(p, &is_frozen);
	if (rc || is_frozen)
		return rc ? rc : adds_counters(a) ? -EBUSY : 0;
	return ipmu_msr_update(p, ctrl, 0, 0, IPMU_CLIENT_GLOBAL_EN, IPMU_CLIENT_GLOBAL_EN);
}

int ipmu_client_control(struct ipmu_regs *p, const struct ipmu_activity *a)
{
	int rc = control_msrs(p, a), rc_windows = ipmu_client_window_control(p, a);

	return rc ? rc : rc_windows;
}

static bool enabled(struct ipmu_regs *p, const struct ipmu_reg *select, int box, int ctr,
		    uint64_t *value)
{
	return !ipmu_msr_read(p, ipmu_reg_addr(select, box, ctr), value) &&
	       (*value & IPMU_CLIENT_EN);
}

static int unit_busy(struct ipmu_regs *p, const struct ipmu_client_unit *u, int boxes, char *why)
{
	uint64_t value;

	for (int b = 0; u->type->select && b < boxes; b++)
		for (int c = 0; c < u->type->counters; c++)
			if (enabled(p, u->type->select, b, c, &value))
				return ipmu_access_busy(p, u->type->select, b, c, value, why);
	return 0;
}

static int counter_busy(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
			char *why)
{
	uint64_t value;
	int rc;

	if (!type->select || ipmu_msr_is_saved(p, type->select, box, ctr))
		return 0;
	rc = ipmu_msr_save(p, type->select, box, ctr, &value);
	if (rc || !(value & IPMU_CLIENT_EN))
		return rc;
	return ipmu_access_busy(p, type->select, box, ctr, value, why);
}

/* Costs no extra read in the usual case, in which the uncore is off as the reset leaves it. If it
 * is on, any counter that is enabled counts for somebody: control stops all of them. */
int ipmu_client_busy(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		     char *why)
{
	const struct ipmu_client_layout *l = layout_of(p);
	uint64_t value;
	int slices = 0, rc;

	for (const struct ipmu_client_unit *u = l->units; u->type; u++)
		if (u->type == type && u->box_ctl)
			return ipmu_client_window_busy(p, u, why);
	if (!l->global_ctrl)
		return counter_busy(p, type, box, ctr, why);
	if (ipmu_msr_is_saved(p, l->global_ctrl, 0, 0))
		return 0;
	rc = ipmu_msr_save(p, l->global_ctrl, 0, 0, &value);
	if (rc || !(value & IPMU_CLIENT_GLOBAL_EN) || read_slices(p, &slices, NULL))
		return rc;
	if (slices > l->slices_max)
		slices = l->slices_max;
	for (const struct ipmu_client_unit *u = l->units; !rc && u->type; u++)
		if (!in_window(u))
			rc = unit_busy(p, u, u->boxes < 0 ? slices : u->boxes, why);
	return rc;
}

/* Stop all counters before their registers are restored one by one. Flags that were raised since
 * the start are cleared, and all can be: each kind of counter has its overflow forwarded for a
 * freeze. */
static int quiesce_msrs(struct ipmu_regs *p)
{
	static const struct ipmu_activity none;
	const struct ipmu_client_layout *l = layout_of(p);
	uint64_t flags = 0;

	if (!l->global_ctrl)
		return control_each(p, &none);
	if (!l->global_status)
		return ipmu_msr_is_saved(p, l->global_ctrl, 0, 0) ?
		       ipmu_msr_write(p, l->global_ctrl, 0, 0, 0) : 0;
	for (const struct ipmu_client_unit *u = l->units; u->type; u++)
		flags |= u->overflow;
	return ipmu_msr_quiesce(p, l->global_ctrl, l->global_status, l->global_status, flags);
}

int ipmu_client_quiesce(struct ipmu_regs *p)
{
	static const struct ipmu_activity none;
	int rc = quiesce_msrs(p), rc_windows = ipmu_client_window_control(p, &none);

	return rc ? rc : rc_windows;
}
