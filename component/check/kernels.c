/* SPDX-License-Identifier: MIT */
/* Work whose traffic is known. Each thread is bound to a CPU and has a part of the buffer to
 * itself. Loops are in assembly, so that their instructions are known; expected.c numbers them. */
#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>

#define LINE 64
#define STEPS (1u << 22)	/* of the loop, by all threads together */

struct worker {
	struct kernel_work *work;
	pthread_t thread;
	int cpu;
	char *part, *first;	/* first: where its chase begins; NULL: no memory to link it */
	char *broom;		/* its part of what takes the other lines' place in caches */
	sem_t begin;
};

enum order { LINK, RUN, FLUSH, SWEEP, END };

struct kernel_work {
	char *buffer;
	size_t bytes, lines, broom_lines, steps;	/* but for bytes of each worker */
	int n;
	enum order order;
	enum kernel kernel;
	bool linked;		/* the chase can begin: every line has its link */
	sem_t done;
	struct worker workers[];
};

const char *const kernel_names[KERNELS] = { "read", "write", "nt-write", "chase", "loop" };

/* ---- the kernels */

static void read_lines(const char *p, size_t n)
{
	uint64_t x;

	__asm__ volatile("1: movq (%0), %2\n\t"
			 "add $64, %0\n\t"
			 "dec %1\n\t"
			 "jnz 1b" : "+r" (p), "+r" (n), "=&r" (x) : : "cc", "memory");
}

static void flush_lines(char *p, size_t n)
{
	__asm__ volatile("1: clflush (%0)\n\t"
			 "add $64, %0\n\t"
			 "dec %1\n\t"
			 "jnz 1b\n\t"
			 "mfence" : "+r" (p), "+r" (n) : : "cc", "memory");
}

/* Stores keep the links of the chase: they go behind them. */
static void write_lines(char *p, size_t n)
{
	size_t lines = n;
	char *first = p;

	__asm__ volatile("1: movq %1, 8(%0)\n\t"
			 "add $64, %0\n\t"
			 "dec %1\n\t"
			 "jnz 1b" : "+r" (p), "+r" (n) : : "cc", "memory");
	flush_lines(first, lines);
}

/* Whole lines, as a line that is stored in part may be read first. */
static void stream_lines(char *p, size_t n)
{
	__asm__ volatile("1: movnti %1, (%0)\n\t"
			 "movnti %1, 8(%0)\n\t"
			 "movnti %1, 16(%0)\n\t"
			 "movnti %1, 24(%0)\n\t"
			 "movnti %1, 32(%0)\n\t"
			 "movnti %1, 40(%0)\n\t"
			 "movnti %1, 48(%0)\n\t"
			 "movnti %1, 56(%0)\n\t"
			 "add $64, %0\n\t"
			 "dec %1\n\t"
			 "jnz 1b\n\t"
			 "sfence" : "+r" (p), "+r" (n) : : "cc", "memory");
}

static void chase_lines(char *p, size_t n)
{
	__asm__ volatile("1: movq (%0), %0\n\t"
			 "dec %1\n\t"
			 "jnz 1b" : "+r" (p), "+r" (n) : : "cc", "memory");
}

static void count_steps(size_t n)
{
	uint64_t x = 1;

	__asm__ volatile("1: rol $1, %1\n\t"
			 "rol $1, %1\n\t"
			 "dec %0\n\t"
			 "jnz 1b" : "+r" (n), "+r" (x) : : "cc");
}

/* A circle through all lines, in pairs whose order nothing can foresee: the second line of a pair
 * is used next, because some processors fetch it with the first. The same circle in every run. */
static char *link_lines(char *part, size_t lines)
{
	size_t n = lines / 2, *order = malloc(n * sizeof(*order));
	uint64_t state = 88172645463325252u;
	char *first;

	if (!order)
		return NULL;
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n - 1; i > 0; i--) {
		size_t j, keep = order[i];

		state ^= state << 13;	/* Marsaglia's xorshift */
		state ^= state >> 7;
		state ^= state << 17;
		j = (size_t)(state % (i + 1));
		order[i] = order[j];
		order[j] = keep;
	}
	for (size_t i = 0; i < n; i++) {
		char *pair = part + 2 * LINE * order[i];

		*(char **)pair = pair + LINE;
		*(char **)(pair + LINE) = part + 2 * LINE * order[(i + 1) % n];
	}
	first = part + 2 * LINE * order[0];
	free(order);
	return first;
}

/* ---- threads */

static void run_kernel(struct worker *w)
{
	struct kernel_work *work = w->work;

	switch (work->kernel) {
	case READ:
		read_lines(w->part, work->lines);
		break;
	case WRITE:
		write_lines(w->part, work->lines);
		break;
	case STREAM:
		stream_lines(w->part, work->lines);
		break;
	case CHASE:
		chase_lines(w->first, work->lines);
		break;
	default:
		count_steps(work->steps);
		break;
	}
}

/* In place of every line that a cache holds, lines of nothing: modified ones before a kernel that
 * leaves such behind, so that as many go as come. They are flushed, too; this is for caches that
 * CLFLUSH does not reach. */
static void worker_sweep(struct worker *w)
{
	struct kernel_work *work = w->work;

	if (work->kernel == WRITE)
		write_lines(w->broom, work->broom_lines);
	else
		read_lines(w->broom, work->broom_lines);
	flush_lines(w->broom, work->broom_lines);
}

static void obey(struct worker *w, enum order order)
{
	switch (order) {
	case LINK:
		w->first = link_lines(w->part, w->work->lines);
		break;
	case RUN:
		run_kernel(w);
		break;
	case FLUSH:
		flush_lines(w->part, w->work->lines);
		break;
	default:
		worker_sweep(w);
		break;
	}
}

void work_bind(const int *cpus, int n)
{
	size_t bytes = CPU_ALLOC_SIZE((size_t)cpus[n - 1] + 1);
	cpu_set_t *set = CPU_ALLOC((size_t)cpus[n - 1] + 1);

	if (!set)
		return;
	CPU_ZERO_S(bytes, set);
	for (int i = 0; i < n; i++)
		CPU_SET_S((size_t)cpus[i], bytes, set);
	pthread_setaffinity_np(pthread_self(), bytes, set);
	CPU_FREE(set);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct kernel_work *work = w->work;

	work_bind(&w->cpu, 1);
	for (;;) {
		while (sem_wait(&w->begin))
			;
		if (work->order == END)
			return NULL;
		obey(w, work->order);
		sem_post(&work->done);
	}
}

static void order_all(struct kernel_work *w, enum order order)
{
	w->order = order;
	for (int i = 0; i < w->n; i++)
		sem_post(&w->workers[i].begin);
	for (int i = 0; i < w->n && order != END; i++)
		while (sem_wait(&w->done))
			;
}

int work_prepare(struct kernel_work *w, enum kernel k)
{
	w->kernel = k;
	if (k == LOOP)
		return 0;
	if (!w->linked)
		order_all(w, LINK);
	for (int i = 0; i < w->n; i++)
		if (!w->workers[i].first)
			return -ENOMEM;
	w->linked = k != STREAM;	/* which overwrites whole lines */
	order_all(w, RUN);
	order_all(w, FLUSH);
	order_all(w, SWEEP);
	return 0;
}

void work_run(struct kernel_work *w, enum kernel k)
{
	w->kernel = k;
	order_all(w, RUN);
}

double work_units(const struct kernel_work *w, enum kernel k)
{
	return (double)(k == LOOP ? w->steps : w->lines) * w->n;
}

void work_close(struct kernel_work *w)
{
	if (!w)
		return;
	order_all(w, END);
	for (int i = 0; i < w->n; i++) {
		pthread_join(w->workers[i].thread, NULL);
		sem_destroy(&w->workers[i].begin);
	}
	sem_destroy(&w->done);
	munmap(w->buffer, w->bytes);
	free(w);
}

int work_open(struct kernel_work **out, const int *cpus, int ncpus, size_t bytes, size_t broom)
{
	struct kernel_work *w = calloc(1, sizeof(*w) + (size_t)ncpus * sizeof(w->workers[0]));
	int rc = 0;

	if (!w)
		return -ENOMEM;
	w->lines = bytes / LINE / (size_t)ncpus & ~(size_t)1;
	w->broom_lines = broom / LINE / (size_t)ncpus + 1;
	w->steps = STEPS / (size_t)ncpus;
	w->bytes = (w->lines + w->broom_lines) * LINE * (size_t)ncpus;
	w->buffer = mmap(NULL, w->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0);
	if (w->buffer == MAP_FAILED) {
		free(w);
		return -ENOMEM;
	}
	sem_init(&w->done, 0, 0);
	for (; w->n < ncpus && !rc; w->n += !rc) {
		struct worker *worker = &w->workers[w->n];

		worker->work = w;
		worker->cpu = cpus[w->n];
		worker->part = w->buffer + (size_t)w->n * (w->lines + w->broom_lines) * LINE;
		worker->broom = worker->part + w->lines * LINE;
		sem_init(&worker->begin, 0, 0);
		rc = -pthread_create(&worker->thread, NULL, worker_main, worker);
	}
	if (rc)
		work_close(w);
	else
		*out = w;
	return rc;
}
