/* SPDX-License-Identifier: MIT */
/* The served descriptors, and reading and writing through them as the real drivers do. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inside.h"
#include "shim.h"

#define FDS_MAX 65536

/* The inode tells a descriptor that was closed behind our back (close_range, a raw system call)
 * and is something else now. */
struct served { uint64_t inode; uint32_t kind, cpu; };
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

/* The real descriptor is reopened with the caller's access mode, so that libc and kernel refuse
 * a write to a read-only one themselves. */
static int anonymous_file(int flags)
{
	char link[] = "/proc/self/fd/\0\0\0\0\0\0\0\0\0\0", *end = link + sizeof(link) - 2;
	char digits[12] = "", *digit = digits + sizeof(digits) - 1;
	long made = shim_syscall(SYS_memfd_create, shim_address("VirtualPMU"), MFD_CLOEXEC, 0, 0);
	long fd = made, left = made;

	if (made >= 0) {
		do
			*--digit = (char)('0' + left % 10);
		while (left /= 10);
		for (end = link + strlen(link); *digit; digit++)
			*end++ = *digit;
		fd = shim_syscall(SYS_open, shim_address(link),
				  flags & (O_ACCMODE | O_CLOEXEC | O_NONBLOCK), 0, 0);
		shim_syscall(SYS_close, made, 0, 0, 0);
	}
	return fd < 0 ? refuse((int)-fd) : (int)fd;
}

int shim_fd_open(struct shim_path path, int flags)
{
	int error = check_open(path, flags), fd;

	if (error)
		return refuse(error);
	fd = anonymous_file(flags);
	if (fd >= FDS_MAX) {
		shim_syscall(SYS_close, fd, 0, 0, 0);
		return refuse(EMFILE);
	}
	if (fd >= 0)
		serve(fd, (struct served){ inode_of(fd), (uint32_t)path.kind, path.cpu });
	return fd;
}

/* 1: readable (or writable) descriptor; else errno is EBADF. */
static bool mode_allows(int fd, int unwanted)
{
	long flags = shim_syscall(SYS_fcntl, fd, F_GETFL, 0, 0);

	if (flags >= 0 && (flags & O_ACCMODE) != unwanted)
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

#define PCI_BYTES 256
#define PCI_BYTES_FOR_ALL 64	/* Linux shows the rest to root only */

static ssize_t read_pci(void *buf, size_t bytes, off_t offset)
{
	struct vpmu_segment *s = shim_machine();
	off_t end = shim_unprivileged() ? PCI_BYTES_FOR_ALL : PCI_BYTES;
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
