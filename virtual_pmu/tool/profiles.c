/* SPDX-License-Identifier: MIT */
/* --profile: the folder in which each process makes its profile. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/machine_device.h"
#include "tool.h"

/* The program may change its folder. */
static int find_folder(const char *name, char out[PATH_MAX])
{
	struct stat st;

	if (!realpath(name, out) || stat(out, &st)) {
		vpmu_complain("--profile %s: cannot use the folder: %s; make it first", name,
			      strerror(errno));
		return VPMU_EXIT_USAGE;
	}
	if (S_ISDIR(st.st_mode) && !access(out, W_OK | X_OK))
		return 0;
	vpmu_complain("--profile %s: is no folder, or cannot be written; name another one", name);
	return VPMU_EXIT_USAGE;
}

int vpmu_profiles_parse(const char *option, bool feed, char out[PATH_MAX], bool *data)
{
	const char *variable = getenv(MACHINE_PROFILE_ENV);
	const char *name = option ? option : variable ? variable : "";
	int rc = 0;

	*out = '\0';
	if (option && !*option) {
		vpmu_complain("--profile: give the name of a folder");
		return VPMU_EXIT_USAGE;
	}
	if (*data && !*name) {
		vpmu_complain("--data: is for profiles; give --profile FOLDER, too");
		return VPMU_EXIT_USAGE;
	}
	*data = *data || getenv(MACHINE_DATA_ENV);
	if (*name)
		rc = find_folder(name, out);
	if (!rc && !feed && *out) {
		setenv(MACHINE_PROFILE_ENV, out, 1);
		if (*data)
			setenv(MACHINE_DATA_ENV, "on", 1);
	} else {
		unsetenv(MACHINE_PROFILE_ENV);
		unsetenv(MACHINE_DATA_ENV);
	}
	return rc;
}
