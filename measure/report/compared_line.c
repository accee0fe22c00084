/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "shown.h"

#define LINE_MAX_BYTES 2048

/* Names in a file may be anybody's: none ends the line, or moves the cursor. */
void compared_line(FILE *f, const char *format, ...)
{
	char line[LINE_MAX_BYTES], safe[SHOWN_ROOM(sizeof(line))];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(f, "%s\n", shown(line, safe, sizeof(safe)));
}

/* A pipe would end the cell, the others are marks within a line. */
void compared_put_markdown(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\`*_[]<>|~&", *text))
			fputc('\\', f);
		fputc((unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text, f);
	}
}
