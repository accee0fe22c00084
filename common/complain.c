/* SPDX-License-Identifier: MIT */
#include "complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* In one piece: the processes of a job write to the same terminal. */
int complain(int status, const char *format, ...)
{
	char text[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, text);
	return status;
}
