/* SPDX-License-Identifier: MIT */
/* The set that a thread has running: PAPI starts one of a component at a time for each thread, and
 * for each CPU. PAPI tells when a thread goes, but not that it has left a set running, nor what
 * becomes of that set: its counters stop then, and keep their counts for whoever reads, stops or
 * cleans up the set afterwards. */
#include "inside.h"

#include "base/cancel.h"

#include <pthread.h>

struct thread_context {
	struct glue_running *set;
};

_Static_assert(sizeof(struct thread_context) <= GLUE_CONTEXT_BYTES, "room for the context");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void forget(struct glue_running *r)
{
	if (r->where)
		*r->where = NULL;
	r->where = NULL;
}

void glue_running_begin(hwd_context_t *ctx, struct glue_running *r, struct ipmu_session *session)
{
	struct thread_context *thread = (struct thread_context *)ctx;

	pthread_mutex_lock(&lock);
	*r = (struct glue_running){ .session = session, .where = &thread->set };
	thread->set = r;
	pthread_mutex_unlock(&lock);
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

/* A forked child that starts PAPI again: the lock may have been another thread's. */
void glue_running_forget(void)
{
	pthread_mutex_init(&lock, NULL);
}
