/* SPDX-License-Identifier: MIT */
/* Reading and resetting sessions: ipmu_session_read(), ipmu_session_reset(), ipmu_session_take()
 * and ipmu_session_lost(). They take no lock and allocate nothing, so threads and signal handlers
 * may call them alike. Each announces itself (readers.h), and a change of the session waits for it.
 *
 * A counter use holds the counter's value where its count begins (baseline) and the newest value
 * that any reader saw (seen). Both only grow, except with up/down counters. Baseline is loaded
 * before seen and stored after it. However readers, resets and handlers interleave, seen - baseline
 * is a count that the session had meanwhile. */
#include "sample.h"

#include "readers.h"
#include "slot.h"

#include "../base/asleep.h"
#include "../base/cancel.h"
#include "../base/why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading counters, together where a batch device makes that cheaper */

/* The old values are loaded before the registers are read: see ipmu_slot_read. */
static int prepare(const struct ipmu_use *uses, int n, struct ipmu_batch_op *ops, uint64_t *olds,
		   int *which)
{
	int k = 0;

	for (int i = 0; i < n; i++) {
		struct ipmu_box *box = uses[i].box;
		struct ipmu_slot *slot = &box->slots[uses[i].ctr];
		int index;
		const struct ipmu_reg *reg = ipmu_type_counter(box->type, uses[i].ctr, &index);

		which[i] = -1;
		if (reg->space != IPMU_MSR || !box->unit->regs.batch || atomic_load(&slot->lost))
			continue;
		olds[k] = atomic_load_explicit(&slot->value, memory_order_acquire);
		ops[k] = (struct ipmu_batch_op){ .cpu = (uint16_t)box->unit->regs.os_cpu,
			.msr = ipmu_reg_addr(reg, box->index, index) };
		which[i] = k++;
	}
	return k;
}

static int read_one(const struct ipmu_use *use, bool lose, uint64_t *now)
{
	struct ipmu_slot *slot = &use->box->slots[use->ctr];
	int lost = atomic_load(&slot->lost);
	int rc = lost ? -lost : ipmu_slot_read(use->box, use->ctr, now);

	if (!rc || !lose)
		return rc;
	if (!atomic_load(&slot->lost))
		atomic_store(&slot->lost, -rc);
	*now = atomic_load(&slot->value);
	return 0;
}

/* Read n <= IPMU_BATCH_READS counters; now[i] is the 64-bit value of the counter of uses[i].
 * Async-signal-safe. lose: a counter that cannot be read, or has been lost, stays at its last value
 * from now on, and that is no error. */
static int read_uses(const struct ipmu_use *uses, int n, bool lose, uint64_t *now)
{
	struct ipmu_batch_op ops[IPMU_BATCH_READS];
	uint64_t olds[IPMU_BATCH_READS];
	int which[IPMU_BATCH_READS];
	int k = prepare(uses, n, ops, olds, which), rc = 0;
	bool together = k && ipmu_batch_read(uses[0].box->unit->regs.batch, ops, k);

	for (int i = 0; i < n && !rc; i++) {
		const struct ipmu_batch_op *op = which[i] >= 0 ? &ops[which[i]] : NULL;

		/* All ones, which no counter is wide enough for: its CPU went in between. */
		if (together && op && !op->err && op->data != ~0ull &&
		    !ipmu_slot_take(uses[i].box, uses[i].ctr, olds[which[i]], op->data, &now[i]))
			continue;
		rc = read_one(&uses[i], lose, &now[i]);
	}
	return rc;
}

static int begin_one_by_one(struct ipmu_plan *plan)
{
	uint64_t now;
	int rc = 0;

	for (int i = 0; i < plan->nuses && !rc; i++) {
		struct ipmu_use *use = &plan->uses[i];

		rc = ipmu_slot_begin(use->box, use->ctr, &now);
		if (!rc)
			ipmu_use_begin(use, now);
	}
	return rc;
}

/* A counter that no session uses may hold anything. From its first count on it is watched. */
static void watch(struct ipmu_plan *plan, bool on)
{
	for (int i = 0; i < plan->nuses; i++) {
		struct ipmu_slot *slot = &plan->uses[i].box->slots[plan->uses[i].ctr];

		if (on || !slot->users)
			atomic_store(&slot->watched, on);
	}
}

static int begin_together(struct ipmu_plan *plan)
{
	uint64_t now[IPMU_BATCH_READS];
	int rc = 0;

	for (int i = 0; i < plan->nuses && !rc; i += IPMU_BATCH_READS) {
		int n = plan->nuses - i < IPMU_BATCH_READS ? plan->nuses - i : IPMU_BATCH_READS;

		rc = read_uses(&plan->uses[i], n, false, now);
		for (int k = 0; k < n && !rc; k++)
			ipmu_use_begin(&plan->uses[i + k], now[k]);
	}
	return rc;
}

int ipmu_sample_baselines(const struct ipmu_system *sys, struct ipmu_plan *plan)
{
	int rc;

	watch(plan, false);
	rc = sys->batch ? begin_together(plan) : begin_one_by_one(plan);
	if (!rc)
		watch(plan, true);
	return rc;
}

/* ---- what a session has seen */

/* Only up/down counters may decrease. For all others, never overwrite a newer value with an older
 * one. */
static void value_advance(_Atomic uint64_t *at, uint64_t to, uint8_t direction)
{
	uint64_t now = atomic_load_explicit(at, memory_order_relaxed);

	while ((direction == IPMU_UP_DOWN ? to != now : (int64_t)(to - now) > 0) &&
	       !atomic_compare_exchange_weak_explicit(at, &now, to, memory_order_release,
						      memory_order_relaxed))
		;
}

static uint8_t direction_of(const struct ipmu_use *use)
{
	return use->choices[use->choice].direction;
}

void ipmu_sample_lose(struct ipmu_session *s, struct ipmu_use *use, int what)
{
	int none = 0;

	if (atomic_compare_exchange_strong(&use->lost, &none, what))
		atomic_fetch_add(&s->lost, 1);
}

static void add_use(const struct ipmu_use *use, uint64_t *values)
{
	uint64_t from = atomic_load_explicit(&use->baseline, memory_order_acquire);
	uint64_t count = atomic_load_explicit(&use->seen, memory_order_acquire) - from;

	for (int l = 0; l < use->nlinks; l++)
		values[use->links[l]] += count;
}

/* The use is lost if its counter is. */
static void take_loss(struct ipmu_session *s, struct ipmu_use *use)
{
	int lost = atomic_load(&use->box->slots[use->ctr].lost);

	if (lost)
		ipmu_sample_lose(s, use, lost);
}

/* Store what was read of n counter uses. With `reset` their counts begin there, and `ended` (may be
 * NULL) adds up the counts until then. The value of a lost counter is its last good one. */
static void uses_take(struct ipmu_session *s, struct ipmu_use *uses, int n, const uint64_t *now,
		      bool reset, uint64_t *ended)
{
	for (int k = 0; k < n; k++) {
		struct ipmu_use *use = &uses[k];

		take_loss(s, use);
		value_advance(&use->seen, now[k], direction_of(use));
		if (reset && ended)
			add_use(use, ended);
		if (reset)
			value_advance(&use->baseline, now[k], direction_of(use));
	}
}

/* A counter that was reset and stands still has the values of one that had nothing to count. */
static void notice_sleep(struct ipmu_session *s)
{
	if (!ipmu_asleep_since(s->asleep_ns))
		return;
	for (int i = 0; i < s->plan.nuses; i++) {
		const struct ipmu_use *use = &s->plan.uses[i];
		int none = 0;

		atomic_compare_exchange_strong(&use->box->slots[use->ctr].lost, &none, ESHUTDOWN);
	}
}

void ipmu_sample_notice_sleep(const struct ipmu_system *sys)
{
	for (struct ipmu_session *s = sys->sessions; s; s = s->next)
		if (ipmu_session_running(s))
			notice_sleep(s);
}

/* Lose the counters of devices that the program has closed. A device is checked once for all of its
 * counters, because the check is a system call, as a read is. */
static void notice_closed(struct ipmu_session *s)
{
	const struct ipmu_unit *unit;

	for (int i = 0, first = 0; (unit = ipmu_plan_next_unit(&s->plan, &i)) != NULL; first = i) {
		if (ipmu_access_is_ours(&unit->regs))
			continue;
		for (int k = first; k < i; k++) {
			const struct ipmu_use *use = &s->plan.uses[k];
			int none = 0;

			if (!ipmu_slot_readable(use->box, use->ctr))
				atomic_compare_exchange_strong(&use->box->slots[use->ctr].lost,
							       &none, EBADF);
		}
	}
}

/* A forked child reads nothing through its parent's descriptors. Only the parent checks whether the
 * counters still count for the session. */
static void lose_inherited(struct ipmu_session *s)
{
	for (int i = 0; i < s->plan.nuses; i++)
		ipmu_sample_lose(s, &s->plan.uses[i], ECHILD);
}

/* Read all counters. A reader that was given up meanwhile stores nothing: its counters may count
 * something else by now. */
static int session_sample(struct ipmu_session *s, bool reset, uint64_t *ended)
{
	uint64_t now[IPMU_BATCH_READS];
	int n, rc = 0;

	if (s->sys->disowned) {
		lose_inherited(s);
		return 0;
	}
	notice_sleep(s);
	notice_closed(s);
	for (int i = 0; i < s->plan.nuses && !rc; i += n) {
		n = s->plan.nuses - i < IPMU_BATCH_READS ? s->plan.nuses - i : IPMU_BATCH_READS;
		rc = read_uses(&s->plan.uses[i], n, true, now);
		if (atomic_load(&s->given_up))
			return 0;
		if (!rc)
			uses_take(s, &s->plan.uses[i], n, now, reset, ended);
	}
	return rc;
}

void ipmu_sample_losses(struct ipmu_session *s)
{
	notice_sleep(s);
	for (int i = 0; i < s->plan.nuses; i++)
		take_loss(s, &s->plan.uses[i]);
}

int ipmu_sample_read(struct ipmu_session *s)
{
	return session_sample(s, false, NULL);
}

/* Negative errno of the first counter use that was lost; 0: none was lost. */
static int loss(const struct ipmu_session *s)
{
	int what = 0;

	for (int i = 0; i < s->plan.nuses && !what && atomic_load(&s->lost); i++)
		what = atomic_load(&s->plan.uses[i].lost);
	return -what;
}

static void add_up(const struct ipmu_session *s, uint64_t *values)
{
	for (int i = 0; i < s->plan.nuses; i++)
		add_use(&s->plan.uses[i], values);
}

/* ---- what was lost */

static const char *reason(int lost)
{
	switch (lost) {
	case ENXIO:
		return "the CPU went offline";
	case ESTALE:
		return "the counter was set back from outside, by the kernel's perf events, "
		       "another program or a virtual machine, or nobody could read it before half "
		       "of its range was over";
	case EBUSY:
		return "somebody else has programmed the counter or switched it off meanwhile: the "
		       "kernel's perf events, its NMI watchdog or another tool";
	case ESHUTDOWN:
		return "the machine was suspended meanwhile (suspend to RAM), which resets "
		       "registers";
	case EBADF:
		return "the program has closed this library's descriptors, or has files of its own "
		       "there (closefrom, dup2)";
	case ECHILD:
		return "the counters belong to the process that this one was forked from, which "
		       "alone can read them";
	default:
		return strerror(lost);
	}
}

int ipmu_sample_lost(const struct ipmu_session *s, char *why)
{
	const struct ipmu_use *use = NULL;
	int lost = 0;

	for (int i = 0; i < s->plan.nuses; i++)
		if (atomic_load(&s->plan.uses[i].lost) && !lost++)
			use = &s->plan.uses[i];
	if (!use)
		return 0;
	return ipmu_fail(why, -use->lost, "%s: %s box %d through %s: %s: %d of %d counters are "
			 "lost and keep their last values; %s",
			 s->events[use->links[0]].name, use->box->type->name, use->box->index,
			 use->box->unit->regs.msr_path, reason(use->lost), lost, s->plan.nuses,
			 use->lost == ECHILD ? "initialize the library again to count here" :
			 "stop and start again to count");
}

/* ---- reading and resetting a session */

int ipmu_session_read(struct ipmu_session *s, uint64_t *values)
{
	int cancel = ipmu_cancel_hold(), rc = 0, n;
	struct ipmu_visit v = ipmu_readers_enter(s);

	n = atomic_load(&s->nevents);
	for (int e = 0; e < n; e++)
		values[e] = 0;
	if (v.state == IPMU_RUNNING)
		rc = session_sample(s, false, NULL);
	if (v.state != IPMU_CHANGING)
		add_up(s, values);
	if (!rc && v.state != IPMU_CHANGING)
		rc = loss(s);
	ipmu_readers_leave(&v);
	ipmu_cancel_release(cancel);
	return rc;
}

static void begin_at_seen(struct ipmu_session *s)
{
	for (int i = 0; i < s->plan.nuses; i++) {
		struct ipmu_use *use = &s->plan.uses[i];

		value_advance(&use->baseline,
			      atomic_load_explicit(&use->seen, memory_order_acquire),
			      direction_of(use));
	}
}

int ipmu_session_take(struct ipmu_session *s, uint64_t *values)
{
	int cancel = ipmu_cancel_hold(), rc = 0, n;
	struct ipmu_visit v = ipmu_readers_enter(s);

	n = atomic_load(&s->nevents);
	for (int e = 0; values && e < n; e++)
		values[e] = 0;
	if (v.state == IPMU_RUNNING)
		rc = session_sample(s, true, values);
	else if (v.state == IPMU_STOPPED)
		begin_at_seen(s);
	if (!rc && v.state != IPMU_CHANGING)
		rc = loss(s);
	ipmu_readers_leave(&v);
	ipmu_cancel_release(cancel);
	return rc;
}

int ipmu_session_reset(struct ipmu_session *s)
{
	return ipmu_session_take(s, NULL);
}

int ipmu_session_lost(struct ipmu_session *s, char *why)
{
	int cancel = ipmu_cancel_hold();
	struct ipmu_visit v = ipmu_readers_enter(s);
	int lost = v.state == IPMU_CHANGING ? 0 : atomic_load(&s->lost);

	if (lost)
		ipmu_sample_lost(s, why);
	ipmu_readers_leave(&v);
	ipmu_cancel_release(cancel);
	return lost;
}
