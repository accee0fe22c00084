/* SPDX-License-Identifier: MIT */
/* Programming: from a session's plan to registers and back. ipmu_program_write() saves and programs
 * registers, ipmu_program_switch() starts the counters. ipmu_program_end() stops them and clears
 * shared registers that no session needs. The caller holds the system's lock and has entered the
 * plan's units. Registers are saved before they are first written. Counters that another process
 * programmed are checked, but never programmed here. */
#include "program.h"

#include "assign.h"
#include "foreign_use.h"
#include "sample.h"
#include "slot.h"

#include "../base/asleep.h"
#include "../base/why.h"
#include "../lease/file.h"

#include <errno.h>
#include <string.h>

/* ---- saving ahead, where a batch device makes that cheaper */

struct register_list {
	struct ipmu_batch *batch;
	int n;
	struct ipmu_register at[IPMU_BATCH_READS];
};

static void flush(struct register_list *l)
{
	ipmu_msr_save_ahead(l->batch, l->at, l->n);
	l->n = 0;
}

static void list_add(struct register_list *l, struct ipmu_box *box, const struct ipmu_reg *reg,
		     int index)
{
	uint32_t addr;

	if (!reg || reg->space != IPMU_MSR || reg->access == IPMU_WO)
		return;
	addr = ipmu_reg_addr(reg, box->index, index);
	for (int i = 0; i < l->n; i++)
		if (l->at[i].addr == addr && l->at[i].regs == &box->unit->regs)
			return;
	if (l->n == IPMU_BATCH_READS)
		flush(l);
	l->at[l->n++] = (struct ipmu_register){ .reg = reg, .addr = addr,
						.regs = &box->unit->regs };
}

static void add_counter(struct register_list *l, struct ipmu_box *box, int ctr)
{
	const struct ipmu_pmu_type *type = box->type;
	int index;
	const struct ipmu_reg *reg = ipmu_type_counter(type, ctr, &index);

	if (!type->select && !type->selects)
		return;		/* free-running: nothing to change */
	list_add(l, box, reg, index);
	if (type->selects)
		list_add(l, box, &type->selects[ctr], 0);
	else
		list_add(l, box, type->select, index);
}

static void add_switches(struct register_list *l, const struct ipmu_family *family,
			 struct ipmu_box *box)
{
	for (const struct ipmu_reg *const *r = family->switches; r && *r; r++)
		for (int b = 0; b < ((*r)->boxes ? (*r)->boxes : 1); b++) {
			struct ipmu_box any = { .unit = box->unit, .index = b };

			list_add(l, &any, *r, 0);
		}
}

/* Save in the order of the changes, because registers are restored in reverse. Counters of another
 * process are skipped: they are not changed. So are units that are only read: they have not been
 * entered, and saving writes their journal. */
__attribute__((noinline)) static void save_ahead(const struct ipmu_system *sys,
						  const struct ipmu_plan *plan)
{
	const struct ipmu_unit *unit = NULL;
	struct register_list l = { .batch = sys->batch };

	for (int i = 0; i < plan->nuses; i++) {
		const struct ipmu_use *use = &plan->uses[i];
		const struct ipmu_choice *choice = &use->choices[use->choice];

		if (!ipmu_plan_programs(plan, use->box->unit))
			continue;
		if (use->box->unit != unit)
			add_switches(&l, sys->family, use->box);
		unit = use->box->unit;
		if (use->box->foreign >> use->ctr & 1)
			continue;
		for (int k = 0; k < choice->nextra; k++)
			list_add(&l, use->box, choice->extra[k].reg, choice->extra[k].index);
		add_counter(&l, use->box, use->ctr);
		if (use->companion >= 0 && !use->companion_shared)
			add_counter(&l, use->box, use->companion);
	}
	flush(&l);
}

/* ---- programming */

static uint32_t taken(const struct ipmu_box *box)
{
	uint32_t counters = 0;

	for (int c = 0; c < IPMU_COUNTERS_MAX; c++)
		if (ipmu_slot_taken(box, c))
			counters |= 1u << c;
	return counters;
}

/* Start the counters that sessions of all processes use, and stop all others. Counters of other
 * processes run already. */
static int unit_control(struct ipmu_system *sys, struct ipmu_unit *unit)
{
	struct ipmu_activity *a = &unit->activity;
	int rc;

	memset(a->active, 0, sizeof(a->active));
	for (int t = 0; sys->family->types[t]; t++) {
		if (ipmu_type_runs_free(sys->family->types[t]))
			continue;
		for (int b = 0; b < unit->found.nboxes[t]; b++) {
			a->active[t][b] = taken(&unit->boxes[t][b]);
			a->running[t][b] |= unit->boxes[t][b].foreign;
		}
	}
	rc = sys->family->control(&unit->regs, a);
	if (!rc)
		memcpy(a->running, a->active, sizeof(a->running));
	return rc;
}

static int write_extra_regs(struct ipmu_box *box, const struct ipmu_choice *choice)
{
	int rc = 0;

	for (int i = 0; i < choice->nextra && !rc; i++) {
		const struct ipmu_extra_reg *extra = &choice->extra[i];

		if (extra->reg->space == IPMU_SHARED_RESOURCE)
			continue;
		rc = ipmu_msr_update(&box->unit->regs, extra->reg, box->index, extra->index,
				     extra->mask, extra->value);
	}
	return rc;
}

static bool needed(const struct ipmu_box *box, const struct ipmu_extra_reg *extra)
{
	for (int c = 0; c < box->type->counters; c++)
		for (int i = 0; ipmu_slot_taken(box, c) && i < box->slots[c].choice.nextra; i++) {
			const struct ipmu_extra_reg *other = &box->slots[c].choice.extra[i];

			if (other->reg == extra->reg && other->index == extra->index)
				return true;
		}
	return false;
}

static int clear_extra_regs(struct ipmu_session *s)
{
	int first = 0, rc;

	for (int t = 0; t < s->plan.nuses; t++) {
		const struct ipmu_use *use = &s->plan.uses[t];
		const struct ipmu_choice *choice = &use->choices[use->choice];

		for (int i = 0; choice->clear && i < choice->nextra; i++) {
			const struct ipmu_extra_reg *extra = &choice->extra[i];

			if (extra->reg->space == IPMU_SHARED_RESOURCE || needed(use->box, extra))
				continue;
			rc = ipmu_msr_update(&use->box->unit->regs, extra->reg, use->box->index,
					     extra->index, extra->mask, 0);
			first = first ? first : rc;
		}
	}
	return first;
}

static int program_slot(struct ipmu_box *box, int ctr, const struct ipmu_choice *choice,
			uint64_t select, bool companion, const char *event)
{
	struct ipmu_slot *slot = &box->slots[ctr];
	int rc;

	if (slot->programmed && slot->companion == companion && !choice->preset &&
	    ipmu_choice_equal(&slot->choice, choice))
		return 0;
	slot->programmed = false;
	rc = ipmu_file_forget(box, ctr);
	if (!rc)
		rc = box->type->ops->program(&box->unit->regs, box->type, box->index, ctr, select);
	if (rc)
		return rc;
	slot->choice = *choice;
	slot->companion = companion;
	strcpy(slot->event, event);
	slot->programmed = true;
	return ipmu_file_describe(box, ctr);
}

/* Write the shared registers at each start: another session may have changed them since. */
static int program_use(struct ipmu_use *use, const char *event)
{
	const struct ipmu_choice *choice = &use->choices[use->choice];
	int rc = write_extra_regs(use->box, choice);

	if (!rc)
		rc = program_slot(use->box, use->ctr, choice, choice->select, false, event);
	if (!rc && choice->preset && use->box->type->ops->preset)
		rc = use->box->type->ops->preset(&use->box->unit->regs, use->box->type,
						 use->box->index, use->ctr,
						 choice->preset_value & ipmu_slot_mask(use->box));
	if (!rc && use->companion >= 0 && !use->companion_shared)
		rc = program_slot(use->box, use->companion, choice, choice->companion_select, true,
				  event);
	return rc;
}

/* Name the register whose access failed, if it is known. */
static int program_explain(struct ipmu_session *s, int rc, char *why)
{
	struct ipmu_unit *unit;

	for (int i = 0; rc && (unit = ipmu_plan_next_unit(&s->plan, &i)) != NULL;)
		ipmu_access_explain(&unit->regs, rc, why);
	return rc;
}

static int program_all(struct ipmu_session *s, char *why)
{
	for (int i = 0; i < s->plan.nuses; i++) {
		struct ipmu_use *use = &s->plan.uses[i];
		const char *event = s->events[use->links[0]].name;
		bool foreign = ipmu_use_foreign(use);
		int rc = foreign ? ipmu_foreign_programmed(use, event, why) :
				   program_use(use, event);

		if (rc && foreign)
			return rc;
		if (rc)
			return ipmu_fail(why, rc, "%s cannot be programmed through %s: %s", event,
					 use->box->unit->regs.msr_path, strerror(-rc));
	}
	return 0;
}

void ipmu_program_use(struct ipmu_session *s, int by)
{
	struct ipmu_unit *unit;

	for (int i = 0; i < s->plan.nuses; i++) {
		const struct ipmu_use *use = &s->plan.uses[i];

		use->box->slots[use->ctr].users += by;
		if (use->companion >= 0)
			use->box->slots[use->companion].users += by;
	}
	for (int i = 0; (unit = ipmu_plan_next_unit(&s->plan, &i)) != NULL;)
		unit->running += by;
}

/* All units are tried even if one fails; the first failure is returned. */
static int control_all(struct ipmu_session *s, bool only_idle, char *why)
{
	struct ipmu_unit *unit;
	int first = 0;

	for (int i = 0; (unit = ipmu_plan_next_unit(&s->plan, &i)) != NULL;) {
		bool idle = !unit->running && !unit->lease.others_count;
		int rc = (only_idle && !idle) || !ipmu_plan_programs(&s->plan, unit) ? 0 :
			 unit_control(s->sys, unit);

		if (rc && !first)
			first = ipmu_fail(why, rc, "the counters cannot be started or stopped "
						   "through %s: %s",
					  unit->regs.msr_path, rc == -EBUSY ?
					  "another session has frozen them by freeze=: stop that "
					  "session" :
					  strerror(-rc));
	}
	return first;
}

static void begin_phase(struct ipmu_session *s, enum ipmu_batch_refused refused)
{
	struct ipmu_unit *unit;

	for (int i = 0; (unit = ipmu_plan_next_unit(&s->plan, &i)) != NULL;) {
		unit->regs.failure.rc = 0;
		unit->saved_before = unit->regs.nsaved;
	}
	ipmu_batch_begin(s->sys->batch, refused);
}

/* The journal has each change before the register does: what a batch has not written, too. */
static void record_unwritten(struct ipmu_session *s)
{
	struct ipmu_unit *unit;

	for (int i = 0; s->sys->batch && (unit = ipmu_plan_next_unit(&s->plan, &i)) != NULL;)
		if (ipmu_plan_programs(&s->plan, unit))
			ipmu_file_record_all(unit);
}

/* Write what is queued. After a failed start, drop it instead. */
static int end_phase(struct ipmu_session *s, enum ipmu_batch_refused refused, int rc, char *why)
{
	int rc_batch;

	if (rc && refused == IPMU_BATCH_FAIL)
		ipmu_batch_drop(s->sys->batch);
	rc_batch = ipmu_batch_end(s->sys->batch);
	if (!rc && rc_batch)
		rc = ipmu_fail(why, rc_batch, "the counters cannot be programmed: %s",
			       strerror(-rc_batch));
	if (rc)
		record_unwritten(s);
	return program_explain(s, rc, why);
}

static void doubt_slot(struct ipmu_box *box, int ctr, bool only_lost)
{
	struct ipmu_slot *slot = &box->slots[ctr];

	if (slot->users || (only_lost && !atomic_load(&slot->lost)))
		return;
	atomic_store(&slot->lost, 0);
	if (box->foreign >> ctr & 1)
		return;
	slot->programmed = false;
	ipmu_file_forget(box, ctr);
}

/* Slots that a lost counter or a failed start left in doubt are programmed anew. Slots of other
 * processes keep their description, which is read from the journal only once. */
static void doubt_slots(struct ipmu_session *s, bool only_lost)
{
	for (int i = 0; i < s->plan.nuses; i++) {
		const struct ipmu_use *use = &s->plan.uses[i];

		doubt_slot(use->box, use->ctr, only_lost);
		if (use->companion >= 0)
			doubt_slot(use->box, use->companion, only_lost);
	}
}

/* Counters that nobody uses are programmed anew, by other processes too. */
static int doubt_unit(struct ipmu_unit *unit)
{
	int rc = 0;

	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		for (int b = 0; b < unit->found.nboxes[t]; b++)
			for (int c = 0; c < IPMU_COUNTERS_MAX && !rc; c++) {
				struct ipmu_box *box = &unit->boxes[t][b];

				if (ipmu_slot_taken(box, c))
					continue;
				box->slots[c].programmed = false;
				rc = ipmu_file_forget(box, c);
			}
	return rc;
}

static void explain_baselines(struct ipmu_session *s, int rc, char *why)
{
	const char *path = s->plan.uses[0].box->unit->regs.msr_path;

	if (rc == -ESTALE || rc == -ESHUTDOWN || rc == -EBADF)
		ipmu_fail(why, rc, "a counter that other sets count with through %s has lost its "
			  "count: stop those sets first", path);
	else
		program_explain(s, ipmu_fail(why, rc, "the counters cannot be read through %s: %s",
					     path, strerror(-rc)), why);
}

/* After a suspend, read the registers again, into memory and into the journal. A register that lost
 * its value would otherwise not be rewritten, because they say that it holds it. An unreadable
 * register is no error yet: writing it fails too, and that is reported. */
static int forget_written(struct ipmu_session *s)
{
	struct ipmu_unit *unit;
	int rc = 0;

	for (int i = 0; !rc && (unit = ipmu_plan_next_unit(&s->plan, &i)) != NULL;) {
		int64_t asleep_ns;

		if (!ipmu_plan_programs(&s->plan, unit) || !ipmu_asleep_since(unit->asleep_ns))
			continue;
		asleep_ns = ipmu_asleep_ns();
		ipmu_access_refresh(&unit->regs);
		rc = ipmu_file_record_all(unit);
		if (!rc)
			rc = doubt_unit(unit);
		if (!rc)
			unit->asleep_ns = asleep_ns;
	}
	return rc;
}

/* Units with nothing to program have not been entered, which opens a closed device again. */
static int reopen_devices(struct ipmu_session *s, char *why)
{
	struct ipmu_unit *unit;
	int rc = 0;

	for (int i = 0; !rc && (unit = ipmu_plan_next_unit(&s->plan, &i)) != NULL;)
		if (!ipmu_plan_programs(&s->plan, unit))
			rc = ipmu_access_reopen(&unit->regs, why);
	return rc;
}

int ipmu_program_write(struct ipmu_session *s, char *why)
{
	int rc = reopen_devices(s, why);

	if (rc)
		return rc;
	rc = forget_written(s);
	if (rc)
		return program_explain(s, rc, why);
	s->asleep_ns = ipmu_asleep_ns();
	rc = ipmu_foreign_refuse(s, why);
	if (rc)
		return rc;
	doubt_slots(s, true);
	if (s->sys->batch)
		save_ahead(s->sys, &s->plan);
	begin_phase(s, IPMU_BATCH_FAIL);
	rc = control_all(s, true, why);
	if (!rc)
		rc = program_all(s, why);
	rc = end_phase(s, IPMU_BATCH_FAIL, rc, why);
	if (!rc) {
		rc = ipmu_sample_baselines(s->sys, &s->plan);
		if (rc)
			explain_baselines(s, rc, why);
	}
	if (rc)
		doubt_slots(s, false);
	return rc;
}

int ipmu_program_switch(struct ipmu_session *s, enum ipmu_batch_refused refused, char *why)
{
	int rc;

	begin_phase(s, refused);
	rc = control_all(s, false, why);
	return end_phase(s, refused, rc, why);
}

int ipmu_program_end(struct ipmu_session *s, int *rc_clear, char *why)
{
	int rc;

	begin_phase(s, IPMU_BATCH_GO_ON);
	rc = control_all(s, false, why);
	*rc_clear = clear_extra_regs(s);
	return end_phase(s, IPMU_BATCH_GO_ON, rc, why);
}
