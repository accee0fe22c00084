/* SPDX-License-Identifier: MIT */
/* Calls that open a path or read its status. A path that is spelled as in the documents is looked
 * up before the call. For all others the host's kernel makes the call. The path is followed here
 * only if the answer can be about the machine's files: it is of /proc, /sys or /dev, or there is no
 * such path. Openings that could make, cut or write a file are looked up before. Whatever the path
 * was, an opened device of registers becomes the machine's, by its number. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "calls.h"
#include "descriptors.h"
#include "devices.h"
#include "system.h"

#define NONE (-1)

enum action { OPEN, STATUS, STATUSX, ACCESS, TEXT, PLAIN };

/* Which arguments are the folder, the path, a buffer and flags; NONE: there is none. */
struct call { enum action action; int8_t dir, path, buffer, flags; };

static struct call call_of(int64_t number)
{
	switch (number) {
	case SYS_open: return (struct call){ OPEN, NONE, 0, NONE, 1 };
	case SYS_openat: return (struct call){ OPEN, 0, 1, NONE, 2 };
	case SYS_openat2: return (struct call){ OPEN, 0, 1, 2, NONE };
	case SYS_creat: return (struct call){ OPEN, NONE, 0, NONE, NONE };
	case SYS_stat: case SYS_lstat: return (struct call){ STATUS, NONE, 0, 1, NONE };
	case SYS_newfstatat: return (struct call){ STATUS, 0, 1, 2, 3 };
	case SYS_statx: return (struct call){ STATUSX, 0, 1, 4, 2 };
	case SYS_access: return (struct call){ ACCESS, NONE, 0, NONE, NONE };
	case SYS_faccessat: return (struct call){ ACCESS, 0, 1, NONE, NONE };
	case SYS_faccessat2: return (struct call){ ACCESS, 0, 1, NONE, 3 };
	case SYS_readlink: return (struct call){ TEXT, NONE, 0, 1, NONE };
	case SYS_readlinkat: return (struct call){ TEXT, 0, 1, 2, NONE };
	case SYS_futimesat: return (struct call){ PLAIN, 0, 1, 2, NONE };
	case SYS_utimensat: return (struct call){ PLAIN, 0, 1, 2, 3 };
	case SYS_chdir: return (struct call){ PLAIN, NONE, 0, NONE, NONE };
	default: return (struct call){ PLAIN, NONE, 0, 1, NONE };
	}
}

static int folder_of(const struct call *c, const int64_t a[6])
{
	return c->dir == NONE ? AT_FDCWD : (int)a[c->dir];
}

static void *buffer_of(const struct call *c, const int64_t a[6], size_t bytes)
{
	return vpmu_system.memory->memory((uint64_t)a[c->buffer], bytes, true);
}

/* Returns the program's struct stat or statx of the call; NULL: the program may not write there. */
static void *status_of(const struct call *c, const int64_t a[6])
{
	return buffer_of(c, a, c->action == STATUSX ? sizeof(struct statx) : sizeof(struct stat));
}

static bool follows(int64_t number, const struct call *c, const int64_t a[6])
{
	if (number == SYS_lstat || c->action == TEXT)
		return false;
	return c->action == OPEN || c->flags == NONE || !(a[c->flags] & AT_SYMLINK_NOFOLLOW);
}

/* ---- opening ---- */

struct opening { int flags; mode_t mode; };

static bool opening_of(int64_t number, const struct call *c, const int64_t a[6], struct opening *o)
{
	const struct open_how *how;

	if (number == SYS_openat2) {
		how = vpmu_system.memory->memory((uint64_t)a[2], sizeof(*how), false);
		if (!how)
			return false;
		*o = (struct opening){ (int)how->flags, (mode_t)how->mode };
	} else if (number == SYS_creat) {
		*o = (struct opening){ O_CREAT | O_WRONLY | O_TRUNC, (mode_t)a[1] };
	} else {
		*o = (struct opening){ (int)a[c->flags], (mode_t)a[c->flags + 1] };
	}
	return true;
}

static bool changes(const struct opening *o)
{
	return o->flags & (O_CREAT | O_TRUNC) || (o->flags & O_ACCMODE) != O_RDONLY;
}

static int64_t kernels(long rc)
{
	return rc < 0 ? -errno : rc;
}

/* Opens a file of the machine. No link of another user leads out of the machine's folder: nothing
 * is cut before it is known what the kernel has opened. */
static int64_t open_inside(const struct vpmu_found *f, struct opening o)
{
	int makes = o.flags & O_EXCL ? O_CREAT | O_EXCL : 0, rc = 0;
	int fd = open(f->path, (o.flags & ~(O_TRUNC | O_CREAT | O_EXCL)) | makes |
			       (vpmu_file_is_device(f->file) ? O_NOFOLLOW : 0), o.mode);

	if (fd < 0)
		return -errno;
	vpmu_descriptors_forget(fd, fd);
	if (vpmu_descriptor(fd).file == VPMU_HOSTS)
		rc = -ELOOP;
	else if (o.flags & O_TRUNC && ftruncate(fd, 0))
		rc = -errno;
	if (rc)
		close(fd);
	return rc ? rc : fd;
}

static int64_t open_found(const struct vpmu_found *f, struct opening o)
{
	int rc = 0;

	if (f->file == VPMU_HIDDEN)
		return -ENOENT;
	if (f->file == VPMU_NO_CPU)
		return -ENXIO;
	if (vpmu_file_is_device(f->file)) {
		if (o.flags & O_DIRECTORY)
			return -ENOTDIR;
		if (!(o.flags & O_PATH))
			rc = vpmu_device_permission(f->file, vpmu_opening_wants(o.flags));
		o.flags &= o.flags & O_EXCL ? ~0 : ~(O_CREAT | O_TRUNC);
	} else if (f->file == VPMU_DESCRIPTION) {
		rc = vpmu_changes_open(f->path, &o.flags);
	}
	return rc ? rc : open_inside(f, o);
}

/* ---- the others ---- */

static int64_t status_found(const struct call *c, const int64_t a[6], const struct vpmu_found *f,
			    bool follow)
{
	int flags = follow ? 0 : AT_SYMLINK_NOFOLLOW;
	bool extended = c->action == STATUSX;
	void *at = status_of(c, a);
	int64_t rc;

	if (!at)
		return -EFAULT;
	rc = extended ? statx(AT_FDCWD, f->path, flags, (unsigned int)a[3], at) :
			fstatat(AT_FDCWD, f->path, at, flags);
	if (!rc && vpmu_file_is_device(f->file))
		vpmu_status_fill(f->file, f->cpu, at, extended);
	return kernels(rc);
}

static int64_t access_found(const struct call *c, const int64_t a[6], const struct vpmu_found *f)
{
	int mode = (int)a[c->path + 1];

	if (vpmu_file_is_device(f->file))
		return mode & X_OK ? -EACCES : vpmu_device_permission(f->file, mode);
	return kernels(faccessat(AT_FDCWD, f->path, mode, c->flags == NONE ? 0 : (int)a[c->flags]));
}

/* A link's text that is the name of one of the machine's files becomes what programs know. */
static void tell_outside(const struct call *c, const int64_t a[6], int64_t *answer)
{
	size_t room = (size_t)a[c->buffer + 1], length = (size_t)*answer;
	char *text = *answer > 0 ? buffer_of(c, a, room) : NULL;

	if (text && vpmu_tree_outside(text, &length, room))
		*answer = (int64_t)length;
}

/* Any call, with another path. */
static int64_t call_found(int64_t number, const struct call *c, const int64_t a[6],
			  const struct vpmu_found *f)
{
	int64_t b[6];

	memcpy(b, a, sizeof(b));
	if (c->dir != NONE)
		b[c->dir] = AT_FDCWD;
	b[c->path] = (int64_t)(uintptr_t)f->path;
	if (c->buffer != NONE && a[c->buffer]) {
		b[c->buffer] = (int64_t)(uintptr_t)buffer_of(c, a, 1);
		if (!b[c->buffer])
			return -EFAULT;
	}
	return kernels(syscall(number, b[0], b[1], b[2], b[3], b[4], b[5]));
}

static int64_t serve(int64_t number, const struct call *c, const int64_t a[6],
		     const struct vpmu_found *f)
{
	struct opening o;
	int64_t answer;

	if (c->action == OPEN)
		return opening_of(number, c, a, &o) ? open_found(f, o) : -EFAULT;
	if (f->file == VPMU_HIDDEN || f->file == VPMU_NO_CPU)
		return -ENOENT;
	switch (c->action) {
	case STATUS: case STATUSX:
		return status_found(c, a, f, follows(number, c, a));
	case ACCESS:
		return access_found(c, a, f);
	default:
		answer = call_found(number, c, a, f);
		if (c->action == TEXT)
			tell_outside(c, a, &answer);
		return answer;
	}
}

bool vpmu_paths_before(int64_t number, const int64_t a[6], int64_t *answer)
{
	struct vpmu_found f;
	struct opening o;
	const char *text;
	struct call c = call_of(number);

	text = vpmu_system.memory->text((uint64_t)a[c.path]);
	if (!text)
		return false;
	if (!vpmu_tree_plain(text, &f) &&
	    !(c.action == OPEN && opening_of(number, &c, a, &o) && changes(&o) &&
	      vpmu_tree_look(folder_of(&c, a), text, !(o.flags & O_NOFOLLOW), &f) &&
	      f.file != VPMU_HOSTS))
		return false;
	*answer = serve(number, &c, a, &f);
	return true;
}

/* ---- after ---- */

static bool is_kernels(dev_t device)
{
	static const char *const folders[] = { "/proc", "/sys", "/dev" };
	static dev_t known[3];		/* 0: not looked up yet, or not there */
	struct stat st;

	for (int i = 0; i < 3; i++) {
		if (!known[i] && !stat(folders[i], &st))
			known[i] = st.st_dev;
		if (known[i] == device)
			return true;
	}
	return false;
}

/* May a file that the host has found be the machine's? It is in one of the kernel's file systems,
 * or is an empty file where the machine's are: each of these stands for a device. */
static bool may_be_ours(dev_t device, mode_t mode, uint64_t bytes)
{
	static dev_t machines;
	struct stat st;

	if (!machines && !stat(vpmu_system.path, &st))
		machines = st.st_dev;
	return is_kernels(device) || (S_ISREG(mode) && !bytes && device == machines);
}

/* May the host's answer be about a file that is the machine's? */
static bool is_doubtful(const struct call *c, const int64_t a[6], int64_t answer)
{
	const struct statx *extended;
	const struct stat *plain;
	struct stat st;

	if (answer == -ENOENT || answer == -ENXIO)
		return true;
	if (answer < 0)
		return false;
	switch (c->action) {
	case OPEN:
		return !fstat((int)answer, &st) &&
		       may_be_ours(st.st_dev, st.st_mode, (uint64_t)st.st_size);
	case STATUS:
		plain = status_of(c, a);
		return plain && may_be_ours(plain->st_dev, plain->st_mode,
					    (uint64_t)plain->st_size);
	case STATUSX:
		extended = status_of(c, a);
		return extended && may_be_ours(makedev(extended->stx_dev_major,
						       extended->stx_dev_minor),
					       extended->stx_mode, extended->stx_size);
	default:
		return false;
	}
}

/* True: a device of registers has been opened by a path that does not name it, such as one of a
 * bind mount or a node of one's own. Finds the machine's file of that number. */
static bool opened_device(int fd, struct vpmu_found *f)
{
	enum vpmu_file file;
	struct stat st;

	if (fstat(fd, &st) || !S_ISCHR(st.st_mode))
		return false;
	f->moved = false;
	file = vpmu_device_numbered(st.st_rdev, &f->cpu);
	if (file == VPMU_HIDDEN || file == VPMU_NO_CPU)
		f->file = file;
	else if (file != VPMU_HOSTS && !vpmu_tree_device(file, f->cpu, f))
		f->file = VPMU_HIDDEN;
	return file != VPMU_HOSTS;
}

/* Completes the status of a file that is open already. */
static void tell_open_file(const struct call *c, const int64_t a[6])
{
	struct vpmu_open_file f = vpmu_descriptor((int)a[c->dir]);
	void *at = status_of(c, a);

	if (at && vpmu_file_is_device(f.file))
		vpmu_status_fill(f.file, f.cpu, at, c->action == STATUSX);
}

void vpmu_paths_after(int64_t number, const int64_t a[6], int64_t *answer)
{
	struct vpmu_found f;
	const char *text;
	struct call c = call_of(number);

	if (c.action == OPEN && *answer >= 0) {
		vpmu_descriptors_forget((int)*answer, (int)*answer);
		if (opened_device((int)*answer, &f)) {
			close((int)*answer);
			*answer = serve(number, &c, a, &f);
			return;
		}
	}
	if (c.action == TEXT)
		tell_outside(&c, a, answer);
	text = vpmu_system.memory->text((uint64_t)a[c.path]);
	if (!text)
		return;
	if (!*text && *answer >= 0 && (c.action == STATUS || c.action == STATUSX) && c.dir != NONE)
		tell_open_file(&c, a);
	if (!*text || !is_doubtful(&c, a, *answer) ||
	    !vpmu_tree_look(folder_of(&c, a), text, follows(number, &c, a), &f) ||
	    (f.file == VPMU_HOSTS && !f.moved))
		return;
	if (c.action == OPEN && *answer >= 0)
		close((int)*answer);
	*answer = serve(number, &c, a, &f);
}
