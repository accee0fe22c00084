/* SPDX-License-Identifier: MIT */
/* The virtual CPUs: where a thread runs and may run, also as /proc/self/status has it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"
#include "system.h"

static struct vpmu_thread *make(uint32_t tid, uint32_t parent)
{
	struct vpmu_segment *s = vpmu_system.segment;

	if (vpmu_system.memory->native || vpmu_system.left_out)
		return vpmu_thread_slot(s, tid, parent);
	return vpmu_thread_begin(s, tid, parent, 0);
}

/* Threads that a program has just made have no slot before they execute something, and libc binds
 * them sooner. */
struct vpmu_thread *vpmu_cpus_thread(int64_t tid)
{
	struct vpmu_segment *s = vpmu_system.segment;
	uint32_t self = vpmu_gettid(), of = tid ? (uint32_t)tid : self;
	struct vpmu_thread *t = vpmu_thread_find(s, of);
	pid_t leader = getpid();

	if (t)
		return t;
	if (of == self)
		return make(of, (uint32_t)((uint32_t)leader == of ? getppid() : leader));
	return syscall(SYS_tgkill, leader, (pid_t)of, 0) ? NULL : make(of, self);
}

static int64_t get_cpu(uint64_t cpu_at, uint64_t node_at)
{
	const struct vpmu_machine *m = &vpmu_system.segment->machine;
	const struct vpmu_thread *t = vpmu_cpus_thread(0);
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

/* The kernel returns the number of bytes that it has written. */
static int64_t get_mask(int64_t tid, uint64_t bytes, uint64_t address)
{
	const struct vpmu_thread *t = vpmu_cpus_thread(tid);
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
	struct vpmu_thread *t = vpmu_cpus_thread(tid);
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

/* ---- /proc/self/status ---- */

#define WORDS (VPMU_CPUS_MAX / 64)

static bool has(const uint64_t *mask, uint32_t bit)
{
	return bit < WORDS * 64 && mask[bit / 64] >> bit % 64 & 1;
}

/* As the kernel writes a mask of so many bits: words of 32 bits, the highest first. */
static void put_mask(FILE *to, const uint64_t *mask, uint32_t bits)
{
	for (uint32_t word = (bits + 31) / 32; word--;)
		fprintf(to, "%08x%s", (uint32_t)(mask[word / 2] >> word % 2 * 32), word ? "," : "");
}

static void put_list(FILE *to, const uint64_t *mask, uint32_t bits)
{
	const char *before = "";

	for (uint32_t first = 0, last; first < bits; first = last + 1) {
		last = first;
		if (!has(mask, first))
			continue;
		while (last + 1 < bits && has(mask, last + 1))
			last++;
		fprintf(to, first == last ? "%s%u" : "%s%u-%u", before, first, last);
		before = ",";
	}
}

bool vpmu_system_status_line(const char *line, char *to, uint64_t room)
{
	const struct vpmu_machine *m = &vpmu_system.segment->machine;
	const struct vpmu_thread *t = vpmu_cpus_thread(0);
	bool cpus = !strncmp(line, "Cpus_allowed", 12), nodes = !strncmp(line, "Mems_allowed", 12);
	uint32_t bits = cpus ? vpmu_machine_cpus(m) : vpmu_machine_nodes(m);
	uint64_t mask[WORDS] = { (UINT64_C(1) << vpmu_machine_nodes(m)) - 1 };
	bool list = strchr(line, '_') != strrchr(line, '_');
	FILE *out;

	if (!(cpus && t) && !nodes)
		return false;
	if (cpus)
		memcpy(mask, t->affinity, sizeof(mask));
	out = fmemopen(to, room, "w");
	if (!out)
		return false;
	fprintf(out, "%.12s%s:\t", line, list ? "_list" : "");
	(list ? put_list : put_mask)(out, mask, bits);
	fputc('\n', out);
	return !fclose(out);
}
