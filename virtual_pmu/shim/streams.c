/* SPDX-License-Identifier: MIT */
/* The machine's files as streams. Configuration space is an ordinary stream of libc on the served
 * descriptor, whose file has the bytes. The stream of a register's device calls the shim, and is
 * unbuffered, because each read of it is an access to a register. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "inside.h"
#include "shim.h"

NEXT_SLOT(fdopen)

/* An unbuffered stream reads single bytes: they come from the rest of the register's last value. */
struct stream {
	int fd;
	size_t left;
	uint8_t value[8];
};

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
		buf[n++] = (char)s->value[sizeof(s->value) - s->left--];
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
	long at = shim_syscall(SYS_lseek, s->fd, *offset, whence, 0);

	s->left = 0;
	if (at < 0) {
		errno = (int)-at;
		return -1;
	}
	*offset = at;
	return 0;
}

static int stream_close(void *cookie)
{
	struct stream *s = cookie;
	int rc = close(s->fd);

	free(s);
	return rc;
}

static const cookie_io_functions_t functions = {
	.read = stream_read, .write = stream_write, .seek = stream_seek, .close = stream_close,
};

static FILE *stream_on(struct vpmu_open_file path, int fd, const char *mode)
{
	struct stream *s;
	FILE *f;

	if (path.file == VPMU_FILE_CONFIG)
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

static int flags_of(const char *mode)
{
	int flags = *mode == 'r' ? O_RDONLY : O_WRONLY;

	if (*mode != 'r')
		flags |= O_CREAT;
	for (const char *c = mode; *c && *c != ','; c++) {
		if (*c == '+')
			flags = (flags & ~O_ACCMODE) | O_RDWR;
		else if (*c == 'e')
			flags |= O_CLOEXEC;
	}
	return flags;
}

static FILE *open_stream(struct vpmu_open_file path, const char *mode)
{
	int fd = shim_fd_open(path, flags_of(mode));
	FILE *f = fd < 0 ? NULL : stream_on(path, fd, mode);

	if (fd >= 0 && !f)
		close(fd);
	return f;
}

/* By whatever path libc has opened it. */
static FILE *opened(FILE *f, const char *mode)
{
	int fd = f ? fileno(f) : -1, copy;
	struct vpmu_open_file path;

	if (fd < 0 || !shim_machine())
		return f;
	copy = (int)shim_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0, 0);
	fd = shim_fd_opened(copy, flags_of(mode));
	path = shim_fd(fd);
	if (fd >= 0 && path.file == VPMU_HOSTS) {
		shim_syscall(SYS_close, fd, 0, 0, 0);
		return f;
	}
	fclose(f);
	return fd < 0 ? NULL : stream_on(path, fd, mode);
}

#define FOPEN(name) \
	NEXT_SLOT(name) \
	SHIM_EXPORT FILE *name(const char *restrict path, const char *restrict mode) \
	{ \
		struct vpmu_open_file served = shim_classify(path); \
		int flags = flags_of(mode); \
		SHIM_WHERE(AT_FDCWD, path); \
		return served.file ? open_stream(served, mode) : \
		       shim_may_open(AT_FDCWD, path, &flags) ? \
		       opened(NEXT(name)(path, mode), mode) : NULL; \
	}
FOPEN(fopen)
FOPEN(fopen64)

SHIM_EXPORT FILE *fdopen(int fd, const char *mode)
{
	struct vpmu_open_file served = shim_fd(fd);

	return served.file ? stream_on(served, fd, mode) : NEXT(fdopen)(fd, mode);
}

/* libc cannot turn one of its streams into one that calls the shim. */
static bool may_reopen(struct vpmu_open_file served, const char *path, const char *mode)
{
	int flags = flags_of(mode);

	return served.file ? !shim_not_served("freopen", served) :
			     shim_may_open(AT_FDCWD, path, &flags);
}

static FILE *reopen_refused(FILE *f)
{
	int error = errno;

	fclose(f);
	errno = error;
	return NULL;
}

#define FREOPEN(name) \
	NEXT_SLOT(name) \
	SHIM_EXPORT FILE *name(const char *restrict path, const char *restrict mode, \
			       FILE *restrict f) \
	{ \
		struct vpmu_open_file served = shim_classify(path); \
		SHIM_WHERE(AT_FDCWD, path); \
		return may_reopen(served, path, mode) ? NEXT(name)(path, mode, f) : \
							reopen_refused(f); \
	}
FREOPEN(freopen)
FREOPEN(freopen64)
