/* SPDX-License-Identifier: MIT */
/* Functions of libc that open files and folders by calls inside libc, which the library does not
 * see. machines_path() finds a path's file in the machine's folder, and libc's own function then
 * opens that. Streams of device files are made with functions of their own. Paths of the host pass
 * unchanged. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "native.h"
#include "../system/tree.h"

/* Returns the path of the machine's file that this path means; NULL: it is the host's. */
static const char *machines_path(const char *path, struct vpmu_found *f)
{
	uint64_t signals;
	bool found;

	if (!path || !native_machine())
		return NULL;
	native_enter(&signals);
	found = vpmu_tree_plain(path, f) ||
		(vpmu_tree_look(AT_FDCWD, path, true, f) && f->file != VPMU_HOSTS);
	native_leave(&signals);
	if (found && (f->file == VPMU_HIDDEN || f->file == VPMU_NO_CPU))
		strcpy(f->path, "/proc/self/none");
	return found ? f->path : NULL;
}

#define ONE_PATH(type, name, parameters, ...) \
	NEXT_SLOT(name) \
	NATIVE_EXPORT type name parameters \
	{ \
		struct vpmu_found f; \
		const char *ours = machines_path(path, &f); \
		if (ours) \
			path = ours; \
		return NEXT(name)(__VA_ARGS__); \
	}

/* ---- folders ---- */

ONE_PATH(DIR *, opendir, (const char *path), path)
#define SCANDIR(name, type) \
	ONE_PATH(int, name, (const char *path, struct type ***out, \
			     int (*choose)(const struct type *), \
			     int (*order)(const struct type **, const struct type **)), \
		 path, out, choose, order)
SCANDIR(scandir, dirent)
SCANDIR(scandir64, dirent64)

/* ---- names without links ---- */

/* Not in any header: what _FORTIFY_SOURCE turns the call into. */
char *__realpath_chk(const char *path, char *resolved, size_t room);

ONE_PATH(char *, realpath, (const char *restrict path, char *restrict resolved), path, resolved)
ONE_PATH(char *, __realpath_chk, (const char *path, char *resolved, size_t room), path, resolved,
	 room)
ONE_PATH(char *, canonicalize_file_name, (const char *path), path)

/* ---- streams ---- */

static int flags_of(const char *mode)
{
	int flags = *mode == 'r' ? O_RDONLY : O_WRONLY;

	if (*mode != 'r')
		flags |= O_CREAT | (*mode == 'a' ? O_APPEND : O_TRUNC);
	for (const char *c = mode; *c && *c != ','; c++) {
		if (*c == '+')
			flags = (flags & ~O_ACCMODE) | O_RDWR;
		else if (*c == 'e')
			flags |= O_CLOEXEC;
		else if (*c == 'x')
			flags |= O_EXCL;
	}
	return flags;
}

/* An unbuffered stream reads single bytes: they come from the rest of the register's last value. */
struct stream { int fd; size_t left; char value[8]; };

static ssize_t stream_read(void *cookie, char *buf, size_t bytes)
{
	struct stream *s = cookie;
	size_t n = 0;
	ssize_t rc;

	while (n < bytes) {
		if (!s->left) {
			rc = read(s->fd, s->value, sizeof(s->value));
			if (rc <= 0)
				return n ? (ssize_t)n : rc;
			s->left = (size_t)rc;
		}
		buf[n++] = s->value[sizeof(s->value) - s->left--];
	}
	return (ssize_t)n;
}

/* libc takes 0 for an error of writing, and -1 for a count. */
static ssize_t stream_write(void *cookie, const char *buf, size_t bytes)
{
	const struct stream *s = cookie;
	ssize_t n = write(s->fd, buf, bytes);

	return n < 0 ? 0 : n;
}

static int stream_seek(void *cookie, off64_t *offset, int whence)
{
	struct stream *s = cookie;

	s->left = 0;
	*offset = lseek64(s->fd, *offset, whence);
	return *offset < 0 ? -1 : 0;
}

static int stream_close(void *cookie)
{
	int rc = close(((struct stream *)cookie)->fd);

	free(cookie);
	return rc;
}

NEXT_SLOT(fdopen)
/* Unbuffered, because each read of a device is an access to a register. */
NATIVE_EXPORT FILE *fdopen(int fd, const char *mode)
{
	static const cookie_io_functions_t functions = { stream_read, stream_write, stream_seek,
							 stream_close };
	struct stream *s;
	FILE *f;

	if (!native_machine() || !vpmu_file_is_device(vpmu_descriptor(fd).file))
		return NEXT(fdopen)(fd, mode);
	s = calloc(1, sizeof(*s));
	f = s ? fopencookie(s, mode, functions) : NULL;
	if (!f) {
		free(s);
		return NULL;
	}
	s->fd = fd;
	setvbuf(f, NULL, _IONBF, 0);
	return f;
}

#define FOPEN(name) \
	NEXT_SLOT(name) \
	NATIVE_EXPORT FILE *name(const char *restrict path, const char *restrict mode) \
	{ \
		struct vpmu_found found; \
		FILE *f; \
		int fd; \
		if (!machines_path(path, &found)) \
			return NEXT(name)(path, mode); \
		fd = open(path, flags_of(mode), 0666); \
		f = fd < 0 ? NULL : fdopen(fd, mode); \
		if (fd >= 0 && !f) \
			close(fd); \
		return f; \
	}
FOPEN(fopen)
FOPEN(fopen64)

/* True: libc may reopen a stream so. It cannot turn one of its streams into one of a device. */
static bool may_reopen(const char *path, const char *mode, const struct vpmu_found *found)
{
	int fd = open(path, flags_of(mode), 0666);

	if (fd < 0)
		return false;
	close(fd);
	errno = ENOTSUP;
	return !vpmu_file_is_device(found->file);
}

static FILE *refuse_reopening(FILE *f)
{
	int error = errno;

	fclose(f);
	errno = error;
	return NULL;
}

#define FREOPEN(name) \
	NEXT_SLOT(name) \
	NATIVE_EXPORT FILE *name(const char *restrict path, const char *restrict mode, \
				 FILE *restrict f) \
	{ \
		struct vpmu_found found; \
		const char *ours = machines_path(path, &found); \
		return ours && !may_reopen(path, mode, &found) ? refuse_reopening(f) : \
		       NEXT(name)(ours ? ours : path, mode, f); \
	}
FREOPEN(freopen)
FREOPEN(freopen64)
