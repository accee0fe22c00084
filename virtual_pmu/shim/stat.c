/* SPDX-License-Identifier: MIT */
/* stat and access of the machine's device files. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../system/calls.h"
#include "shim.h"

NEXT_SLOT(__fxstat)
NEXT_SLOT(statx)
NEXT_SLOT(faccessat)

static int refuse(int error)
{
	errno = error;
	return -1;
}

static int exists(struct vpmu_open_file path)
{
	bool absent = path.file == VPMU_HIDDEN || path.file == VPMU_NO_CPU;

	return absent ? refuse(ENOENT) : 0;
}

#define FILL(name, type) \
	static int name(struct vpmu_open_file path, struct type *st) \
	{ \
		if (exists(path)) \
			return -1; \
		memset(st, 0, sizeof(*st)); \
		vpmu_status_fill(path.file, path.cpu, st, false); \
		st->st_blksize = 4096; \
		return 0; \
	}
FILL(fill, stat)
FILL(fill64, stat64)

#define STAT(name, type, filler) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(const char *path, struct type *st) \
	{ \
		struct vpmu_open_file served = shim_classify(path); \
		SHIM_WHERE(AT_FDCWD, path); \
		return served.file ? filler(served, st) : NEXT(name)(path, st); \
	}
STAT(stat, stat, fill)
STAT(lstat, stat, fill)
STAT(stat64, stat64, fill64)
STAT(lstat64, stat64, fill64)

#define FSTAT(name, type, filler) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(int fd, struct type *st) \
	{ \
		struct vpmu_open_file served = shim_fd(fd); \
		return served.file ? filler(served, st) : NEXT(name)(fd, st); \
	}
FSTAT(fstat, stat, fill)
FSTAT(fstat64, stat64, fill64)

#define FSTATAT(name, type, filler) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(int dir, const char *path, struct type *st, int flags) \
	{ \
		struct vpmu_open_file served = shim_classify_at(dir, path); \
		if (!served.file && (flags & AT_EMPTY_PATH)) \
			served = shim_fd(dir); \
		SHIM_WHERE(dir, path); \
		return served.file ? filler(served, st) : NEXT(name)(dir, path, st, flags); \
	}
FSTATAT(fstatat, stat, fill)
FSTATAT(fstatat64, stat64, fill64)

/* What programs built against a glibc older than 2.33 call. */
int __xstat(int version, const char *path, struct stat *st);
int __lxstat(int version, const char *path, struct stat *st);
int __fxstat(int version, int fd, struct stat *st);

#define XSTAT(name) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(int version, const char *path, struct stat *st) \
	{ \
		struct vpmu_open_file served = shim_classify(path); \
		SHIM_WHERE(AT_FDCWD, path); \
		return served.file ? fill(served, st) : NEXT(name)(version, path, st); \
	}
XSTAT(__xstat)
XSTAT(__lxstat)

SHIM_EXPORT int __fxstat(int version, int fd, struct stat *st)
{
	struct vpmu_open_file served = shim_fd(fd);

	return served.file ? fill(served, st) : NEXT(__fxstat)(version, fd, st);
}

static int fill_statx(struct vpmu_open_file path, struct statx *st)
{
	if (exists(path))
		return -1;
	memset(st, 0, sizeof(*st));
	st->stx_mask = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_UID | STATX_GID | STATX_SIZE;
	vpmu_status_fill(path.file, path.cpu, st, true);
	st->stx_blksize = 4096;
	return 0;
}

SHIM_EXPORT int statx(int dir, const char *path, int flags, unsigned int mask, struct statx *st)
{
	struct vpmu_open_file served = shim_classify_at(dir, path);

	if (!served.file && (flags & AT_EMPTY_PATH))
		served = shim_fd(dir);
	SHIM_WHERE(dir, path);
	return served.file ? fill_statx(served, st) : NEXT(statx)(dir, path, flags, mask, st);
}

static int allow(struct vpmu_open_file path, int mode)
{
	if (exists(path))
		return -1;
	if (path.file == VPMU_DESCRIPTION)
		return 0;
	return (mode & X_OK) || vpmu_device_permission(path.file, mode) ? refuse(EACCES) : 0;
}

#define ACCESS(name) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(const char *path, int mode) \
	{ \
		struct vpmu_open_file served = shim_classify(path); \
		SHIM_WHERE(AT_FDCWD, path); \
		return served.file ? allow(served, mode) : NEXT(name)(path, mode); \
	}
ACCESS(access)
ACCESS(euidaccess)
ACCESS(eaccess)

SHIM_EXPORT int faccessat(int dir, const char *path, int mode, int flags)
{
	struct vpmu_open_file served = shim_classify_at(dir, path);

	SHIM_WHERE(dir, path);
	return served.file ? allow(served, mode) : NEXT(faccessat)(dir, path, mode, flags);
}
