// SPDX-License-Identifier: MIT
/* A library that makes open files whose name begins with $OLD 100 seconds older. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int fstat(int fd, struct stat *st)
{
	char link[64], path[4096] = "";
	int rc = (int)syscall(SYS_fstat, fd, st);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, path, sizeof(path) - 1) > 0 && strstr(path, getenv("OLD")))
		st->st_ctime -= 100;
	return rc;
}
