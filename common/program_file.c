/* SPDX-License-Identifier: MIT */
#include "program_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "statuses.h"

bool program_runnable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !eaccess(path, X_OK);
}

static int check(const char *path)
{
	return program_runnable(path) ? 0 : access(path, F_OK) ? -ENOENT : -EACCES;
}

/* A file that cannot be executed is remembered: another folder may have one that can. */
int program_find(const char *folders, const char *name, char *out, size_t bytes)
{
	int found = -ENOENT;

	if (strchr(name, '/') || !*name)
		return snprintf(out, bytes, "%s", name) < (int)bytes ? check(out) : -ENAMETOOLONG;
	for (const char *p = folders ? folders : "/bin:/usr/bin"; p;
	     p = strchr(p, ':') ? strchr(p, ':') + 1 : NULL) {
		int n = (int)strcspn(p, ":"), rc;

		if (snprintf(out, bytes, "%.*s/%s", n ? n : 1, n ? p : ".", name) >= (int)bytes)
			continue;
		rc = check(out);
		if (!rc)
			return 0;
		if (rc == -EACCES)
			found = rc;
	}
	return found;
}

/* For a script without its interpreter, the kernel returns the same error as for one that does not
 * exist. */
static const char *missing(const char *name)
{
	if (!*name)
		return "an empty word names no program";
	if (!strchr(name, '/'))
		return "no such program in PATH";
	return access(name, F_OK) ? "no such file" :
	       "what executes it is not there: the interpreter in its first line, or the dynamic "
	       "linker";
}

static const char *forbidden(const char *name)
{
	struct stat st;

	if (!strchr(name, '/') || stat(name, &st))
		return strerror(EACCES);
	if (S_ISDIR(st.st_mode))
		return "a folder is not a program";
	return st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH) ? strerror(EACCES) :
	       "it is not executable: 'chmod +x' makes it so, if it is a program";
}

void program_why(const char *name, int rc, char out[PROGRAM_WHY_MAX])
{
	const char *what = rc == -ENOENT ? missing(name) :
			   rc == -EACCES ? forbidden(name) : strerror(-rc);

	snprintf(out, PROGRAM_WHY_MAX, "%.500s: %s", *name ? name : "''", what);
}

int program_refused(int rc)
{
	return rc == -ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}
