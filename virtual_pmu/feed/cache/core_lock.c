/* SPDX-License-Identifier: MIT */
/* Waiting for a core's lock. */
#include <sched.h>

#include "private_caches.h"
#include "../thread/machine_lock.h"

/* A thread that was killed inside its short critical section must not stop the machine. */
static void replace_dead(struct vpmu_core *core)
{
	uint32_t owner = __atomic_load_n(&core->lock, __ATOMIC_RELAXED);

	if (owner && !(owner & VPMU_LOCK_KEPT) && vpmu_thread_ended(owner))
		vpmu_core_take(core, owner, 0);
	sched_yield();
}

static bool keeps_machine(const struct vpmu_segment *s, uint32_t owner)
{
	return __atomic_load_n(&s->lock.owner, __ATOMIC_ACQUIRE) == owner;
}

/* Takes a core's lock that its owner keeps. The owner has it as long as it keeps the machine lock,
 * so this requests the machine lock. If the owner has lost that, the core's lock is taken from
 * it. */
static bool take_kept(struct vpmu_core *core, const struct vpmu_runner *r, uint32_t owner)
{
	if (keeps_machine(r->s, owner)) {
		if (vpmu_feed_lock(r->s, r->tid))
			vpmu_feed_unlock(r->s);
		return false;
	}
	if (!vpmu_core_take(core, owner, r->tid))
		return false;
	if (keeps_machine(r->s, owner)) {	/* again, since then */
		__atomic_store_n(&core->lock, owner, __ATOMIC_RELEASE);
		return false;
	}
	vpmu_core_change(core);
	vpmu_core_change(core);
	return true;
}

void vpmu_private_wait(struct vpmu_core *core, const struct vpmu_runner *r)
{
	for (uint32_t tries = 1;; tries++) {
		uint32_t owner = __atomic_load_n(&core->lock, __ATOMIC_RELAXED);

		if (owner & VPMU_LOCK_KEPT ? take_kept(core, r, owner) :
					     !owner && vpmu_core_take(core, 0, r->tid))
			return;
		if (tries % 256 == 0)
			replace_dead(core);
		else
			__builtin_ia32_pause();
	}
}
