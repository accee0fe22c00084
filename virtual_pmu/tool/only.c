/* SPDX-License-Identifier: MIT */
/* --only: the program whose processes are counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/machine_device.h"
#include "tool.h"

/* A program may change its folder, and the file may not be there yet. */
static bool make_absolute(const char *name, char out[PATH_MAX])
{
	char folder[PATH_MAX];
	bool relative = strchr(name, '/') && *name != '/';

	if (relative && !getcwd(folder, sizeof(folder)))
		return false;
	return snprintf(out, PATH_MAX, "%s%s%s", relative ? folder : "", relative ? "/" : "",
			name) < PATH_MAX;
}

int vpmu_only_parse(const char *option, bool feed, char out[PATH_MAX])
{
	const char *variable = getenv(MACHINE_ONLY_ENV);
	const char *name = option ? option : variable ? variable : "";

	if (option && !*option) {
		vpmu_complain("--only: give the name of a program, or a path with a slash");
		return VPMU_EXIT_USAGE;
	}
	if (!make_absolute(name, out)) {
		vpmu_complain("--only %s: the path is too long, or this folder is not there", name);
		return VPMU_EXIT_USAGE;
	}
	if (!feed && *out)
		setenv(MACHINE_ONLY_ENV, out, 1);
	else
		unsetenv(MACHINE_ONLY_ENV);
	return 0;
}

int vpmu_only_check(const struct vpmu_segment *s, const char *option, uint64_t before)
{
	if (!option || __atomic_load_n(&s->chosen_count, __ATOMIC_RELAXED) != before)
		return 0;
	vpmu_complain("--only %s: no program of that name was executed: nothing was counted",
		      option);
	return VPMU_EXIT_FAILURE;
}
