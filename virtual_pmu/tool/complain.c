/* SPDX-License-Identifier: MIT */
/* How the command reports an error. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

int vpmu_complain_unwritten(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	vpmu_complain("standard output: %s", strerror(errno));
	return VPMU_EXIT_FAILURE;
}
