/* SPDX-License-Identifier: MIT */
/* Reservation of a plan's counters against other processes. ipmu_reserve_enter() and
 * ipmu_reserve_leave() hold the mutex of each unit in which the plan programs registers. Inside,
 * ipmu_reserve_take() and ipmu_reserve_drop() lock and unlock the counters. The caller holds the
 * system's lock. Units that are only read are not entered, and a failed take leaves no counter
 * reserved. */
#include "reserve.h"

#include "../base/why.h"
#include "../lease/lease.h"
#include "../lease/share.h"

#include <errno.h>
#include <string.h>

static struct ipmu_unit *unit_of(const struct ipmu_plan *plan, int use)
{
	return plan->uses[use].box->unit;
}

/* The first counter use of the next unit that has something to program; -1: there is none. */
static int next_programmed(const struct ipmu_plan *plan, int use)
{
	for (use++; use < plan->nuses; use++)
		if ((use == 0 || unit_of(plan, use) != unit_of(plan, use - 1)) &&
		    ipmu_plan_programs(plan, unit_of(plan, use)))
			return use;
	return -1;
}

/* Enter the units in the order of the plan. It is the same in all processes, so they cannot
 * deadlock. */
int ipmu_reserve_enter(const struct ipmu_plan *plan, int *damage, char *why)
{
	for (int i = -1; (i = next_programmed(plan, i)) >= 0;) {
		int rc = ipmu_lease_enter(unit_of(plan, i), why);

		if (rc == -EBADMSG && damage) {
			*damage = rc;
			rc = ipmu_lease_enter(unit_of(plan, i), NULL);
		}
		if (!rc)
			continue;
		for (int k = -1; (k = next_programmed(plan, k)) >= 0 && k < i;)
			ipmu_lease_leave(unit_of(plan, k));
		return rc;
	}
	return 0;
}

void ipmu_reserve_leave(const struct ipmu_plan *plan)
{
	for (int i = -1; (i = next_programmed(plan, i)) >= 0;)
		ipmu_lease_leave(unit_of(plan, i));
}

/* ---- taking */

static int check_foreign(const struct ipmu_use *use, char *why)
{
	int rc = ipmu_share_check_foreign(use->box, use->ctr, why);

	if (!rc && use->companion >= 0)
		rc = ipmu_share_check_foreign(use->box, use->companion, why);
	return rc;
}

static int take_use(const struct ipmu_use *use)
{
	int rc;

	if (ipmu_type_runs_free(use->box->type))
		return 0;
	rc = ipmu_share_take_box(use->box);
	if (!rc)
		rc = ipmu_share_take_counter(use->box, use->ctr);
	if (!rc && use->companion >= 0)
		rc = ipmu_share_take_counter(use->box, use->companion);
	return rc;
}

/* Check before the first write. If a foreign user counts here, forget the values that the checks
 * have saved. */
static int take_unit(const struct ipmu_plan *plan, int first, char *why)
{
	struct ipmu_unit *unit = unit_of(plan, first);
	int saved = unit->regs.nsaved, rc = ipmu_share_join(unit, why);

	for (int i = first; i < plan->nuses && unit_of(plan, i) == unit && !rc; i++)
		rc = check_foreign(&plan->uses[i], why);
	if (rc) {
		unit->regs.nsaved = saved;
		return rc;
	}
	for (int i = first; i < plan->nuses && unit_of(plan, i) == unit && !rc; i++)
		rc = take_use(&plan->uses[i]);
	if (!rc)
		return 0;
	ipmu_fail(why, rc, "%s cannot be locked: %s", unit->lease.path, strerror(-rc));
	return ipmu_access_explain(&unit->regs, rc, why);
}

int ipmu_reserve_take(const struct ipmu_plan *plan, char *why)
{
	int rc = 0;

	for (int i = -1; !rc && (i = next_programmed(plan, i)) >= 0;)
		rc = take_unit(plan, i, why);
	if (rc)
		ipmu_reserve_drop(plan);
	return rc;
}

void ipmu_reserve_part(const struct ipmu_plan *plan)
{
	for (int i = -1; (i = next_programmed(plan, i)) >= 0;)
		if (!unit_of(plan, i)->holders)
			ipmu_lease_end(unit_of(plan, i));
}

void ipmu_reserve_drop(const struct ipmu_plan *plan)
{
	for (int i = 0; i < plan->nuses; i++) {
		const struct ipmu_use *use = &plan->uses[i];

		ipmu_share_drop(use->box, use->ctr);
		if (use->companion >= 0)
			ipmu_share_drop(use->box, use->companion);
	}
}
