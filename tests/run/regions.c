// SPDX-License-Identifier: MIT
/* Marks regions in one of many ways, right and wrong: regions WAY [NUMBER]. */
#include <ipmu_region.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char array[32 << 20];

/* Executes a loop of two instructions a turn. */
static void turns(unsigned long n)
{
	if (n)
		__asm__ volatile("1: dec %0\n jnz 1b" : "+r"(n));
}

static void *thread(void *n)
{
	ipmu_region_begin("threads");
	turns((unsigned long)n);
	if ((unsigned long)n != 3000)
		ipmu_region_end("threads");
	return NULL;
}

static void empty(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		ipmu_region_begin("empty");
		ipmu_region_end("empty");
		__asm__ volatile("" ::: "memory");
	}
}

static void none(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	const char *what = argv[1];
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (!strcmp(what, "empty")) {
		empty(n);
	} else if (!strcmp(what, "none")) {
		none(n);
	} else if (!strcmp(what, "nested")) {
		turns(1000000);
		ipmu_region_begin("outer");
		turns(2000000);
		ipmu_region_begin("inner");
		turns(3000000);
		ipmu_region_end("inner");
		ipmu_region_end("outer");
		turns(4000000);
	} else if (!strcmp(what, "sweep")) {
		ipmu_region_begin("sweep");
		for (size_t i = 0; i < sizeof(array); i += 64)
			((volatile char *)array)[i];
		ipmu_region_end("sweep");
	} else if (!strcmp(what, "threads")) {
		pthread_t t[3];

		for (unsigned long i = 0; i < 3; i++)
			pthread_create(&t[i], NULL, thread, (void *)((i + 1) * 1000));
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
	} else if (!strcmp(what, "wrong")) {
		char name[300];

		printf("%d", ipmu_region_end("never"));
		printf(" %d", ipmu_region_begin("one"));
		printf(" %d", ipmu_region_end("other"));
		printf(" %d", ipmu_region_end("one"));
		printf(" %d", ipmu_region_begin(NULL));
		printf(" %d", ipmu_region_end(""));
		memset(name, 'x', sizeof(name) - 1);
		name[sizeof(name) - 1] = '\0';
		printf(" %d", ipmu_region_begin(name));
		printf(" %d\n", ipmu_region_end(name));
	} else if (!strcmp(what, "names")) {
		char name[300];

		while (fgets(name, sizeof(name), stdin)) {
			name[strcspn(name, "\n")] = '\0';
			ipmu_region_begin(name);
			ipmu_region_end(name);
		}
	} else if (!strcmp(what, "many")) {
		int full = 0;

		for (unsigned long i = 0; i < n; i++) {
			char name[32];

			snprintf(name, sizeof(name), "region %lu", i);
			full += ipmu_region_begin(name) == -ENOSPC;
			full += ipmu_region_end(name) == -ENOSPC;
		}
		printf("%d\n", full);
	} else if (!strcmp(what, "fork")) {
		ipmu_region_begin("parent");
		if (!fork()) {
			int rc = ipmu_region_end("parent");

			ipmu_region_begin("child");
			turns(1000000);
			ipmu_region_end("child");
			_exit(rc != -ENOENT);
		}
		int status;

		wait(&status);
		ipmu_region_end("parent");
		printf("%d\n", WEXITSTATUS(status));
	} else if (!strcmp(what, "killed")) {
		ipmu_region_begin("killed");
		turns(1000000);
		raise(9);
	} else if (!strcmp(what, "closes")) {
		ipmu_region_begin("closes");
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
		printf("%d", ipmu_region_end("closes"));
		n = (unsigned long)ipmu_region_begin("again");
		turns(1000000);
		printf(" %lu %d\n", n, ipmu_region_end("again"));
	}
	return 0;
}
