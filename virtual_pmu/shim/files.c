/* SPDX-License-Identifier: MIT */
/* libc's file functions, with the machine's device files in front. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "shim.h"

NEXT_SLOT(read)
NEXT_SLOT(__read_chk)
NEXT_SLOT(write)
NEXT_SLOT(close)
NEXT_SLOT(dup)
NEXT_SLOT(dup2)
NEXT_SLOT(dup3)

/* Not in any header: what _FORTIFY_SOURCE turns the calls into. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
ssize_t __read_chk(int fd, void *buf, size_t bytes, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t bytes, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t bytes, off64_t offset, size_t room);

static mode_t mode_argument(int flags, va_list args)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPEN(name) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(const char *path, int flags, ...) \
	{ \
		struct vpmu_open_file served = shim_classify(path); \
		va_list args; \
		va_start(args, flags); \
		mode_t mode = mode_argument(flags, args); \
		va_end(args); \
		SHIM_WHERE(AT_FDCWD, path); \
		return served.file ? shim_fd_open(served, flags) : \
		       shim_may_open(AT_FDCWD, path, &flags) ? \
		       shim_fd_opened(NEXT(name)(path, flags, mode), flags) : -1; \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(int dir, const char *path, int flags, ...) \
	{ \
		struct vpmu_open_file served = shim_classify_at(dir, path); \
		va_list args; \
		va_start(args, flags); \
		mode_t mode = mode_argument(flags, args); \
		va_end(args); \
		SHIM_WHERE(dir, path); \
		return served.file ? shim_fd_open(served, flags) : \
		       shim_may_open(dir, path, &flags) ? \
		       shim_fd_opened(NEXT(name)(dir, path, flags, mode), flags) : -1; \
	}
OPENAT(openat)
OPENAT(openat64)

#define OPEN_2(name) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(const char *path, int flags) \
	{ \
		struct vpmu_open_file served = shim_classify(path); \
		SHIM_WHERE(AT_FDCWD, path); \
		return served.file ? shim_fd_open(served, flags) : \
		       shim_may_open(AT_FDCWD, path, &flags) ? \
		       shim_fd_opened(NEXT(name)(path, flags), flags) : -1; \
	}
OPEN_2(__open_2)
OPEN_2(__open64_2)

SHIM_EXPORT int creat(const char *path, mode_t mode)
{
	return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

SHIM_EXPORT int creat64(const char *path, mode_t mode)
{
	return open64(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

#define OPENAT_2(name) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(int dir, const char *path, int flags) \
	{ \
		struct vpmu_open_file served = shim_classify_at(dir, path); \
		SHIM_WHERE(dir, path); \
		return served.file ? shim_fd_open(served, flags) : \
		       shim_may_open(dir, path, &flags) ? \
		       shim_fd_opened(NEXT(name)(dir, path, flags), flags) : -1; \
	}
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

SHIM_EXPORT ssize_t read(int fd, void *buf, size_t bytes)
{
	struct vpmu_open_file served = shim_fd(fd);

	return served.file ? shim_read_here(served, fd, buf, bytes) : NEXT(read)(fd, buf, bytes);
}

SHIM_EXPORT ssize_t __read_chk(int fd, void *buf, size_t bytes, size_t room)
{
	struct vpmu_open_file served = shim_fd(fd);

	if (!served.file)
		return NEXT(__read_chk)(fd, buf, bytes, room);
	if (bytes > room)
		abort();
	return shim_read_here(served, fd, buf, bytes);
}

#define PREAD(name, off_type) \
	NEXT_SLOT(name) \
	SHIM_EXPORT ssize_t name(int fd, void *buf, size_t bytes, off_type offset) \
	{ \
		struct vpmu_open_file served = shim_fd(fd); \
		return served.file ? shim_read(served, fd, buf, bytes, offset) : \
				     NEXT(name)(fd, buf, bytes, offset); \
	}
PREAD(pread, off_t)
PREAD(pread64, off64_t)

#define PREAD_CHK(name, off_type) \
	NEXT_SLOT(name) \
	SHIM_EXPORT ssize_t name(int fd, void *buf, size_t bytes, off_type offset, size_t room) \
	{ \
		struct vpmu_open_file served = shim_fd(fd); \
		if (!served.file) \
			return NEXT(name)(fd, buf, bytes, offset, room); \
		if (bytes > room) \
			abort(); \
		return shim_read(served, fd, buf, bytes, offset); \
	}
PREAD_CHK(__pread_chk, off_t)
PREAD_CHK(__pread64_chk, off64_t)

SHIM_EXPORT ssize_t write(int fd, const void *buf, size_t bytes)
{
	struct vpmu_open_file served = shim_fd(fd);

	return served.file ? shim_write_here(served, fd, buf, bytes) :
			     NEXT(write)(fd, buf, bytes);
}

#define PWRITE(name, off_type) \
	NEXT_SLOT(name) \
	SHIM_EXPORT ssize_t name(int fd, const void *buf, size_t bytes, off_type offset) \
	{ \
		struct vpmu_open_file served = shim_fd(fd); \
		return served.file ? shim_write(served, fd, buf, bytes, offset) : \
				     NEXT(name)(fd, buf, bytes, offset); \
	}
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

SHIM_EXPORT int close(int fd)
{
	shim_fd_closed(fd);
	return NEXT(close)(fd);
}

SHIM_EXPORT int dup(int fd)
{
	int copy = NEXT(dup)(fd);

	shim_fd_copied(fd, copy);
	return copy;
}

SHIM_EXPORT int dup2(int fd, int to)
{
	int copy = NEXT(dup2)(fd, to);

	if (copy != fd)
		shim_fd_copied(fd, copy);
	return copy;
}

SHIM_EXPORT int dup3(int fd, int to, int flags)
{
	int copy = NEXT(dup3)(fd, to, flags);

	shim_fd_copied(fd, copy);
	return copy;
}

/* Every fcntl command takes at most one argument that fits a pointer. */
#define FCNTL(name) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(int fd, int command, ...) \
	{ \
		va_list args; \
		va_start(args, command); \
		void *argument = va_arg(args, void *); \
		va_end(args); \
		int rc = NEXT(name)(fd, command, argument); \
		if (command == F_GETFL && rc >= 0 && shim_fd(fd).file) \
			return (rc & ~(O_ACCMODE | O_NONBLOCK)) | shim_fd_flags(fd); \
		if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) \
			shim_fd_copied(fd, rc); \
		return rc; \
	}
FCNTL(fcntl)
FCNTL(fcntl64)
