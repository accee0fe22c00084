/* SPDX-License-Identifier: MIT */
#include "note.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "environment.h"

static bool is_it(int fd, unsigned long long device, unsigned long long inode)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_dev == device && st.st_ino == inode;
}

/* Programs close descriptors that they do not know: then through the process that has it, too. */
void job_note(enum job_note what)
{
	const char *text = secure_getenv(ENV_NOTE), yes = 1;
	unsigned long long device, inode;
	char path[64];
	int pid, fd;

	if (!text || sscanf(text, "%d:%d:%llu:%llu", &pid, &fd, &device, &inode) != 4)
		return;
	if (is_it(fd, device, inode)) {
		(void)!pwrite(fd, &yes, 1, what);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return;
	if (is_it(fd, device, inode))
		(void)!pwrite(fd, &yes, 1, what);
	close(fd);
}
