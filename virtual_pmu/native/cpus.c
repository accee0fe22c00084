/* SPDX-License-Identifier: MIT */
/* Functions of libc about CPUs, answered for the virtual machine: where a thread runs and may run,
 * and how many CPUs there are. pthread_create() is here for the affinity of new threads, which libc
 * would pass to the kernel. Masks that programs give or see are of virtual CPUs. Locks are taken in
 * native_call(). */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "native.h"

NATIVE_EXPORT int getcpu(unsigned int *cpu, unsigned int *node)
{
	struct native_call c = NATIVE_CALL(SYS_getcpu, cpu, node);

	return (int)native_call(&c);
}

NATIVE_EXPORT int sched_getcpu(void)
{
	unsigned int cpu = 0;

	return getcpu(&cpu, NULL) ? -1 : (int)cpu;
}

/* The kernel returns the number of bytes that it has written, libc's function 0. */
NATIVE_EXPORT int sched_getaffinity(pid_t tid, size_t bytes, cpu_set_t *set)
{
	struct native_call c = NATIVE_CALL(SYS_sched_getaffinity, tid, bytes, set);
	long n = native_call(&c);

	if (n < 0)
		return -1;
	memset((char *)set + n, 0, bytes - (size_t)n);
	return 0;
}

NATIVE_EXPORT int sched_setaffinity(pid_t tid, size_t bytes, const cpu_set_t *set)
{
	struct native_call c = NATIVE_CALL(SYS_sched_setaffinity, tid, bytes, set);

	return (int)native_call(&c);
}

/* A thread's CPU-time clock id holds its thread id, in Linux's own encoding. */
static pid_t tid_of(pthread_t thread)
{
	clockid_t clock;

	if (pthread_equal(thread, pthread_self()))
		return 0;
	if (pthread_getcpuclockid(thread, &clock))
		return -1;
	return (pid_t)~(clock >> 3);
}

NATIVE_EXPORT int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t *set)
{
	int saved = errno, rc = sched_getaffinity(tid_of(thread), bytes, set) ? errno : 0;

	errno = saved;
	return rc;
}

NATIVE_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *set)
{
	int saved = errno, rc = sched_setaffinity(tid_of(thread), bytes, set) ? errno : 0;

	errno = saved;
	return rc;
}

#define NUMBER_OF_CPUS(name) \
	NEXT_SLOT(name) \
	NATIVE_EXPORT int name(void) \
	{ \
		struct vpmu_segment *s = native_machine(); \
		return s ? (int)vpmu_machine_cpus(&s->machine) : NEXT(name)(); \
	}
NUMBER_OF_CPUS(get_nprocs)
NUMBER_OF_CPUS(get_nprocs_conf)

NEXT_SLOT(sysconf)
NATIVE_EXPORT long sysconf(int name)
{
	return name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF ? get_nprocs() :
									     NEXT(sysconf)(name);
}

/* ---- new threads: they inherit their creator's mask, or have one in their attributes ---- */

NEXT_SLOT(pthread_create)

struct birth { void *(*run)(void *), *argument; cpu_set_t set; };

static void *be_born(void *argument)
{
	struct birth birth = *(struct birth *)argument;

	free(argument);
	sched_setaffinity(0, sizeof(birth.set), &birth.set);
	return birth.run(birth.argument);
}

/* libc would bind the new thread to the host's CPUs of these numbers. */
static bool take_attribute_mask(pthread_attr_t *attributes, cpu_set_t *set)
{
	cpu_set_t bits, all;

	if (!attributes || pthread_attr_getaffinity_np(attributes, sizeof(bits), &bits))
		return false;
	memset(&all, 0xff, sizeof(all));	/* glibc's answer when none has been set */
	if (!memcmp(&bits, &all, sizeof(bits)))
		return false;
	*set = bits;
	return pthread_attr_setaffinity_np(attributes, 0, &bits) == 0;	/* 0 bytes: none */
}

NATIVE_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
				 void *(*run)(void *), void *argument)
{
	struct birth *birth = native_machine() ? malloc(sizeof(*birth)) : NULL;
	pthread_attr_t *lent = (pthread_attr_t *)(uintptr_t)attributes;
	cpu_set_t set;
	bool lent_mask;
	int rc;

	if (!birth)
		return NEXT(pthread_create)(thread, attributes, run, argument);
	lent_mask = take_attribute_mask(lent, &set);
	if (!lent_mask && sched_getaffinity(0, sizeof(set), &set))
		CPU_ZERO(&set);
	*birth = (struct birth){ run, argument, set };
	/* From here on `birth` is the new thread's, which frees it. */
	rc = NEXT(pthread_create)(thread, attributes, be_born, birth);
	if (rc)
		free(birth);
	if (lent_mask)
		pthread_attr_setaffinity_np(lent, sizeof(set), &set);
	return rc;
}
