/* SPDX-License-Identifier: MIT */
/* State of this process's lease on a unit, and of what it remembers of the unit's journal. */
#ifndef IPMU_LEASE_STATE_H
#define IPMU_LEASE_STATE_H

#include <stdbool.h>

/* Inside, in VISITING and ENTERED, the mutex is held, fatal signals are blocked, and memory agrees
 * with the journal or is ahead of it. Outside, no register is written. */
enum ipmu_lease_state {
	IPMU_LEASE_OUT,		/* no lock is held, and no register is changed for this process */
	IPMU_LEASE_VISITING,	/* inside, without taking part */
	IPMU_LEASE_COUNTING,	/* takes part: holds a process's lock, handles fatal signals */
	IPMU_LEASE_ENTERED,	/* takes part, and is inside */
	IPMU_LEASE_UNRESTORED,	/* as OUT, but registers still are to be restored */
};

enum ipmu_lease_event {
	IPMU_LEASE_ENTER,
	IPMU_LEASE_LEAVE,
	IPMU_LEASE_JOIN,	/* takes part from now on */
	IPMU_LEASE_END,		/* it ends: registers are restored, or left to other processes */
	IPMU_LEASE_FAIL,	/* it ends, but registers could not be restored */
	IPMU_LEASE_LOSE,	/* its file is gone: the program closed it, or this is a fork */
};

/* The journal in memory, compared with the file. */
enum ipmu_journal_sync {
	IPMU_JOURNAL_UNREAD,	/* it may differ: entering reads the file again */
	IPMU_JOURNAL_READ,	/* it is that of the generation in the header */
	IPMU_JOURNAL_AHEAD,	/* this process is changing registers; leaving completes the file */
};

struct ipmu_lease;

/* Move to the next state. False: the event does not happen in this state, which stays. */
bool ipmu_lease_state_move(struct ipmu_lease *lease, enum ipmu_lease_event event);

#endif
