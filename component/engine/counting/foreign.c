/* SPDX-License-Identifier: MIT */
#include "foreign.h"

#include "../access/trace.h"
#include "../base/why.h"

#include <errno.h>
#include <string.h>

static int deny(const struct ipmu_box *box, const struct ipmu_reg *reg, int index,
		const char *event, uint64_t value, char *why)
{
	char name[64];

	ipmu_reg_name(reg, box->index, index, name);
	return ipmu_fail(why, -EBUSY, "%s: %s says that another process counts it, but %s (0x%X) "
			 "is 0x%llx: somebody else has changed it; end the processes that "
			 "ipmu-restore --dry-run names", event, box->unit->owner.path, name,
			 (unsigned)ipmu_reg_addr(reg, box->index, index),
			 (unsigned long long)value);
}

static int look(const struct ipmu_box *box, const struct ipmu_reg *reg, int index, uint64_t mask,
		uint64_t wanted, const char *event, char *why)
{
	struct ipmu_regs *p = &box->unit->regs;
	const char *was;
	uint64_t value;
	int rc;

	if (reg->space == IPMU_SHARED_RESOURCE || reg->access == IPMU_WO)
		return 0;
	was = ipmu_trace_for("look for foreign use");
	rc = ipmu_access_read(p, reg, ipmu_reg_addr(reg, box->index, index), &value);
	ipmu_trace_for(was);
	if (rc) {
		ipmu_fail(why, rc, "%s: what another process counts cannot be read through %s: %s",
			  event, ipmu_access_file(p, reg), strerror(-rc));
		return ipmu_access_explain(p, rc, why);
	}
	return (value ^ wanted) & mask ? deny(box, reg, index, event, value, why) : 0;
}

/* Where a counter has no select of its own, what the choice needs says it all. */
static int look_at_select(const struct ipmu_box *box, int ctr, uint64_t select, const char *event,
			  char *why)
{
	const struct ipmu_pmu_type *type = box->type;
	const struct ipmu_reg *reg = type->selects ? &type->selects[ctr] : type->select;
	uint64_t on = type->enable | type->switched, off = reg ? reg->moves : 0;
	int index;

	ipmu_type_counter(type, ctr, &index);
	if (type->selects)
		index = 0;
	if (!reg || (!on && reg->space != IPMU_MMIO))
		return 0;
	if (select & type->cascade)
		off |= type->switched;
	return look(box, reg, index, ipmu_reg_writable(reg) & ~off, select | on, event, why);
}

int ipmu_foreign_programmed(const struct ipmu_use *use, const char *event, char *why)
{
	const struct ipmu_choice *choice = &use->choices[use->choice];
	int rc = look_at_select(use->box, use->ctr, choice->select, event, why);

	for (int i = 0; i < choice->nextra && !rc; i++)
		rc = look(use->box, choice->extra[i].reg, choice->extra[i].index,
			  choice->extra[i].mask, choice->extra[i].value, event, why);
	if (!rc && use->companion >= 0)
		rc = look_at_select(use->box, use->companion, choice->companion_select, event,
				    why);
	return rc;
}

/* One that was found otherwise: what the library has only looked at may change. */
static bool is_switch(const struct ipmu_family *family, const struct ipmu_saved *s)
{
	if (s->now == s->found)
		return false;
	for (const struct ipmu_reg *const *r = family->switches; r && *r; r++)
		if (*r == s->reg)
			return s->reg->access == IPMU_RW && !s->reg->counter;
	return false;
}

/* What the hardware switches off is written at each switch, and needs no look. */
static int look_at_switches(const struct ipmu_use *use, const char *event, char *why)
{
	const struct ipmu_family *family = use->box->unit->family;
	struct ipmu_regs *p = &use->box->unit->regs;
	int rc = 0;

	for (int i = 0; i < p->nsaved && !rc; i++) {
		const struct ipmu_saved *s = &p->saved[i];
		int box, ctr;

		if (!is_switch(family, s) || s->reg->hardware_clears)
			continue;
		if (!ipmu_reg_at(family->registers, s->addr, &box, &ctr) || box != use->box->index)
			continue;
		rc = look(use->box, s->reg, ctr, ipmu_reg_writable(s->reg), s->now, event, why);
	}
	return rc;
}

int ipmu_foreign_running(const struct ipmu_session *s, char *why)
{
	const struct ipmu_box *seen = NULL;
	int rc = 0;

	for (int i = 0; i < s->plan.nuses && !rc; i++) {
		const struct ipmu_use *use = &s->plan.uses[i];

		if (!ipmu_use_foreign(use) || use->box == seen)
			continue;
		seen = use->box;
		rc = look_at_switches(use, s->events[use->links[0]].name, why);
	}
	return rc;
}
