/* SPDX-License-Identifier: MIT */
#include "preload.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beside.h"

#define LIBRARY "libipmu_mpi_region.so"

/* In the private folder of the libraries, which is found from ours. */
static int find(char *out, size_t bytes, char *why)
{
	char joined[PATH_MAX], *real;
	bool fits;

	real = beside_program(IPMU_BIN_TO_LIB "/ipmu/" LIBRARY, joined) ? realpath(joined, NULL) :
	       NULL;
	fits = real && snprintf(out, bytes, "%s", real) < (int)bytes;
	free(real);
	if (!fits) {
		snprintf(why, COUNT_WHY_MAX, "cannot find %.900s", joined[0] ? joined :
			 LIBRARY);
		return -ENOENT;
	}
	/* The dynamic linker has no quoting. */
	if (strpbrk(out, " :,")) {
		snprintf(why, COUNT_WHY_MAX, "%.900s: install it where the path has no blank, "
			 "colon or comma", out);
		return -EINVAL;
	}
	return 0;
}

/* Behind what is there already: vpmu takes its own away from the front. */
int preload_set(char why[COUNT_WHY_MAX])
{
	const char *others = getenv("LD_PRELOAD");
	char path[PATH_MAX], *list = NULL;
	int rc = find(path, sizeof(path), why);

	if (rc)
		return rc;
	if (others && strstr(others, path))
		return 0;
	if (!others)
		others = "";
	if (asprintf(&list, "%s%s%s", others, *others ? ":" : "", path) < 0)
		list = NULL;
	if (!list || setenv("LD_PRELOAD", list, 1))
		rc = -ENOMEM;
	free(list);
	if (rc)
		snprintf(why, COUNT_WHY_MAX, "no memory");
	return rc;
}
