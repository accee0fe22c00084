/* SPDX-License-Identifier: MIT */
/* System calls without libc, whose functions are the preloaded library's in a native program. */
#ifndef VPMU_KERNEL_H
#define VPMU_KERNEL_H

#include <sys/syscall.h>

/* The kernel's answer to a call with up to six arguments, numbers or pointers: -4095 to -1 are
 * errors. */
#define vpmu_syscall(...) VPMU_SYSCALL(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define VPMU_SYSCALL(number, a, b, c, d, e, f, ...) \
	vpmu_syscall_of(number, VPMU_WORD(a), VPMU_WORD(b), VPMU_WORD(c), VPMU_WORD(d), \
			VPMU_WORD(e), VPMU_WORD(f))
#define VPMU_WORD(argument) ((long)(__UINTPTR_TYPE__)(argument))

static inline long vpmu_syscall_of(long number, long a, long b, long c, long d, long e, long f)
{
	register long fourth __asm__("r10") = d;
	register long fifth __asm__("r8") = e;
	register long sixth __asm__("r9") = f;
	long answer;

	__asm__ volatile("syscall" : "=a"(answer)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	return answer;
}

#endif
