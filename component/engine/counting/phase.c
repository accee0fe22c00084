/* SPDX-License-Identifier: MIT */
#include "phase.h"

#include "session.h"

#include "../base/why.h"

#include <errno.h>
#include <string.h>

#define PLACES 256

/* ---- saving ahead */

struct list { struct ipmu_batch *batch; int n; struct ipmu_place places[PLACES]; };

static void flush(struct list *l)
{
	ipmu_msr_save_ahead(l->batch, l->places, l->n);
	l->n = 0;
}

static void add(struct list *l, struct ipmu_box *box, const struct ipmu_reg *reg, int index)
{
	uint32_t addr;

	if (!reg || reg->space != IPMU_MSR || reg->access == IPMU_WO)
		return;
	addr = ipmu_reg_addr(reg, box->index, index);
	for (int i = 0; i < l->n; i++)
		if (l->places[i].addr == addr && l->places[i].regs == &box->unit->regs)
			return;
	if (l->n == PLACES)
		flush(l);
	l->places[l->n++] = (struct ipmu_place){ .reg = reg, .addr = addr,
						 .regs = &box->unit->regs };
}

static void add_counter(struct list *l, struct ipmu_box *box, int ctr)
{
	const struct ipmu_pmu_type *type = box->type;
	int index;
	const struct ipmu_reg *reg = ipmu_type_counter(type, ctr, &index);

	if (!type->select && !type->selects)
		return;		/* free-running: nothing to change */
	add(l, box, reg, index);
	if (type->selects)
		add(l, box, &type->selects[ctr], 0);
	else
		add(l, box, type->select, index);
}

static void add_switches(struct list *l, const struct ipmu_family *family, struct ipmu_box *box)
{
	for (const struct ipmu_reg *const *r = family->switches; r && *r; r++)
		for (int b = 0; b < ((*r)->boxes ? (*r)->boxes : 1); b++) {
			struct ipmu_box any = { .unit = box->unit, .index = b };

			add(l, &any, *r, 0);
		}
}

/* In the order in which they are changed, as what is saved first is put back last. What another
 * process uses is not changed. */
void ipmu_phase_save(const struct ipmu_system *sys, const struct ipmu_plan *plan)
{
	const struct ipmu_unit *unit = NULL;
	struct list l = { .batch = sys->batch };

	if (!sys->batch)
		return;
	for (int i = 0; i < plan->ntaps; i++) {
		const struct ipmu_tap *tap = &plan->taps[i];
		const struct ipmu_choice *choice = &tap->choices[tap->choice];

		if (tap->box->unit != unit)
			add_switches(&l, sys->family, tap->box);
		unit = tap->box->unit;
		if (tap->box->foreign >> tap->ctr & 1)
			continue;
		for (int k = 0; k < choice->nneeds; k++)
			add(&l, tap->box, choice->needs[k].reg, choice->needs[k].index);
		add_counter(&l, tap->box, tap->ctr);
		if (tap->companion >= 0 && !tap->rides)
			add_counter(&l, tap->box, tap->companion);
	}
	flush(&l);
}

/* ---- reading */

/* The old values are loaded before the registers are read: see ipmu_slot_read. */
static int prepare(const struct ipmu_tap *taps, int n, struct ipmu_batch_op *ops, uint64_t *olds,
		   int *which)
{
	int k = 0;

	for (int i = 0; i < n; i++) {
		struct ipmu_box *box = taps[i].box;
		struct ipmu_slot *slot = &box->slots[taps[i].ctr];
		int index;
		const struct ipmu_reg *reg = ipmu_type_counter(box->type, taps[i].ctr, &index);

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

static int read_one(const struct ipmu_tap *tap, bool lose, uint64_t *now)
{
	struct ipmu_slot *slot = &tap->box->slots[tap->ctr];
	int lost = atomic_load(&slot->lost);
	int rc = lost ? -lost : ipmu_slot_read(tap->box, tap->ctr, now);

	if (!rc || !lose)
		return rc;
	if (!atomic_load(&slot->lost))
		atomic_store(&slot->lost, -rc);
	*now = atomic_load(&slot->value);
	return 0;
}

int ipmu_phase_read(const struct ipmu_tap *taps, int n, bool lose, uint64_t *now)
{
	struct ipmu_batch_op ops[IPMU_BATCH_READS];
	uint64_t olds[IPMU_BATCH_READS];
	int which[IPMU_BATCH_READS];
	int k = prepare(taps, n, ops, olds, which), rc = 0;
	bool together = k && ipmu_batch_read(taps[0].box->unit->regs.batch, ops, k);

	for (int i = 0; i < n && !rc; i++) {
		const struct ipmu_batch_op *op = which[i] >= 0 ? &ops[which[i]] : NULL;

		/* All ones, which no counter is wide enough for: its CPU went in between. */
		if (together && op && !op->err && op->data != ~0ull &&
		    !ipmu_slot_take(taps[i].box, taps[i].ctr, olds[which[i]], op->data, &now[i]))
			continue;
		rc = read_one(&taps[i], lose, &now[i]);
	}
	return rc;
}

static int begin_one_by_one(struct ipmu_plan *plan)
{
	uint64_t now;
	int rc = 0;

	for (int i = 0; i < plan->ntaps && !rc; i++) {
		struct ipmu_tap *tap = &plan->taps[i];

		rc = ipmu_slot_begin(tap->box, tap->ctr, &now);
		if (!rc)
			ipmu_tap_begin(tap, now);
	}
	return rc;
}

/* A counter that nobody counts with may hold anything. From its first count on it is watched. */
static void watch(struct ipmu_plan *plan, bool on)
{
	for (int i = 0; i < plan->ntaps; i++) {
		struct ipmu_slot *slot = &plan->taps[i].box->slots[plan->taps[i].ctr];

		if (on || !slot->users)
			atomic_store(&slot->watched, on);
	}
}

static int begin_together(struct ipmu_plan *plan)
{
	uint64_t now[IPMU_BATCH_READS];
	int rc = 0;

	for (int i = 0; i < plan->ntaps && !rc; i += IPMU_BATCH_READS) {
		int n = plan->ntaps - i < IPMU_BATCH_READS ? plan->ntaps - i : IPMU_BATCH_READS;

		rc = ipmu_phase_read(&plan->taps[i], n, false, now);
		for (int k = 0; k < n && !rc; k++)
			ipmu_tap_begin(&plan->taps[i + k], now[k]);
	}
	return rc;
}

int ipmu_phase_baselines(const struct ipmu_system *sys, struct ipmu_plan *plan)
{
	int rc;

	watch(plan, false);
	rc = sys->batch ? begin_together(plan) : begin_one_by_one(plan);
	if (!rc)
		watch(plan, true);
	return rc;
}

/* ---- what was lost */

static const char *reason(int lost)
{
	switch (lost) {
	case ENXIO:
		return "the CPU went offline";
	case ESTALE:
		return "the counter was set back from outside, by another program, a virtual "
		       "machine or suspend to RAM, or nobody could read it before half of its "
		       "range was over";
	case ECHILD:
		return "the parent process, whose counters these are, has stopped or ended";
	default:
		return strerror(lost);
	}
}

int ipmu_phase_lost(const struct ipmu_session *s, char *why)
{
	const struct ipmu_tap *tap = NULL;
	int lost = 0;

	for (int i = 0; i < s->plan.ntaps; i++)
		if (atomic_load(&s->plan.taps[i].lost) && !lost++)
			tap = &s->plan.taps[i];
	if (!tap)
		return 0;
	return ipmu_fail(why, -tap->lost, "%s: %s box %d through %s: %s: %d of %d counters are "
			 "lost, and their last values stand; stop and start again to count anew",
			 s->events[tap->links[0]].name, tap->box->type->name, tap->box->index,
			 tap->box->unit->regs.msr_path, reason(tap->lost), lost, s->plan.ntaps);
}
