/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

/* The kernel says the same of a script without its interpreter as of one that is not there. */
static const char *missing(const char *name)
{
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

	snprintf(out, PROGRAM_WHY_MAX, "%.500s: %s", name, what);
}
