/* SPDX-License-Identifier: MIT */
/* pairs N: how many instructions N empty pairs of PAPI_start and PAPI_stop take, by a counter of
 * CPU 0 that PAPI does not use: it counts on CPU 1. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <papi.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FIXED_CTR0 0x309
#define FIXED_CTR_CTRL 0x38d
#define PERF_GLOBAL_CTRL 0x38f

#define CHECK(c) do { if (!(c)) { printf("line %d: %s\n", __LINE__, #c); exit(1); } } while (0)

static cpu_set_t only(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return cpus;
}

/* In place of libc's, for all that is loaded. What another thread executes is not counted, as how
 * far it comes depends on the host. libc binds the thread before it does anything else: since 2.41
 * its own beginning takes 650 instructions. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*function)(void *),
		   void *argument)
{
	static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	const cpu_set_t cpus = only(2);
	pthread_attr_t elsewhere;
	size_t stack;
	int rc;

	if (!create)
		*(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
	CHECK(create && !pthread_attr_init(&elsewhere));
	CHECK(!attr || (!pthread_attr_getstacksize(attr, &stack) &&
			!pthread_attr_setstacksize(&elsewhere, stack)));
	CHECK(!pthread_attr_setaffinity_np(&elsewhere, sizeof(cpus), &cpus));
	rc = create(thread, &elsewhere, function, argument);
	CHECK(!pthread_attr_destroy(&elsewhere));
	return rc;
}

static inline void run(int set, int n)
{
	long long value;

	for (int i = 0; i < n; i++) {
		CHECK(PAPI_start(set) == PAPI_OK);
		CHECK(PAPI_stop(set, &value) == PAPI_OK);
	}
}

/* Pairs in which callgrind collects; the first pair, which binds functions, is made before. */
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
	const cpu_set_t cpus = only(0);

	CHECK(argc == 2 && msr >= 0 && !sched_setaffinity(0, sizeof(cpus), &cpus));
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
