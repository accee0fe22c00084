/* SPDX-License-Identifier: MIT */
/* Checks of registers that another process or a foreign tool may have changed.
 * ipmu_foreign_programmed() and ipmu_foreign_running() check a counter that another process
 * programmed, before a session shares it. At a stop, ipmu_foreign_lose() marks counts as lost
 * if somebody else wrote their registers. ipmu_foreign_release() and ipmu_foreign_refuse() then
 * handle the unit. The caller holds the system's lock and has entered the units. Only
 * ipmu_foreign_release() writes registers: it restores those of a unit that no session uses. */
#include "foreign_use.h"

#include "sample.h"

#include "../access/trace.h"
#include "../base/asleep.h"
#include "../base/why.h"

#include <errno.h>
#include <string.h>

static int deny(const struct ipmu_box *box, const struct ipmu_reg *reg, int index,
		const char *event, uint64_t value, char *why)
{
	char name[64];

	ipmu_reg_name(reg, box->index, index, name);
	return ipmu_fail(why, -EBUSY, "%s: %s says that another process counts it, but %s (0x%X) "
			 "is 0x%llx: %ssomebody else has changed it; end the processes that "
			 "ipmu-restore --dry-run names", event, box->unit->lease.path, name,
			 (unsigned)ipmu_reg_addr(reg, box->index, index),
			 (unsigned long long)value,
			 ipmu_asleep_since(0) ? "the machine was suspended meanwhile, or " : "");
}

static int register_check(const struct ipmu_box *box, const struct ipmu_reg *reg, int index,
			  uint64_t mask, uint64_t wanted, const char *event, char *why)
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

/* A counter without a select of its own is described by the choice's extra registers alone. */
static int select_check(const struct ipmu_box *box, int ctr, uint64_t select, const char *event,
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
	return register_check(box, reg, index, ipmu_reg_writable(reg) & ~off, select | on, event,
			      why);
}

int ipmu_foreign_programmed(const struct ipmu_use *use, const char *event, char *why)
{
	const struct ipmu_choice *choice = &use->choices[use->choice];
	int rc = select_check(use->box, use->ctr, choice->select, event, why);

	for (int i = 0; i < choice->nextra && !rc; i++)
		rc = register_check(use->box, choice->extra[i].reg, choice->extra[i].index,
				    choice->extra[i].mask, choice->extra[i].value, event, why);
	if (!rc && use->companion >= 0)
		rc = select_check(use->box, use->companion, choice->companion_select, event,
				    why);
	return rc;
}

/* True for a switch that this library has changed. A switch that was only read may change
 * freely. */
static bool is_switch(const struct ipmu_family *family, const struct ipmu_saved *s)
{
	if (s->now == s->found)
		return false;
	for (const struct ipmu_reg *const *r = family->switches; r && *r; r++)
		if (*r == s->reg)
			return s->reg->access == IPMU_RW && !s->reg->counter;
	return false;
}

/* Switches that the hardware clears are skipped: the library writes them at each switch anyway. */
static int switches_check(const struct ipmu_use *use, const char *event, char *why)
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
		rc = register_check(use->box, s->reg, ctr, ipmu_reg_writable(s->reg), s->now, event,
				    why);
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
		rc = switches_check(use, s->events[use->links[0]].name, why);
	}
	return rc;
}

/* ---- foreign writes since the start */

static bool is_left(const struct ipmu_use *use, const struct ipmu_reg *reg, int index)
{
	return reg->space != IPMU_SHARED_RESOURCE &&
	       ipmu_access_is_left(&use->box->unit->regs, reg, use->box->index, index);
}

static bool select_is_left(const struct ipmu_use *use, int ctr)
{
	const struct ipmu_pmu_type *type = use->box->type;
	const struct ipmu_reg *reg = type->selects ? &type->selects[ctr] : type->select;
	int index;

	ipmu_type_counter(type, ctr, &index);
	return reg && is_left(use, reg, type->selects ? 0 : index);
}

/* If another user set extra enable bits but left ours set, our counters kept running. */
static bool switched_off(const struct ipmu_use *use)
{
	const struct ipmu_family *family = use->box->unit->family;
	struct ipmu_regs *p = &use->box->unit->regs;
	uint64_t value;

	for (int i = 0; i < p->nsaved; i++) {
		const struct ipmu_saved *s = &p->saved[i];

		if (s->state == IPMU_SAVED_LEFT && is_switch(family, s) &&
		    (ipmu_access_read(p, s->reg, s->addr, &value) || (s->now & ~value)))
			return true;
	}
	return false;
}

static bool disturbed(const struct ipmu_use *use)
{
	const struct ipmu_choice *choice = &use->choices[use->choice];

	for (int i = 0; i < choice->nextra; i++)
		if (is_left(use, choice->extra[i].reg, choice->extra[i].index))
			return true;
	return select_is_left(use, use->ctr) || switched_off(use) ||
	       (use->companion >= 0 && select_is_left(use, use->companion));
}

/* A foreign user has to write the switches too, so untouched switches vouch for all counters. */
static bool switches_untouched(struct ipmu_unit *unit)
{
	struct ipmu_regs *p = &unit->regs;
	bool untouched = false;
	uint64_t value;

	for (int i = 0; i < p->nsaved; i++) {
		const struct ipmu_saved *s = &p->saved[i];

		if (!is_switch(unit->family, s))
			continue;
		if (s->state == IPMU_SAVED_LEFT ||
		    ipmu_access_read(p, s->reg, s->addr, &value) ||
		    ((value ^ s->now) & ipmu_reg_writable(s->reg)))
			return false;
		untouched = true;
	}
	return untouched;
}

void ipmu_foreign_lose(struct ipmu_session *s)
{
	struct ipmu_unit *unit;
	const char *was;

	if (ipmu_asleep_since(s->asleep_ns))
		return;		/* the suspend has reset the registers, not somebody else */
	was = ipmu_trace_for("look for foreign use");
	for (int i = 0; (unit = ipmu_plan_next_unit(&s->plan, &i)) != NULL;)
		if (ipmu_plan_programs(&s->plan, unit) && !switches_untouched(unit))
			ipmu_access_leave_changed(&unit->regs);
	for (int i = 0; i < s->plan.nuses; i++) {
		struct ipmu_use *use = &s->plan.uses[i];

		if (ipmu_type_runs_free(use->box->type) ||
		    !ipmu_access_any_left(&use->box->unit->regs) || !disturbed(use))
			continue;
		atomic_store(&use->box->slots[use->ctr].lost, EBUSY);
		ipmu_sample_lose(s, use, EBUSY);
	}
	ipmu_trace_for(was);
}

void ipmu_foreign_release(const struct ipmu_session *s)
{
	struct ipmu_unit *unit;

	for (int i = 0; (unit = ipmu_plan_next_unit(&s->plan, &i)) != NULL;)
		if (!unit->running && ipmu_access_any_left(&unit->regs))
			ipmu_unit_release(unit);
}

int ipmu_foreign_refuse(const struct ipmu_session *s, char *why)
{
	struct ipmu_unit *unit;

	for (int i = 0; (unit = ipmu_plan_next_unit(&s->plan, &i)) != NULL;)
		if (ipmu_plan_programs(&s->plan, unit) && ipmu_access_any_left(&unit->regs))
			return ipmu_fail(why, -EBUSY, "%s: somebody else has programmed counters "
					 "while other sets count: the kernel's perf events or "
					 "another tool: end that, and stop those sets",
					 unit->regs.msr_path);
	return 0;
}
