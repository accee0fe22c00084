/* SPDX-License-Identifier: MIT */
/* For a native program that reads the machine from outside, as `ipmu-run --on` does. Silicon's
 * device files have nothing of the kind, so the program looks these functions up by name. */
#include <errno.h>
#include <sys/syscall.h>

#include "inside.h"
#include "shim.h"

/* Nanoseconds on the machine's newest clock, at one clock each; 0: there is no machine. */
SHIM_EXPORT uint64_t vpmu_outside_clock(void);
/* The uncore and its clock stand still from stop to go, which are called by one thread. */
SHIM_EXPORT void vpmu_outside_stop(void);
SHIM_EXPORT void vpmu_outside_go(void);
/* Makes the caches those of a machine that has just been switched on. -EBUSY: a program runs on
 * it. */
SHIM_EXPORT int vpmu_outside_refresh(void);
/* The caller counts the event of this full name: vpmu tells at the end if nothing drives it. */
SHIM_EXPORT void vpmu_outside_count(const char *name);

uint64_t vpmu_outside_clock(void)
{
	struct vpmu_segment *s = shim_machine();
	uint64_t newest = 0;

	for (uint32_t i = 0; s && i < s->machine.packages; i++) {
		uint64_t clock = __atomic_load_n(&s->uclk[i], __ATOMIC_RELAXED);

		newest = clock > newest ? clock : newest;
	}
	return newest;
}

void vpmu_outside_stop(void)
{
	if (shim_machine())
		vpmu_lock(shim_machine());
}

void vpmu_outside_go(void)
{
	if (shim_machine())
		vpmu_unlock(shim_machine());
}

int vpmu_outside_refresh(void)
{
	struct vpmu_segment *s = shim_machine();
	struct shim_guard guard;
	int rc = -EBUSY;

	if (!s)
		return -EBUSY;
	shim_enter(s, &guard);
	if (!vpmu_threads_busy(s, (uint32_t)shim_syscall(SYS_getpid, 0, 0, 0, 0))) {
		vpmu_model_refresh(s);
		rc = 0;
	}
	shim_leave(s, &guard);
	return rc;
}

void vpmu_outside_count(const char *name)
{
	struct vpmu_segment *s = shim_machine();
	struct shim_guard guard;

	if (!s)
		return;
	shim_enter(s, &guard);
	vpmu_model_count_free(s, name);
	shim_leave(s, &guard);
}
