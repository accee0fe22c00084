/* SPDX-License-Identifier: MIT */
/* Reading and writing through served descriptors, and msr-safe's ioctl. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "inside.h"
#include "shim.h"

NEXT_SLOT(ioctl)

/* Libc's answer for the kernel's. */
static ssize_t answer(int64_t kernels)
{
	if (kernels >= 0)
		return kernels;
	errno = (int)-kernels;
	return -1;
}

static bool mode_allows(int fd, int forbidden)
{
	if ((shim_fd_flags(fd) & O_ACCMODE) != forbidden)
		return true;
	errno = EBADF;
	return false;
}

ssize_t shim_read(struct vpmu_open_file path, int fd, void *buf, size_t bytes, off_t offset)
{
	struct vpmu_segment *s = shim_machine();
	struct shim_guard guard;
	int64_t got;

	if (!mode_allows(fd, O_WRONLY))
		return -1;
	shim_enter(s, &guard);
	got = vpmu_device_read(path, buf, bytes, offset);
	shim_leave(s, &guard);
	return answer(got);
}

ssize_t shim_write(struct vpmu_open_file path, int fd, const void *buf, size_t bytes, off_t offset)
{
	struct vpmu_segment *s = shim_machine();
	struct shim_guard guard;
	int64_t done;

	if (!mode_allows(fd, O_RDONLY))
		return -1;
	shim_enter(s, &guard);
	done = vpmu_device_write(path, buf, bytes, offset);
	shim_leave(s, &guard);
	return answer(done);
}

static off_t here(int fd)
{
	return shim_syscall(SYS_lseek, fd, 0, SEEK_CUR, 0);
}

ssize_t shim_read_here(struct vpmu_open_file path, int fd, void *buf, size_t bytes)
{
	ssize_t got = shim_read(path, fd, buf, bytes, here(fd));

	if (got > 0 && vpmu_device_moves(path.file))
		shim_syscall(SYS_lseek, fd, got, SEEK_CUR, 0);
	return got;
}

ssize_t shim_write_here(struct vpmu_open_file path, int fd, const void *buf, size_t bytes)
{
	return shim_write(path, fd, buf, bytes, here(fd));
}

SHIM_EXPORT int ioctl(int fd, unsigned long request, ...)
{
	struct vpmu_open_file served = shim_fd(fd);
	struct shim_guard guard;
	int64_t rc = -ENOTTY;
	va_list args;
	void *argument;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	if (served.file == VPMU_HOSTS)
		return NEXT(ioctl)(fd, request, argument);
	if (served.file == VPMU_FILE_BATCH) {
		shim_enter(shim_machine(), &guard);
		rc = vpmu_safe_batch(request, (uintptr_t)argument, shim_fd_flags(fd));
		shim_leave(shim_machine(), &guard);
	}
	return (int)answer(rc);
}
