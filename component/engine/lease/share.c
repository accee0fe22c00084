/* SPDX-License-Identifier: MIT */
/* A plan's counters between processes: who may have them, and who has them. */
#include "../counting/plan.h"

#include "../base/why.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct ipmu_unit *unit_of(const struct ipmu_plan *plan, int tap)
{
	return plan->taps[tap].box->unit;
}

/* The first tap of the next unit that has something to program; -1: there is none. */
static int next_programmed(const struct ipmu_plan *plan, int tap)
{
	for (tap++; tap < plan->ntaps; tap++)
		if ((tap == 0 || unit_of(plan, tap) != unit_of(plan, tap - 1)) &&
		    ipmu_plan_programs(plan, unit_of(plan, tap)))
			return tap;
	return -1;
}

bool ipmu_plan_programs(const struct ipmu_plan *plan, const struct ipmu_unit *unit)
{
	for (int i = 0; i < plan->ntaps; i++)
		if (unit_of(plan, i) == unit && !ipmu_type_runs_free(plan->taps[i].box->type))
			return true;
	return false;
}

/* Units stand in the same order in all plans of all processes, so nobody waits in a circle. */
int ipmu_owner_enter_plan(const struct ipmu_plan *plan, int *damage, char *why)
{
	for (int i = -1; (i = next_programmed(plan, i)) >= 0;) {
		int rc = ipmu_owner_enter(unit_of(plan, i), why);

		if (rc == -EBADMSG && damage) {
			*damage = rc;
			rc = ipmu_owner_enter(unit_of(plan, i), NULL);
		}
		if (!rc)
			continue;
		for (int k = -1; (k = next_programmed(plan, k)) >= 0 && k < i;)
			ipmu_owner_leave(unit_of(plan, k));
		return rc;
	}
	return 0;
}

void ipmu_owner_leave_plan(const struct ipmu_plan *plan)
{
	for (int i = -1; (i = next_programmed(plan, i)) >= 0;)
		ipmu_owner_leave(unit_of(plan, i));
}

/* ---- taking */

static int sit_down(struct ipmu_unit *unit)
{
	struct ipmu_journal_process self = unit->sys->self;
	struct ipmu_owner *o = &unit->owner;
	int rc = -EAGAIN;

	for (o->seat = 0; o->seat < IPMU_JOURNAL_PIDS && rc == -EAGAIN; o->seat++)
		rc = ipmu_lock_seat(o->fd, o->seat);
	o->seat--;
	return rc ? rc : ipmu_file_put(unit, &self, sizeof(self),
				       offsetof(struct ipmu_journal, processes) +
				       (size_t)o->seat * sizeof(self));
}

static int join(struct ipmu_unit *unit, char *why)
{
	struct ipmu_owner *o = &unit->owner;
	int rc;

	if (o->joined)
		return 0;
	rc = o->fd < 0 ? 0 : sit_down(unit);
	if (rc) {
		ipmu_fail(why, rc, "%s: %s", o->path, rc == -EAGAIN ?
			  "more processes count there than it can name" : strerror(-rc));
		return ipmu_access_explain(&unit->regs, rc == -EAGAIN ? -EBUSY : rc, why);
	}
	o->joined = true;
	ipmu_signals_on();
	return 0;
}

static int look_for_stranger(struct ipmu_box *box, int ctr, char *why)
{
	struct ipmu_regs *p = &box->unit->regs;
	char found[IPMU_WHY_MAX] = "";
	int rc = box->unit->sys->family->busy(p, box->type, box->index, ctr, found);

	if (!rc)
		return 0;
	if (found[0])
		return ipmu_fail(why, rc, "%s", found);
	ipmu_fail(why, rc, "%s: who counts there cannot be read: %s", p->msr_path, strerror(-rc));
	return ipmu_access_explain(p, rc, why);
}

static int look_for_strangers(const struct ipmu_tap *tap, char *why)
{
	struct ipmu_box *box = tap->box;
	int rc = 0;

	if (!box->unit->sys->family->busy || box->unit->regs.take_busy ||
	    ipmu_type_runs_free(box->type))
		return 0;
	if (!ipmu_slot_taken(box, tap->ctr))
		rc = look_for_stranger(box, tap->ctr, why);
	if (!rc && tap->companion >= 0 && !ipmu_slot_taken(box, tap->companion))
		rc = look_for_stranger(box, tap->companion, why);
	return rc;
}

static int take_counter(struct ipmu_box *box, int ctr)
{
	struct ipmu_owner *o = &box->unit->owner;
	uint32_t *uses = &o->uses[box->type_index][box->index];
	int rc = 0;

	if (o->fd >= 0 && !(*uses >> ctr & 1))
		rc = ipmu_lock_counter(o->fd, box->type_index, box->index, ctr);
	if (!rc)
		*uses |= 1u << ctr;
	return rc;
}

static int take_box(struct ipmu_box *box)
{
	int t = box->type_index, b = box->index, rc;
	struct ipmu_owner *o = &box->unit->owner;
	struct ipmu_journal_process self = box->unit->sys->self;

	if (o->fd < 0 || box->elsewhere || o->held[t][b])
		return 0;
	rc = ipmu_lock_box(o->fd, t, b);
	if (rc)
		return rc;
	o->held[t][b] = true;
	return ipmu_file_put(box->unit, &self, sizeof(self),
			     offsetof(struct ipmu_journal, programmers) +
			     (size_t)(t * IPMU_BOXES_MAX + b) * sizeof(self));
}

static int take_tap(const struct ipmu_tap *tap)
{
	int rc;

	if (ipmu_type_runs_free(tap->box->type))
		return 0;
	rc = take_box(tap->box);
	if (!rc)
		rc = take_counter(tap->box, tap->ctr);
	if (!rc && tap->companion >= 0)
		rc = take_counter(tap->box, tap->companion);
	return rc;
}

/* Where somebody else counts, nothing has been written yet: what was read is forgotten. */
static int take_unit(const struct ipmu_plan *plan, int first, char *why)
{
	struct ipmu_unit *unit = unit_of(plan, first);
	int saved = unit->regs.nsaved, rc = join(unit, why);

	for (int i = first; i < plan->ntaps && unit_of(plan, i) == unit && !rc; i++)
		rc = look_for_strangers(&plan->taps[i], why);
	if (rc) {
		unit->regs.nsaved = saved;
		return rc;
	}
	for (int i = first; i < plan->ntaps && unit_of(plan, i) == unit && !rc; i++)
		rc = take_tap(&plan->taps[i]);
	if (!rc)
		return 0;
	ipmu_fail(why, rc, "%s cannot be locked: %s", unit->owner.path, strerror(-rc));
	return ipmu_access_explain(&unit->regs, rc, why);
}

int ipmu_owner_take(const struct ipmu_plan *plan, char *why)
{
	int rc = 0;

	for (int i = -1; !rc && (i = next_programmed(plan, i)) >= 0;)
		rc = take_unit(plan, i, why);
	if (rc)
		ipmu_owner_drop(plan);
	return rc;
}

void ipmu_owner_part_plan(const struct ipmu_plan *plan)
{
	for (int i = -1; (i = next_programmed(plan, i)) >= 0;)
		if (!unit_of(plan, i)->claims)
			ipmu_owner_part(unit_of(plan, i));
}

/* ---- dropping */

static void drop_counter(struct ipmu_box *box, int ctr)
{
	struct ipmu_owner *o = &box->unit->owner;
	uint32_t *uses = &o->uses[box->type_index][box->index];

	if (box->slots[ctr].users || !(*uses >> ctr & 1))
		return;
	*uses &= ~(1u << ctr);
	if (o->fd >= 0)
		ipmu_unlock_counter(o->fd, box->type_index, box->index, ctr);
}

void ipmu_owner_drop(const struct ipmu_plan *plan)
{
	for (int i = 0; i < plan->ntaps; i++) {
		const struct ipmu_tap *tap = &plan->taps[i];
		struct ipmu_box *box = tap->box;
		struct ipmu_owner *o = &box->unit->owner;
		bool *held = &o->held[box->type_index][box->index];

		drop_counter(box, tap->ctr);
		if (tap->companion >= 0)
			drop_counter(box, tap->companion);
		if (*held && !o->uses[box->type_index][box->index]) {
			*held = false;
			ipmu_unlock_box(o->fd, box->type_index, box->index);
		}
	}
}

/* ---- who is in the way */

static struct ipmu_journal_process process_at(const struct ipmu_owner *o, size_t table, int i)
{
	struct ipmu_journal_process process = { 0 };
	off_t offset = (off_t)(table + (size_t)i * sizeof(process));

	if (pread(o->fd, &process, sizeof(process), offset) != (ssize_t)sizeof(process))
		process.pid = 0;
	return process;
}

static struct ipmu_journal_process other_process(const struct ipmu_box *box)
{
	const struct ipmu_owner *o = &box->unit->owner;

	if (box->elsewhere)
		return process_at(o, offsetof(struct ipmu_journal, programmers),
				  box->type_index * IPMU_BOXES_MAX + box->index);
	for (int i = 0; i < IPMU_JOURNAL_PIDS; i++)
		if (ipmu_seat_taken(o->fd, i))
			return process_at(o, offsetof(struct ipmu_journal, processes), i);
	return (struct ipmu_journal_process){ 0 };
}

bool ipmu_owner_explain(const struct ipmu_box *box, const char *event, char *why)
{
	char list[IPMU_WHY_MAX / 2] = "", who[64];
	struct ipmu_journal_process process;
	size_t n = 0;

	if (!box->elsewhere && !box->foreign)
		return false;
	process = other_process(box);
	for (int c = 0; c < box->type->counters && n < sizeof(list); c++)
		if ((box->foreign >> c & 1) && box->slots[c].programmed)
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "",
					      box->slots[c].event);
	ipmu_process_name(&process, who);
	ipmu_fail(why, 0, "%s: %s box %d is used by process %s, for %s: count the same events, or "
		  "wait until it ends", event, box->type->name, box->index, who, list);
	return true;
}
