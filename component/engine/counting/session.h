/* SPDX-License-Identifier: MIT */
/* A session from the inside. Threads may start, stop, set and read one at the same time.
 *
 * Changes are made under the system's lock. Readers take no lock, because they may be signal
 * handlers: they announce themselves in `live` or `idle`, and a change waits for them. A reader
 * never waits for a change: while events or counters are changing it gives zeros. A reader that a
 * signal handler has left by siglongjmp never ends: it is given up after a while, and what it might
 * still use is kept. */
#ifndef IPMU_SESSION_H
#define IPMU_SESSION_H

#include "plan.h"

enum ipmu_session_state {
	IPMU_STOPPED,		/* readers sum up what was seen last */
	IPMU_RUNNING,		/* readers look at the registers */
	IPMU_CHANGING,		/* events or counters are changing: readers keep out */
};

struct ipmu_readers {
	_Atomic int n;
	_Atomic uint64_t who;		/* sum of numbers that stand for their threads */
};

/* Readers that arrived between two times at which some were given up. */
struct ipmu_reader_epoch {
	struct ipmu_readers live, idle;	/* inside, having found it running, or stopped */
	struct ipmu_reader_epoch *old;	/* with readers that were given up */
};

struct ipmu_session {
	struct ipmu_system *sys;	/* NULL: closed before the session was freed */
	struct ipmu_session *next;	/* of the same system */
	bool holds_units;
	_Atomic int state;		/* enum ipmu_session_state */
	struct ipmu_reader_epoch *_Atomic epoch;
	_Atomic int lost;		/* counter uses whose count was lost since the start */
	int64_t asleep_ns;		/* of the machine, when the counters were programmed */
	int fork_word;			/* number of its word for forked children; 0: none */
	uint32_t run;			/* what the word was last set to */
	_Atomic int nevents;
	struct ipmu_event *events;
	struct ipmu_plan plan;
};

/* Readers have been given up: what they may hold must not be freed. */
static inline bool ipmu_session_has_lost_readers(struct ipmu_session *s)
{
	return atomic_load(&s->epoch)->old != NULL;
}

static inline bool ipmu_session_running(const struct ipmu_session *s)
{
	return atomic_load(&s->state) == IPMU_RUNNING;
}

/* The system is closing: its remaining sessions stop counting, and their owners free them. */
void ipmu_sessions_orphan(struct ipmu_system *sys);
/* In a forked child, forget the readers: they were threads of the parent. */
void ipmu_sessions_forked(struct ipmu_system *sys);

#endif
