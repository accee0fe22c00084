/* SPDX-License-Identifier: MIT */
/* stat and access of the machine's device files. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "shim.h"

NEXT_SLOT(__fxstat)
NEXT_SLOT(statx)
NEXT_SLOT(faccessat)

#define MSR_MAJOR 202	/* Linux's number for the msr driver */
#define SAFE_MAJOR 234	/* of those given out when a module asks for one */

static int refuse(int error)
{
	errno = error;
	return -1;
}

static int exists(struct shim_path path)
{
	bool absent = path.kind == SHIM_ABSENT || path.kind == SHIM_NO_CPU;

	return absent ? refuse(ENOENT) : 0;
}

static void describe(struct shim_path path, mode_t *mode, dev_t *device, off_t *size)
{
	*device = 0;
	*size = 0;
	switch (path.kind) {
	case SHIM_MSR:
		*mode = S_IFCHR | shim_device_mode();
		*device = makedev(MSR_MAJOR, path.cpu);
		break;
	case SHIM_MSR_SAFE:
		*mode = S_IFCHR | shim_device_mode();
		*device = makedev(SAFE_MAJOR, path.cpu);
		break;
	case SHIM_MSR_BATCH:
		*mode = S_IFCHR | shim_device_mode();
		*device = makedev(SAFE_MAJOR + 1, 0);
		break;
	case SHIM_MEM:
		*mode = S_IFCHR | 0600;
		*device = makedev(1, 1);
		break;
	case SHIM_PCI:
		*mode = S_IFREG | 0644;
		*size = 256;
		break;
	default:
		*mode = S_IFDIR | 0755;
	}
}

#define FILL(name, type) \
	static int name(struct shim_path path, struct type *st) \
	{ \
		if (exists(path)) \
			return -1; \
		memset(st, 0, sizeof(*st)); \
		describe(path, &st->st_mode, &st->st_rdev, &st->st_size); \
		st->st_nlink = 1; \
		st->st_uid = shim_device_owner(path); \
		st->st_gid = shim_device_group(path); \
		st->st_blksize = 4096; \
		return 0; \
	}
FILL(fill, stat)
FILL(fill64, stat64)

#define STAT(name, type, filler) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(const char *path, struct type *st) \
	{ \
		struct shim_path served = shim_classify(path); \
		SHIM_WHERE(AT_FDCWD, path); \
		return served.kind ? filler(served, st) : NEXT(name)(path, st); \
	}
STAT(stat, stat, fill)
STAT(lstat, stat, fill)
STAT(stat64, stat64, fill64)
STAT(lstat64, stat64, fill64)

#define FSTAT(name, type, filler) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(int fd, struct type *st) \
	{ \
		struct shim_path served = shim_fd(fd); \
		return served.kind ? filler(served, st) : NEXT(name)(fd, st); \
	}
FSTAT(fstat, stat, fill)
FSTAT(fstat64, stat64, fill64)

#define FSTATAT(name, type, filler) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(int dir, const char *path, struct type *st, int flags) \
	{ \
		struct shim_path served = shim_classify_at(dir, path); \
		if (!served.kind && (flags & AT_EMPTY_PATH)) \
			served = shim_fd(dir); \
		SHIM_WHERE(dir, path); \
		return served.kind ? filler(served, st) : NEXT(name)(dir, path, st, flags); \
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
		struct shim_path served = shim_classify(path); \
		SHIM_WHERE(AT_FDCWD, path); \
		return served.kind ? fill(served, st) : NEXT(name)(version, path, st); \
	}
XSTAT(__xstat)
XSTAT(__lxstat)

SHIM_EXPORT int __fxstat(int version, int fd, struct stat *st)
{
	struct shim_path served = shim_fd(fd);

	return served.kind ? fill(served, st) : NEXT(__fxstat)(version, fd, st);
}

static int fill_statx(struct shim_path path, struct statx *st)
{
	mode_t mode;
	dev_t device;
	off_t size;

	if (exists(path))
		return -1;
	memset(st, 0, sizeof(*st));
	describe(path, &mode, &device, &size);
	st->stx_mask = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_UID | STATX_GID | STATX_SIZE;
	st->stx_mode = (uint16_t)mode;
	st->stx_rdev_major = major(device);
	st->stx_rdev_minor = minor(device);
	st->stx_size = (uint64_t)size;
	st->stx_nlink = 1;
	st->stx_uid = shim_device_owner(path);
	st->stx_gid = shim_device_group(path);
	st->stx_blksize = 4096;
	return 0;
}

SHIM_EXPORT int statx(int dir, const char *path, int flags, unsigned int mask, struct statx *st)
{
	struct shim_path served = shim_classify_at(dir, path);

	if (!served.kind && (flags & AT_EMPTY_PATH))
		served = shim_fd(dir);
	SHIM_WHERE(dir, path);
	return served.kind ? fill_statx(served, st) : NEXT(statx)(dir, path, flags, mask, st);
}

static int allow(struct shim_path path, int mode)
{
	if (exists(path))
		return -1;
	if (path.kind == SHIM_DIRECTORY)
		return 0;
	return (mode & X_OK) || shim_permission(path, mode) ? refuse(EACCES) : 0;
}

#define ACCESS(name) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(const char *path, int mode) \
	{ \
		struct shim_path served = shim_classify(path); \
		SHIM_WHERE(AT_FDCWD, path); \
		return served.kind ? allow(served, mode) : NEXT(name)(path, mode); \
	}
ACCESS(access)
ACCESS(euidaccess)
ACCESS(eaccess)

SHIM_EXPORT int faccessat(int dir, const char *path, int mode, int flags)
{
	struct shim_path served = shim_classify_at(dir, path);

	SHIM_WHERE(dir, path);
	return served.kind ? allow(served, mode) : NEXT(faccessat)(dir, path, mode, flags);
}
