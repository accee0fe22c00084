/* SPDX-License-Identifier: MIT */
/* Files that appear whole or not at all (new_file.h). new_file_open() makes a file without a name,
 * or a temporary one where the file system cannot do that. new_file_publish() links it under its
 * name, and new_file_drop() ends it in every case. Each process holds a lock (flock) on the file
 * that it writes, so remove_left() can recognize the temporary files of dead processes. */
#include "new_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Open a file without a name; -1: that cannot be done here. */
static int open_unnamed(const char *folder, mode_t mode)
{
	int fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, mode);
	char self[40];

	self_path(fd, self);
	if (fd < 0 || !access(self, F_OK))
		return fd;
	close(fd);	/* without /proc it could not get a name */
	return -1;
}

/* Open a temporary file: NFS and others have no files without a name. */
static int open_named(const char *temporary, mode_t mode)
{
	unlink(temporary);
	return open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

#define MARK ".ipmu-tmp"	/* no user's own files end in it */

static bool is_temporary(const char *name, const char *base)
{
	size_t bytes = strlen(base), digits;

	if (strncmp(name, base, bytes) || name[bytes] != '.')
		return false;
	digits = strspn(name + bytes + 1, "0123456789");
	return digits && !strcmp(name + bytes + 1 + digits, MARK);
}

static bool fd_is_own(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

/* A process that writes such a file holds its lock, and a dead process holds none. */
static void remove_left(const char *folder, const char *base)
{
	DIR *d = opendir(folder);
	const struct dirent *e;

	while (d && (e = readdir(d))) {
		int fd = is_temporary(e->d_name, base) ?
			 openat(dirfd(d), e->d_name,
				O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;

		if (fd >= 0 && fd_is_own(fd) && !flock(fd, LOCK_EX | LOCK_NB))
			unlinkat(dirfd(d), e->d_name, 0);
		if (fd >= 0)
			close(fd);
	}
	if (d)
		closedir(d);
}

/* Refuses now what the rename would be refused after all is written: to replace a folder, or in a
 * sticky folder the file of another user. */
static int check_replaced(const char *path, const char *folder)
{
	struct stat file, in;

	if (lstat(path, &file))
		return 0;
	if (S_ISDIR(file.st_mode))
		return -EISDIR;
	return geteuid() && file.st_uid != geteuid() && !stat(folder, &in) &&
	       in.st_mode & S_ISVTX && in.st_uid != geteuid() ? -EPERM : 0;
}

static int open_any(const struct new_file *n, mode_t mode)
{
	const char *base = base_of(n->path);
	char *folder = base == n->path ? strdup(".") : strndup(n->path, (size_t)(base - n->path));
	int fd;

	if (!folder)
		return -ENOMEM;
	fd = check_replaced(n->path, folder);
	if (fd) {
		free(folder);
		return fd;
	}
	remove_left(folder, base);
	fd = open_unnamed(folder, mode);
	free(folder);
	if (fd < 0)
		fd = open_named(n->temporary, mode);
	if (fd < 0)
		return -errno;
	flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

int new_file_open(struct new_file *n, const char *path, mode_t mode)
{
	int fd;

	*n = (struct new_file){ .path = strdup(path) };
	if (!n->path || asprintf(&n->temporary, "%s.%d" MARK, path, (int)getpid()) < 0) {
		n->temporary = NULL;
		return -ENOMEM;
	}
	if (strlen(base_of(n->temporary)) > NAME_MAX)
		return -ENAMETOOLONG;
	fd = open_any(n, mode);
	if (fd < 0)
		return fd;
	n->f = fdopen(fd, "w+");
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
	} else {
		rc = fsync(fd) ? -errno : 0;	/* a server may report a full disk only now */
	}
	return rc || !rename(n->temporary, n->path) ? rc : -errno;
}

/* stdio forgets what it could not write, and only a flag stays. */
static int new_file_written(struct new_file *n)
{
	if (!fflush(n->f) && !ferror(n->f))
		return 0;
	return errno ? -errno : -EIO;
}

int new_file_publish(struct new_file *n)
{
	int rc = new_file_written(n);

	if (!rc)
		rc = take_name(n);
	n->placed = !rc;
	if (fclose(n->f) && !rc)
		rc = -errno;
	n->f = NULL;
	return rc;
}

void new_file_drop(struct new_file *n)
{
	if (n->f)
		fclose(n->f);
	if (n->temporary && !n->placed)
		unlink(n->temporary);
	free(n->temporary);
	free(n->path);
	*n = (struct new_file){ .f = NULL };
}
