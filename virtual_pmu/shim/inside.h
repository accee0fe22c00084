/* SPDX-License-Identifier: MIT */
/* The shim's own system calls. The feed does not count what the shim's code executes, as a
 * program's counters do not count a kernel's driver; it would count functions of libc that the shim
 * calls. */
#ifndef VPMU_SHIM_INSIDE_H
#define VPMU_SHIM_INSIDE_H

#include "../machine/kernel.h"

/* The kernel's answer: -4095 to -1 are errors. */
static inline long shim_syscall(long number, long a, long b, long c, long d)
{
	return vpmu_syscall(number, a, b, c, d);
}

static inline long shim_address(const void *p)
{
	return (long)(__UINTPTR_TYPE__)p;
}

#endif
