/* SPDX-License-Identifier: MIT */
/* The virtual CPUs: where a thread runs and may run, and how many CPUs there are. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "inside.h"
#include "shim.h"

NEXT_SLOT(sched_getcpu)
NEXT_SLOT(getcpu)
NEXT_SLOT(sched_getaffinity)
NEXT_SLOT(sched_setaffinity)
NEXT_SLOT(pthread_getaffinity_np)
NEXT_SLOT(pthread_setaffinity_np)
NEXT_SLOT(get_nprocs)
NEXT_SLOT(get_nprocs_conf)
NEXT_SLOT(sysconf)
NEXT_SLOT(pthread_create)

static _Thread_local struct vpmu_thread *my_slot __attribute__((tls_model("initial-exec")));

/* The slot of the calling thread. It is looked up again after a fork (another thread id), and
 * when it has been freed. */
static struct vpmu_thread *slot_of_caller(struct vpmu_segment *s)
{
	uint32_t tid = vpmu_gettid();
	struct vpmu_thread *t = my_slot;
	struct shim_guard guard;

	if (t && __atomic_load_n(&t->tid, __ATOMIC_RELAXED) == tid)
		return t;
	t = vpmu_thread_find(s, tid);
	if (!t) {
		pid_t leader = getpid();

		shim_enter(s, &guard);
		t = vpmu_thread_slot(s, tid, (uint32_t)((uint32_t)leader == tid ? getppid() :
								      leader));
		shim_leave(s, &guard);
	}
	my_slot = t;
	return t;
}

/* NULL with errno: no such thread, or no slot for it. */
static struct vpmu_thread *slot_of(struct vpmu_segment *s, pid_t tid)
{
	struct vpmu_thread *t;

	if (tid == 0 || (uint32_t)tid == vpmu_gettid())
		t = slot_of_caller(s);
	else
		t = vpmu_thread_find(s, (uint32_t)tid);
	if (!t)
		errno = ESRCH;
	return t;
}

/* The thread id inside a thread's CPU-time clock id is Linux's own encoding of such clocks. */
static pid_t tid_of(pthread_t thread)
{
	clockid_t clock;

	if (pthread_equal(thread, pthread_self()))
		return 0;
	if (pthread_getcpuclockid(thread, &clock))
		return -1;
	return (pid_t)~(clock >> 3);
}

static int current_cpu(struct vpmu_segment *s)
{
	const struct vpmu_thread *t = slot_of_caller(s);

	return t ? (int)__atomic_load_n(&t->cpu, __ATOMIC_RELAXED) : 0;
}

SHIM_EXPORT int sched_getcpu(void)
{
	struct vpmu_segment *s = shim_machine();

	return s ? current_cpu(s) : NEXT(sched_getcpu)();
}

SHIM_EXPORT int getcpu(unsigned int *cpu, unsigned int *node)
{
	struct vpmu_segment *s = shim_machine();

	if (!s)
		return NEXT(getcpu)(cpu, node);
	if (cpu)
		*cpu = (unsigned int)current_cpu(s);
	if (node)
		*node = s->machine.one_node ? 0 : vpmu_cpu_package(&s->machine,
								   (uint32_t)current_cpu(s));
	return 0;
}

static int get_mask(struct vpmu_segment *s, pid_t tid, size_t bytes, cpu_set_t *set)
{
	const struct vpmu_thread *t = slot_of(s, tid);

	if (!t)
		return -1;
	if (bytes * 8 < vpmu_machine_cpus(&s->machine)) {
		errno = EINVAL;
		return -1;
	}
	memset(set, 0, bytes);
	memcpy(set, t->affinity, bytes < sizeof(t->affinity) ? bytes : sizeof(t->affinity));
	return 0;
}

static int set_mask(struct vpmu_segment *s, pid_t tid, size_t bytes, const cpu_set_t *set)
{
	uint64_t mask[VPMU_CPUS_MAX / 64] = { 0 };
	struct vpmu_thread *t = slot_of(s, tid);
	struct shim_guard guard;
	int rc;

	if (!t)
		return -1;
	memcpy(mask, set, bytes < sizeof(mask) ? bytes : sizeof(mask));
	shim_enter(s, &guard);
	rc = vpmu_thread_bind(s, t, mask, sizeof(mask) / sizeof(mask[0]));
	shim_leave(s, &guard);
	if (rc)
		errno = -rc;
	return rc ? -1 : 0;
}

SHIM_EXPORT int sched_getaffinity(pid_t tid, size_t bytes, cpu_set_t *set)
{
	struct vpmu_segment *s = shim_machine();

	return s ? get_mask(s, tid, bytes, set) : NEXT(sched_getaffinity)(tid, bytes, set);
}

SHIM_EXPORT int sched_setaffinity(pid_t tid, size_t bytes, const cpu_set_t *set)
{
	struct vpmu_segment *s = shim_machine();

	return s ? set_mask(s, tid, bytes, set) : NEXT(sched_setaffinity)(tid, bytes, set);
}

SHIM_EXPORT int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t *set)
{
	struct vpmu_segment *s = shim_machine();
	int saved = errno, rc;

	if (!s)
		return NEXT(pthread_getaffinity_np)(thread, bytes, set);
	rc = get_mask(s, tid_of(thread), bytes, set) ? errno : 0;
	errno = saved;
	return rc;
}

SHIM_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *set)
{
	struct vpmu_segment *s = shim_machine();
	int saved = errno, rc;

	if (!s)
		return NEXT(pthread_setaffinity_np)(thread, bytes, set);
	rc = set_mask(s, tid_of(thread), bytes, set) ? errno : 0;
	errno = saved;
	return rc;
}

SHIM_EXPORT int get_nprocs(void)
{
	struct vpmu_segment *s = shim_machine();

	return s ? (int)vpmu_machine_cpus(&s->machine) : NEXT(get_nprocs)();
}

SHIM_EXPORT int get_nprocs_conf(void)
{
	struct vpmu_segment *s = shim_machine();

	return s ? (int)vpmu_machine_cpus(&s->machine) : NEXT(get_nprocs_conf)();
}

SHIM_EXPORT long sysconf(int name)
{
	struct vpmu_segment *s = NULL;

	if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF)
		s = shim_machine();
	return s ? (long)vpmu_machine_cpus(&s->machine) : NEXT(sysconf)(name);
}

/* ---- new threads: they inherit their creator's mask, or have one in their attributes ---- */

struct birth {
	void *(*run)(void *);
	void *argument;
	cpu_set_t set;
};

/* Not from malloc, which gives a thread that frees something an arena of its own: that takes longer
 * than all else of a birth. */
static struct birth *birth_new(void)
{
	return shim_map(sizeof(struct birth));
}

static void birth_free(struct birth *birth)
{
	shim_unmap(birth, sizeof(*birth));
}

static void *be_born(void *argument)
{
	struct birth birth = *(struct birth *)argument;

	birth_free(argument);
	sched_setaffinity(0, sizeof(birth.set), &birth.set);
	return birth.run(birth.argument);
}

/* The real pthread_create would try to bind the new thread to real CPUs of these numbers. */
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

SHIM_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			       void *(*run)(void *), void *argument)
{
	struct vpmu_segment *s = shim_machine();
	pthread_attr_t *lent = (pthread_attr_t *)(uintptr_t)attributes;
	struct birth *birth = s ? birth_new() : NULL;
	cpu_set_t set;
	bool lent_mask, masked;
	int rc;

	if (!birth)
		return NEXT(pthread_create)(thread, attributes, run, argument);
	birth->run = run;
	birth->argument = argument;
	lent_mask = take_attribute_mask(lent, &set);
	if (lent_mask)
		birth->set = set;
	masked = lent_mask || get_mask(s, 0, sizeof(birth->set), &birth->set) == 0;
	/* From here on `birth` may belong to the new thread, which frees it. */
	rc = NEXT(pthread_create)(thread, attributes, masked ? be_born : run,
				  masked ? birth : argument);
	if (rc || !masked)
		birth_free(birth);
	if (lent_mask)
		pthread_attr_setaffinity_np(lent, sizeof(set), &set);
	return rc;
}
