/* SPDX-License-Identifier: MIT */
/* A session from the inside: its state, its readers, its events and its plan. Threads may start,
 * stop, set and read one at the same time. Changes are made under the system's lock; readers.h has
 * what readers do instead. */
#ifndef IPMU_SESSION_DATA_H
#define IPMU_SESSION_DATA_H

#include "plan.h"

enum ipmu_session_state {
	IPMU_STOPPED,		/* readers sum up what was seen last */
	IPMU_RUNNING,		/* readers read the registers */
	IPMU_CHANGING,		/* events or counters are changing: readers keep out */
};

struct ipmu_readers {
	_Atomic int n;
	_Atomic uint64_t who;		/* sum of numbers that stand for their threads */
};

struct ipmu_session {
	struct ipmu_system *sys;	/* NULL: closed before the session was freed */
	struct ipmu_session *next;	/* of the same system */
	bool holds_units;
	_Atomic int state;		/* enum ipmu_session_state */
	struct ipmu_readers live, idle;	/* inside, having found it running, or stopped */
	_Atomic bool given_up;		/* a change has not waited for some of them: they store
					 * nothing any more, and it does not start again */
	_Atomic int lost;		/* counter uses whose count was lost since the start */
	int64_t asleep_ns;		/* of the machine, when the counters were programmed */
	_Atomic int nevents;
	struct ipmu_event *events;
	struct ipmu_plan plan;
};

static inline bool ipmu_session_running(const struct ipmu_session *s)
{
	return atomic_load(&s->state) == IPMU_RUNNING;
}

#endif
