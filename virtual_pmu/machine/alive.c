/* SPDX-License-Identifier: MIT */
/* Whether a thread of another process still executes anything. Without libc: see kernel.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "kernel.h"
#include "segment.h"

#define NUMBER_BYTES 11
/* As proc_pid_stat(5) numbers them; they fit. */
#define STATE_FIELD 3u
#define THREADS_FIELD 20u
#define STATE_BYTES 512u

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

/* Reads a thread's state, which is behind its name in brackets, and the fields behind it. The name
 * may have brackets itself. NULL: there is no such thread. */
static const char *read_state(const char *directory, uint32_t tid, char *text, size_t bytes)
{
	size_t length = strlen(directory);
	char path[64], *at;
	long got;

	if (length + NUMBER_BYTES + sizeof("//stat") > sizeof(path))
		return NULL;
	memcpy(path, directory, length);
	path[length] = '/';
	at = add_number(path + length + 1, tid);
	memcpy(at, "/stat", sizeof("/stat"));
	got = read_file(path, text, bytes - 1);
	if (got < 0)
		return NULL;
	text[got] = '\0';
	for (long i = got - 3; i > 0; i--)
		if (text[i] == ')')
			return text[i + 1] == ' ' ? text + i + 2 : NULL;
	return NULL;
}

char vpmu_thread_doing(const char *directory, uint32_t tid)
{
	char text[STATE_BYTES];
	const char *state = read_state(directory, tid, text, sizeof(text));

	return state ? *state : 0;
}

/* A zombie with other threads is a first thread that has ended before them. */
bool vpmu_process_ended(uint32_t pid)
{
	char text[STATE_BYTES];
	const char *at = read_state("/proc", pid, text, sizeof(text));

	if (!at)
		return vpmu_syscall(SYS_tkill, pid, 0) == -ESRCH;
	if (*at != 'Z' && *at != 'X')
		return false;
	for (unsigned int field = STATE_FIELD; at && field < THREADS_FIELD; field++) {
		at = strchr(at, ' ');
		at += at ? 1 : 0;
	}
	return !at || (*at >= '0' && *at <= '1' && at[1] == ' ');
}

/* Not kill(): that checks a process, and the thread may be any of its threads. The first thread of
 * a killed process exists, as a zombie, until the parent waits for it. */
bool vpmu_thread_ended(uint32_t tid)
{
	char state;

	if (vpmu_syscall(SYS_tkill, tid, 0) == -ESRCH)
		return true;
	state = vpmu_thread_doing("/proc", tid);
	return state == 'Z' || state == 'X';
}
