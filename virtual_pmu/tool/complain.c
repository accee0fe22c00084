/* SPDX-License-Identifier: MIT */
/* How the command reports an error. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shown.h"
#include "tool.h"

void vpmu_complain(const char *format, ...)
{
	char text[2 * PATH_MAX], safe[SHOWN_ROOM(sizeof(text))];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "vpmu: %s\n", shown(text, safe, sizeof(safe)));
}

int vpmu_complain_unwritten(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	vpmu_complain("standard output: %s", strerror(errno));
	return VPMU_EXIT_FAILURE;
}
