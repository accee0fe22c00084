/* SPDX-License-Identifier: MIT */
/* How the command reports an error. */
#include <stdarg.h>
#include <stdio.h>

#include "tool.h"

void vpmu_complain(const char *format, ...)
{
	va_list args;

	fputs("vpmu: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}
