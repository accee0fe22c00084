/* SPDX-License-Identifier: MIT */
/* A part of the program's time: what was counted in it is the difference of two readings. The
 * counters themselves run from the program's start to its end. */
#ifndef IPMU_RUN_WINDOW_H
#define IPMU_RUN_WINDOW_H

#include <stdbool.h>

#include "watch.h"

#define WINDOW_REASON_MAX 160

struct window {
	struct sets *sets;
	struct watcher *watcher;	/* NULL: there is no timeline */
	size_t nparts;
	bool begun, ended;
	uint64_t begin_ns, end_ns;	/* on the intervals' clock */
	struct count *begin, *end;
	char reason[WINDOW_REASON_MAX];	/* why it is not complete; "" if it is */
};

/* The counters run. 0 or -ENOMEM. From then on window_begin() and window_end() may be called in
 * another thread; each counts once. */
int window_open(struct window *w, struct sets *s, struct watcher *watcher, int nparts);
void window_begin(struct window *w);
void window_end(struct window *w);
/* The counts until now, or until its end, and how long it took. False: it has not begun. */
bool window_look(const struct window *w, struct count *counts, uint64_t *ns);
/* The program has ended: it ran for *ns from *began on, and counted `counts`. These become the
 * window's, if it has begun; so does the timeline t. */
void window_apply(const struct window *w, uint64_t *began, uint64_t *ns, struct count *counts,
		  struct timeline *t);
void window_close(struct window *w);

#endif
