/* SPDX-License-Identifier: MIT */
/* Chooses the virtual CPUs on which a program starts. The user names them, or they are what the
 * caller's affinity on the host means on this machine. vpmu_affinity() is the entry point. With
 * `--cpus rank` each rank of a node gets a core of its own, as long as there are cores. A program
 * that is not bound may run on all CPUs, and its mask is empty. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launchers.h"
#include "tool.h"

#define HOST_CPUS 8192			/* as many as Linux can have */

struct host_cpus { uint64_t word[HOST_CPUS / 64]; };

static void mask_set(uint64_t *mask, uint32_t cpu)
{
	mask[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

static bool mask_has(const uint64_t *mask, uint32_t cpu)
{
	return mask[cpu / 64] >> cpu % 64 & 1;
}

static bool is_all(const struct vpmu_machine *m, const struct vpmu_cpus *c)
{
	uint32_t cpu = 0;

	while (cpu < vpmu_machine_cpus(m) && mask_has(c->mask, cpu))
		cpu++;
	return cpu == vpmu_machine_cpus(m);
}

/* ---- options ---- */

long vpmu_first_number(const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *text = getenv(names[i]);

		if (text && *text >= '0' && *text <= '9')
			return strtol(text, NULL, 10);
	}
	return -1;
}

/* Which of a node's ranks this is, from the launcher; -1: no launcher has set it. */
static long local_rank(void)
{
	static const char *const names[] = { LAUNCHER_LOCAL_RANKS };

	return vpmu_first_number(names, sizeof(names) / sizeof(names[0]));
}

/* A core for each rank, and then the cores' next threads. */
static int one_a_rank(const struct vpmu_machine *m, struct vpmu_cpus *out)
{
	uint32_t cores = m->packages * m->cores;
	long rank = local_rank();

	if (rank < 0) {
		vpmu_complain("--cpus rank: the environment does not say which rank of the node "
			      "this is; start it by mpirun, or name the CPUs");
		return VPMU_EXIT_USAGE;
	}
	mask_set(out->mask, vpmu_core_cpu(m, (uint32_t)rank % cores,
				     (uint32_t)rank / cores % m->threads));
	return 0;
}

static bool parse_cpu(const char **text, uint32_t cpus, uint32_t *out)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	unsigned long n = strtoul(*text, &end, 10);
	*text = end;
	*out = (uint32_t)n;
	return !errno && n < cpus;
}

/* "0-3,6" */
static bool parse_list(const char *text, uint32_t cpus, uint64_t *mask)
{
	uint32_t first, last;

	for (;; text++) {
		if (!parse_cpu(&text, cpus, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!parse_cpu(&text, cpus, &last) || last < first)
				return false;
		}
		for (uint32_t cpu = first; cpu <= last; cpu++)
			mask_set(mask, cpu);
		if (*text != ',')
			return !*text;
	}
}

/* ---- the caller's affinity on the host ---- */

static bool host_get(struct host_cpus *out)
{
	memset(out, 0, sizeof(*out));
	return syscall(SYS_sched_getaffinity, 0, sizeof(*out), out) > 0;
}

/* All CPUs that the caller could use: the kernel reduces a request for every CPU to those of the
 * control group. */
static bool host_limit(const struct host_cpus *now, struct host_cpus *out)
{
	struct host_cpus all;

	memset(&all, 0xff, sizeof(all));
	if (syscall(SYS_sched_setaffinity, 0, sizeof(all), &all) || !host_get(out))
		return false;
	return !syscall(SYS_sched_setaffinity, 0, sizeof(*now), now);
}

static size_t print_list(const uint64_t *mask, uint32_t cpus, char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t cpu = 0; cpu < cpus && used < bytes; cpu++) {
		uint32_t last = cpu;

		if (!mask_has(mask, cpu))
			continue;
		while (last + 1 < cpus && mask_has(mask, last + 1))
			last++;
		used += (size_t)snprintf(text + used, bytes - used, last > cpu ? "%s%u-%u" : "%s%u",
					 used ? "," : "", cpu, last);
		cpu = last;
	}
	return used;
}

/* The host's CPUs of the same numbers if the machine has them all; else in order: the nth that the
 * caller could use is the nth of the machine, and from the start again after its last. */
static void map_host(const struct vpmu_machine *m, const struct host_cpus *now,
		     const struct host_cpus *limit, struct vpmu_cpus *out)
{
	uint32_t cpus = vpmu_machine_cpus(m), n = 0;
	char host[256], ours[256];
	bool fits = true;

	for (uint32_t cpu = cpus; cpu < HOST_CPUS; cpu++)
		fits &= !mask_has(now->word, cpu);
	for (uint32_t cpu = 0; cpu < HOST_CPUS; cpu++) {
		if (mask_has(now->word, cpu))
			mask_set(out->mask, fits ? cpu : n % cpus);
		n += mask_has(limit->word, cpu);
	}
	out->bound = !is_all(m, out);
	if (fits || !out->bound)
		return;
	print_list(now->word, HOST_CPUS, host, sizeof(host));
	print_list(out->mask, cpus, ours, sizeof(ours));
	vpmu_complain("%s: the caller's host CPUs %s are virtual CPUs %s; --cpus chooses others",
		      m->name, host, ours);
}

/* A vpmu that a program on the machine has started has a slot already, with the affinity that the
 * machine keeps for it. vpmu itself releases the slot. */
static bool take_slot(struct vpmu_segment *s, struct vpmu_cpus *out)
{
	const struct vpmu_thread *t;
	cpu_set_t unused;

	sched_getaffinity(0, sizeof(unused), &unused);
	t = vpmu_thread_find(s, vpmu_gettid());
	if (!t)
		return false;
	memcpy(out->mask, t->affinity, sizeof(out->mask));
	vpmu_thread_release(s, vpmu_gettid());
	out->bound = !is_all(&s->machine, out);
	return true;
}

int vpmu_affinity(struct vpmu_segment *s, const char *cpus, struct vpmu_cpus *out)
{
	const struct vpmu_machine *m = &s->machine;
	struct host_cpus now, limit;
	bool inside;

	memset(out, 0, sizeof(*out));
	inside = take_slot(s, out);
	if (cpus) {
		*out = (struct vpmu_cpus){ .bound = true };
		if (!strcmp(cpus, "rank"))
			return one_a_rank(m, out);
		if (parse_list(cpus, vpmu_machine_cpus(m), out->mask))
			return 0;
		vpmu_complain("--cpus %s: %s has the CPUs 0 to %u; write a list of them as in "
			      "0-1,3, or 'rank'", cpus, m->name, vpmu_machine_cpus(m) - 1);
		return VPMU_EXIT_USAGE;
	}
	if (!inside && host_get(&now) && host_limit(&now, &limit) &&
	    memcmp(&now, &limit, sizeof(now)))
		map_host(m, &now, &limit, out);
	return 0;
}
