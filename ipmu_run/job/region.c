/* SPDX-License-Identifier: MIT */
/* The time from MPI_Init to MPI_Finalize on one node: region_take() handles the message of a rank
 * and returns the answer, region_advance() begins and ends the window. One thread at a time calls
 * them, the one that serves the node's socket (node.c). The window is the measurement's before
 * region_begin() and after region_end().
 *
 * No rank can block another for long. In MPI_Init a rank waits for the node's others, BEGIN_MS at
 * most: if one of them does not begin in time, counting begins without it. In MPI_Finalize no rank
 * waits for another, as MPI itself may need the first to come for what the last has still to do. */
#include "region.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "now.h"
#include "preload.h"

#define BEGIN_MS 10000

/* A rank of the job, all of its processes together. */
struct rank_slot {
	int rank, begun, ended;		/* so many of them have begun, and ended */
	bool gone, aborts;
};

struct region {
	struct region_alarm alarm;
	struct window *window;
	bool failed;
	int expected;
	int64_t begin_by;	/* 0: no rank has begun */
	struct rank_slot *slots;
	int nslots;
};

/* ---- ranks ---- */

static struct rank_slot *slot_of(struct region *r, int rank)
{
	struct rank_slot *more;

	for (int i = 0; i < r->nslots; i++)
		if (r->slots[i].rank == rank)
			return &r->slots[i];
	more = realloc(r->slots, (size_t)(r->nslots + 1) * sizeof(*more));
	if (!more)
		return NULL;
	r->slots = more;
	r->slots[r->nslots] = (struct rank_slot){ .rank = rank };
	return &r->slots[r->nslots++];
}

static bool all_have_begun(const struct region *r)
{
	int known = 0;

	for (int i = 0; i < r->nslots; i++)
		known += r->slots[i].begun || r->slots[i].gone;
	return known >= r->expected;
}

static bool all_have_ended(const struct region *r)
{
	for (int i = 0; i < r->nslots; i++) {
		const struct rank_slot *s = &r->slots[i];

		if (!s->gone && (!s->begun || s->ended < s->begun))
			return false;
	}
	return all_have_begun(r);
}

static void fail(struct region *r)
{
	if (r->failed)
		return;
	r->failed = true;
	if (r->alarm.ring)
		r->alarm.ring(r->alarm.arg);
}

/* The first reason counts: others follow from it. */
static void fail_gone(struct region *r, const struct rank_slot *s, const struct region_message *m)
{
	const char *name = m->killed ? sigabbrev_np(m->status - 128) : NULL;

	if (r->failed)
		return;
	if (m->killed)
		snprintf(r->window->reason, WINDOW_REASON_MAX, "rank %d ended by signal %d, SIG%s",
			 s->rank, m->status - 128, name ? name : "?");
	else
		snprintf(r->window->reason, WINDOW_REASON_MAX, "rank %d ended without "
			 "MPI_Finalize, with exit status %d", s->rank, m->status);
	fail(r);
}

/* ---- messages ---- */

static enum region_answer take_gone(struct region *r, struct rank_slot *s,
				    const struct region_message *m)
{
	bool early = m->killed || s->aborts || s->begun > s->ended;

	s->gone = true;
	region_advance(r);
	if (early)
		fail_gone(r, s, m);
	return early ? REGION_EARLY : REGION_WELL;
}

enum region_answer region_take(struct region *r, const struct region_message *m)
{
	struct rank_slot *s = slot_of(r, m->rank);

	switch (s ? m->what : -1) {
	case REGION_BEGUN:
		s->begun++;
		if (r->window->begun)
			return REGION_WELL;
		if (!r->begin_by)
			r->begin_by = now_ms() + BEGIN_MS;
		return REGION_LATER;
	case REGION_ENDED:
		s->ended++;
		region_advance(r);
		return REGION_WELL;
	case REGION_ABORTS:
		if (!r->failed)
			snprintf(r->window->reason, WINDOW_REASON_MAX,
				 "MPI_Abort was called by rank %d", s->rank);
		s->aborts = true;
		fail(r);
		return REGION_WELL;
	case REGION_GONE:
		return take_gone(r, s, m);
	default:
		return REGION_WELL;
	}
}

bool region_advance(struct region *r)
{
	if (r->begin_by && (all_have_begun(r) || now_ms() >= r->begin_by)) {
		window_begin(r->window);
		r->begin_by = 0;
	}
	if (r->window->begun && all_have_ended(r))
		window_end(r->window);
	return r->window->begun;
}

int region_due_ms(const struct region *r)
{
	int64_t left = r->begin_by - now_ms();

	return !r->begin_by ? -1 : left > 0 ? (int)left : 0;
}

/* ---- its life ---- */

int region_tell(int rank, const char *path, char why[COUNT_WHY_MAX])
{
	char text[SOCKET_PATH_MAX + 16];

	snprintf(text, sizeof(text), "%d:%s", rank, path);
	if (setenv(REGION_ENV, text, 1)) {
		snprintf(why, COUNT_WHY_MAX, "no memory");
		return -ENOMEM;
	}
	program_keep_connection();
	return preload_set(why);
}

int region_open(struct region **out, char why[COUNT_WHY_MAX])
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		snprintf(why, COUNT_WHY_MAX, "no memory");
	return *out ? 0 : -ENOMEM;
}

void region_set(struct region *r, struct window *window, struct region_alarm alarm)
{
	r->window = window;
	r->alarm = alarm;
}

void region_begin(struct region *r, int ranks)
{
	r->nslots = 0;
	r->begin_by = 0;
	r->failed = false;
	r->expected = ranks;
}

void region_end(struct region *r)
{
	if (r->window->begun && !r->window->ended && !r->failed)
		snprintf(r->window->reason, WINDOW_REASON_MAX,
			 "a rank ended without MPI_Finalize");
}

void region_close(struct region *r)
{
	free(r->slots);
	free(r);
}
