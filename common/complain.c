/* SPDX-License-Identifier: MIT */
#include "complain.h"

#include <err.h>
#include <stdarg.h>

int complain(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vwarnx(format, args);
	va_end(args);
	return status;
}
