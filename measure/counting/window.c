/* SPDX-License-Identifier: MIT */
#include "window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "virtual.h"

int window_open(struct window *w, struct sets *s, struct watcher *watcher, int nparts)
{
	*w = (struct window){ .sets = s, .watcher = watcher, .nparts = (size_t)nparts };
	w->begin = calloc(w->nparts + 1, sizeof(*w->begin));
	w->end = calloc(w->nparts + 1, sizeof(*w->end));
	virtual_pause(true);
	return w->begin && w->end ? 0 : -ENOMEM;
}

void window_begin(struct window *w)
{
	if (w->begun)
		return;
	w->begin_ns = watch_sample(w->sets, w->begin, SAMPLE_BEGIN);
	w->begun = true;
	watcher_restart(w->watcher, w->begin_ns);
}

void window_end(struct window *w)
{
	if (!w->begun || w->ended)
		return;
	w->end_ns = watch_sample(w->sets, w->end, SAMPLE_END);
	w->ended = true;
}

static void subtract(const struct window *w, struct count *counts)
{
	for (size_t i = 0; i < w->nparts; i++) {
		counts[i].known &= w->begin[i].known;
		counts[i].value -= w->begin[i].value;
	}
}

bool window_look(const struct window *w, struct count *counts, uint64_t *ns)
{
	uint64_t end = w->end_ns;

	if (!w->begun)
		return false;
	if (w->ended)
		memcpy(counts, w->end, w->nparts * sizeof(*counts));
	else
		end = watch_sample(w->sets, counts, SAMPLE);
	subtract(w, counts);
	*ns = end - w->begin_ns;
	return true;
}

void window_apply(const struct window *w, uint64_t *began, uint64_t *ns, struct count *counts,
		  struct timeline *t)
{
	uint64_t end = w->ended ? w->end_ns : *began + *ns;

	if (w->begun) {
		if (w->ended)
			memcpy(counts, w->end, w->nparts * sizeof(*counts));
		*began = w->begin_ns;
		*ns = end - w->begin_ns;
	}
	if (t)
		timeline_end(t, *began, *ns, (int)w->nparts, counts);
	if (!w->begun)
		return;
	if (t)
		timeline_rebase(t, (int)w->nparts, w->begin);
	subtract(w, counts);
}

void window_close(struct window *w)
{
	free(w->begin);
	free(w->end);
	w->begin = w->end = NULL;
	w->sets = NULL;
	w->watcher = NULL;
}
