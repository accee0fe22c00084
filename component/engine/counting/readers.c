/* SPDX-License-Identifier: MIT */
/* Readers of a session: ipmu_readers_enter() and ipmu_readers_leave() count them, and
 * ipmu_readers_change() waits for them. Only ipmu_readers_change() needs the system's lock. A
 * reader that siglongjmp has left stays counted for ever. So a change gives up after a while, and
 * the session never runs again: that reader may still use the plan. */
#include "readers.h"

#include "../base/now.h"

#include <errno.h>
#include <time.h>

#define PATIENCE_NS 5000000000ull	/* for readers that never end, twice at most */

/* Hash of the thread's id, to recognize the thread in a sum. Plain ids are evenly spaced, so two of
 * them could add up to twice a third. */
static uint64_t me(void)
{
	uint64_t x = (uint64_t)pthread_self();

	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
	x = (x ^ x >> 27) * 0x94D049BB133111EBull;
	return x ^ x >> 31;
}

void ipmu_readers_leave(const struct ipmu_visit *v)
{
	if (!v->among)
		return;
	atomic_fetch_sub(&v->among->who, me());
	atomic_fetch_sub(&v->among->n, 1);
}

struct ipmu_visit ipmu_readers_enter(struct ipmu_session *s)
{
	struct ipmu_visit v = { .among = NULL };

	while ((v.state = atomic_load(&s->state)) != IPMU_CHANGING) {
		v.among = v.state == IPMU_RUNNING ? &s->live : &s->idle;
		atomic_fetch_add(&v.among->n, 1);
		atomic_fetch_add(&v.among->who, me());
		if (atomic_load(&s->state) == v.state)
			break;
		ipmu_readers_leave(&v);
		v.among = NULL;
	}
	return v;
}

/* True if all remaining readers are this thread's own. They cannot finish while it waits: they are
 * interrupted below it on its stack, or siglongjmp has left them. `n` is incremented before `who`
 * and decremented after it, so the sum holds no thread that the number lacks. */
static bool only_mine(struct ipmu_readers *r)
{
	int n = atomic_load(&r->n);

	return n > 0 && atomic_load(&r->who) == (uint64_t)n * me();
}

/* Sleeps, because yielding does not let a reader of lower priority run. */
static int wait_for_none(struct ipmu_readers *r, uint64_t patience_ns)
{
	struct timespec moment = { .tv_nsec = 20000 };
	uint64_t until = 0;

	while (atomic_load(&r->n) > 0) {
		if (only_mine(r))
			return -EDEADLK;
		until = until ? until : ipmu_now_ns() + patience_ns;
		if (!patience_ns || ipmu_now_ns() > until)
			return -ETIMEDOUT;
		nanosleep(&moment, NULL);
	}
	return 0;
}

int ipmu_readers_change(struct ipmu_session *s, enum ipmu_session_state state)
{
	bool before = atomic_load(&s->given_up);
	int rc = 0, rc_idle = 0;

	atomic_store(&s->state, state);
	if (state != IPMU_RUNNING)
		rc = wait_for_none(&s->live, before ? 0 : PATIENCE_NS);
	if (state == IPMU_CHANGING)
		rc_idle = wait_for_none(&s->idle, PATIENCE_NS);
	rc = rc ? rc : rc_idle;
	atomic_store(&s->given_up, rc != 0);
	return rc;
}
