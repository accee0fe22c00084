// SPDX-License-Identifier: MIT
/* Opens devices of registers by paths that do not name them. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned int expected;

/* The machine's CPUID, or an error. */
static void cpuid(const char *how, int fd)
{
	unsigned int r[4] = { 0 };
	ssize_t n = fd < 0 ? -1 : pread(fd, r, sizeof(r), 1);

	printf("%s: %s\n", how,
	       n < 0			     ? "error"
	       : n == 16 && r[0] == expected ? "virtual"
					     : "WRONG");
}

/* Physical memory cannot be read on the machine. */
static void mem(const char *how, int fd)
{
	char byte;
	ssize_t n = fd < 0 ? -1 : pread(fd, &byte, 1, 0);

	printf("%s: %s\n", how, n < 0 ? errno == EPERM ? "virtual" : "error" : "WRONG");
}

static int beneath(const char *folder, const char *path)
{
	struct open_how how = { .flags = O_RDONLY, .resolve = RESOLVE_BENEATH };

	return (int)syscall(SYS_openat2, open(folder, O_PATH | O_DIRECTORY), path, &how,
			    sizeof(how));
}

static void in_jail(void)
{
	if (chroot("jail"))
		perror("chroot");
	cpuid("chroot, absolute", open("/dev/cpu/0/cpuid", O_RDWR));
	mem("chroot, absolute, mem", open("/dev/mem", O_RDWR));
	if (chdir("/"))
		perror("chdir");
	cpuid("chroot, relative", open("dev/cpu/0/cpuid", O_RDWR));
	cpuid("chroot, dotted", open("./dev/cpu/0/cpuid", O_RDWR));
	mem("chroot, relative, mem", open("dev/mem", O_RDWR));
}

int main(int argc, char **argv)
{
	char path[64];
	int fd, ok;

	if (argc < 2)
		return 2;
	expected = (unsigned int)strtoul(argv[1], NULL, 16);
	setvbuf(stdout, NULL, _IONBF, 0);
	cpuid("absolute", open("/dev/cpu/0/cpuid", O_RDWR));
	mem("absolute, mem", open("/dev/mem", O_RDWR));
	cpuid("inherited", 9);
	mem("inherited, mem", 8);
	cpuid("bind mount", open("jail/dev/cpu/0/cpuid", O_RDWR));
	mem("bind mount, mem", open("jail/dev/mem", O_RDWR));
	cpuid("openat2", beneath("jail", "dev/cpu/0/cpuid"));
	cpuid("link to the bind mount", open("link/cpu/0/cpuid", O_RDWR));
	cpuid("its own node", open("node", O_RDWR));
	cpuid("its own node, to write", open("node", O_WRONLY | O_CREAT | O_TRUNC, 0600));
	mem("its own node, mem", open("node.mem", O_RDWR));
	cpuid("a node of no such CPU", open("node.far", O_RDWR));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", open("node", O_PATH));
	cpuid("/proc/self/fd", open(path, O_RDWR));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", open("node.mem", O_PATH));
	mem("/proc/self/fd, mem", open(path, O_RDWR));
	ok = chdir("jail/dev/cpu");
	cpuid("from within the bind mount", ok ? -1 : open("0/cpuid", O_RDWR));
	ok = ok || chdir("../../..");
	fflush(stdout);
	if (!fork()) {
		in_jail();
		_exit(0);
	}
	wait(NULL);
	/* truncate(2), ftruncate(2): EINVAL for what is no regular file. */
	fd = open("/dev/cpu/0/msr", O_RDWR);
	printf("truncate %d, ", truncate("/dev/cpu/0/msr", 100) ? errno : 0);
	printf("ftruncate %d\n", ftruncate(fd, 100) ? errno : 0);
	return ok;
}
