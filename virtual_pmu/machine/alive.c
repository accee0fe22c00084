/* SPDX-License-Identifier: MIT */
/* Whether a thread of another process still executes anything. Without libc: see kernel.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "kernel.h"
#include "segment.h"

#define NUMBER_BYTES 11

static char *add_number(char *at, uint32_t number)
{
	char digits[NUMBER_BYTES], *first = digits + sizeof(digits);

	do
		*--first = (char)('0' + number % 10);
	while (number /= 10);
	memcpy(at, first, (size_t)(digits + sizeof(digits) - first));
	return at + (digits + sizeof(digits) - first);
}

static long read_file(const char *path, char *text, size_t bytes)
{
	long fd = vpmu_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC), got;

	if (fd < 0)
		return fd;
	got = vpmu_syscall(SYS_read, fd, text, bytes);
	vpmu_syscall(SYS_close, fd);
	return got;
}

char vpmu_thread_doing(const char *directory, uint32_t tid)
{
	size_t length = strlen(directory);
	char path[64], text[128], *at;
	long got;

	if (length + NUMBER_BYTES + sizeof("//stat") > sizeof(path))
		return 0;
	memcpy(path, directory, length);
	path[length] = '/';
	at = add_number(path + length + 1, tid);
	memcpy(at, "/stat", sizeof("/stat"));
	got = read_file(path, text, sizeof(text));
	/* The state is behind the name, the last that is in brackets, whatever it has in it. */
	for (long i = got - 3; i > 0; i--)
		if (text[i] == ')')
			return text[i + 1] == ' ' ? text[i + 2] : 0;
	return 0;
}

/* Not kill(): that asks for a process, and the thread may be any. The first one of a process that
 * was killed is there, as a zombie, until its parent waits for it. */
bool vpmu_thread_ended(uint32_t tid)
{
	char state;

	if (vpmu_syscall(SYS_tkill, tid, 0) == -ESRCH)
		return true;
	state = vpmu_thread_doing("/proc", tid);
	return state == 'Z' || state == 'X';
}
