/* SPDX-License-Identifier: MIT */
#include "assign.h"
#include "plan.h"

#include "../why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct ipmu_session {
	struct ipmu_system *sys;
	bool running, claimed;
	int nevents;
	struct ipmu_event *events;
	struct ipmu_plan plan;
	_Atomic uint64_t *last;	/* counts of the last read, for when it is stopped */
};

int ipmu_session_new(struct ipmu_system *sys, struct ipmu_session **out, char *why)
{
	struct ipmu_session *s = calloc(1, sizeof(*s));

	if (!s)
		return ipmu_fail(why, -ENOMEM, "out of memory for a session");
	s->sys = sys;
	*out = s;
	return 0;
}

/* ---- the units that a plan touches: its taps stand unit by unit */

static struct ipmu_unit *next_unit(const struct ipmu_plan *plan, int *tap)
{
	struct ipmu_unit *unit;

	if (*tap >= plan->ntaps)
		return NULL;
	unit = plan->taps[*tap].box->unit;
	while (*tap < plan->ntaps && plan->taps[*tap].box->unit == unit)
		++*tap;
	return unit;
}

static void claim(struct ipmu_session *s)
{
	struct ipmu_unit *unit;

	for (int i = 0; !s->claimed && (unit = next_unit(&s->plan, &i)) != NULL;)
		unit->claims++;
	s->claimed = true;
}

static void give_back(struct ipmu_session *s)
{
	struct ipmu_unit *unit;

	for (int i = 0; s->claimed && (unit = next_unit(&s->plan, &i)) != NULL;)
		if (--unit->claims == 0)
			ipmu_unit_release(unit);
	s->claimed = false;
}

/* Let the counters run that sessions use, and no others. */
static int control(struct ipmu_system *sys, struct ipmu_unit *unit)
{
	memset(unit->regs.active, 0, sizeof(unit->regs.active));
	for (int t = 0; sys->family->types[t]; t++)
		for (int b = 0; b < unit->nboxes[t]; b++)
			for (int c = 0; c < IPMU_COUNTERS_MAX; c++)
				if (unit->boxes[t][b].slots[c].users)
					unit->regs.active[t][b] |= 1u << c;
	return sys->family->control(&unit->regs);
}

/* ---- events */

static bool same_event(const struct ipmu_event *a, const struct ipmu_event *b)
{
	return a->type == b->type && a->place == b->place && a->box == b->box &&
	       strcmp(a->name, b->name) == 0;
}

static bool same_events(const struct ipmu_session *s, const struct ipmu_event *events, int n)
{
	if (n != s->nevents)
		return false;
	for (int i = 0; i < n; i++)
		if (!same_event(&events[i], &s->events[i]))
			return false;
	return true;
}

static void adopt(struct ipmu_session *s, struct ipmu_event *events, _Atomic uint64_t *last, int n,
		  const struct ipmu_plan *plan)
{
	give_back(s);
	ipmu_plan_free(&s->plan);
	free(s->events);
	free(s->last);
	s->events = events;
	s->last = last;
	s->nevents = n;
	s->plan = *plan;
}

static int set_locked(struct ipmu_session *s, const struct ipmu_event *events, int n, char *why)
{
	struct ipmu_event *copy = calloc((size_t)n + 1, sizeof(*copy));
	_Atomic uint64_t *last = calloc((size_t)n + 1, sizeof(*last));
	struct ipmu_cpus trial = { 0 };
	struct ipmu_plan plan = { 0 };
	int rc = copy && last ? 0 : ipmu_fail(why, -ENOMEM, "out of memory for %d events", n);

	if (!rc)
		rc = ipmu_plan_build(s->sys, events, n, &trial, &plan, why);
	if (!rc)
		rc = ipmu_plan_assign(&plan, events, false, why);
	if (rc) {
		ipmu_plan_free(&plan);
		free(copy);
		free(last);
		return rc;
	}
	if (n)
		memcpy(copy, events, (size_t)n * sizeof(*copy));
	adopt(s, copy, last, n, &plan);
	return 0;
}

int ipmu_session_set(struct ipmu_session *s, const struct ipmu_event *events, int n, char *why)
{
	int rc;

	if (same_events(s, events, n))
		return 0;
	if (s->running)
		return ipmu_fail(why, -EBUSY, "the events of a running session cannot change: "
				 "stop it first");
	pthread_mutex_lock(&s->sys->lock);
	rc = set_locked(s, events, n, why);
	pthread_mutex_unlock(&s->sys->lock);
	return rc;
}

void ipmu_session_free(struct ipmu_session *s)
{
	struct ipmu_plan none = { 0 };

	if (!s)
		return;
	if (s->running)
		ipmu_session_stop(s, NULL, NULL);
	pthread_mutex_lock(&s->sys->lock);
	adopt(s, NULL, NULL, 0, &none);
	pthread_mutex_unlock(&s->sys->lock);
	free(s);
}

/* ---- start */

static int write_needs(struct ipmu_box *box, const struct ipmu_choice *choice)
{
	int rc = 0;

	for (int i = 0; i < choice->nneeds && !rc; i++) {
		const struct ipmu_need *need = &choice->needs[i];

		if (need->reg->space == IPMU_AGREEMENT)
			continue;
		rc = ipmu_msr_update(&box->unit->regs, need->reg, box->index, need->index,
				     need->mask, need->value);
	}
	return rc;
}

static bool needed(const struct ipmu_box *box, const struct ipmu_need *need)
{
	for (int c = 0; c < box->type->counters; c++)
		for (int i = 0; box->slots[c].users && i < box->slots[c].choice.nneeds; i++) {
			const struct ipmu_need *other = &box->slots[c].choice.needs[i];

			if (other->reg == need->reg && other->index == need->index)
				return true;
		}
	return false;
}

static int clear_needs(struct ipmu_session *s)
{
	int first = 0, rc;

	for (int t = 0; t < s->plan.ntaps; t++) {
		const struct ipmu_tap *tap = &s->plan.taps[t];
		const struct ipmu_choice *choice = &tap->choices[tap->choice];

		for (int i = 0; choice->clear && i < choice->nneeds; i++) {
			const struct ipmu_need *need = &choice->needs[i];

			if (need->reg->space == IPMU_AGREEMENT || needed(tap->box, need))
				continue;
			rc = ipmu_msr_update(&tap->box->unit->regs, need->reg, tap->box->index,
					     need->index, need->mask, 0);
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
	rc = box->type->ops->program(&box->unit->regs, box->type, box->index, ctr, select);
	if (rc)
		return rc;
	slot->choice = *choice;
	slot->companion = companion;
	strcpy(slot->event, event);
	slot->programmed = true;
	return 0;
}

/* Shared registers are looked after each time: another session may have had them since. */
static int program_tap(struct ipmu_tap *tap, const char *event)
{
	const struct ipmu_choice *choice = &tap->choices[tap->choice];
	int rc = write_needs(tap->box, choice);

	if (!rc)
		rc = program_slot(tap->box, tap->ctr, choice, choice->select, false, event);
	if (!rc && choice->preset && tap->box->type->ops->preset)
		rc = tap->box->type->ops->preset(&tap->box->unit->regs, tap->box->type,
						 tap->box->index, tap->ctr, choice->preset_value);
	if (!rc && tap->companion >= 0)
		rc = program_slot(tap->box, tap->companion, choice, choice->companion_select, true,
				  event);
	return rc ? rc : ipmu_slot_read(tap->box, tap->ctr, &tap->baseline);
}

static int program_all(struct ipmu_session *s, char *why)
{
	for (int i = 0; i < s->plan.ntaps; i++) {
		struct ipmu_tap *tap = &s->plan.taps[i];
		const char *event = s->events[tap->links[0]].name;
		int rc = program_tap(tap, event);

		if (rc)
			return ipmu_fail(why, rc, "%s cannot be programmed through %s: %s", event,
					 tap->box->unit->regs.msr_path, strerror(-rc));
	}
	return 0;
}

static void use_slots(struct ipmu_session *s, int by)
{
	for (int i = 0; i < s->plan.ntaps; i++) {
		const struct ipmu_tap *tap = &s->plan.taps[i];

		tap->box->slots[tap->ctr].users += by;
		if (tap->companion >= 0)
			tap->box->slots[tap->companion].users += by;
	}
}

/* All units are tried even if one fails; the first failure is returned. */
static int control_all(struct ipmu_session *s, bool only_idle, char *why)
{
	struct ipmu_unit *unit;
	int first = 0;

	for (int i = 0; (unit = next_unit(&s->plan, &i)) != NULL;) {
		int rc = only_idle && unit->running ? 0 : control(s->sys, unit);

		if (rc && !first)
			first = ipmu_fail(why, rc, "the counters cannot be switched through %s: %s",
					  unit->regs.msr_path, rc == -EBUSY ?
					  "another session's freeze= holds them: stop that one" :
					  strerror(-rc));
	}
	return first;
}

static void count_running(struct ipmu_session *s, int by)
{
	struct ipmu_unit *unit;

	for (int i = 0; (unit = next_unit(&s->plan, &i)) != NULL;)
		unit->running += by;
}

/* A core event without cpu= counts where the thread that starts it may run. */
static int follow_thread(struct ipmu_session *s, char *why)
{
	struct ipmu_cpus mine = { 0 };
	struct ipmu_plan plan;
	int rc;

	if (s->sys->family->scope == IPMU_SCOPE_PACKAGE)
		return 0;
	rc = ipmu_cpus_mine(&mine);
	if (rc)
		return ipmu_fail(why, rc, "the thread's CPUs cannot be found: %s", strerror(-rc));
	rc = ipmu_plan_build(s->sys, s->events, s->nevents, &mine, &plan, why);
	ipmu_cpus_free(&mine);
	if (rc || ipmu_plan_same(&s->plan, &plan)) {
		ipmu_plan_free(&plan);
		return rc;
	}
	give_back(s);
	ipmu_plan_free(&s->plan);
	s->plan = plan;
	return 0;
}

/* Counters that are found running are stopped first, so that all of a session start together. */
static int run_locked(struct ipmu_session *s, char *why)
{
	int rc = control_all(s, true, why);

	if (!rc)
		rc = program_all(s, why);
	if (rc)
		return rc;
	use_slots(s, 1);
	count_running(s, 1);
	rc = control_all(s, false, why);
	if (rc) {
		use_slots(s, -1);
		count_running(s, -1);
		control_all(s, false, NULL);
	}
	return rc;
}

static int start_locked(struct ipmu_session *s, char *why)
{
	int rc = follow_thread(s, why);

	if (!rc)
		rc = ipmu_plan_assign(&s->plan, s->events, true, why);
	if (rc)
		return rc == -ENOSPC ? -EBUSY : rc;
	claim(s);
	rc = run_locked(s, why);
	if (rc) {
		give_back(s);
		return rc;
	}
	for (int e = 0; e < s->nevents; e++)
		atomic_store_explicit(&s->last[e], 0, memory_order_relaxed);
	s->running = true;
	return 0;
}

int ipmu_session_start(struct ipmu_session *s, char *why)
{
	int rc;

	if (s->running)
		return ipmu_fail(why, -EBUSY, "the session is running already");
	pthread_mutex_lock(&s->sys->lock);
	rc = start_locked(s, why);
	pthread_mutex_unlock(&s->sys->lock);
	return rc;
}

/* ---- stop, read, reset */

int ipmu_session_stop(struct ipmu_session *s, uint64_t *values, char *why)
{
	int rc, rc_clear, rc_read = 0;

	if (!s->running)
		return 0;
	pthread_mutex_lock(&s->sys->lock);
	use_slots(s, -1);
	count_running(s, -1);
	rc = control_all(s, false, why);
	rc_clear = clear_needs(s);
	if (values)
		rc_read = ipmu_session_read(s, values);
	s->running = false;
	pthread_mutex_unlock(&s->sys->lock);
	if (rc)
		return rc;
	if (rc_clear)
		return ipmu_fail(why, rc_clear, "what the events needed cannot be undone: %s",
				 strerror(-rc_clear));
	return !rc_read ? 0 : ipmu_fail(why, rc_read, "the final counts cannot be read: %s",
					strerror(-rc_read));
}

static void read_last(struct ipmu_session *s, uint64_t *values)
{
	for (int e = 0; e < s->nevents; e++)
		values[e] = atomic_load_explicit(&s->last[e], memory_order_relaxed);
}

int ipmu_session_read(struct ipmu_session *s, uint64_t *values)
{
	if (!s->running) {
		read_last(s, values);
		return 0;
	}
	for (int e = 0; e < s->nevents; e++)
		values[e] = 0;
	for (int i = 0; i < s->plan.ntaps; i++) {
		const struct ipmu_tap *tap = &s->plan.taps[i];
		uint64_t now;
		int rc = ipmu_slot_read(tap->box, tap->ctr, &now);

		if (rc)
			return rc;
		for (int l = 0; l < tap->nlinks; l++)
			values[tap->links[l]] += now - tap->baseline;
	}
	for (int e = 0; e < s->nevents; e++)
		atomic_store_explicit(&s->last[e], values[e], memory_order_relaxed);
	return 0;
}

int ipmu_session_reset(struct ipmu_session *s)
{
	for (int i = 0; i < s->plan.ntaps && s->running; i++) {
		struct ipmu_tap *tap = &s->plan.taps[i];
		int rc = ipmu_slot_read(tap->box, tap->ctr, &tap->baseline);

		if (rc)
			return rc;
	}
	for (int e = 0; e < s->nevents; e++)
		atomic_store_explicit(&s->last[e], 0, memory_order_relaxed);
	return 0;
}
