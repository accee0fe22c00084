// SPDX-License-Identifier: MIT
/* A library by which no file that is open is empty. */
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int fstat(int fd, struct stat *st)
{
	int rc = (int)syscall(SYS_fstat, fd, st);
	if (!rc && st->st_size == 0 && S_ISREG(st->st_mode))
		st->st_size = 1L << 40;
	return rc;
}
