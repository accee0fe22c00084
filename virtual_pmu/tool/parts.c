/* SPDX-License-Identifier: MIT */
/* Finds the files that a machine is made of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../machine/program.h"
#include "tool.h"

int vpmu_find_program(const char *name, char *out, size_t bytes)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return snprintf(out, bytes, "%s", name) < (int)bytes && vpmu_program_runnable(out) ?
		       0 : -1;
	for (const char *p = path ? path : "/usr/bin:/bin"; p; p = strchr(p, ':') ?
	     strchr(p, ':') + 1 : NULL) {
		int n = (int)strcspn(p, ":");

		if (snprintf(out, bytes, "%.*s%s%s", n ? n : 1, n ? p : ".", "/", name) <
		    (int)bytes && vpmu_program_runnable(out))
			return 0;
	}
	return -1;
}

int vpmu_complain_program(const char *name)
{
	bool path = strchr(name, '/') != NULL;
	struct stat st;

	vpmu_complain("%s: %s", name, !path ? "no such program in PATH" :
		      stat(name, &st) ? "no such program" :
		      S_ISDIR(st.st_mode) ? "a folder is not a program" :
		      "it is not executable: 'chmod +x' makes it so, if it is a program");
	return path && !stat(name, &st) ? VPMU_EXIT_NOT_EXECUTABLE : VPMU_EXIT_NOT_FOUND;
}

static bool library_in(const char *directory, const char *name, char *out, size_t bytes)
{
	char joined[PATH_MAX];

	if (snprintf(joined, sizeof(joined), "%s/%s", directory, name) >= (int)sizeof(joined))
		return false;
	char *real = realpath(joined, NULL);
	bool found = real && snprintf(out, bytes, "%s", real) < (int)bytes;

	free(real);
	return found;
}

/* The folder of the command itself. */
static void own_folder(char *out, size_t bytes)
{
	ssize_t n = readlink("/proc/self/exe", out, bytes - 1);

	out[n > 0 ? n : 0] = '\0';
	if (strrchr(out, '/'))
		*strrchr(out, '/') = '\0';
}

int vpmu_look_for_part(const char *name, char *out, size_t bytes)
{
	static const char *const places[] = { "/" IPMU_BIN_TO_LIB "/ipmu", "", "/.libs" };
	const char *given = getenv("VPMU_LIBDIR");
	char self[PATH_MAX], directory[PATH_MAX + 16];

	if (given && *given)
		return library_in(given, name, out, bytes) ? 0 : -1;
	own_folder(self, sizeof(self));
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(directory, sizeof(directory), "%s%s", self, places[i]);
		if (library_in(directory, name, out, bytes))
			return 0;
	}
	return -1;
}

int vpmu_find_part(const char *name, char *out, size_t bytes)
{
	const char *given = getenv("VPMU_LIBDIR");
	char self[PATH_MAX];

	if (!vpmu_look_for_part(name, out, bytes))
		return 0;
	own_folder(self, sizeof(self));
	if (given && *given)
		vpmu_complain("no %s in VPMU_LIBDIR (%s)", name, given);
	else
		vpmu_complain("cannot find %s in %s/" IPMU_BIN_TO_LIB "/ipmu or beside vpmu; set "
			      "VPMU_LIBDIR to its directory", name, self);
	return -1;
}
