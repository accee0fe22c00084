/* SPDX-License-Identifier: MIT */
#include "complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shown.h"

static char *kept;
static size_t kept_bytes;

void complain_into(char *text, size_t bytes)
{
	text[0] = '\0';
	kept = text;
	kept_bytes = bytes;
}

bool complain_is_silent(void)
{
	return kept != NULL;
}

/* In one piece: the processes of a job write to the same terminal. */
int complain(int status, const char *format, ...)
{
	char text[4096], safe[SHOWN_ROOM(sizeof(text))];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	shown(text, safe, sizeof(safe));
	if (!kept)
		fprintf(stderr, "%s: %s\n", program_invocation_short_name, safe);
	else if (!kept[0])
		snprintf(kept, kept_bytes, "%s", safe);
	return status;
}

int complain_unwritten(int status, int failure)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	return complain(failure, "standard output: %s", strerror(errno));
}
