/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "now.h"
#include "watch.h"

#define NS 1000000000u
#define NEVER UINT64_MAX

struct watcher {
	const struct watch *watch;
	struct sets *sets;
	int nparts;
	struct timeline *timeline;
	struct count *now;
	uint64_t began, next, next_show;
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

static void read_once(struct watcher *w)
{
	uint64_t before = now_ns(), now;
	const struct watch *watch = w->watch;

	sets_read(w->sets, w->now);
	now = before + (now_ns() - before) / 2;
	if (before >= w->next) {
		timeline_append(w->timeline, now, w->nparts, w->now);
		w->next = multiple_after(w->began, watch->interval_ms * 1000000ull, now);
	}
	if (before >= w->next_show) {
		watch->show(watch->arg, now - w->began, w->now);
		w->next_show = multiple_after(w->began, WATCH_SHOW_NS, now);
	}
}

static void *loop(void *arg)
{
	struct watcher *w = arg;

	pthread_mutex_lock(&w->lock);
	while (!w->over) {
		uint64_t until = w->next < w->next_show ? w->next : w->next_show;
		struct timespec t = { (time_t)(until / NS), (long)(until % NS) };

		if (pthread_cond_timedwait(&w->wake, &w->lock, &t) == ETIMEDOUT && !w->over)
			read_once(w);
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

	if (!watch || (!watch->interval_ms && !watch->show))
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
	w->began = now_ns();
	w->next = watch->interval_ms ? w->began + watch->interval_ms * 1000000ull : NEVER;
	w->next_show = watch->show ? w->began + 2ull * WATCH_SHOW_NS : NEVER;
	if (!thread_start(w))
		return w;
	free(w->now);
	free(w);
	return NULL;
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
