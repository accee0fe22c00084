/* SPDX-License-Identifier: MIT */
/* The wrap guard: a thread that reads counters before they wrap. ipmu_guard_adjust() starts it,
 * changes its timing or ends it, under the system's lock. ipmu_guard_join() is called without that
 * lock, because the thread takes it to end. The thread exists while a session uses a counter that
 * could wrap, and only then.
 *
 * A counter of w bits that adds at most n per clock of f Hz cannot wrap in less than 2^w / (n f)
 * seconds. n and f are the type's `per_clock` and `clock_mhz`. ipmu_slot_read() takes a step of
 * more than half the range for a counter that was set back. So at most half of that time may lie
 * between two reads. The guard aims at a quarter, so that a read may be late by another quarter.
 * With the rates in the tables:
 *
 *	memory controller	32 bits, 60 GB/s by 64 bytes	wraps in 4.58 s, read every 1.15 s
 *	C-Box			44 bits, 31 x 5.0 GHz		113 s		28 s
 *	arbiter			44 bits, 128 x 5.0 GHz		27 s		7 s
 *	uncore clock		48 bits, 5.0 GHz		15.6 h		3.9 h
 *	M-Box and C-Box of the Xeon 7500	48 bits, 255 x 2.7 GHz	409 s	102 s
 *	Knights Corner		40 bits, 16 x 1.4 GHz		49 s		12 s
 *	Core 2			40 bits, 16 x 3.4 GHz		20 s		5 s
 *	... its fixed ones	40 bits, 5 x 3.4 GHz		65 s		16 s
 *	NetBurst		40 bits, 15 x 3.8 GHz		19 s		5 s
 *	fixed counters		48 bits, 8 x 6.0 GHz		98 min		24 min
 *
 * Concurrent readers do no harm. A reader that was delayed between loading the old value and its
 * exchange reads again if the guard moved the value. If nobody moved it, the reader stores what the
 * counter held at that time, and the guard's next read counts from there. If the whole process is
 * stopped (SIGSTOP, a debugger) or starved for longer, the counters are seen modulo their range. A
 * step above half of it is noticed, and the count is lost; a smaller one is not noticed. */
#include "guard.h"

#include "slot.h"

#include "../access/trace.h"
#include "../base/now.h"
#include "../base/why.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull
#define NEVER_NS (30 * 86400 * SECOND_NS)	/* no program counts so long without a read */
#define STACK_BYTES (64 * 1024)			/* beside what the C library takes of it */

struct ipmu_guard {
	struct ipmu_system *sys;
	struct ipmu_guard *next;	/* ended before this one */
	pthread_t thread;
	pthread_cond_t wake;
	bool end;
	uint64_t due_ns[IPMU_TYPES_MAX];	/* next read of a type's counters; 0: none counts */
};

uint64_t ipmu_guard_period_ns(const struct ipmu_pmu_type *type, int width)
{
	uint64_t per_us = (uint64_t)type->per_clock * type->clock_mhz, wrap_ns;
	int bits = width ? width : ipmu_type_width(type);

	if (!per_us || bits == 64)	/* 64 bits last most of a year even for a long queue */
		return 0;
	wrap_ns = (1ull << bits) / per_us * 1000;
	return wrap_ns > NEVER_NS ? 0 : wrap_ns / 4;
}

/* ---- the counters of a type, of all places */

typedef void slot_visit(struct ipmu_box *box, int ctr, void *arg);

static void for_each_used(struct ipmu_system *sys, int t, slot_visit *visit, void *arg)
{
	for (int u = 0; u < sys->nunits; u++)
		for (int b = 0; sys->units[u].open && b < sys->units[u].found.nboxes[t]; b++) {
			struct ipmu_box *box = &sys->units[u].boxes[t][b];

			for (int c = 0; c < box->type->counters; c++)
				if (box->slots[c].users)
					visit(box, c, arg);
		}
}

static void shorten(struct ipmu_box *box, int ctr, void *arg)
{
	int width = box->unit->found.widths[box->type_index];
	uint64_t period = ipmu_guard_period_ns(box->type, width), *shortest = arg;

	(void)ctr;
	if (period && (!*shortest || period < *shortest))
		*shortest = period;
}

/* Shortest period of the type's counters that sessions use; 0: none of them needs the guard. */
static uint64_t period_ns(struct ipmu_system *sys, int t)
{
	uint64_t shortest = 0;

	for_each_used(sys, t, shorten, &shortest);
	return shortest;
}

/* A counter that cannot be read is tried again at the next period. */
static void counter_poll(struct ipmu_box *box, int ctr, void *arg)
{
	uint64_t value;

	(void)arg;
	if (!atomic_load(&box->slots[ctr].lost) && ipmu_slot_readable(box, ctr))
		ipmu_slot_read(box, ctr, &value);
}

/* ---- the thread */

static uint64_t first_due(const struct ipmu_guard *g)
{
	uint64_t first = UINT64_MAX;

	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		if (g->due_ns[t] && g->due_ns[t] < first)
			first = g->due_ns[t];
	return first;
}

static void wait_until(struct ipmu_guard *g, uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / SECOND_NS),
			      .tv_nsec = (long)(ns % SECOND_NS) };

	pthread_cond_timedwait(&g->wake, &g->sys->lock, &t);
}

static void guard_read_due(struct ipmu_guard *g)
{
	for (int t = 0; t < IPMU_TYPES_MAX; t++) {
		if (!g->due_ns[t] || g->due_ns[t] > ipmu_now_ns())
			continue;
		for_each_used(g->sys, t, counter_poll, NULL);
		g->due_ns[t] = ipmu_now_ns() + period_ns(g->sys, t);
	}
}

static void *guard(void *arg)
{
	struct ipmu_guard *g = arg;

	ipmu_trace_for("guard");
	pthread_mutex_lock(&g->sys->lock);
	while (!g->end) {
		wait_until(g, first_due(g));
		if (!g->end)
			guard_read_due(g);
	}
	pthread_mutex_unlock(&g->sys->lock);
	return NULL;
}

/* ---- its begin and end */

/* The stack must also hold the C library's part, which grows with the program's thread-local
 * data. */
static int create(struct ipmu_guard *g)
{
	long least = sysconf(_SC_THREAD_STACK_MIN);
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)(least > 0 ? least : PTHREAD_STACK_MIN) +
					 STACK_BYTES);
	rc = pthread_create(&g->thread, &attr, guard, g);
	pthread_attr_destroy(&attr);
	return rc == EINVAL ? pthread_create(&g->thread, NULL, guard, g) : rc;
}

/* Block all signals in the thread: the process's signals are for the program's own threads. */
static int create_quiet(struct ipmu_guard *g)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = create(g);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!rc)
		pthread_setname_np(g->thread, "ipmu-guard");
	return rc;
}

static void free_guard(struct ipmu_guard *g)
{
	pthread_cond_destroy(&g->wake);
	free(g);
}

static int guard_begin(struct ipmu_system *sys, const uint64_t *due_ns, char *why)
{
	struct ipmu_guard *g = calloc(1, sizeof(*g));
	pthread_condattr_t attr;
	int rc;

	if (!g)
		return ipmu_fail(why, -ENOMEM, "out of memory for the wrap guard");
	g->sys = sys;
	memcpy(g->due_ns, due_ns, sizeof(g->due_ns));
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&g->wake, &attr);
	pthread_condattr_destroy(&attr);
	rc = create_quiet(g);
	if (rc) {
		free_guard(g);
		return ipmu_fail(why, -EAGAIN, "no thread can be created to read the counters "
				 "before they wrap: %s: raise the limit of threads (ulimit -u)",
				 strerror(rc));
	}
	sys->guard = g;
	return 0;
}

int ipmu_guard_adjust(struct ipmu_system *sys, char *why)
{
	struct ipmu_guard *g = sys->guard;
	uint64_t due_ns[IPMU_TYPES_MAX] = { 0 };
	bool any = false, sooner = false;

	for (int t = 0; sys->family->types[t]; t++) {
		uint64_t period = period_ns(sys, t);

		if (!period)
			continue;
		due_ns[t] = g && g->due_ns[t] ? g->due_ns[t] : ipmu_now_ns() + period;
		any = true;
		sooner |= g && due_ns[t] < first_due(g);
	}
	if (!any)
		ipmu_guard_end(sys);
	if (!any || !g)
		return any ? guard_begin(sys, due_ns, why) : 0;
	memcpy(g->due_ns, due_ns, sizeof(due_ns));
	if (sooner)
		pthread_cond_signal(&g->wake);
	return 0;
}

void ipmu_guard_end(struct ipmu_system *sys)
{
	struct ipmu_guard *g = sys->guard;

	if (!g)
		return;
	g->end = true;
	pthread_cond_signal(&g->wake);
	g->next = sys->guard_ended;
	sys->guard_ended = g;
	sys->guard = NULL;
}

struct ipmu_guard *ipmu_guard_ended(struct ipmu_system *sys)
{
	struct ipmu_guard *ended = sys->guard_ended;

	sys->guard_ended = NULL;
	return ended;
}

/* A tool that wraps threads may close the last session in this very thread. The join then fails,
 * and the guard is leaked. */
void ipmu_guard_join(struct ipmu_guard *ended)
{
	while (ended) {
		struct ipmu_guard *g = ended;

		ended = g->next;
		if (pthread_join(g->thread, NULL) == 0)
			free_guard(g);
	}
}

void ipmu_guard_forked(struct ipmu_system *sys)
{
	free(sys->guard);
	sys->guard = sys->guard_ended = NULL;
}
