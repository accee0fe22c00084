/* SPDX-License-Identifier: MIT */
#include "why.h"

#include "ipmu_topology.h"

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
