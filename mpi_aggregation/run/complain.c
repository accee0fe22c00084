/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <stdarg.h>
#include <stdio.h>

int complain(int status, const char *format, ...)
{
	va_list args;

	fputs("ipmu-mpi-run: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return status;
}
