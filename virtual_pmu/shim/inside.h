/* SPDX-License-Identifier: MIT */
/* System calls of the shim's own, which are not those that it stands in front of. */
#ifndef VPMU_SHIM_INSIDE_H
#define VPMU_SHIM_INSIDE_H

#include <stddef.h>
#include <sys/mman.h>

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

/* Memory of zeros, or NULL. Libc's functions are looked up when they are needed first: the loader's
 * lock may belong to a thread that waits for this one, or that a forked child does not have. */
static inline void *shim_map(size_t bytes)
{
	long at = vpmu_syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at < 0 && at >= -4095 ? NULL : (void *)at;
}

static inline void shim_unmap(void *at, size_t bytes)
{
	vpmu_syscall(SYS_munmap, at, bytes);
}

#endif
