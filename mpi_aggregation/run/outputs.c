/* SPDX-License-Identifier: MIT */
/* A report that is there after a job must be that job's.
 *
 * Under a launcher a rank that leaves alone keeps the others waiting in MPI_Init for ever, with
 * MPICH's. So nothing is refused here then: what cannot be written shows in MPI_Init, to all. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

static bool is_one_of(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(text, *list))
			return true;
	return false;
}

/* What follows PREFIX in the names that we give to files. */
static bool is_our_ending(const char *ending)
{
	static const char node[] = ".node", *const job[] = { ".csv", ".json", NULL },
		   *const nodes[] = { ".csv", ".json", ".timeline.csv", NULL };
	size_t digits;

	if (strncmp(ending, node, strlen(node)))
		return is_one_of(ending, job);
	ending += strlen(node);
	digits = strspn(ending, "0123456789");
	return digits && is_one_of(ending + digits, nodes);
}

static int refuse(const char *folder, const char *name, const char *what)
{
	if (is_launched())
		return 0;
	return complain(EXIT_USAGE, "-o: cannot %s %s%s: %s", what, folder, name, strerror(errno));
}

/* False, with errno: a name that exists and cannot be removed. */
static bool remove_old(DIR *d, const char *start, char name[NAME_MAX + 1])
{
	size_t bytes = strlen(start);
	const struct dirent *e;

	while ((e = readdir(d)))
		if (!strncmp(e->d_name, start, bytes) && is_our_ending(e->d_name + bytes) &&
		    unlinkat(dirfd(d), e->d_name, 0) && errno != ENOENT) {
			snprintf(name, NAME_MAX + 1, "%s", e->d_name);
			return false;
		}
	return true;
}

static bool try_new(const char *prefix, char name[NAME_MAX + 1])
{
	struct new_file n;
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "%s.json", prefix);
	rc = new_file_open(&n, path, 0666);
	new_file_drop(&n);
	snprintf(name, NAME_MAX + 1, "%s", strrchr(path, '/') + 1);
	errno = -rc;
	return !rc;
}

int files_prepare(const char *prefix)
{
	char folder[PATH_MAX], name[NAME_MAX + 1];
	const char *start = strrchr(prefix, '/') + 1;	/* it is an absolute path */
	DIR *d;
	int rc = 0;

	if (snprintf(folder, sizeof(folder), "%.*s", (int)(start - prefix), prefix) >=
	    (int)sizeof(folder))
		return complain(EXIT_USAGE, "-o: the path is too long");
	d = opendir(folder);
	if (!d)
		return refuse(folder, "", "write into");
	if (!try_new(prefix, name))
		rc = refuse(folder, name, "write");
	else if (!remove_old(d, start, name))
		rc = refuse(folder, name, "remove the old");
	closedir(d);
	return rc;
}
