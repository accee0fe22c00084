/* SPDX-License-Identifier: MIT */
#include "bypass.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../machine/segment.h"

#define LINES_MAX 20	/* a program may try in a loop */

/* QEMU's: where its address space for the program starts. It may not have it under this name. */
extern uintptr_t guest_base __attribute__((weak));

static const char *const devices[] = {
	"/dev/cpu/", "/dev/mem", "/sys/bus/pci/devices/0000:00:00.0/config",
	"/sys/devices/pci0000:00/0000:00:00.0/config", "/proc/bus/pci/00/00.0",
};

static const struct { int64_t number; const char *name; } calls[] = {
	{ SYS_read, "read" }, { SYS_write, "write" }, { SYS_pread64, "pread64" },
	{ SYS_pwrite64, "pwrite64" }, { SYS_readv, "readv" }, { SYS_writev, "writev" },
	{ SYS_preadv, "preadv" }, { SYS_pwritev, "pwritev" }, { SYS_preadv2, "preadv2" },
	{ SYS_pwritev2, "pwritev2" }, { SYS_mmap, "mmap" }, { SYS_open, "open" },
	{ SYS_openat, "openat" }, { SYS_openat2, "openat2" }, { SYS_creat, "creat" },
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static void say(int64_t number, const char *path)
{
	static uint32_t lines;
	const char *name = "a call";

	for (size_t i = 0; i < CALLS; i++)
		if (calls[i].number == number)
			name = calls[i].name;
	if (__atomic_fetch_add(&lines, 1, __ATOMIC_RELAXED) < LINES_MAX)
		dprintf(STDERR_FILENO, "vpmu: %s: %s as a system call of the program's own does "
			"not reach the virtual machine, and fails: only libc's functions do\n",
			path, name);
}

static uint64_t path_argument(int64_t number, const uint64_t arguments[5])
{
	switch (number) {
	case SYS_open: case SYS_creat:
		return arguments[0];
	case SYS_openat: case SYS_openat2:
		return arguments[1];
	default:
		return 0;
	}
}

/* The program's text at this address, as far as it can be read. */
static void read_text(uint64_t address, char *text, size_t bytes)
{
	struct iovec here = { text, bytes - 1 };
	struct iovec there = { (void *)(uintptr_t)(address + guest_base), bytes - 1 };
	ssize_t n = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

	if (n <= 0) {	/* it may be at the end of its page */
		there.iov_len = 4096 - (address + guest_base) % 4096;
		if (there.iov_len < here.iov_len)
			n = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	}
	text[n > 0 ? n : 0] = '\0';
}

static bool is_device(const char *path)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (!strncmp(path, devices[i], strlen(devices[i])))
			return true;
	return false;
}

/* Even into memory that the program may not write, as a text's usually is. */
static bool put_byte(uint64_t address, char byte)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	bool done = fd >= 0 && pwrite(fd, &byte, 1, (off_t)(address + guest_base)) == 1;

	if (fd >= 0)
		close(fd);
	return done;
}

void vpmu_bypass_call(struct vpmu_bypass *b, int64_t number, const uint64_t arguments[5])
{
	uint64_t address = path_argument(number, arguments);
	int saved = errno;
	char text[64];

	b->path = 0;
	b->fd = arguments[number == SYS_mmap ? 4 : 0];
	if (!address || !&guest_base)
		return;
	read_text(address, text, sizeof(text));
	if (is_device(text)) {
		say(number, text);
		if (put_byte(address, '\0'))
			b->path = address;
	}
	errno = saved;
}

static bool may_be_refused(int64_t number)
{
	for (size_t i = 0; i < CALLS; i++)
		if (calls[i].number == number)
			return true;
	return false;
}

void vpmu_bypass_return(struct vpmu_bypass *b, int64_t number, int64_t answer)
{
	static const char backing[] = "/memfd:" SHIM_BACKING_NAME, deleted[] = " (deleted)";
	char link[40], target[128], *end;
	int saved = errno;
	ssize_t n;

	if (b->path)
		put_byte(b->path, '/');
	b->path = 0;
	if ((answer != -EBADF && answer != -EPERM && answer != -EACCES) || !may_be_refused(number))
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", (int)b->fd);
	n = readlink(link, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	if (!strncmp(target, backing, strlen(backing))) {
		end = strstr(target, deleted);
		if (end)
			*end = '\0';
		say(number, target + strlen(backing));
	}
	errno = saved;
}
