/* SPDX-License-Identifier: MIT */
/* A folder that only this user can write (private_folder.h). private_folder() takes the folder of
 * this user with the lowest number, and makes one if there is none. No lock is needed: a process
 * that has made a folder searches again, so all processes of the user agree. */
#include "private_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder_search {
	const char *parent;
	char base[NAME_MAX + 1];	/* NAME-UID */
	mode_t mode;
};

static bool is_ours(int at, const char *name, mode_t mode)
{
	struct stat st;

	return !fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid() && !(st.st_mode & 077 & ~mode);
}

/* N of BASE.N, 0 for BASE; -1: another name. */
static long number_of(const char *name, const char *base)
{
	size_t bytes = strlen(base);
	char *end;
	long n;

	if (strncmp(name, base, bytes) || (name[bytes] && name[bytes] != '.'))
		return -1;
	if (!name[bytes])
		return 0;
	n = strtol(name + bytes + 1, &end, 10);
	return name[bytes + 1] >= '1' && name[bytes + 1] <= '9' && !*end && n < INT_MAX ? n : -1;
}

/* Returns the lowest number of a folder of ours; -ENOENT: there is none. */
static long lowest(const struct folder_search *s)
{
	DIR *d = opendir(s->parent);
	const struct dirent *e;
	long best = d ? -ENOENT : -errno;

	while (d && (e = readdir(d))) {
		long n = number_of(e->d_name, s->base);

		if (n >= 0 && (best < 0 || n < best) && is_ours(dirfd(d), e->d_name, s->mode))
			best = n;
	}
	if (d)
		closedir(d);
	return best;
}

static int path_of(const struct folder_search *s, long n, char *out, size_t bytes)
{
	int length = n ? snprintf(out, bytes, "%s/%s.%ld", s->parent, s->base, n) :
		     snprintf(out, bytes, "%s/%s", s->parent, s->base);

	return length < (int)bytes ? 0 : -ENAMETOOLONG;
}

/* Takes the first name that is free, or that another process of ours has taken meanwhile. */
static int make(const struct folder_search *s, char *out, size_t bytes)
{
	for (long n = 0; n < INT_MAX; n++) {
		int rc = path_of(s, n, out, bytes);

		if (rc)
			return rc;
		if (!mkdir(out, s->mode))
			return chmod(out, s->mode) ? -errno : 0;	/* whatever the umask is */
		if (errno != EEXIST)
			return -errno;
		if (is_ours(AT_FDCWD, out, s->mode))
			return 0;
	}
	return -EEXIST;
}

int private_folder(const char *parent, const char *name, mode_t mode, char *out, size_t bytes)
{
	struct folder_search s = { .parent = parent, .mode = mode };
	long n;
	int rc;

	snprintf(s.base, sizeof(s.base), "%s-%u", name, (unsigned)geteuid());
	n = lowest(&s);
	if (n == -ENOENT) {
		rc = make(&s, out, bytes);
		if (rc)
			return rc;
		n = lowest(&s);		/* another process of ours may have made a lower one */
	}
	return n < 0 ? (int)n : path_of(&s, n, out, bytes);
}
