// SPDX-License-Identifier: MIT
/* Prints random numbers, addresses or the size of memory, as the program sees them. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long draw(void)
{
	unsigned long n = 0;

	return syscall(SYS_getrandom, &n, sizeof(n), 0) == sizeof(n) ? n : 0;
}

static long fails(void *to, size_t bytes, unsigned flags)
{
	return syscall(SYS_getrandom, to, bytes, flags) < 0 ? errno : 0;
}

static void drawn(const char *path)
{
	unsigned long a = 0, b = 0;
	struct iovec two[] = { { &a, 8 }, { &b, 8 } };
	int fd = open(path, O_RDWR);

	printf("%zd ", readv(fd, two, 2));
	printf("%016lx\n%016lx\n", a, b);
	printf("%zd\n", write(fd, "x", 1));
	close(fd);
}

static void children(char *self)
{
	for (int i = 0; i < 3; i++) {
		fflush(stdout);
		if (!fork()) {
			printf("%016lx\n", draw());
			fflush(stdout);
			if (i == 2)
				execl(self, self, "one", (char *)NULL);
			_exit(0);
		}
		wait(NULL);
	}
	printf("%016lx\n", draw());
}

#define BYTES (1ul << 20)

/* Memory at this address, unless something is there. */
static void *suggest(void *address)
{
	return mmap(address, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	struct sysinfo info;
	unsigned long n;

	if (!strcmp(how, "memory")) {
		sysinfo(&info);
		printf("%lu %lu\n", info.totalram / info.mem_unit / 1024,
		       info.freeram / info.mem_unit / 1024);
	} else if (!strcmp(how, "one")) {
		memcpy(&n, (void *)getauxval(AT_RANDOM), sizeof(n));
		printf("%016lx\n%016lx\n", n, draw());
	} else if (!strcmp(how, "errors")) {
		printf("%ld %ld ", fails(&n, 8, 8), fails(&n, 8, 2 | 4));
		printf("%ld %ld\n", fails(NULL, 8, 0), fails(&n, 0, 0));
	} else if (!strcmp(how, "devices")) {
		drawn("/dev/urandom");
		drawn("/dev/random");
	} else if (!strcmp(how, "addresses")) {
		void *lowest = sbrk(0);

		printf("%p %p %p %p\n", (void *)argv, (void *)(uintptr_t)main, lowest,
		       malloc(1 << 20));
	} else if (!strcmp(how, "suggested")) {
		void *page = (void *)((uintptr_t)main & ~4095ul), *room = suggest(NULL);

		printf("%p", suggest(page));
		munmap(room, BYTES);
		printf(" %s", suggest(room) == room ? "there" : "elsewhere");
		printf(" %s\n", suggest((char *)room + 1) == room ? "over it" : "elsewhere");
	} else {
		children(argv[0]);
	}
	return 0;
}
