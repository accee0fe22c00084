// SPDX-License-Identifier: MIT
/* A library that makes the host another size: the caller has the CPUs $NOW of $LIMIT. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

long syscall(long number, ...)
{
	long (*next)(long, ...), a[6];
	static int widened;
	uint64_t mask;
	va_list args;

	*(void **)&next = dlsym(RTLD_NEXT, "syscall");
	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_sched_setaffinity) {
		memcpy(&mask, (void *)a[2], sizeof(mask));
		widened = mask == UINT64_MAX;
		return 0;
	}
	if (number != SYS_sched_getaffinity)
		return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	mask = strtoull(getenv(widened ? "LIMIT" : "NOW"), NULL, 16);
	memcpy((void *)a[2], &mask, sizeof(mask));
	return sizeof(mask);
}
