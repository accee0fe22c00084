/* SPDX-License-Identifier: MIT */
/* Functions of libc that are system calls, as the preloaded library has them. Each is a row of the
 * macro CALL or one like it. native_before() lets system/ answer the call. If it does not, libc's
 * own function makes the call, and native_after() corrects the answer. Locks are taken in there. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>

#include "native.h"

/* The kernel's call in parentheses, then the arguments of libc's function. */
#define CALL(type, name, parameters, call, ...) \
	NEXT_SLOT(name) \
	NATIVE_EXPORT type name parameters \
	{ \
		struct native_call c = NATIVE_CALL call; \
		return native_before(&c) ? (type)native_result(&c) : \
		       (type)native_after(&c, (long)NEXT(name)(__VA_ARGS__)); \
	}

/* ---- opening ---- */

/* Not in any header: what _FORTIFY_SOURCE turns the calls into. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
ssize_t __read_chk(int fd, void *buf, size_t bytes, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t bytes, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t bytes, off64_t offset, size_t room);
ssize_t __readlink_chk(const char *path, char *buf, size_t bytes, size_t room);
ssize_t __readlinkat_chk(int at, const char *path, char *buf, size_t bytes, size_t room);

static mode_t mode_argument(int flags, va_list args)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPEN(name, parameters, call, ...) \
	NEXT_SLOT(name) \
	NATIVE_EXPORT int name parameters \
	{ \
		va_list args; \
		va_start(args, flags); \
		mode_t mode = mode_argument(flags, args); \
		va_end(args); \
		struct native_call c = NATIVE_CALL call; \
		return native_before(&c) ? (int)native_result(&c) : \
		       (int)native_after(&c, NEXT(name)(__VA_ARGS__)); \
	}
OPEN(open, (const char *path, int flags, ...), (SYS_open, path, flags, mode), path, flags, mode)
OPEN(open64, (const char *path, int flags, ...), (SYS_open, path, flags, mode), path, flags, mode)
OPEN(openat, (int dir, const char *path, int flags, ...), (SYS_openat, dir, path, flags, mode), dir,
     path, flags, mode)
OPEN(openat64, (int dir, const char *path, int flags, ...), (SYS_openat, dir, path, flags, mode),
     dir, path, flags, mode)
CALL(int, __open_2, (const char *path, int flags), (SYS_open, path, flags), path, flags)
CALL(int, __open64_2, (const char *path, int flags), (SYS_open, path, flags), path, flags)
CALL(int, __openat_2, (int dir, const char *path, int flags), (SYS_openat, dir, path, flags), dir,
     path, flags)
CALL(int, __openat64_2, (int dir, const char *path, int flags), (SYS_openat, dir, path, flags), dir,
     path, flags)
CALL(int, creat, (const char *path, mode_t mode), (SYS_creat, path, mode), path, mode)
CALL(int, creat64, (const char *path, mode_t mode), (SYS_creat, path, mode), path, mode)

/* ---- reading and writing ---- */

CALL(ssize_t, read, (int fd, void *buf, size_t n), (SYS_read, fd, buf, n), fd, buf, n)
CALL(ssize_t, write, (int fd, const void *buf, size_t n), (SYS_write, fd, buf, n), fd, buf, n)
CALL(ssize_t, pread, (int fd, void *buf, size_t n, off_t at), (SYS_pread64, fd, buf, n, at), fd,
     buf, n, at)
CALL(ssize_t, pread64, (int fd, void *buf, size_t n, off64_t at), (SYS_pread64, fd, buf, n, at), fd,
     buf, n, at)
CALL(ssize_t, pwrite, (int fd, const void *buf, size_t n, off_t at), (SYS_pwrite64, fd, buf, n, at),
     fd, buf, n, at)
CALL(ssize_t, pwrite64, (int fd, const void *buf, size_t n, off64_t at),
     (SYS_pwrite64, fd, buf, n, at), fd, buf, n, at)

/* The program's buffer has this room. */
#define CHECKED(name, parameters, call, ...) \
	NEXT_SLOT(name) \
	NATIVE_EXPORT ssize_t name parameters \
	{ \
		struct native_call c = NATIVE_CALL call; \
		return n <= room && native_before(&c) ? native_result(&c) : \
		       native_after(&c, NEXT(name)(__VA_ARGS__)); \
	}
CHECKED(__read_chk, (int fd, void *buf, size_t n, size_t room), (SYS_read, fd, buf, n), fd, buf, n,
	room)
CHECKED(__pread_chk, (int fd, void *buf, size_t n, off_t at, size_t room),
	(SYS_pread64, fd, buf, n, at), fd, buf, n, at, room)
CHECKED(__pread64_chk, (int fd, void *buf, size_t n, off64_t at, size_t room),
	(SYS_pread64, fd, buf, n, at), fd, buf, n, at, room)
CHECKED(__readlink_chk, (const char *path, char *buf, size_t n, size_t room),
	(SYS_readlink, path, buf, n), path, buf, n, room)
CHECKED(__readlinkat_chk, (int at, const char *path, char *buf, size_t n, size_t room),
	(SYS_readlinkat, at, path, buf, n), at, path, buf, n, room)

/* The kernel takes the offset in two halves, of which the upper one is nothing on 64 bits. */
CALL(ssize_t, readv, (int fd, const struct iovec *v, int n), (SYS_readv, fd, v, n), fd, v, n)
CALL(ssize_t, writev, (int fd, const struct iovec *v, int n), (SYS_writev, fd, v, n), fd, v, n)
CALL(ssize_t, preadv, (int fd, const struct iovec *v, int n, off_t at), (SYS_preadv, fd, v, n, at),
     fd, v, n, at)
CALL(ssize_t, preadv64, (int fd, const struct iovec *v, int n, off64_t at),
     (SYS_preadv, fd, v, n, at), fd, v, n, at)
CALL(ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t at),
     (SYS_pwritev, fd, v, n, at), fd, v, n, at)
CALL(ssize_t, pwritev64, (int fd, const struct iovec *v, int n, off64_t at),
     (SYS_pwritev, fd, v, n, at), fd, v, n, at)
CALL(ssize_t, preadv2, (int fd, const struct iovec *v, int n, off_t at, int flags),
     (SYS_preadv2, fd, v, n, at, 0, flags), fd, v, n, at, flags)
CALL(ssize_t, preadv64v2, (int fd, const struct iovec *v, int n, off64_t at, int flags),
     (SYS_preadv2, fd, v, n, at, 0, flags), fd, v, n, at, flags)
CALL(ssize_t, pwritev2, (int fd, const struct iovec *v, int n, off_t at, int flags),
     (SYS_pwritev2, fd, v, n, at, 0, flags), fd, v, n, at, flags)
CALL(ssize_t, pwritev64v2, (int fd, const struct iovec *v, int n, off64_t at, int flags),
     (SYS_pwritev2, fd, v, n, at, 0, flags), fd, v, n, at, flags)

/* ---- descriptors ---- */

CALL(int, close, (int fd), (SYS_close, fd), fd)
CALL(int, close_range, (unsigned int first, unsigned int last, int flags),
     (SYS_close_range, first, last, flags), first, last, flags)
CALL(int, dup, (int fd), (SYS_dup, fd), fd)
CALL(int, dup2, (int fd, int to), (SYS_dup2, fd, to), fd, to)
CALL(int, dup3, (int fd, int to, int flags), (SYS_dup3, fd, to, flags), fd, to, flags)

/* Each command of fcntl and ioctl takes at most one argument that fits a pointer. */
#define COMMAND(name, type, number) \
	NEXT_SLOT(name) \
	NATIVE_EXPORT int name(int fd, type command, ...) \
	{ \
		va_list args; \
		va_start(args, command); \
		void *argument = va_arg(args, void *); \
		va_end(args); \
		struct native_call c = NATIVE_CALL(number, fd, command, argument); \
		return native_before(&c) ? (int)native_result(&c) : \
		       (int)native_after(&c, NEXT(name)(fd, command, argument)); \
	}
COMMAND(fcntl, int, SYS_fcntl)
COMMAND(fcntl64, int, SYS_fcntl)
COMMAND(ioctl, unsigned long, SYS_ioctl)

#define MAP(name, off_type) \
	NEXT_SLOT(name) \
	NATIVE_EXPORT void *name(void *at, size_t n, int prot, int flags, int fd, off_type offset) \
	{ \
		struct native_call c = NATIVE_CALL(SYS_mmap, at, n, prot, flags, fd, offset); \
		if (!native_before(&c)) \
			return NEXT(name)(at, n, prot, flags, fd, offset); \
		if (c.answer > 0) \
			native_trap_faults(); \
		return (void *)native_result(&c); \
	}
MAP(mmap, off_t)
MAP(mmap64, off64_t)
CALL(int, munmap, (void *at, size_t n), (SYS_munmap, at, n), at, n)

/* ---- status of files ---- */

/* Names that programs built against a glibc older than 2.33 call. */
int __xstat(int version, const char *path, struct stat *st);
int __lxstat(int version, const char *path, struct stat *st);
int __fxstat(int version, int fd, struct stat *st);

CALL(int, stat, (const char *path, struct stat *st), (SYS_stat, path, st), path, st)
CALL(int, lstat, (const char *path, struct stat *st), (SYS_lstat, path, st), path, st)
CALL(int, fstat, (int fd, struct stat *st), (SYS_fstat, fd, st), fd, st)
CALL(int, stat64, (const char *path, struct stat64 *st), (SYS_stat, path, st), path, st)
CALL(int, lstat64, (const char *path, struct stat64 *st), (SYS_lstat, path, st), path, st)
CALL(int, fstat64, (int fd, struct stat64 *st), (SYS_fstat, fd, st), fd, st)
CALL(int, __xstat, (int version, const char *path, struct stat *st), (SYS_stat, path, st), version,
     path, st)
CALL(int, __lxstat, (int version, const char *path, struct stat *st), (SYS_lstat, path, st),
     version, path, st)
CALL(int, __fxstat, (int version, int fd, struct stat *st), (SYS_fstat, fd, st), version, fd, st)
CALL(int, fstatat, (int dir, const char *path, struct stat *st, int flags),
     (SYS_newfstatat, dir, path, st, flags), dir, path, st, flags)
CALL(int, fstatat64, (int dir, const char *path, struct stat64 *st, int flags),
     (SYS_newfstatat, dir, path, st, flags), dir, path, st, flags)
CALL(int, statx, (int dir, const char *path, int flags, unsigned int mask, struct statx *st),
     (SYS_statx, dir, path, flags, mask, st), dir, path, flags, mask, st)
CALL(int, access, (const char *path, int mode), (SYS_access, path, mode), path, mode)
CALL(int, euidaccess, (const char *path, int mode),
     (SYS_faccessat2, AT_FDCWD, path, mode, AT_EACCESS), path, mode)
CALL(int, eaccess, (const char *path, int mode),
     (SYS_faccessat2, AT_FDCWD, path, mode, AT_EACCESS), path, mode)
CALL(int, faccessat, (int dir, const char *path, int mode, int flags),
     (SYS_faccessat2, dir, path, mode, flags), dir, path, mode, flags)
CALL(ssize_t, readlink, (const char *path, char *buf, size_t n), (SYS_readlink, path, buf, n), path,
     buf, n)
CALL(ssize_t, readlinkat, (int at, const char *path, char *buf, size_t n),
     (SYS_readlinkat, at, path, buf, n), at, path, buf, n)
CALL(int, chdir, (const char *path), (SYS_chdir, path), path)

/* ---- changes, which would be made to the host's files ---- */

#define ON_PATH(name, parameters, number, ...) \
	CALL(int, name, parameters, (number, __VA_ARGS__), __VA_ARGS__)
ON_PATH(unlink, (const char *path), SYS_unlink, path)
CALL(int, remove, (const char *path), (SYS_unlink, path), path)
ON_PATH(rmdir, (const char *path), SYS_rmdir, path)
ON_PATH(unlinkat, (int at, const char *path, int flags), SYS_unlinkat, at, path, flags)
ON_PATH(mkdir, (const char *path, mode_t mode), SYS_mkdir, path, mode)
ON_PATH(mkdirat, (int at, const char *path, mode_t mode), SYS_mkdirat, at, path, mode)
CALL(int, mkfifo, (const char *path, mode_t mode), (SYS_mknod, path, mode), path, mode)
CALL(int, mkfifoat, (int at, const char *path, mode_t mode), (SYS_mknodat, at, path, mode), at,
     path, mode)
ON_PATH(symlink, (const char *to, const char *path), SYS_symlink, to, path)
ON_PATH(symlinkat, (const char *to, int at, const char *path), SYS_symlinkat, to, at, path)
ON_PATH(link, (const char *from, const char *to), SYS_link, from, to)
ON_PATH(linkat, (int from_at, const char *from, int to_at, const char *to, int flags), SYS_linkat,
	from_at, from, to_at, to, flags)
ON_PATH(rename, (const char *from, const char *to), SYS_rename, from, to)
ON_PATH(renameat, (int from_at, const char *from, int to_at, const char *to), SYS_renameat, from_at,
	from, to_at, to)
ON_PATH(renameat2, (int from_at, const char *from, int to_at, const char *to, unsigned int flags),
	SYS_renameat2, from_at, from, to_at, to, flags)
ON_PATH(truncate, (const char *path, off_t bytes), SYS_truncate, path, bytes)
ON_PATH(truncate64, (const char *path, off64_t bytes), SYS_truncate, path, bytes)
CALL(int, ftruncate, (int fd, off_t bytes), (SYS_ftruncate, fd, bytes), fd, bytes)
CALL(int, ftruncate64, (int fd, off64_t bytes), (SYS_ftruncate, fd, bytes), fd, bytes)
CALL(int, fchmod, (int fd, mode_t mode), (SYS_fchmod, fd, mode), fd, mode)
CALL(int, fchown, (int fd, uid_t uid, gid_t gid), (SYS_fchown, fd, uid, gid), fd, uid, gid)
ON_PATH(chmod, (const char *path, mode_t mode), SYS_chmod, path, mode)
ON_PATH(fchmodat, (int at, const char *path, mode_t mode, int flags), SYS_fchmodat, at, path, mode,
	flags)
ON_PATH(chown, (const char *path, uid_t uid, gid_t gid), SYS_chown, path, uid, gid)
ON_PATH(lchown, (const char *path, uid_t uid, gid_t gid), SYS_lchown, path, uid, gid)
ON_PATH(fchownat, (int at, const char *path, uid_t uid, gid_t gid, int flags), SYS_fchownat, at,
	path, uid, gid, flags)
ON_PATH(utime, (const char *path, const struct utimbuf *times), SYS_utime, path, times)
ON_PATH(utimes, (const char *path, const struct timeval times[2]), SYS_utimes, path, times)
ON_PATH(utimensat, (int at, const char *path, const struct timespec times[2], int flags),
	SYS_utimensat, at, path, times, flags)

/* ---- by number ---- */

NATIVE_EXPORT long syscall(long number, ...)
{
	struct native_call c = { .number = number };
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		c.a[i] = va_arg(args, long);
	va_end(args);
	return native_call(&c);
}
