// SPDX-License-Identifier: MIT
/* Counts the machine's device files by functions of libc that open files without calling open(). */
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int devices;
static int count(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)flag, (void)ftw;
	devices += S_ISCHR(st->st_mode) && strstr(path, "/msr");
	return 0;
}

int main(void)
{
	int fd = open("/dev/cpu/3/msr", O_RDONLY);
	uint64_t v = 0;
	glob_t g;

	nftw("/dev/cpu", count, 4, FTW_PHYS);
	printf("%d", (int)pread(fd, &v, 8, 0x396));
	return printf(" %d, %zu cpus, %d devices\n", (int)v,
		      glob("/dev/cpu/[0-9]*", 0, NULL, &g) ? 0 : g.gl_pathc, devices) < 0;
}
