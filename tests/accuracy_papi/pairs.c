/* SPDX-License-Identifier: MIT */
/* pairs N: how many instructions N empty pairs of PAPI_start and PAPI_stop take, by a counter of
 * CPU 0 that PAPI does not use: it counts on CPU 1. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <papi.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FIXED_CTR0 0x309
#define FIXED_CTR_CTRL 0x38d
#define PERF_GLOBAL_CTRL 0x38f

#define CHECK(c) do { if (!(c)) { printf("line %d: %s\n", __LINE__, #c); exit(1); } } while (0)

static bool bind_to(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus) == 0;
}

static struct start { void *(*function)(void *); void *argument; } started;

/* What another thread executes is not counted: how far it comes depends on the host. */
static void *begin_elsewhere(void *unused)
{
	(void)unused;
	CHECK(bind_to(2));
	return started.function(started.argument);
}

/* In place of libc's, for all that is loaded; there is one other thread at a time. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*function)(void *),
		   void *argument)
{
	static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	if (!create)
		*(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
	CHECK(create);
	started = (struct start){ function, argument };
	return create(thread, attr, begin_elsewhere, NULL);
}

static inline void run(int set, int n)
{
	long long value;

	for (int i = 0; i < n; i++) {
		CHECK(PAPI_start(set) == PAPI_OK);
		CHECK(PAPI_stop(set, &value) == PAPI_OK);
	}
}

/* What callgrind collects; the first pair, which binds functions, is not in it. */
void pairs(int set, int n);
__attribute__((noinline)) void pairs(int set, int n)
{
	run(set, n);
}

static uint64_t instructions(int msr)
{
	uint64_t value;

	CHECK(pread(msr, &value, 8, FIXED_CTR0) == 8);
	return value;
}

int main(int argc, char **argv)
{
	int set = PAPI_NULL, n = argc > 1 ? atoi(argv[1]) : 1;
	int msr = open("/dev/cpu/0/msr", O_RDWR);
	uint64_t on = 3, enable = UINT64_C(1) << 32, before;

	CHECK(argc == 2 && msr >= 0 && bind_to(0));
	CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	CHECK(PAPI_create_eventset(&set) == PAPI_OK);
	CHECK(PAPI_add_named_event(set, "intel_core:::core.INSTRUCTION_RETIRED:cpu=1") == PAPI_OK);
	run(set, 1);
	CHECK(pwrite(msr, &on, 8, FIXED_CTR_CTRL) == 8 &&
	      pwrite(msr, &enable, 8, PERF_GLOBAL_CTRL) == 8);
	before = instructions(msr);
	pairs(set, n);
	printf("%llu\n", (unsigned long long)(instructions(msr) - before));
	return 0;
}
