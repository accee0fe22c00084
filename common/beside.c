/* SPDX-License-Identifier: MIT */
#include "beside.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool beside_program(const char *name, char out[PATH_MAX])
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash && snprintf(out, PATH_MAX, "%.*s/%s", (int)(slash - self), self, name) < PATH_MAX)
		return true;
	out[0] = '\0';
	return false;
}
