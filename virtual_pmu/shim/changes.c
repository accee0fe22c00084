/* SPDX-License-Identifier: MIT */
/* Calls that would change the files which describe the machine, or its device files: they fail as
 * they do in the kernel's file systems, by whatever path or descriptor. Elsewhere they are
 * libc's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "inside.h"
#include "shim.h"

static int refuse(int error)
{
	errno = error;
	return -1;
}

/* `path` as shim_where() gives it; the description's own name leads there, too. */
static bool is_described(int at, const char *path)
{
	char simple[SHIM_SIMPLE_BYTES];
	const char *segment = shim_segment_path(), *rest;
	size_t length = strlen(VPMU_SYSTEM_SUFFIX);

	if (!segment || !path || !shim_path_simple(at, path, simple, sizeof(simple)) ||
	    strncmp(simple, segment, strlen(segment)))
		return false;
	rest = simple + strlen(segment);
	return !strncmp(rest, VPMU_SYSTEM_SUFFIX, length) &&
	       (!rest[length] || rest[length] == '/');
}

static mode_t mode_at(int at, const char *path, int flags)
{
	struct stat st;	/* the kernel's and libc's are the same */

	return shim_syscall(SYS_newfstatat, at, shim_address(path), shim_address(&st), flags) ?
	       0 : st.st_mode;
}

/* ---- opening ---- */

/* As in sysfs: root opens for writing what has the mode for it, makes nothing, and cuts nothing. */
bool shim_may_open(int at, const char *path, int *flags)
{
	mode_t mode;
	bool writes = (*flags & O_ACCMODE) != O_RDONLY;

	if (!(writes || *flags & (O_CREAT | O_TRUNC)) || *flags & O_PATH || !is_described(at, path))
		return true;
	mode = mode_at(at, path, 0);
	if (mode && *flags & O_CREAT && *flags & O_EXCL)
		return true;	/* which says that it exists */
	if ((!mode && *flags & O_CREAT) || (writes && S_ISREG(mode) && !(mode & 0222)))
		return !refuse(EACCES);
	if (!writes && !vpmu_unprivileged())
		*flags &= ~O_TRUNC;
	return true;
}

/* ---- the rest ---- */

/* mode: 0 where there is no such file. */
struct found { bool ours; mode_t mode; };

static struct found look(int at, const char *path)
{
	struct vpmu_open_file served = shim_classify_at(at, path);
	bool absent = served.file == VPMU_HIDDEN || served.file == VPMU_NO_CPU;

	SHIM_WHERE(at, path);
	if (served.file)
		return (struct found){ true, absent ? 0 : served.file == VPMU_DESCRIPTION ?
				       S_IFDIR : S_IFCHR };
	if (!is_described(at, path))
		return (struct found){ false, 0 };
	return (struct found){ true, mode_at(at, path, AT_SYMLINK_NOFOLLOW) };
}

static int denial(void)
{
	return vpmu_unprivileged() ? EACCES : EPERM;
}

/* 0: it is none of the machine's files; or the errno. */
static int denied(int at, const char *path)
{
	struct found f = look(at, path);

	return !f.ours ? 0 : f.mode ? denial() : ENOENT;
}

static int denied_new(int at, const char *path)
{
	struct found f = look(at, path);

	return !f.ours ? 0 : f.mode ? EEXIST : denial();
}

static int denied_removal(int at, const char *path, bool directory)
{
	struct found f = look(at, path);

	if (f.ours && f.mode && !vpmu_unprivileged() && (bool)S_ISDIR(f.mode) != directory)
		return directory ? ENOTDIR : EISDIR;
	return denied(at, path);
}

static int denied_move(int from_at, const char *from, int to_at, const char *to)
{
	bool ours = look(to_at, to).ours;
	int rc = denied(from_at, from);

	return !rc == !ours ? rc : EXDEV;
}

static int denied_link(int from_at, const char *from, int to_at, const char *to)
{
	int rc = denied_new(to_at, to);

	return rc && rc != EEXIST ? denied_move(from_at, from, to_at, to) :
	       rc ? rc : denied(from_at, from) ? EXDEV : 0;
}

static int denied_open_file(int fd)
{
	return shim_fd(fd).file || is_described(fd, ".") ? denial() : 0;
}

#define CHANGE(name, parameters, rule, ...) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name parameters \
	{ \
		int error = shim_machine() ? rule : 0; \
		return error ? refuse(error) : NEXT(name)(__VA_ARGS__); \
	}

#define HERE AT_FDCWD
CHANGE(unlink, (const char *path), denied_removal(HERE, path, false), path)
CHANGE(rmdir, (const char *path), denied_removal(HERE, path, true), path)
CHANGE(remove, (const char *path), denied(HERE, path), path)
CHANGE(unlinkat, (int at, const char *path, int flags),
       denied_removal(at, path, (flags & AT_REMOVEDIR) != 0), at, path, flags)
CHANGE(mkdir, (const char *path, mode_t mode), denied_new(HERE, path), path, mode)
CHANGE(mkdirat, (int at, const char *path, mode_t mode), denied_new(at, path), at, path, mode)
CHANGE(mkfifo, (const char *path, mode_t mode), denied_new(HERE, path), path, mode)
CHANGE(mkfifoat, (int at, const char *path, mode_t mode), denied_new(at, path), at, path, mode)
CHANGE(mknod, (const char *path, mode_t mode, dev_t device), denied_new(HERE, path), path, mode,
       device)
CHANGE(mknodat, (int at, const char *path, mode_t mode, dev_t device), denied_new(at, path), at,
       path, mode, device)
CHANGE(symlink, (const char *to, const char *path), denied_new(HERE, path), to, path)
CHANGE(symlinkat, (const char *to, int at, const char *path), denied_new(at, path), to, at, path)
CHANGE(link, (const char *from, const char *to), denied_link(HERE, from, HERE, to), from, to)
CHANGE(linkat, (int from_at, const char *from, int to_at, const char *to, int flags),
       denied_link(from_at, from, to_at, to), from_at, from, to_at, to, flags)
CHANGE(rename, (const char *from, const char *to), denied_move(HERE, from, HERE, to), from, to)
CHANGE(renameat, (int from_at, const char *from, int to_at, const char *to),
       denied_move(from_at, from, to_at, to), from_at, from, to_at, to)
CHANGE(renameat2, (int from_at, const char *from, int to_at, const char *to, unsigned int flags),
       denied_move(from_at, from, to_at, to), from_at, from, to_at, to, flags)

/* Linux lets root change these; here one file has many names, and the devices have none. */
CHANGE(chmod, (const char *path, mode_t mode), denied(HERE, path), path, mode)
CHANGE(lchmod, (const char *path, mode_t mode), denied(HERE, path), path, mode)
CHANGE(fchmodat, (int at, const char *path, mode_t mode, int flags), denied(at, path), at, path,
       mode, flags)
CHANGE(fchmod, (int fd, mode_t mode), denied_open_file(fd), fd, mode)
CHANGE(chown, (const char *path, uid_t uid, gid_t gid), denied(HERE, path), path, uid, gid)
CHANGE(lchown, (const char *path, uid_t uid, gid_t gid), denied(HERE, path), path, uid, gid)
CHANGE(fchownat, (int at, const char *path, uid_t uid, gid_t gid, int flags), denied(at, path), at,
       path, uid, gid, flags)
CHANGE(fchown, (int fd, uid_t uid, gid_t gid), denied_open_file(fd), fd, uid, gid)

/* ---- cutting: of an attribute it succeeds and does nothing ---- */

static int cut(int at, const char *path)
{
	int error = denied(at, path);

	return S_ISDIR(look(at, path).mode) ? EISDIR : error == EPERM ? 0 : error;
}

#define CUT(name, off_type) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(const char *path, off_type bytes) \
	{ \
		bool ours = shim_machine() && look(AT_FDCWD, path).ours; \
		int error = ours ? cut(AT_FDCWD, path) : 0; \
		return error ? refuse(error) : ours ? 0 : NEXT(name)(path, bytes); \
	}
CUT(truncate, off_t)
CUT(truncate64, off64_t)

#define CUT_OPEN(name, off_type) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(int fd, off_type bytes) \
	{ \
		return is_described(fd, ".") ? 0 : NEXT(name)(fd, bytes); \
	}
CUT_OPEN(ftruncate, off_t)
CUT_OPEN(ftruncate64, off64_t)

/* ---- times: those of the machine's file ---- */

#define TIMES(name, at, parameters, ...) \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name parameters \
	{ \
		SHIM_WHERE(at, path); \
		return NEXT(name)(__VA_ARGS__); \
	}
TIMES(utime, AT_FDCWD, (const char *path, const struct utimbuf *times), path, times)
TIMES(utimes, AT_FDCWD, (const char *path, const struct timeval times[2]), path, times)
TIMES(lutimes, AT_FDCWD, (const char *path, const struct timeval times[2]), path, times)
TIMES(futimesat, dir, (int dir, const char *path, const struct timeval times[2]), dir, path, times)
TIMES(utimensat, dir, (int dir, const char *path, const struct timespec times[2], int flags), dir,
      path, times, flags)
