/* SPDX-License-Identifier: MIT */
/* A runner that keeps the machine lock and its core's. */
#include "../cache/private_caches.h"
#include "machine_lock.h"

void vpmu_runner_keep(struct vpmu_segment *s, struct vpmu_runner *r)
{
	uint32_t kept = r->tid | VPMU_LOCK_KEPT;

	vpmu_core_lock(r->own, r);
	vpmu_core_change(r->own);	/* even: others see no change until it is released */
	r->keeps = true;
	__atomic_store_n(&s->lock.owner, kept, __ATOMIC_RELEASE);
	__atomic_store_n(&r->own->lock, kept, __ATOMIC_RELEASE);
}

static void forget_core(struct vpmu_core *core, uint32_t owner)
{
	if (__atomic_load_n(&core->lock, __ATOMIC_RELAXED) != owner)
		return;
	vpmu_core_change(core);
	vpmu_core_change(core);
	vpmu_core_take(core, owner, 0);
}

/* Releases locks under this thread id. When a thread executes a program, its process's first thread
 * ends wherever it is. Its id stays in use, so nobody else would find the owner dead. */
void vpmu_locks_forget(const struct vpmu_caches *c, uint32_t tid)
{
	const uint32_t owners[] = { tid, tid | VPMU_LOCK_KEPT };

	for (unsigned int i = 0; i < 2; i++) {
		for (uint32_t package = 0; package < c->s->machine.packages; package++)
			for (uint32_t agent = 0; agent < c->layout.agents; agent++)
				forget_core((void *)vpmu_core_block(c, package, agent), owners[i]);
		vpmu_lock_take(c->s, owners[i], 0);
	}
}

/* Releases both locks only if they still are the runner's: a thread that was stopped may have lost
 * them. */
void vpmu_runner_end_keeping(struct vpmu_segment *s, struct vpmu_runner *r, uint32_t owner)
{
	uint32_t kept = r->tid | VPMU_LOCK_KEPT;

	r->keeps = false;
	vpmu_core_change(r->own);
	vpmu_core_change(r->own);
	vpmu_core_take(r->own, kept, 0);
	__atomic_compare_exchange_n(&s->lock.owner, &kept, owner, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
	if (!owner && __atomic_load_n(&s->lock.waiting, __ATOMIC_RELAXED))
		vpmu_lock_wake(s);
}
