/* SPDX-License-Identifier: MIT */
/* System calls that a program makes by number: those that concern the machine's CPUs and PMU get
 * what libc's functions of the same name answer. */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

/* Written out because libc's own function is variadic, and because this is called before libc's
 * function has been looked up. */
static long call(long number, const long a[6])
{
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	if (result >= -4095 && result < 0) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

/* The kernel returns the number of bytes that it has written, libc's function 0. */
static long get_affinity(const long a[6])
{
	size_t bytes = (size_t)a[1] < VPMU_CPUS_MAX / 8 ? (size_t)a[1] : VPMU_CPUS_MAX / 8;

	return sched_getaffinity((pid_t)a[0], bytes, (cpu_set_t *)a[2]) ? -1 : (long)bytes;
}

SHIM_EXPORT long syscall(long number, ...)
{
	va_list args;
	long a[6], result;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	switch (number) {
	case SYS_perf_event_open:	/* the host's PMU is not this machine's */
		if (!shim_machine())
			break;
		errno = ENOENT;
		return -1;
	case SYS_sched_getaffinity:
		return shim_machine() ? get_affinity(a) : call(number, a);
	case SYS_sched_setaffinity:
		if (!shim_machine())
			break;
		return sched_setaffinity((pid_t)a[0], (size_t)a[1], (const cpu_set_t *)a[2]);
	case SYS_getcpu:
		return shim_machine() ? getcpu((unsigned int *)a[0], (unsigned int *)a[1]) :
					call(number, a);
	default:
		break;
	}
	return shim_file_call(number, a, &result) ? result : call(number, a);
}
