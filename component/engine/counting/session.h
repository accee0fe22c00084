/* SPDX-License-Identifier: MIT */
/* A session from the inside. Threads may start, stop, set and read one at the same time.
 *
 * Changes are made under the system's lock. Readers take no lock, because they may be signal
 * handlers: they announce themselves in `live` or `idle`, and a change waits for them. A reader
 * never waits for a change: while the gate is closed it gives zeros. A reader that a signal handler
 * has left by siglongjmp never comes out: it is given up after a while, and what it might still
 * hold is kept. */
#ifndef IPMU_SESSION_H
#define IPMU_SESSION_H

#include "plan.h"

enum ipmu_gate {
	IPMU_STOPPED,		/* readers sum up what was seen last */
	IPMU_RUNNING,		/* readers look at the registers */
	IPMU_CLOSED,		/* events or counters are changing: readers keep out */
};

struct ipmu_readers {
	_Atomic int n;
	_Atomic uint64_t who;		/* sum of numbers that stand for their threads */
};

struct ipmu_hall {
	struct ipmu_readers live, idle;	/* inside, having found it running, or stopped */
	struct ipmu_hall *old;		/* with readers that were given up */
};

struct ipmu_session {
	struct ipmu_system *sys;	/* NULL: closed before the session was freed */
	struct ipmu_session *next;	/* of the same system */
	bool claimed;
	_Atomic int gate;		/* enum ipmu_gate */
	struct ipmu_hall *_Atomic hall;
	_Atomic int lost;		/* taps that have lost their count since the start */
	int kin;			/* its word for forked children; 0: none */
	uint32_t run;			/* ... as last set */
	_Atomic int nevents;
	struct ipmu_event *events;
	struct ipmu_plan plan;
};

/* Change the gate, and wait for the readers who came in by the old one and must not meet the new.
 * Lock held. -ETIMEDOUT: some of them did not come out in time and were given up. */
int ipmu_session_gate(struct ipmu_session *s, enum ipmu_gate gate);

/* Readers have been given up: what they may hold must not be freed. */
static inline bool ipmu_session_haunted(struct ipmu_session *s)
{
	return atomic_load(&s->hall)->old != NULL;
}

static inline bool ipmu_session_running(const struct ipmu_session *s)
{
	return atomic_load(&s->gate) == IPMU_RUNNING;
}

/* The tap counts from this 64-bit value of its counter on. Gate closed. */
void ipmu_tap_begin(struct ipmu_tap *tap, uint64_t value);

/* Look at all counters once more. The session counts, lock held or announced as a reader. A counter
 * that cannot be read any more, or was lost, is so for the tap: that is no error here. */
int ipmu_session_look(struct ipmu_session *s);

#endif
