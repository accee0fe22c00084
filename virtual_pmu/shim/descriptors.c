/* SPDX-License-Identifier: MIT */
/* The served descriptors, and reading and writing through them as the real drivers do. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "inside.h"
#include "shim.h"

#define FDS_MAX 65536
#define MODULES 202	/* the msr driver's major number; those that are given out are higher */

/* The inode tells a descriptor that was closed behind our back (close_range, a raw system call)
 * and is something else now. */
struct served { uint64_t inode; uint32_t kind, cpu; int flags; };
static struct served served[FDS_MAX];

static uint64_t inode_of(int fd)
{
	struct stat st;	/* the kernel's and libc's are the same */

	return shim_syscall(SYS_fstat, fd, shim_address(&st), 0, 0) ? 0 : (uint64_t)st.st_ino;
}

struct shim_path shim_fd(int fd)
{
	struct shim_path path = { .kind = SHIM_NONE };
	uint32_t kind;

	if (fd < 0 || fd >= FDS_MAX)
		return path;
	kind = __atomic_load_n(&served[fd].kind, __ATOMIC_ACQUIRE);
	if (kind == SHIM_NONE)
		return path;
	if (served[fd].inode == inode_of(fd)) {
		path.kind = (enum shim_kind)kind;
		path.cpu = served[fd].cpu;
	} else {
		shim_fd_closed(fd);
	}
	return path;
}

static void serve(int fd, struct served what)
{
	served[fd].inode = what.inode;
	served[fd].cpu = what.cpu;
	served[fd].flags = what.flags;
	__atomic_store_n(&served[fd].kind, what.kind, __ATOMIC_RELEASE);
}

void shim_fd_closed(int fd)
{
	if (fd >= 0 && fd < FDS_MAX)
		__atomic_store_n(&served[fd].kind, SHIM_NONE, __ATOMIC_RELEASE);
}

void shim_fd_copied(int from, int to)
{
	struct shim_path path = shim_fd(from);

	if (to < 0 || to >= FDS_MAX)
		return;
	if (path.kind == SHIM_NONE)
		shim_fd_closed(to);
	else
		serve(to, served[from]);
}

static int refuse(int error)
{
	errno = error;
	return -1;
}

static int wanted(int flags)
{
	switch (flags & O_ACCMODE) {
	case O_RDONLY:
		return R_OK;
	case O_WRONLY:
		return W_OK;
	default:
		return R_OK | W_OK;
	}
}

static int check_open(struct shim_path path, int flags)
{
	switch (path.kind) {
	case SHIM_NO_CPU:
		return ENXIO;
	case SHIM_ABSENT:
		return ENOENT;
	case SHIM_DIRECTORY:
		return (flags & O_ACCMODE) == O_RDONLY ? ENOENT : EISDIR;
	default:
		return flags & O_DIRECTORY ? ENOTDIR : shim_permission(path, wanted(flags));
	}
}

int shim_fd_open(struct shim_path path, int flags)
{
	int error = check_open(path, flags), fd;

	if (error)
		return refuse(error);
	fd = shim_backing(path, flags);
	if (fd >= FDS_MAX) {
		shim_syscall(SYS_close, fd, 0, 0, 0);
		return refuse(EMFILE);
	}
	if (fd >= 0)
		serve(fd, (struct served){ inode_of(fd), (uint32_t)path.kind, path.cpu, flags });
	return fd;
}

int shim_fd_flags(int fd)
{
	return served[fd].flags & (O_ACCMODE | O_NONBLOCK);
}

static bool mode_allows(int fd, int unwanted)
{
	if ((shim_fd_flags(fd) & O_ACCMODE) != unwanted)
		return true;
	errno = EBADF;
	return false;
}

/* One access per eight bytes, all to the same register, as the kernel's driver does; msr-safe's
 * takes exactly eight. */
static ssize_t read_msr(struct shim_path path, uint8_t *buf, size_t bytes, off_t offset)
{
	bool safe = path.kind == SHIM_MSR_SAFE;
	struct vpmu_segment *s = shim_machine();
	struct shim_guard guard;
	size_t done = 0;
	int rc = 0;

	if (bytes % 8 || (safe && bytes != 8))
		return refuse(EINVAL);
	while (done < bytes && !rc) {
		uint64_t value = 0;

		shim_enter(s, &guard);
		rc = (safe ? shim_safe_read : vpmu_rdmsr)(s, path.cpu, (uint32_t)offset, &value);
		shim_leave(s, &guard);
		if (rc)
			break;
		memcpy(buf + done, &value, 8);
		done += 8;
	}
	return done || !rc ? (ssize_t)done : refuse(-rc);
}

static ssize_t write_msr(struct shim_path path, const uint8_t *buf, size_t bytes, off_t offset)
{
	bool safe = path.kind == SHIM_MSR_SAFE;
	struct vpmu_segment *s = shim_machine();
	struct shim_guard guard;
	size_t done = 0;
	int rc = 0;

	if (bytes % 8 || (safe && bytes != 8))
		return refuse(EINVAL);
	while (done < bytes && !rc) {
		uint64_t value;

		memcpy(&value, buf + done, 8);
		shim_enter(s, &guard);
		rc = (safe ? shim_safe_write : vpmu_wrmsr)(s, path.cpu, (uint32_t)offset, value);
		shim_leave(s, &guard);
		if (!rc)
			done += 8;
	}
	return done || !rc ? (ssize_t)done : refuse(-rc);
}

static ssize_t read_pci(void *buf, size_t bytes, off_t offset)
{
	struct vpmu_segment *s = shim_machine();
	off_t end = shim_unprivileged() ? SHIM_PCI_BYTES_FOR_ALL : SHIM_PCI_BYTES;
	struct shim_guard guard;
	int rc;

	if (offset < 0)
		return refuse(EINVAL);
	if (offset >= end)
		return 0;
	if (bytes > (size_t)(end - offset))
		bytes = (size_t)(end - offset);
	shim_enter(s, &guard);
	rc = vpmu_pci_read(s, (uint32_t)offset, buf, (uint32_t)bytes);
	shim_leave(s, &guard);
	return rc ? refuse(-rc) : (ssize_t)bytes;
}

ssize_t shim_read(struct shim_path path, int fd, void *buf, size_t bytes, off_t offset)
{
	if (!mode_allows(fd, O_WRONLY))
		return -1;
	if (path.kind == SHIM_MSR || path.kind == SHIM_MSR_SAFE)
		return read_msr(path, buf, bytes, offset);
	if (path.kind == SHIM_PCI)
		return read_pci(buf, bytes, offset);
	if (path.kind == SHIM_MSR_BATCH)
		return refuse(EINVAL);
	return refuse(EPERM);	/* physical memory: only the window can be mapped */
}

ssize_t shim_write(struct shim_path path, int fd, const void *buf, size_t bytes, off_t offset)
{
	if (!mode_allows(fd, O_RDONLY))
		return -1;
	if (path.kind == SHIM_MSR || path.kind == SHIM_MSR_SAFE)
		return write_msr(path, buf, bytes, offset);
	return refuse(EPERM);
}

static off_t here(int fd)
{
	return shim_syscall(SYS_lseek, fd, 0, SEEK_CUR, 0);
}

/* The PCI file advances its offset and the msr driver does not. */
ssize_t shim_read_here(struct shim_path path, int fd, void *buf, size_t bytes)
{
	ssize_t got = shim_read(path, fd, buf, bytes, here(fd));

	if (got > 0 && path.kind == SHIM_PCI)
		shim_syscall(SYS_lseek, fd, got, SEEK_CUR, 0);
	return got;
}

ssize_t shim_write_here(struct shim_path path, int fd, const void *buf, size_t bytes)
{
	return shim_write(path, fd, buf, bytes, here(fd));
}

/* Of the host's files only those that can be a device's are looked at twice: character devices of
 * drivers that are modules, and files that are attributes of 64 bytes to a page. */
static bool may_be_device(const struct stat *st)
{
	if (S_ISCHR(st->st_mode))
		return major(st->st_rdev) >= MODULES || st->st_rdev == makedev(1, 1);
	return S_ISREG(st->st_mode) && !st->st_blocks && st->st_size >= SHIM_PCI_BYTES_FOR_ALL &&
	       st->st_size <= 4096;
}

int shim_fd_opened(int fd, int flags)
{
	char link[] = "/proc/self/fd/\0\0\0\0\0\0\0", target[128];
	struct shim_path path;
	struct stat st;
	long n;

	if (fd < 0 || fd >= FDS_MAX || !shim_machine() ||
	    shim_syscall(SYS_fstat, fd, shim_address(&st), 0, 0) || !may_be_device(&st))
		return fd;
	shim_number_text(link + strlen(link), (unsigned long)fd);
	n = shim_syscall(SYS_readlink, shim_address(link), shim_address(target),
			 sizeof(target) - 1, 0);
	if (n <= 0)
		return fd;
	target[n] = '\0';
	path = shim_classify(target);
	if (path.kind == SHIM_NONE)
		return fd;
	shim_syscall(SYS_close, fd, 0, 0, 0);
	return shim_fd_open(path, flags);
}
