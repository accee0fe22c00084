/* SPDX-License-Identifier: MIT */
/* In place of the command's own complaints, which are printed: they are counted. Included once. */
#ifndef COMPLAINTS_H
#define COMPLAINTS_H

#include "fuzz.h"
#include "tool/tool.h"

#include <stdarg.h>

static int complaints;

void vpmu_complain(const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	REQUIRE(text[0]);
	complaints++;
}

#endif
