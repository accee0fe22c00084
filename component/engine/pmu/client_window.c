/* SPDX-License-Identifier: MIT */
/* Counters with an event select that client processors have in the memory controllers' window, from
 * Alder Lake on: see client_uncore.h. A select has no enable bit; ipmu_client_window_control()
 * starts and stops a box as a whole, by its freeze. The first counter programmed resets the window,
 * after its registers were saved. The caller holds the system's lock and has entered the unit. */
#include "client_uncore.h"

#include "../base/why.h"

#include <errno.h>

static const struct ipmu_client_layout *layout_of(const struct ipmu_regs *p)
{
	return p->layout;
}

/* The register that is written once before the first counter is used, and restored first. */
static const struct ipmu_reg *switch_of(const struct ipmu_regs *p)
{
	const struct ipmu_client_layout *l = layout_of(p);

	return l->window_thaw ? l->window_thaw : l->window_reset;
}

/* How many of a register's boxes this machine has. */
static int boxes_here(const struct ipmu_regs *p, const struct ipmu_reg *reg)
{
	return reg->unit_type ? p->discovered.units : reg->boxes;
}

/* Do something for each writable register in the window but the reset itself. The reset clears
 * them. They are saved before it, so that they are restored after it. */
static int each_in_window(struct ipmu_regs *p, int (*what)(struct ipmu_regs *p,
			  const struct ipmu_reg *reg, int box, int ctr))
{
	int rc = 0;

	for (const struct ipmu_reg *const *r = p->registers; *r; r++) {
		if ((*r)->space != IPMU_MMIO || *r == switch_of(p) || !ipmu_reg_writable(*r))
			continue;
		for (int b = 0; b < boxes_here(p, *r) && !rc; b++)
			for (int c = 0; c < ((*r)->ctrs ? (*r)->ctrs : 1) && !rc; c++)
				rc = what(p, *r, b, c);
	}
	return rc;
}

static int save_one(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr)
{
	uint64_t found;

	return ipmu_msr_save(p, reg, box, ctr, &found);
}

static int freeze_one(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr)
{
	for (const struct ipmu_client_unit *u = layout_of(p)->units; u->type; u++)
		if (u->box_ctl == reg)
			return ipmu_msr_write(p, reg, box, ctr, IPMU_CLIENT_BOX_FRZ);
	return 0;
}

static int clear_select(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr)
{
	for (const struct ipmu_client_unit *u = layout_of(p)->units; u->type; u++)
		if (u->box_ctl && u->type->select == reg)
			return ipmu_msr_write(p, reg, box, ctr, 0);
	return 0;
}

static int reset_all(struct ipmu_regs *p)
{
	int rc = ipmu_msr_write(p, layout_of(p)->window_reset, 0, 0, IPMU_CLIENT_RESET);

	if (!rc)
		rc = each_in_window(p, ipmu_msr_look);
	return rc ? rc : each_in_window(p, freeze_one);
}

/* Discovered units are frozen one by one before the freeze of all ends. A select that somebody left
 * there would count with ours. */
static int thaw_all(struct ipmu_regs *p)
{
	int rc = each_in_window(p, freeze_one);

	if (!rc)
		rc = each_in_window(p, clear_select);
	return rc ? rc : ipmu_msr_update(p, layout_of(p)->window_thaw, 0, 0,
					 IPMU_CLIENT_BOX_FRZ, 0);
}

/* Before the first counter of the unit is programmed, and not again while any process counts. */
static int reset_window(struct ipmu_regs *p)
{
	int rc;

	if (ipmu_msr_is_saved(p, switch_of(p), 0, 0))
		return 0;
	rc = each_in_window(p, save_one);
	if (rc)
		return rc;
	return layout_of(p)->window_thaw ? thaw_all(p) : reset_all(p);
}

static int program_in_window(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box,
			     int ctr, uint64_t select)
{
	int rc = reset_window(p);

	return rc ? rc : ipmu_msr_program(p, type, box, ctr, select);
}

const struct ipmu_ops ipmu_client_imc_ops = {
	.program = program_in_window, .read = ipmu_window_count_read, .units = ipmu_select_units,
};

/* Boxes that nothing has been programmed in are left alone. */
int ipmu_client_window_control(struct ipmu_regs *p, const struct ipmu_activity *a)
{
	const uint64_t stopped = IPMU_CLIENT_BOX_FRZ;
	int first = 0, rc;

	for (const struct ipmu_client_unit *u = layout_of(p)->units; u->type; u++) {
		const uint32_t *active = a->active[u - layout_of(p)->units];

		for (int b = 0; u->box_ctl && b < boxes_here(p, u->box_ctl); b++) {
			if (!ipmu_msr_is_saved(p, u->box_ctl, b, 0))
				continue;
			rc = ipmu_msr_write(p, u->box_ctl, b, 0, active[b] ? 0 : stopped);
			first = first ? first : rc;
		}
	}
	return first;
}

/* A select other than 0 counts where its box is not frozen, nor all of them. */
int ipmu_client_window_busy(struct ipmu_regs *p, const struct ipmu_client_unit *u, char *why)
{
	const struct ipmu_reg *select = u->type->select, *thaw = layout_of(p)->window_thaw;
	uint64_t value = 0;
	int rc = 0;

	if (ipmu_msr_is_saved(p, switch_of(p), 0, 0))
		return 0;
	if (thaw)
		rc = ipmu_access_read(p, thaw, thaw->addr, &value);
	if (rc || value & IPMU_CLIENT_BOX_FRZ)
		return rc;
	for (int b = 0; b < boxes_here(p, select) && !rc; b++) {
		rc = ipmu_access_read(p, u->box_ctl, ipmu_reg_addr(u->box_ctl, b, 0), &value);
		if (rc || value & IPMU_CLIENT_BOX_FRZ)
			continue;
		for (int c = 0; c < select->ctrs && !rc; c++) {
			rc = ipmu_access_read(p, select, ipmu_reg_addr(select, b, c), &value);
			if (!rc && value & ipmu_reg_fields(select))
				rc = ipmu_access_busy(p, select, b, c, value, why);
		}
	}
	return rc;
}

int ipmu_client_no_boxes(int rc)
{
	return rc == -EMFILE || rc == -ENFILE || rc == -ENOMEM ? rc : 0;
}

int ipmu_client_window_boxes(struct ipmu_regs *p, const struct ipmu_client_unit *u, char *reason)
{
	int rc = ipmu_client_discovered(u) ? ipmu_discovery_read(p, reason) : 0;

	if (rc)
		return ipmu_client_no_boxes(rc);
	for (int b = 0; b < boxes_here(p, u->box_ctl); b++) {
		uint32_t addr = ipmu_reg_addr(u->box_ctl, b, 0);

		rc = ipmu_window_open(p, u->box_ctl, addr, reason);
		if (rc)
			return ipmu_client_no_boxes(rc);
		if (!ipmu_window_writable(p, addr)) {
			ipmu_fail(reason, 0, IPMU_WINDOW_FILE ": the memory controllers' selects "
				  "cannot be written: it needs CAP_SYS_RAWIO and write permission "
				  "(root); kernel lockdown (secure boot) forbids it");
			return 0;
		}
	}
	return boxes_here(p, u->box_ctl);
}
