/* SPDX-License-Identifier: MIT */
/* Reading and resetting: no lock, no allocation, from threads and signal handlers alike.
 *
 * A tap has the counter's value where its count begins (baseline) and the newest that any reader
 * has seen of it. Both only grow, and baseline is loaded before seen and stored after it: whatever
 * readers, resets and handlers meet, seen - baseline is a count that the session had meanwhile. */
#include "phase.h"
#include "session.h"

#include <time.h>

static _Atomic int *readers(struct ipmu_session *s, int gate)
{
	return gate == IPMU_RUNNING ? &s->live : &s->idle;
}

/* The gate by which the caller is in; it has to leave, unless that is IPMU_CLOSED. */
static int enter(struct ipmu_session *s)
{
	int gate;

	while ((gate = atomic_load(&s->gate)) != IPMU_CLOSED) {
		atomic_fetch_add(readers(s, gate), 1);
		if (atomic_load(&s->gate) == gate)
			break;
		atomic_fetch_sub(readers(s, gate), 1);
	}
	return gate;
}

static void leave(struct ipmu_session *s, int gate)
{
	if (gate != IPMU_CLOSED)
		atomic_fetch_sub(readers(s, gate), 1);
}

/* Sleeps, because yielding does not let a reader of lower priority run. */
static void wait_for_none(_Atomic int *inside)
{
	const struct timespec moment = { .tv_nsec = 20000 };

	while (atomic_load(inside) > 0)
		nanosleep(&moment, NULL);
}

void ipmu_session_gate(struct ipmu_session *s, enum ipmu_gate gate)
{
	atomic_store(&s->gate, gate);
	if (gate != IPMU_RUNNING)
		wait_for_none(&s->live);
	if (gate == IPMU_CLOSED)
		wait_for_none(&s->idle);
}

void ipmu_tap_begin(struct ipmu_tap *tap, uint64_t value)
{
	atomic_store_explicit(&tap->seen, value, memory_order_relaxed);
	atomic_store_explicit(&tap->baseline, value, memory_order_release);
}

/* A balance may fall; of anything else an older value is never stored over a newer one. */
static void advance(_Atomic uint64_t *at, uint64_t to, uint8_t direction)
{
	uint64_t now = atomic_load_explicit(at, memory_order_relaxed);

	while ((direction == IPMU_UP_DOWN ? to != now : (int64_t)(to - now) > 0) &&
	       !atomic_compare_exchange_weak_explicit(at, &now, to, memory_order_release,
						      memory_order_relaxed))
		;
}

static uint8_t direction_of(const struct ipmu_tap *tap)
{
	return tap->choices[tap->choice].direction;
}

/* Read all counters, and let the count begin there if it is a reset. */
static int look(struct ipmu_session *s, bool reset)
{
	uint64_t now[IPMU_BATCH_READS];
	int n, rc = 0;

	for (int i = 0; i < s->plan.ntaps && !rc; i += n) {
		n = s->plan.ntaps - i < IPMU_BATCH_READS ? s->plan.ntaps - i : IPMU_BATCH_READS;
		rc = ipmu_phase_read(&s->plan.taps[i], n, true, now);
		for (int k = 0; k < n && !rc; k++) {
			struct ipmu_tap *tap = &s->plan.taps[i + k];

			advance(&tap->seen, now[k], direction_of(tap));
			if (reset)
				advance(&tap->baseline, now[k], direction_of(tap));
		}
	}
	return rc;
}

int ipmu_session_look(struct ipmu_session *s)
{
	return look(s, false);
}

static void add_up(const struct ipmu_session *s, uint64_t *values)
{
	for (int i = 0; i < s->plan.ntaps; i++) {
		const struct ipmu_tap *tap = &s->plan.taps[i];
		uint64_t from = atomic_load_explicit(&tap->baseline, memory_order_acquire);
		uint64_t count = atomic_load_explicit(&tap->seen, memory_order_acquire) - from;

		for (int l = 0; l < tap->nlinks; l++)
			values[tap->links[l]] += count;
	}
}

int ipmu_session_read(struct ipmu_session *s, uint64_t *values)
{
	int gate = enter(s), rc = 0, n = atomic_load(&s->nevents);

	for (int e = 0; e < n; e++)
		values[e] = 0;
	if (gate == IPMU_RUNNING)
		rc = ipmu_session_look(s);
	if (gate != IPMU_CLOSED)
		add_up(s, values);
	leave(s, gate);
	return rc;
}

static void begin_at_seen(struct ipmu_session *s)
{
	for (int i = 0; i < s->plan.ntaps; i++) {
		struct ipmu_tap *tap = &s->plan.taps[i];

		advance(&tap->baseline, atomic_load_explicit(&tap->seen, memory_order_acquire),
			direction_of(tap));
	}
}

int ipmu_session_reset(struct ipmu_session *s)
{
	int gate = enter(s), rc = 0;

	if (gate == IPMU_RUNNING)
		rc = look(s, true);
	else if (gate == IPMU_STOPPED)
		begin_at_seen(s);
	leave(s, gate);
	return rc;
}
