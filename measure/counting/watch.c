/* SPDX-License-Identifier: MIT */
/* Reads the counters while the program runs: watcher_start() and watcher_stop(). A thread waits for
 * the ends of intervals and for the seconds of the status line. Interval ends are multiples of the
 * interval since the start, so lateness does not add up. On a virtual machine intervals go by its
 * clock, which the thread polls. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "now.h"
#include "virtual.h"
#include "watch.h"

#define NS 1000000000u
#define NEVER UINT64_MAX
/* Between two readings of a machine's clock, whose speed changes with what the program does. A busy
 * machine's millisecond takes 1 to 300 ms. */
#define LOOK_MIN_NS 100000u
#define LOOK_MAX_NS 10000000u

/* Intervals are of the machine's clock where there is a virtual one, else of CLOCK_MONOTONIC, which
 * is also the clock of `look`, `shown` and `next_show`. */
struct watcher {
	const struct watch *watch;
	struct sets *sets;
	int nparts;
	struct timeline *timeline;
	struct count *now;
	uint64_t step;			/* an interval's length; 0: none */
	uint64_t began, next;		/* of the intervals' clock */
	uint64_t shown, next_show;	/* since when, and when somebody is shown it */
	uint64_t look;			/* when the clock is read next */
	uint64_t last_wall, last_clock;	/* what it was when read last */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool over;
};

/* The first multiple after now: a late reading makes one interval longer, and the next one as much
 * shorter, so that lateness does not add up. */
static uint64_t multiple_after(uint64_t began, uint64_t step, uint64_t now)
{
	return began + ((now - began) / step + 1) * step;
}

uint64_t watch_now(void)
{
	return virtual_is_beside() ? virtual_clock_ns() : now_ns();
}

uint64_t watch_sample(struct sets *s, struct count *counts, enum sample kind)
{
	static pthread_mutex_t one_reader = PTHREAD_MUTEX_INITIALIZER;
	uint64_t before, after;

	pthread_mutex_lock(&one_reader);
	virtual_stop();
	before = watch_now();
	sets_read(s, counts);
	after = watch_now();
	if (kind != SAMPLE)
		virtual_pause(kind == SAMPLE_END);
	virtual_go();
	pthread_mutex_unlock(&one_reader);
	return before + (after - before) / 2;
}

/* Returns when to check for the interval's end, if the machine's clock keeps its last speed. */
static uint64_t foresee(struct watcher *w, uint64_t wall, uint64_t clock)
{
	double passed = (double)(clock - w->last_clock), took = (double)(wall - w->last_wall);
	double wait = passed > 0 ? (double)(w->next - clock) * took / passed : LOOK_MAX_NS;

	w->last_wall = wall;
	w->last_clock = clock;
	if (w->next == NEVER || !virtual_is_beside())
		return w->next;
	if (wait > LOOK_MAX_NS)
		return wall + LOOK_MAX_NS;
	return wall + (wait < LOOK_MIN_NS ? LOOK_MIN_NS : (uint64_t)wait);
}

static void look(struct watcher *w)
{
	const struct watch *watch = w->watch;
	uint64_t wall = now_ns(), clock = watch_now();
	bool ends = clock >= w->next, shows = wall >= w->next_show;

	if (ends || shows)
		clock = watch_sample(w->sets, w->now, SAMPLE);
	if (ends) {
		if (watch->interval_ms)
			timeline_append(w->timeline, clock, w->nparts, w->now);
		else
			watch->tick(watch->tick_arg, wall - w->shown, clock - w->began, w->now);
		w->next = multiple_after(w->began, w->step, clock);
	}
	if (shows) {
		watch->show(watch->arg, wall - w->shown, clock - w->began, w->now);
		w->next_show = multiple_after(w->shown, WATCH_SHOW_NS, wall);
	}
	w->look = foresee(w, wall, clock);
}

static void *loop(void *arg)
{
	struct watcher *w = arg;

	pthread_mutex_lock(&w->lock);
	while (!w->over) {
		uint64_t until = w->look < w->next_show ? w->look : w->next_show;
		struct timespec t = { (time_t)(until / NS), (long)(until % NS) };

		if (pthread_cond_timedwait(&w->wake, &w->lock, &t) == ETIMEDOUT && !w->over)
			look(w);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Signals are for the thread that waits for the program. */
static int thread_start(struct watcher *w)
{
	pthread_condattr_t monotonic;
	sigset_t all, old;
	int rc;

	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&w->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&w->thread, NULL, loop, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}

struct watcher *watcher_start(const struct watch *watch, struct sets *s, int nparts,
			      struct timeline *out)
{
	struct watcher *w;

	if (!watch || (!watch->interval_ms && !watch->tick && !watch->show))
		return NULL;
	w = calloc(1, sizeof(*w));
	if (w)
		w->now = calloc((size_t)nparts + 1, sizeof(*w->now));
	if (!w || !w->now) {
		free(w);
		return NULL;
	}
	w->watch = watch;
	w->sets = s;
	w->nparts = nparts;
	w->timeline = out;
	w->shown = w->last_wall = now_ns();
	w->began = w->last_clock = watch_now();
	w->step = (watch->interval_ms ? watch->interval_ms : watch->tick ? watch->tick_ms : 0) *
		  1000000ull;
	w->next = w->step ? w->began + w->step : NEVER;
	w->look = foresee(w, w->shown, w->began);
	w->next_show = watch->show ? w->shown + 2ull * WATCH_SHOW_NS : NEVER;
	if (!thread_start(w))
		return w;
	free(w->now);
	free(w);
	return NULL;
}

void watcher_restart(struct watcher *w, uint64_t ns)
{
	if (!w || !w->watch->interval_ms)
		return;
	pthread_mutex_lock(&w->lock);
	w->began = ns;
	w->next = ns + w->watch->interval_ms * 1000000ull;
	w->timeline->n = 0;
	w->look = now_ns();
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

void watcher_stop(struct watcher *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->over = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w->now);
	free(w);
}
