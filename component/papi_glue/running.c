/* SPDX-License-Identifier: MIT */
/* Running sets: PAPI starts one of a component at a time for each thread, and for each CPU. It
 * reports that a thread ends, but not that the thread left a set running, nor what becomes of the
 * set. So glue_shutdown_thread() stops the set, which keeps its counts for a later read, stop or
 * cleanup. glue_running_begin() and glue_running_end() bracket a running set; `lock` guards the
 * threads' contexts and the list.
 *
 * Sets that count wherever their threads may run are in a list, until the first two of them have
 * been found to share a CPU. */
#include "inside.h"

#include "base/cancel.h"

#include <pthread.h>
#include <sched.h>

#define CPUS_MAX 4096

struct thread_context {
	struct glue_running *set;
};

_Static_assert(sizeof(struct thread_context) <= GLUE_CONTEXT_BYTES, "room for the context");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct glue_running *everywhere;
static bool told;

static void forget(struct glue_running *r)
{
	struct glue_running **p = &everywhere;

	if (r->where)
		*r->where = NULL;
	r->where = NULL;
	while (*p && *p != r)
		p = &(*p)->next;
	if (*p)
		*p = r->next;
	CPU_FREE(r->cpus);
	r->cpus = NULL;
}

/* First CPU of both sets; -1: there is none. */
static int common_cpu(const struct glue_running *a, const struct glue_running *b)
{
	const size_t bytes = CPU_ALLOC_SIZE(CPUS_MAX);

	for (size_t cpu = 0; cpu < CPUS_MAX; cpu++)
		if (CPU_ISSET_S(cpu, bytes, a->cpus) && CPU_ISSET_S(cpu, bytes, b->cpus))
			return (int)cpu;
	return -1;
}

/* A CPU that this set shares with one of another thread, for the first time in this process; or
 * -1. */
static int count_everywhere(struct glue_running *r)
{
	int cpu = -1;

	r->cpus = told ? NULL : CPU_ALLOC(CPUS_MAX);
	if (!r->cpus || sched_getaffinity(0, CPU_ALLOC_SIZE(CPUS_MAX), r->cpus))
		return -1;
	for (const struct glue_running *o = everywhere; o && cpu < 0; o = o->next)
		cpu = common_cpu(o, r);
	told = cpu >= 0;
	r->next = everywhere;
	everywhere = r;
	return cpu;
}

int glue_running_begin(hwd_context_t *ctx, struct glue_running *r, struct ipmu_session *session,
		       bool by_affinity)
{
	struct thread_context *thread = (struct thread_context *)ctx;
	int cpu = -1;

	pthread_mutex_lock(&lock);
	*r = (struct glue_running){ .session = session, .where = &thread->set };
	thread->set = r;
	if (by_affinity)
		cpu = count_everywhere(r);
	pthread_mutex_unlock(&lock);
	return cpu;
}

void glue_running_end(struct glue_running *r)
{
	pthread_mutex_lock(&lock);
	forget(r);
	pthread_mutex_unlock(&lock);
}

int glue_shutdown_thread(hwd_context_t *ctx)
{
	struct thread_context *thread = (struct thread_context *)ctx;
	uint64_t values[GLUE_EVENTS_MAX];
	int cancel = ipmu_cancel_hold();

	pthread_mutex_lock(&lock);
	if (thread->set) {
		ipmu_session_stop(thread->set->session, values, NULL);
		forget(thread->set);
	}
	pthread_mutex_unlock(&lock);
	ipmu_cancel_release(cancel);
	return PAPI_OK;
}

int glue_init_thread(hwd_context_t *ctx)
{
	((struct thread_context *)ctx)->set = NULL;
	return PAPI_OK;
}

/* Forget the parent's sets in a forked child that starts PAPI again. The lock may have been another
 * thread's. */
void glue_running_forget(void)
{
	pthread_mutex_init(&lock, NULL);
	everywhere = NULL;
	told = false;
}
