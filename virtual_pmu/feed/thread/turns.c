/* SPDX-License-Identifier: MIT */
/* The order of a process's threads (who runs next): see turns.h. The records are in a list, oldest
 * first, so the first one found with the smallest clock is the oldest of several. vpmu_turn_least()
 * is the rule; vpmu_turn_set_end() sets how long the owner may continue. */
#include "turns.h"

#include <stdlib.h>
#include <string.h>

#define STEP_CLOCKS 512u	/* the first one's */

struct vpmu_turns vpmu_turns = { .mutex = PTHREAD_MUTEX_INITIALIZER };
uint64_t vpmu_turn_end = UINT64_MAX, vpmu_process_turn_end = UINT64_MAX;
__thread uint64_t *vpmu_turn_limit;
uint32_t vpmu_turns_spinning;

bool vpmu_turn_add(unsigned int vcpu, uint64_t clock, enum vpmu_turn_state state)
{
	struct vpmu_turn *t = calloc(1, sizeof(*t)), **last = &vpmu_turns.first;

	if (!t)
		return false;
	t->vcpu = vcpu;
	t->clock = t->began = clock;
	vpmu_turn_set_state(t, state);
	while (*last)
		last = &(*last)->next;
	*last = t;
	vpmu_turns.count++;
	return true;
}

uint64_t vpmu_turn_step(struct vpmu_turn *t, uint64_t clock)
{
	if (clock - t->spun > 2 * VPMU_SLICE_CLOCKS || !t->step)
		t->step = STEP_CLOCKS;
	else if (t->step < VPMU_SLICE_CLOCKS)
		t->step *= 2;
	return t->step;
}

void vpmu_turn_spin(struct vpmu_turn *t, const struct vpmu_core *core, uint64_t clock)
{
	vpmu_turn_stop_spinning(t);
	t->spins = core;
	t->spun = clock;
	vpmu_turns_spinning++;
}

void vpmu_turn_stop_spinning(struct vpmu_turn *t)
{
	if (t->spins)
		vpmu_turns_spinning--;
	t->spins = NULL;
}

static void stop_spinning_at(struct vpmu_turn *t, uint64_t clock)
{
	t->clock = t->spun > clock ? t->spun : clock;
	vpmu_turn_stop_spinning(t);
}

void vpmu_turn_remove(struct vpmu_turn *t)
{
	struct vpmu_turn **at = &vpmu_turns.first;

	while (*at && *at != t)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = t->next;
	vpmu_turns.count--;
	vpmu_turn_stop_spinning(t);
	free(t);
}

struct vpmu_turn *vpmu_turn_find(unsigned int vcpu)
{
	struct vpmu_turn *t = vpmu_turns.first;

	while (t && t->vcpu != vcpu)
		t = t->next;
	return t;
}

void vpmu_turns_keep(struct vpmu_turn *t)
{
	struct vpmu_turn *each = vpmu_turns.first, *next;

	for (; each; each = next) {
		next = each->next;
		if (each != t)
			free(each);
	}
	t->next = NULL;
	vpmu_turn_set_state(t, VPMU_TURN_RUNS);
	vpmu_turns.first = t;
	vpmu_turns_set_owner(t);
	vpmu_turns.count = 1;
	vpmu_turns.outside = 0;
	t->spins = NULL;
	vpmu_turns_spinning = 0;
	vpmu_turn_set_end();
}

struct vpmu_turn *vpmu_turn_least(const struct vpmu_turn *but)
{
	struct vpmu_turn *least = NULL;

	for (struct vpmu_turn *t = vpmu_turns.first; t; t = t->next)
		if (t->state == VPMU_TURN_READY && t != but && (!least || t->clock < least->clock))
			least = t;
	return least;
}

bool vpmu_turn_is_interruptible(const struct vpmu_turn *t)
{
	return t->state == VPMU_TURN_FUTEX || t->state == VPMU_TURN_SLEEPS ||
	       t->state == VPMU_TURN_FILES_WAIT;
}

uint64_t vpmu_turn_wakes_at(const struct vpmu_turn *t)
{
	uint64_t waited = __atomic_load_n(vpmu_turns.waited, __ATOMIC_RELAXED);

	return (uint64_t)t->until > waited ? (uint64_t)t->until - waited : 0;
}

struct vpmu_turn *vpmu_turn_sleeper(void)
{
	struct vpmu_turn *first = NULL;

	for (struct vpmu_turn *t = vpmu_turns.first; t; t = t->next)
		if (t->until && vpmu_turn_is_interruptible(t) &&
		    (!first || t->until < first->until))
			first = t;
	return first;
}

void vpmu_turn_make_ready(struct vpmu_turn *t, uint64_t clock, int64_t answer)
{
	if (t->clock < clock)
		t->clock = clock;
	t->answer = answer;
	t->address = 0;
	t->signalled = false;
	vpmu_turn_set_state(t, VPMU_TURN_READY);
}

void vpmu_turn_interrupt(struct vpmu_turn *t, uint64_t clock)
{
	if (vpmu_turn_is_interruptible(t))
		vpmu_turn_make_ready(t, clock, VPMU_TURN_RESTART);
	else if (t->spins && t->state == VPMU_TURN_READY)
		stop_spinning_at(t, clock);
	vpmu_turn_set_end();
}

static bool files_wait(void)
{
	const struct vpmu_turn *t = vpmu_turns.first;

	while (t && t->state != VPMU_TURN_FILES_WAIT)
		t = t->next;
	return t;
}

void vpmu_turn_set_end(void)
{
	const struct vpmu_turn *owner = vpmu_turns.owner, *other, *sleeper;
	uint64_t end = UINT64_MAX, machine;

	if (!owner)
		return;
	other = vpmu_turn_least(owner);
	sleeper = vpmu_turn_sleeper();
	machine = __atomic_load_n(&vpmu_process_turn_end, __ATOMIC_RELAXED);
	if (other)
		end = (other->clock < owner->began ? owner->began : other->clock) +
		      VPMU_SLICE_CLOCKS;
	else if (files_wait())
		end = owner->began + VPMU_SLICE_CLOCKS;
	if (machine < end)
		end = machine;
	if (sleeper && vpmu_turn_wakes_at(sleeper) < end)
		end = vpmu_turn_wakes_at(sleeper);
	__atomic_store_n(&vpmu_turn_end, end, __ATOMIC_RELAXED);
	if (vpmu_turn_limit)
		*vpmu_turn_limit = 0;
}

uint32_t vpmu_turn_wake(uint64_t address, uint32_t count, uint32_t bitset, uint64_t clock)
{
	uint32_t woken = 0;

	for (; woken < count; woken++) {
		struct vpmu_turn *first = NULL;

		for (struct vpmu_turn *t = vpmu_turns.first; t; t = t->next)
			if (t->state == VPMU_TURN_FUTEX && t->address == address &&
			    t->bitset & bitset && (!first || t->queued < first->queued))
				first = t;
		if (!first)
			break;
		vpmu_turn_make_ready(first, clock, 0);
	}
	vpmu_turn_set_end();
	return woken;
}

void vpmu_turns_look(const struct vpmu_core *core, uint64_t clock)
{
	bool any = false;

	for (struct vpmu_turn *t = vpmu_turns.first; t; t = t->next)
		if (t->spins == core && t->state == VPMU_TURN_READY) {
			stop_spinning_at(t, clock);
			any = true;
		}
	if (any)
		vpmu_turn_set_end();
}

void vpmu_turns_snooped(const struct vpmu_core *core, uint64_t clock)
{
	vpmu_turns_lock();
	vpmu_turns_look(core, clock);
	vpmu_turns_unlock();
}
