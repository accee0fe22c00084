/* SPDX-License-Identifier: MIT */
#include "handover.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi_note.h"

#define LOOK_NS 10000000	/* MPI_Init takes longer than that */

struct handover {
	struct sets *sets;
	pthread_t thread;
	atomic_bool leave;
};

static bool expected;

void handover_expect(void)
{
	expected = true;
}

void handover_note_counted(void)
{
	if (expected)
		job_note(NOTE_COUNTED);
}

void handover_note_released(void)
{
	if (expected)
		job_note(NOTE_RELEASED);
}

void handover_note_why(const char *why)
{
	if (expected)
		job_note_why(why);
}

bool handover_done(void)
{
	return expected && job_noted(NOTE_INIT);
}

static void *look(void *arg)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	struct handover *h = arg;

	while (!h->leave && !job_noted(NOTE_INIT))
		nanosleep(&pause, NULL);
	if (!h->leave) {
		sets_drop(h->sets);
		job_note(NOTE_RELEASED);
	}
	return NULL;
}

struct handover *handover_start(struct sets *s)
{
	struct handover *h = expected ? calloc(1, sizeof(*h)) : NULL;
	sigset_t all, old;

	if (!h)
		return NULL;
	h->sets = s;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&h->thread, NULL, look, h)) {
		free(h);
		h = NULL;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return h;
}

void handover_stop(struct handover *h)
{
	if (!h)
		return;
	h->leave = true;
	pthread_join(h->thread, NULL);
	free(h);
}
