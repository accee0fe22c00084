/* SPDX-License-Identifier: MIT */
/* Refuses calls that would change the files which describe the machine, or its device files. They
 * fail as in the kernel's file systems, by whatever path or descriptor. vpmu_changes_before() sees
 * the system calls, vpmu_changes_open() the flags of an opening. No lock is taken. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"
#include "descriptors.h"
#include "devices.h"
#include "system.h"

static mode_t mode_of(const char *path, int flags)
{
	struct stat st;

	return fstatat(AT_FDCWD, path, &st, flags) ? 0 : st.st_mode;
}

/* As in sysfs: root opens for writing what has the mode for it, makes nothing, and cuts nothing. */
int vpmu_changes_open(const char *path, int *flags)
{
	bool writes = (*flags & O_ACCMODE) != O_RDONLY;
	mode_t mode;

	if (!(writes || *flags & (O_CREAT | O_TRUNC)) || *flags & O_PATH)
		return 0;
	mode = mode_of(path, 0);
	if (mode && *flags & O_CREAT && *flags & O_EXCL)
		return -EEXIST;
	if ((!mode && *flags & O_CREAT) || (writes && S_ISREG(mode) && !(mode & 0222)))
		return -EACCES;
	if (!writes && *flags & O_TRUNC && vpmu_unprivileged())
		return -EACCES;
	if (!writes)
		*flags &= ~O_TRUNC;
	return 0;
}

/* mode: 0 where there is no such file. */
struct target { bool ours; mode_t mode; enum vpmu_file file; };

static bool is_character(enum vpmu_file file)
{
	return vpmu_file_is_device(file) && S_ISCHR(vpmu_device_mode(file));
}

static struct target look(int64_t dir, int64_t address)
{
	const char *path = vpmu_system.memory->text((uint64_t)address);
	struct vpmu_found f;

	if (!path || !vpmu_tree_look((int)dir, path, false, &f) || f.file == VPMU_HOSTS)
		return (struct target){ false, 0, VPMU_HOSTS };
	return (struct target){ true, f.file == VPMU_HIDDEN || f.file == VPMU_NO_CPU ? 0 :
				      mode_of(f.path, AT_SYMLINK_NOFOLLOW), f.file };
}

static int denial(void)
{
	return vpmu_unprivileged() ? -EACCES : -EPERM;
}

/* 0: it is none of the machine's files. */
static int denied(int64_t dir, int64_t path)
{
	struct target t = look(dir, path);

	return !t.ours ? 0 : t.mode ? denial() : -ENOENT;
}

static int denied_new(int64_t dir, int64_t path)
{
	struct target t = look(dir, path);

	return !t.ours ? 0 : t.mode ? -EEXIST : denial();
}

static int denied_removal(int64_t dir, int64_t path, bool folder)
{
	struct target t = look(dir, path);

	if (t.ours && t.mode && !vpmu_unprivileged() && (bool)S_ISDIR(t.mode) != folder)
		return folder ? -ENOTDIR : -EISDIR;
	return denied(dir, path);
}

static int denied_move(int64_t from_dir, int64_t from, int64_t to_dir, int64_t to)
{
	bool ours = look(to_dir, to).ours;
	int rc = denied(from_dir, from);

	return !rc == !ours ? rc : -EXDEV;
}

static int denied_link(int64_t from_dir, int64_t from, int64_t to_dir, int64_t to)
{
	int rc = denied_new(to_dir, to);

	return rc && rc != -EEXIST ? denied_move(from_dir, from, to_dir, to) :
	       rc ? rc : denied(from_dir, from) ? -EXDEV : 0;
}

static bool is_open_file(int64_t fd)
{
	enum vpmu_file file = vpmu_descriptor((int)fd).file;

	return file != VPMU_HOSTS && file != VPMU_RANDOM;
}

static int denied_open_file(int64_t fd)
{
	return is_open_file(fd) ? denial() : 0;
}

#define HERE AT_FDCWD

static int denial_of(int64_t number, const int64_t a[6])
{
	switch (number) {
	case SYS_unlink: return denied_removal(HERE, a[0], false);
	case SYS_rmdir: return denied_removal(HERE, a[0], true);
	case SYS_unlinkat: return denied_removal(a[0], a[1], a[2] & AT_REMOVEDIR);
	case SYS_mkdir: case SYS_mknod: return denied_new(HERE, a[0]);
	case SYS_mkdirat: case SYS_mknodat: return denied_new(a[0], a[1]);
	case SYS_symlink: return denied_new(HERE, a[1]);
	case SYS_symlinkat: return denied_new(a[1], a[2]);
	case SYS_link: return denied_link(HERE, a[0], HERE, a[1]);
	case SYS_linkat: return denied_link(a[0], a[1], a[2], a[3]);
	case SYS_rename: return denied_move(HERE, a[0], HERE, a[1]);
	case SYS_renameat: case SYS_renameat2: return denied_move(a[0], a[1], a[2], a[3]);
	/* Linux lets root change these; here one file has many names. */
	case SYS_chmod: case SYS_chown: case SYS_lchown: return denied(HERE, a[0]);
	case SYS_fchmodat: case SYS_fchownat: return denied(a[0], a[1]);
	case SYS_fchmod: case SYS_fchown: return denied_open_file(a[0]);
	default: return 0;
	}
}

/* To cut an attribute succeeds and does nothing. A device is no regular file. True: *answer. */
static bool cut(int64_t number, const int64_t a[6], int64_t *answer)
{
	struct target t;
	int rc;

	if (number == SYS_ftruncate) {
		*answer = is_character(vpmu_descriptor((int)a[0]).file) ||
			  (fcntl((int)a[0], F_GETFL) & O_ACCMODE) == O_RDONLY ? -EINVAL : 0;
		return is_open_file(a[0]);
	}
	t = look(HERE, a[0]);
	rc = denied(HERE, a[0]);
	*answer = S_ISDIR(t.mode) ? -EISDIR : rc && is_character(t.file) ? -EINVAL :
		  rc == -EPERM ? 0 : rc;
	return t.ours;
}

bool vpmu_changes_before(int64_t number, const int64_t a[6], int64_t *answer)
{
	if (number == SYS_truncate || number == SYS_ftruncate)
		return cut(number, a, answer);
	*answer = denial_of(number, a);
	return *answer;
}
