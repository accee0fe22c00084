/* SPDX-License-Identifier: MIT */
/* Counters shared between processes. ipmu_share_join() makes this process one of those that count
 * on the unit. ipmu_share_take_box() and ipmu_share_take_counter() lock, ipmu_share_drop() unlocks.
 * ipmu_share_explain() names the process that is in the way. The caller holds the system's lock and
 * has entered the unit. One process at most programs a box; any number may read its counters. */
#include "share.h"

#include "file.h"
#include "locks.h"
#include "process.h"
#include "signals.h"

#include "../access/trace.h"
#include "../base/why.h"
#include "descriptor.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- taking */

static int take_process_slot(struct ipmu_unit *unit)
{
	struct ipmu_journal_process self = unit->lessee->self;
	struct ipmu_lease *l = &unit->lease;
	int rc = -EAGAIN;

	for (int i = 0; i < IPMU_JOURNAL_PIDS && rc == -EAGAIN; i++) {
		rc = ipmu_locks_take_process(l->fd, i);
		l->process_slot = i;
	}
	return rc ? rc : ipmu_file_put(unit, &self, sizeof(self),
				       offsetof(struct ipmu_journal, processes) +
				       (size_t)l->process_slot * sizeof(self));
}

int ipmu_share_join(struct ipmu_unit *unit, char *why)
{
	struct ipmu_lease *l = &unit->lease;
	int rc;

	if (ipmu_lease_joined(l))
		return 0;
	rc = l->fd < 0 ? 0 : take_process_slot(unit);
	if (rc) {
		ipmu_fail(why, rc, "%s: %s", l->path, rc == -EAGAIN ?
			  "more processes count there than the journal can name" : strerror(-rc));
		return ipmu_access_explain(&unit->regs, rc == -EAGAIN ? -EBUSY : rc, why);
	}
	ipmu_lease_state_move(l, IPMU_LEASE_JOIN);
	ipmu_signals_on();
	return 0;
}

int ipmu_share_check_foreign(struct ipmu_box *box, int ctr, char *why)
{
	struct ipmu_regs *p = &box->unit->regs;
	char found[IPMU_WHY_MAX] = "";
	const char *was;
	int rc;

	if (!box->unit->family->busy || p->take_busy || ipmu_type_runs_free(box->type) ||
	    ipmu_slot_taken(box, ctr))
		return 0;
	was = ipmu_trace_for("look for foreign use");
	rc = box->unit->family->busy(p, box->type, box->index, ctr, found);
	ipmu_trace_for(was);
	if (!rc)
		return 0;
	if (found[0])
		return ipmu_fail(why, rc, "%s", found);
	ipmu_fail(why, rc, "%s: the processes that count there cannot be read: %s",
			  p->msr_path, strerror(-rc));
	return ipmu_access_explain(p, rc, why);
}

int ipmu_share_take_counter(struct ipmu_box *box, int ctr)
{
	struct ipmu_lease *l = &box->unit->lease;
	uint32_t *uses = &l->uses[box->type_index][box->index];
	int rc = 0;

	if (l->fd >= 0 && !(*uses >> ctr & 1))
		rc = ipmu_locks_take_counter(l->fd, box->type_index, box->index, ctr);
	if (!rc)
		*uses |= 1u << ctr;
	return rc;
}

int ipmu_share_take_box(struct ipmu_box *box)
{
	int t = box->type_index, b = box->index, rc;
	struct ipmu_lease *l = &box->unit->lease;
	struct ipmu_journal_process self = box->unit->lessee->self;

	if (l->fd < 0 || box->elsewhere || l->held[t][b])
		return 0;
	rc = ipmu_locks_take_box(l->fd, t, b);
	if (rc)
		return rc;
	l->held[t][b] = true;
	return ipmu_file_put(box->unit, &self, sizeof(self),
			     offsetof(struct ipmu_journal, programmers) +
			     (size_t)(t * IPMU_BOXES_MAX + b) * sizeof(self));
}

/* ---- dropping */

static void drop_counter(struct ipmu_box *box, int ctr)
{
	struct ipmu_lease *l = &box->unit->lease;
	uint32_t *uses = &l->uses[box->type_index][box->index];

	if (box->slots[ctr].users || !(*uses >> ctr & 1))
		return;
	*uses &= ~(1u << ctr);
	if (l->fd >= 0)
		ipmu_locks_release_counter(l->fd, box->type_index, box->index, ctr);
}

void ipmu_share_drop(struct ipmu_box *box, int ctr)
{
	struct ipmu_lease *l = &box->unit->lease;
	bool *held = &l->held[box->type_index][box->index];

	drop_counter(box, ctr);
	if (!*held || l->uses[box->type_index][box->index])
		return;
	*held = false;
	ipmu_locks_release_box(l->fd, box->type_index, box->index);
}

/* ---- messages about other processes */

static struct ipmu_journal_process process_at(const struct ipmu_lease *l, size_t table, int i)
{
	struct ipmu_journal_process process = { 0 };
	off_t offset = (off_t)(table + (size_t)i * sizeof(process));

	if (pread(l->fd, &process, sizeof(process), offset) != (ssize_t)sizeof(process))
		process.pid = 0;
	return process;
}

static struct ipmu_journal_process other_process(const struct ipmu_box *box)
{
	const struct ipmu_lease *l = &box->unit->lease;

	if (box->elsewhere)
		return process_at(l, offsetof(struct ipmu_journal, programmers),
				  box->type_index * IPMU_BOXES_MAX + box->index);
	for (int i = 0; i < IPMU_JOURNAL_PIDS; i++)
		if (ipmu_locks_process_taken(l->fd, i))
			return process_at(l, offsetof(struct ipmu_journal, processes), i);
	return (struct ipmu_journal_process){ 0 };
}

bool ipmu_share_explain(const struct ipmu_box *box, const char *event, char *why)
{
	char list[IPMU_WHY_MAX / 2] = "", who[64];
	struct ipmu_journal_process process;
	size_t n = 0;

	if ((!box->elsewhere && !box->foreign) ||
	    !descriptor_is(box->unit->lease.fd, box->unit->lease.is))
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
