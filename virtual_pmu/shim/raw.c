/* SPDX-License-Identifier: MIT */
/* libc's syscall() on files: calls that may concern the machine's files become calls of the shim's
 * functions. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim.h"

static void *pointer(long argument)
{
	return (void *)(uintptr_t)argument;
}

static bool takes_descriptor(long number)
{
	switch (number) {
	case SYS_read: case SYS_write: case SYS_pread64: case SYS_pwrite64: case SYS_readv:
	case SYS_writev: case SYS_preadv: case SYS_pwritev: case SYS_preadv2: case SYS_pwritev2:
	case SYS_dup: case SYS_dup2: case SYS_dup3: case SYS_fcntl: case SYS_close: case SYS_ioctl:
	case SYS_fstat:
		return true;
	default:
		return false;
	}
}

static long on_descriptor(long number, const long a[6])
{
	int fd = (int)a[0];

	switch (number) {
	case SYS_read: return read(fd, pointer(a[1]), (size_t)a[2]);
	case SYS_write: return write(fd, pointer(a[1]), (size_t)a[2]);
	case SYS_pread64: return pread(fd, pointer(a[1]), (size_t)a[2], a[3]);
	case SYS_pwrite64: return pwrite(fd, pointer(a[1]), (size_t)a[2], a[3]);
	case SYS_readv: return readv(fd, pointer(a[1]), (int)a[2]);
	case SYS_writev: return writev(fd, pointer(a[1]), (int)a[2]);
	case SYS_preadv: return preadv(fd, pointer(a[1]), (int)a[2], a[3]);
	case SYS_pwritev: return pwritev(fd, pointer(a[1]), (int)a[2], a[3]);
	case SYS_preadv2: return preadv2(fd, pointer(a[1]), (int)a[2], a[3], (int)a[5]);
	case SYS_pwritev2: return pwritev2(fd, pointer(a[1]), (int)a[2], a[3], (int)a[5]);
	case SYS_dup: return dup(fd);
	case SYS_dup2: return dup2(fd, (int)a[1]);
	case SYS_dup3: return dup3(fd, (int)a[1], (int)a[2]);
	case SYS_fcntl: return fcntl(fd, (int)a[1], a[2]);
	case SYS_ioctl: return ioctl(fd, (unsigned long)a[1], a[2]);
	case SYS_fstat: return fstat(fd, pointer(a[1]));
	default: return close(fd);
	}
}

/* What changes a folder or a file's attributes. */
static bool on_change(long number, const long a[6], long *result)
{
	switch (number) {
	case SYS_creat: *result = creat(pointer(a[0]), (mode_t)a[1]); break;
	case SYS_truncate: *result = truncate(pointer(a[0]), a[1]); break;
	case SYS_ftruncate: *result = ftruncate((int)a[0], a[1]); break;
	case SYS_unlink: *result = unlink(pointer(a[0])); break;
	case SYS_unlinkat: *result = unlinkat((int)a[0], pointer(a[1]), (int)a[2]); break;
	case SYS_rmdir: *result = rmdir(pointer(a[0])); break;
	case SYS_mkdir: *result = mkdir(pointer(a[0]), (mode_t)a[1]); break;
	case SYS_mkdirat: *result = mkdirat((int)a[0], pointer(a[1]), (mode_t)a[2]); break;
	case SYS_rename: *result = rename(pointer(a[0]), pointer(a[1])); break;
	case SYS_renameat:
		*result = renameat((int)a[0], pointer(a[1]), (int)a[2], pointer(a[3]));
		break;
	case SYS_renameat2:
		*result = renameat2((int)a[0], pointer(a[1]), (int)a[2], pointer(a[3]),
				    (unsigned int)a[4]);
		break;
	case SYS_link: *result = link(pointer(a[0]), pointer(a[1])); break;
	case SYS_linkat:
		*result = linkat((int)a[0], pointer(a[1]), (int)a[2], pointer(a[3]), (int)a[4]);
		break;
	case SYS_chmod: *result = chmod(pointer(a[0]), (mode_t)a[1]); break;
	case SYS_fchmod: *result = fchmod((int)a[0], (mode_t)a[1]); break;
	case SYS_fchmodat: *result = fchmodat((int)a[0], pointer(a[1]), (mode_t)a[2], 0); break;
	default: return false;
	}
	return true;
}

static bool on_path(long number, const long a[6], long *result)
{
	switch (number) {
	case SYS_open:
		*result = open(pointer(a[0]), (int)a[1], (mode_t)a[2]);
		return true;
	case SYS_openat:
		*result = openat((int)a[0], pointer(a[1]), (int)a[2], (mode_t)a[3]);
		return true;
	case SYS_access:
		*result = access(pointer(a[0]), (int)a[1]);
		return true;
	case SYS_stat:
		*result = stat(pointer(a[0]), pointer(a[1]));
		return true;
	case SYS_lstat:
		*result = lstat(pointer(a[0]), pointer(a[1]));
		return true;
	case SYS_newfstatat:
		*result = fstatat((int)a[0], pointer(a[1]), pointer(a[2]), (int)a[3]);
		return true;
	default:
		return on_change(number, a, result);
	}
}

bool shim_file_call(long number, const long a[6], long *result)
{
	/* dup2 and dup3 can replace a served descriptor, whatever they copy. */
	if (!takes_descriptor(number) || (!shim_fd((int)a[0]).file && number != SYS_dup2 &&
					  number != SYS_dup3))
		return on_path(number, a, result);
	*result = on_descriptor(number, a);
	return true;
}
