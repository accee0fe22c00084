/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "files.h"

/* A new file beside PATH. What has that name now is neither followed nor opened: it might be a link
 * or a pipe that another user has laid there. */
static int temporary_open(const char *path, char temporary[PATH_MAX], FILE **out)
{
	int fd;

	if (snprintf(temporary, PATH_MAX, "%s.%d.tmp", path, (int)getpid()) >= PATH_MAX)
		return -ENAMETOOLONG;
	unlink(temporary);	/* of a dead process that had our number */
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	*out = fdopen(fd, "w");
	if (*out)
		return 0;
	close(fd);
	unlink(temporary);
	return -ENOMEM;
}

static int take_name(const char *temporary, const char *path)
{
	int rc = rename(temporary, path) ? -errno : 0;

	if (rc)
		unlink(temporary);
	return rc;
}

int file_close(FILE *f)
{
	int rc = fflush(f) || ferror(f) ? (errno ? -errno : -EIO) : 0;

	return fclose(f) && !rc ? -errno : rc;
}

int file_replace(const char *path, FILE **out)
{
	char temporary[PATH_MAX];
	FILE *f;
	int rc = temporary_open(path, temporary, &f);

	if (rc)
		return rc;
	rc = take_name(temporary, path);
	if (rc)
		fclose(f);
	else
		*out = f;
	return rc;
}

int file_publish(const char *path, int (*fill)(FILE *, const void *), const void *arg)
{
	char temporary[PATH_MAX];
	FILE *f;
	int closed, rc = temporary_open(path, temporary, &f);

	if (rc)
		return rc;
	rc = fill(f, arg);
	closed = file_close(f);
	if (!rc && !closed)
		return take_name(temporary, path);
	unlink(temporary);
	return rc ? rc : closed;
}
