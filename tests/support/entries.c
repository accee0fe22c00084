/* SPDX-License-Identifier: MIT */
#include "entries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>

#include <cmocka.h>

int entries(const char *directory)
{
	DIR *dir = opendir(directory);
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}
