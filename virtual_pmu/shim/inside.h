/* SPDX-License-Identifier: MIT */
/* The shim's own system calls. The feed does not count what the shim's code executes, as a
 * program's counters do not count a kernel's driver; it would count functions of libc that the shim
 * calls. */
#ifndef VPMU_SHIM_INSIDE_H
#define VPMU_SHIM_INSIDE_H

#include <sys/syscall.h>

/* The kernel's answer: -4095 to -1 are errors. */
static inline long shim_syscall(long number, long a, long b, long c, long d)
{
	register long fourth __asm__("r10") = d;
	long answer;

	__asm__ volatile("syscall" : "=a"(answer)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
			 : "rcx", "r11", "memory");
	return answer;
}

static inline long shim_address(const void *p)
{
	return (long)(__UINTPTR_TYPE__)p;
}

#endif
