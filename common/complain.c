/* SPDX-License-Identifier: MIT */
#include "complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shown.h"

/* In one piece: the processes of a job write to the same terminal. */
int complain(int status, const char *format, ...)
{
	char text[4096], safe[SHOWN_ROOM(sizeof(text))];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	shown(text, safe, sizeof(safe));
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, safe);
	return status;
}

int complain_unwritten(int status, int failure)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	return complain(failure, "standard output: %s", strerror(errno));
}
