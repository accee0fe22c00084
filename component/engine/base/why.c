/* SPDX-License-Identifier: MIT */
#include "why.h"

#include "ipmu_topology.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int ipmu_fail(char *why, int rc, const char *format, ...)
{
	va_list args;

	if (!why)
		return rc;
	va_start(args, format);
	vsnprintf(why, IPMU_WHY_MAX, format, args);
	va_end(args);
	return rc;
}

const char *ipmu_limit_advice(int error)
{
	switch (error) {
	case EMFILE:
		return ": raise the limit of open files of a process (ulimit -n)";
	case ENFILE:
		return ": raise the limit of open files of the system (sysctl fs.file-max)";
	case ENOMEM:
		return ": free some memory, or raise the limit of memory (ulimit -v)";
	default:
		return "";
	}
}
