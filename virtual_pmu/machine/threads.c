/* SPDX-License-Identifier: MIT */
/* Chooses the virtual CPU of each thread, which has a slot in the segment. vpmu_thread_begin() and
 * vpmu_thread_slot() make the slot, vpmu_thread_bind() changes its affinity, and
 * vpmu_thread_release() frees it. They take the machine lock unless the caller holds it. A slot's
 * CPU is always in its affinity mask; its owner reads it without a lock. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "kernel.h"
#include "segment.h"

#define WORDS (VPMU_CPUS_MAX / 64)

static bool mask_has(const uint64_t *mask, uint32_t cpu)
{
	return mask[cpu / 64] >> cpu % 64 & 1;
}

static void mask_all(const struct vpmu_segment *s, uint64_t *mask)
{
	memset(mask, 0, WORDS * sizeof(*mask));
	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(&s->machine); cpu++)
		mask[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

/* Threads per CPU at the clock of the thread `but` and without it: live ones, and those that the
 * host has let run past that clock to their end. A clock of 0 is not known yet, and NULL has none:
 * then only live ones. If `but` is counted, only threads that are. Slots of dead threads are freed
 * on the way. */
static void count_load(struct vpmu_segment *s, const struct vpmu_thread *but,
		       uint32_t load[VPMU_CPUS_MAX])
{
	uint64_t clock = but && but->clock ? but->clock : UINT64_MAX;

	memset(load, 0, VPMU_CPUS_MAX * sizeof(*load));
	for (uint32_t i = 0; i < VPMU_THREADS_MAX; i++) {
		struct vpmu_thread *t = &s->threads[i];

		if (t == but)
			continue;
		if (t->tid && vpmu_syscall(SYS_tkill, t->tid, 0) == -ESRCH)
			__atomic_store_n(&t->tid, 0, __ATOMIC_RELEASE);
		if (but && but->counted && !t->counted)
			continue;
		if (t->tid || t->clock > clock)
			load[t->cpu % VPMU_CPUS_MAX]++;
	}
}

/* The emptiest allowed CPU; among equals the lowest, but a free core before a busy one's
 * second thread, as Linux spreads threads. */
static uint32_t place(struct vpmu_segment *s, const struct vpmu_thread *t)
{
	uint32_t load[VPMU_CPUS_MAX], core_load[VPMU_CPUS_MAX] = { 0 };
	uint32_t cpus = vpmu_machine_cpus(&s->machine), best = cpus;

	count_load(s, t, load);
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		core_load[vpmu_cpu_core(&s->machine, cpu)] += load[cpu];
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		if (!mask_has(t->affinity, cpu))
			continue;
		uint32_t core = vpmu_cpu_core(&s->machine, cpu);
		if (best == cpus || load[cpu] < load[best] ||
		    (load[cpu] == load[best] &&
		     core_load[core] < core_load[vpmu_cpu_core(&s->machine, best)]))
			best = cpu;
	}
	return best == cpus ? 0 : best;
}

/* True if the thread's CPU has another thread. Libraries bind a thread for a moment and restore the
 * old mask (libpsm2, when Open MPI loads it). A scheduler would move the thread away from a shared
 * CPU as soon as its mask is wide again. */
static bool shares_cpu(struct vpmu_segment *s, const struct vpmu_thread *t)
{
	uint32_t load[VPMU_CPUS_MAX];

	count_load(s, t, load);
	return load[t->cpu % VPMU_CPUS_MAX] > 0;
}

struct vpmu_thread *vpmu_thread_find(struct vpmu_segment *s, uint32_t tid)
{
	for (uint32_t n = 0; tid && n < VPMU_THREADS_MAX; n++) {
		struct vpmu_thread *t = &s->threads[(tid + n) % VPMU_THREADS_MAX];

		if (__atomic_load_n(&t->tid, __ATOMIC_ACQUIRE) == tid)
			return t;
	}
	return NULL;
}

/* A free slot whose last thread ended before this clock, if there is one: later ends are load. */
static struct vpmu_thread *free_slot(struct vpmu_segment *s, uint32_t tid, uint64_t clock)
{
	struct vpmu_thread *later = NULL;

	for (uint32_t n = 0; n < VPMU_THREADS_MAX; n++) {
		struct vpmu_thread *t = &s->threads[(tid + n) % VPMU_THREADS_MAX];

		if (!t->tid && t->clock <= clock)
			return t;
		if (!t->tid)
			later = t;
	}
	return later;
}

uint64_t vpmu_newest_clock(const struct vpmu_segment *s)
{
	uint64_t newest = 0;

	for (uint32_t i = 0; i < s->machine.packages; i++) {
		uint64_t clock = __atomic_load_n(&s->uclk[i], __ATOMIC_RELAXED);

		newest = clock > newest ? clock : newest;
	}
	return newest;
}

static struct vpmu_thread *make_slot(struct vpmu_segment *s, uint32_t tid, uint32_t parent,
				     uint64_t clock, bool counted)
{
	const struct vpmu_thread *from = vpmu_thread_find(s, parent);
	uint64_t begins = clock || !from ? clock : from->clock;
	struct vpmu_thread *t = free_slot(s, tid, begins);
	uint32_t load[VPMU_CPUS_MAX];

	if (!t) {
		count_load(s, NULL, load);	/* frees the slots of the dead */
		t = free_slot(s, tid, begins);
		if (!t)
			return NULL;
	}
	if (from)
		memcpy(t->affinity, from->affinity, sizeof(t->affinity));
	else
		mask_all(s, t->affinity);
	t->policy = from ? from->policy : (struct vpmu_policy){ 0, 0, 0 };
	t->clock = begins;
	t->begun = from ? t->clock : vpmu_newest_clock(s);
	t->children = 0;
	t->executes = 0;
	t->counted = counted;
	t->cpu = place(s, t);
	__atomic_store_n(&t->tid, tid, __ATOMIC_RELEASE);
	return t;
}

/* The process of a thread that is not counted may have executed a program that is: its affinity
 * stays, and its CPU is chosen again. */
static void begin_counting(struct vpmu_segment *s, struct vpmu_thread *t)
{
	t->counted = true;
	__atomic_store_n(&t->cpu, place(s, t), __ATOMIC_RELAXED);
}

static struct vpmu_thread *slot_of(struct vpmu_segment *s, uint32_t tid, uint32_t parent,
				   uint64_t clock, bool counted)
{
	struct vpmu_thread *t = vpmu_thread_find(s, tid);
	int saved = errno;

	if (t && (t->counted || !counted))
		return t;
	vpmu_lock(s);
	t = vpmu_thread_find(s, tid);
	if (!t)
		t = make_slot(s, tid, parent, clock, counted);
	else if (counted && !t->counted)
		begin_counting(s, t);
	vpmu_unlock(s);
	errno = saved;
	return t;
}

struct vpmu_thread *vpmu_thread_slot(struct vpmu_segment *s, uint32_t tid, uint32_t parent)
{
	return slot_of(s, tid, parent, 0, false);
}

struct vpmu_thread *vpmu_thread_begin(struct vpmu_segment *s, uint32_t tid, uint32_t parent,
				      uint64_t clock)
{
	return slot_of(s, tid, parent, clock, true);
}

void vpmu_thread_release(struct vpmu_segment *s, uint32_t tid)
{
	struct vpmu_thread *t;

	vpmu_lock(s);
	t = vpmu_thread_find(s, tid);
	if (t)
		__atomic_store_n(&t->tid, 0, __ATOMIC_RELEASE);
	vpmu_unlock(s);
}

void vpmu_thread_ends(struct vpmu_segment *s, uint32_t pid, uint32_t parent)
{
	const struct vpmu_thread *t = vpmu_thread_find(s, pid);
	struct vpmu_thread *to = vpmu_thread_find(s, parent);

	if (t && to)
		__atomic_fetch_add(&to->children, t->clock - t->begun + t->children,
				   __ATOMIC_RELAXED);
}

int vpmu_thread_bind(struct vpmu_segment *s, struct vpmu_thread *t, const uint64_t *mask,
		     size_t words)
{
	uint64_t all[WORDS], requested[WORDS] = { 0 }, any = 0;
	int saved = errno;

	mask_all(s, all);
	for (size_t i = 0; i < WORDS && i < words; i++)
		any |= requested[i] = mask[i] & all[i];
	if (!any)
		return -EINVAL;
	vpmu_lock(s);
	memcpy(t->affinity, requested, sizeof(requested));
	if (!mask_has(requested, t->cpu % VPMU_CPUS_MAX) || shares_cpu(s, t))
		__atomic_store_n(&t->cpu, place(s, t), __ATOMIC_RELAXED);
	vpmu_unlock(s);
	errno = saved;
	return 0;
}

bool vpmu_threads_busy(const struct vpmu_segment *s, uint32_t pid)
{
	for (uint32_t i = 0; i < VPMU_THREADS_MAX; i++) {
		uint32_t tid = __atomic_load_n(&s->threads[i].tid, __ATOMIC_ACQUIRE);

		if (tid && vpmu_syscall(SYS_tgkill, pid, tid, 0) && !vpmu_thread_ended(tid))
			return true;
	}
	return false;
}
