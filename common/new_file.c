/* SPDX-License-Identifier: MIT */
#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_name(int fd)
{
	struct stat st;

	return fstat(fd, &st) || st.st_nlink;
}

static void self_path(int fd, char out[40])
{
	snprintf(out, 40, "/proc/self/fd/%d", fd);
}

/* -1: not here. */
static int open_unnamed(const char *path)
{
	char *folder = strdup(path), self[40];
	char *slash = folder ? strrchr(folder, '/') : NULL;
	int fd;

	if (!folder)
		return -1;
	if (slash)
		slash[1] = '\0';
	fd = open(slash ? folder : ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
	free(folder);
	self_path(fd, self);
	if (fd < 0 || !access(self, F_OK))
		return fd;
	close(fd);	/* without /proc it could not get a name */
	return -1;
}

/* NFS and others have no files without a name. */
static int open_named(const char *temporary)
{
	unlink(temporary);	/* of a dead process that had our number */
	return open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int new_file_open(struct new_file *n, const char *path)
{
	int fd;

	*n = (struct new_file){ .path = strdup(path) };
	if (!n->path || asprintf(&n->temporary, "%s.%d.tmp", path, (int)getpid()) < 0) {
		n->temporary = NULL;
		return -ENOMEM;
	}
	fd = open_unnamed(path);
	if (fd < 0)
		fd = open_named(n->temporary);
	if (fd < 0)
		return -errno;
	n->f = fdopen(fd, "w");
	if (n->f)
		return 0;
	close(fd);
	return -ENOMEM;
}

static int link_to(int fd, const char *path)
{
	char self[40];

	self_path(fd, self);
	return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* A link replaces nothing: what is there already is replaced by a rename. */
static int take_name(const struct new_file *n)
{
	int fd = fileno(n->f), rc = -EEXIST;

	if (!has_name(fd)) {
		rc = link_to(fd, n->path);
		if (rc != -EEXIST)
			return rc;
		unlink(n->temporary);
		rc = link_to(fd, n->temporary);
		if (rc)
			return rc;
	}
	return rename(n->temporary, n->path) ? -errno : 0;
}

int new_file_publish(struct new_file *n)
{
	int rc = fflush(n->f) || ferror(n->f) ? (errno ? -errno : -EIO) : 0;

	if (!rc)
		rc = take_name(n);
	if (fclose(n->f) && !rc)
		rc = -errno;
	n->f = NULL;
	return rc;
}

void new_file_drop(struct new_file *n)
{
	if (n->f)
		fclose(n->f);
	if (n->temporary)
		unlink(n->temporary);
	free(n->temporary);
	free(n->path);
	*n = (struct new_file){ .f = NULL };
}
