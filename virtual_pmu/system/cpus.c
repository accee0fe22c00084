/* SPDX-License-Identifier: MIT */
/* The virtual CPUs: where a thread runs and may run. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"
#include "system.h"

/* NULL: no such thread on the machine. Threads that a program has just made have no slot before
 * they execute something, and libc binds them sooner. */
static struct vpmu_thread *slot_of(int64_t tid)
{
	struct vpmu_segment *s = vpmu_system.segment;
	uint32_t self = vpmu_gettid(), of = tid ? (uint32_t)tid : self;
	struct vpmu_thread *t = vpmu_thread_find(s, of);
	pid_t leader = getpid();

	if (t)
		return t;
	if (of == self)
		return vpmu_thread_slot(s, of, (uint32_t)((uint32_t)leader == of ? getppid() :
									  leader));
	return syscall(SYS_tgkill, leader, (pid_t)of, 0) ? NULL : vpmu_thread_slot(s, of, self);
}

static int64_t get_cpu(uint64_t cpu_at, uint64_t node_at)
{
	const struct vpmu_machine *m = &vpmu_system.segment->machine;
	const struct vpmu_thread *t = slot_of(0);
	uint32_t cpu = t ? __atomic_load_n(&t->cpu, __ATOMIC_RELAXED) : 0, *at;

	at = cpu_at ? vpmu_system.memory->memory(cpu_at, sizeof(*at), true) : &(uint32_t){ 0 };
	if (!at)
		return -EFAULT;
	*at = cpu;
	at = node_at ? vpmu_system.memory->memory(node_at, sizeof(*at), true) : &(uint32_t){ 0 };
	if (!at)
		return -EFAULT;
	*at = m->one_node ? 0 : vpmu_cpu_package(m, cpu);
	return 0;
}

/* The kernel gives the number of bytes that it has written. */
static int64_t get_mask(int64_t tid, uint64_t bytes, uint64_t address)
{
	const struct vpmu_thread *t = slot_of(tid);
	size_t size = bytes < sizeof(t->affinity) ? bytes : sizeof(t->affinity);
	void *at;

	if (bytes * 8 < vpmu_machine_cpus(&vpmu_system.segment->machine) || bytes % 8)
		return -EINVAL;
	if (!t)
		return -ESRCH;
	at = vpmu_system.memory->memory(address, size, true);
	if (!at)
		return -EFAULT;
	memcpy(at, t->affinity, size);
	return (int64_t)size;
}

static int64_t set_mask(int64_t tid, uint64_t bytes, uint64_t address)
{
	uint64_t mask[VPMU_CPUS_MAX / 64] = { 0 };
	struct vpmu_thread *t = slot_of(tid);
	size_t size = bytes < sizeof(mask) ? bytes : sizeof(mask);
	const void *at = vpmu_system.memory->memory(address, size, false);

	if (!at)
		return -EFAULT;
	if (!t)
		return -ESRCH;
	memcpy(mask, at, size);
	return vpmu_thread_bind(vpmu_system.segment, t, mask, sizeof(mask) / sizeof(mask[0]));
}

bool vpmu_cpus_before(int64_t number, const int64_t a[6], int64_t *answer)
{
	switch (number) {
	case SYS_getcpu:
		*answer = get_cpu((uint64_t)a[0], (uint64_t)a[1]);
		break;
	case SYS_sched_getaffinity:
		*answer = get_mask(a[0], (uint64_t)a[1], (uint64_t)a[2]);
		break;
	case SYS_sched_setaffinity:
		*answer = set_mask(a[0], (uint64_t)a[1], (uint64_t)a[2]);
		break;
	default:		/* perf_event_open: the host's PMU is not this machine's */
		*answer = -ENOENT;
	}
	return true;
}
