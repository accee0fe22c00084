// SPDX-License-Identifier: MIT
/* A library by which a file of the state directory cannot be read. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	char link[64], path[4096] = "";
	ssize_t (*next)(int, void *, size_t, off_t);

	*(void **)&next = dlsym(RTLD_NEXT, "pread");
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, path, sizeof(path) - 1) < 0 || !strstr(path, "package-0.skl_unc"))
		return next(fd, to, n, at);
	errno = EIO;
	return -1;
}
