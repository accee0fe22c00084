/* SPDX-License-Identifier: MIT */
/* Readers of a session. They take no lock, because they may be signal handlers: they announce
 * themselves, and a change of the session's state waits for them. A reader never waits for a
 * change: while events or counters are changing, it returns zeros. */
#ifndef IPMU_READERS_H
#define IPMU_READERS_H

#include "session_data.h"

/* The group of readers that the caller has joined, and has to leave; NULL: the session is
 * changing. */
struct ipmu_visit {
	struct ipmu_readers *among;
	int state;	/* enum ipmu_session_state, as the reader has found it */
};

/* Announce a reader. Both are async-signal-safe. */
struct ipmu_visit ipmu_readers_enter(struct ipmu_session *s);
void ipmu_readers_leave(const struct ipmu_visit *v);

/* Change the state, and wait for readers that began in the old one and must not meet the new. Lock
 * held. If some of them do not end, the session has the new state all the same, and they store
 * nothing any more. -EDEADLK: these are this thread's own. -ETIMEDOUT: another thread's. */
int ipmu_readers_change(struct ipmu_session *s, enum ipmu_session_state state);

#endif
