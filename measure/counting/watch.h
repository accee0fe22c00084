/* SPDX-License-Identifier: MIT */
/* Reads the counters while the program runs. */
#ifndef IPMU_RUN_WATCH_H
#define IPMU_RUN_WATCH_H

#include <stddef.h>
#include <stdint.h>

#include "sets.h"

#define WATCH_SHOW_NS 1000000000u	/* how often counts are shown */

/* Readings while the program runs. */
struct watch {
	unsigned int interval_ms;	/* of a timeline; 0: none */
	/* At the end of each interval of tick_ms, the last included; arguments as for `show`. */
	unsigned int tick_ms;
	void (*tick)(void *arg, uint64_t elapsed_ns, uint64_t ns, const struct count *counts);
	void *tick_arg;
	/* Called each second but the first, in a thread of its own, with the counts since the
	 * program's start, the time since then, and the same on the intervals' clock. NULL: counts
	 * are not shown. */
	void (*show)(void *arg, uint64_t elapsed_ns, uint64_t ns, const struct count *counts);
	void *arg;
};

/* The intervals of one run and pass, without gaps from the program's start to its end. */
struct timeline {
	size_t n, room;
	uint64_t *end_ns;	/* since the program's start; an interval's real length is in it */
	struct count *counts;	/* [n][parts]: from the program's start to the interval's end */
	bool cut;		/* no memory for all: the last interval lasts to the end */
};

struct watcher;

/* Begins to read; NULL if there is nothing to do, or no thread to do it. */
struct watcher *watcher_start(const struct watch *watch, struct sets *s, int nparts,
			      struct timeline *out);
/* Intervals begin at that time of their clock, and earlier ones are forgotten. */
void watcher_restart(struct watcher *w, uint64_t ns);
/* Ends reading. */
void watcher_stop(struct watcher *w);
/* An interval ends at that time of its clock, with these counts since the program's start. */
void timeline_append(struct timeline *t, uint64_t end, int nparts, const struct count *counts);
/* The last interval ends with the program, which took ns from `began` on and counted this. */
void timeline_end(struct timeline *t, uint64_t began, uint64_t ns, int nparts,
		  const struct count *counts);
/* Subtracts `base` from the counts of all intervals. */
void timeline_rebase(struct timeline *t, int nparts, const struct count *base);
void timeline_free(struct timeline *t);
/* Profiles of programs on the machine pause outside of what is counted. They begin and end at the
 * moment of a reading. */
enum sample { SAMPLE, SAMPLE_BEGIN, SAMPLE_END };
/* Reads all counters, of a virtual machine at one moment, in any thread. The time at which they had
 * these values, on the intervals' clock. */
uint64_t watch_sample(struct sets *s, struct count *counts, enum sample kind);
/* The time on that clock, without a reading. */
uint64_t watch_now(void);

#endif
