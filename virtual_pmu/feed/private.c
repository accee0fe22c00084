/* SPDX-License-Identifier: MIT */
/* Waiting for a core's lock. */
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "private.h"

/* A thread that was killed inside its short critical section must not stop the machine. */
static void replace_dead(struct vpmu_core *core)
{
	uint32_t owner = __atomic_load_n(&core->lock, __ATOMIC_RELAXED);

	if (owner && syscall(SYS_tkill, (int)owner, 0) && errno == ESRCH)
		__atomic_compare_exchange_n(&core->lock, &owner, 0, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	sched_yield();
}

void vpmu_private_wait(struct vpmu_core *core, uint32_t tid)
{
	for (uint32_t tries = 1;; tries++) {
		uint32_t free = 0;

		if (__atomic_compare_exchange_n(&core->lock, &free, tid, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return;
		if (tries % 256 == 0)
			replace_dead(core);
		else
			__builtin_ia32_pause();
	}
}
