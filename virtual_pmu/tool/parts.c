/* SPDX-License-Identifier: MIT */
/* Finds the files that a machine is made of. */
#include <stdio.h>
#include <stdlib.h>

#include "beside.h"
#include "program_file.h"
#include "tool.h"

int vpmu_complain_program(const char *name, int rc)
{
	char why[PROGRAM_WHY_MAX];

	program_why(name, rc, why);
	vpmu_complain("%s", why);
	return program_refused(rc);
}

static bool is_there(const char *path, char *out, size_t bytes)
{
	char *real = realpath(path, NULL);
	bool found = real && snprintf(out, bytes, "%s", real) < (int)bytes;

	free(real);
	return found;
}

int vpmu_look_for_part(const char *name, char *out, size_t bytes)
{
	static const char *const places[] = { IPMU_BIN_TO_LIB "/ipmu/", "", ".libs/" };
	const char *given = getenv("VPMU_LIBDIR");
	char file[NAME_MAX + 64], path[PATH_MAX];

	if (given && *given)
		return snprintf(path, sizeof(path), "%s/%s", given, name) < (int)sizeof(path) &&
		       is_there(path, out, bytes) ? 0 : -1;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(file, sizeof(file), "%s%s", places[i], name);
		if (beside_program(file, path) && is_there(path, out, bytes))
			return 0;
	}
	return -1;
}

int vpmu_find_part(const char *name, char *out, size_t bytes)
{
	const char *given = getenv("VPMU_LIBDIR");
	char folder[PATH_MAX];

	if (!vpmu_look_for_part(name, out, bytes))
		return 0;
	if (given && *given)
		vpmu_complain("no %s in VPMU_LIBDIR (%s)", name, given);
	else if (beside_program(IPMU_BIN_TO_LIB "/ipmu", folder))
		vpmu_complain("cannot find %s in %s or beside vpmu; set VPMU_LIBDIR to its "
			      "directory", name, folder);
	else
		vpmu_complain("cannot read /proc/self/exe, which says where %s is: mount /proc",
			      name);
	return -1;
}
