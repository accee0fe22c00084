/* SPDX-License-Identifier: MIT */
/* The order of a machine's processes: see processes.h. vpmu_process_least() is the rule. */
#include <errno.h>
#include <string.h>

#include "segment.h"

void vpmu_processes_power_on(struct vpmu_processes *all)
{
	pthread_mutexattr_t attributes;

	memset(all, 0, sizeof(*all));
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&all->mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

void vpmu_processes_lock(struct vpmu_processes *all)
{
	/* Each change of a record is complete at any moment. */
	if (pthread_mutex_lock(&all->mutex) == EOWNERDEAD)
		pthread_mutex_consistent(&all->mutex);
}

void vpmu_processes_unlock(struct vpmu_processes *all)
{
	pthread_mutex_unlock(&all->mutex);
}

/* A process that was killed outside of the turn leaves its record. VPMU_PROCESSES_MAX: none did. */
static uint32_t record_of_ended(const struct vpmu_processes *all)
{
	uint32_t i = 0;

	while (i < VPMU_PROCESSES_MAX &&
	       (all->of[i].state == VPMU_PROCESS_RUNS || !all->of[i].pid ||
		!vpmu_process_ended(all->of[i].pid)))
		i++;
	return i;
}

struct vpmu_process *vpmu_process_add(struct vpmu_processes *all, uint32_t pid,
				      enum vpmu_process_state state, uint64_t clock)
{
	uint32_t i = 0;

	while (i < VPMU_PROCESSES_MAX && all->of[i].state != VPMU_PROCESS_NONE)
		i++;
	if (i == VPMU_PROCESSES_MAX)
		i = record_of_ended(all);
	if (i == VPMU_PROCESSES_MAX)
		return NULL;
	if (all->used <= i)
		all->used = i + 1;
	all->of[i] = (struct vpmu_process){
		.state = state, .pid = pid, .number = ++all->numbers, .clock = clock,
		.began = clock,
	};
	return &all->of[i];
}

struct vpmu_process *vpmu_process_find(struct vpmu_processes *all, uint32_t pid)
{
	for (uint32_t i = 0; i < all->used; i++)
		if (all->of[i].pid == pid && all->of[i].state != VPMU_PROCESS_NONE)
			return &all->of[i];
	return NULL;
}

struct vpmu_process *vpmu_process_owner(struct vpmu_processes *all)
{
	uint32_t owner = __atomic_load_n(&all->owner, __ATOMIC_RELAXED);

	return owner && owner <= VPMU_PROCESSES_MAX ? &all->of[owner - 1] : NULL;
}

static bool is_before(const struct vpmu_process *a, const struct vpmu_process *b)
{
	return a->clock < b->clock || (a->clock == b->clock && a->number < b->number);
}

struct vpmu_process *vpmu_process_least(struct vpmu_processes *all,
					const struct vpmu_process *but)
{
	struct vpmu_process *least = NULL;

	for (uint32_t i = 0; i < all->used; i++) {
		struct vpmu_process *p = &all->of[i];

		if (p->state == VPMU_PROCESS_READY && p != but && (!least || is_before(p, least)))
			least = p;
	}
	return least;
}

struct vpmu_process *vpmu_process_pass(struct vpmu_processes *all)
{
	struct vpmu_process *next = vpmu_process_least(all, NULL);

	if (next) {
		next->state = VPMU_PROCESS_RUNS;
		next->began = next->clock;
		__atomic_store_n(&next->go, 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&all->owner, next ? (uint32_t)(next - all->of) + 1 : 0,
			 __ATOMIC_RELAXED);
	return next;
}

uint32_t *vpmu_process_leaves(struct vpmu_processes *all, uint32_t tid)
{
	for (uint32_t i = 0; i < VPMU_PROCESSES_OUTSIDE; i++)
		if (!all->outside[i]) {
			__atomic_store_n(&all->outside[i], tid, __ATOMIC_RELAXED);
			return &all->outside[i];
		}
	return NULL;
}
