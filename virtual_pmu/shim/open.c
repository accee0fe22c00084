/* SPDX-License-Identifier: MIT */
/* Opens the machine's devices, also by links and other paths that lead to them. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "inside.h"
#include "shim.h"

#define MODULES 202	/* the msr driver's major number; those that are given out are higher */

static int refuse(int error)
{
	errno = error;
	return -1;
}

static int check_open(struct vpmu_open_file path, int flags)
{
	switch (path.file) {
	case VPMU_NO_CPU:
		return ENXIO;
	case VPMU_HIDDEN:
		return ENOENT;
	case VPMU_DESCRIPTION:
		return (flags & O_ACCMODE) == O_RDONLY ? ENOENT : EISDIR;
	default:
		return flags & O_DIRECTORY ? ENOTDIR :
		       -vpmu_device_permission(path.file, vpmu_opening_wants(flags));
	}
}

int shim_fd_open(struct vpmu_open_file path, int flags)
{
	int error = check_open(path, flags), fd;

	if (error)
		return refuse(error);
	fd = shim_backing(path, flags);
	if (fd >= SHIM_FDS_MAX) {
		shim_syscall(SYS_close, fd, 0, 0, 0);
		return refuse(EMFILE);
	}
	if (fd >= 0)
		shim_fd_serve(fd, path, flags);
	return fd;
}

/* Of the host's files only those that can be a device's are looked at twice: character devices of
 * drivers that are modules, and files that are attributes of 64 bytes to a page. */
static bool may_be_device(const struct stat *st)
{
	if (S_ISCHR(st->st_mode))
		return major(st->st_rdev) >= MODULES || st->st_rdev == makedev(1, 1);
	return S_ISREG(st->st_mode) && !st->st_blocks && st->st_size >= VPMU_CONFIG_BYTES_FOR_ALL &&
	       st->st_size <= 4096;
}

int shim_fd_opened(int fd, int flags)
{
	char link[] = "/proc/self/fd/\0\0\0\0\0\0\0", target[128];
	struct vpmu_open_file path;
	struct stat st;
	long n;

	if (fd < 0 || fd >= SHIM_FDS_MAX || !shim_machine() ||
	    shim_syscall(SYS_fstat, fd, shim_address(&st), 0, 0) || !may_be_device(&st))
		return fd;
	shim_number_text(link + strlen(link), (unsigned long)fd);
	n = shim_syscall(SYS_readlink, shim_address(link), shim_address(target),
			 sizeof(target) - 1, 0);
	if (n <= 0)
		return fd;
	target[n] = '\0';
	path = shim_classify(target);
	if (path.file == VPMU_HOSTS)
		return fd;
	shim_syscall(SYS_close, fd, 0, 0, 0);
	return shim_fd_open(path, flags);
}
