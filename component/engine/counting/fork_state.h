/* SPDX-License-Identifier: MIT */
/* State of the counting process that its forked children can see. A child continues to read the
 * parent's counters. When the parent ends a count, or ends itself, the count is lost to the child.
 * The words lie in memory that a fork shares. */
#ifndef IPMU_FORK_STATE_H
#define IPMU_FORK_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define IPMU_FORK_WORDS 1024	/* sessions that children can follow, and one more */

struct ipmu_fork_state {
	_Atomic uint32_t *words;	/* the first: 1 once all registers are being restored */
	bool used[IPMU_FORK_WORDS];
};

/* Without memory for it children read nothing. */
void ipmu_fork_state_open(struct ipmu_fork_state *f);
void ipmu_fork_state_close(struct ipmu_fork_state *f);

/* A word for a new session; 0: there is none left. Lock held. */
int ipmu_fork_state_take(struct ipmu_fork_state *f);
void ipmu_fork_state_drop(struct ipmu_fork_state *f, int word);

/* Advance the word before its session's counters start, and before they stop. Returns the new
 * value, with which children compare. */
uint32_t ipmu_fork_state_advance(struct ipmu_fork_state *f, int word);
/* Call before registers are restored for good. Async-signal-safe. */
void ipmu_fork_state_end(struct ipmu_fork_state *f);

/* In a child: does its parent count for the session as at the fork, when the word was `run`?
 * Async-signal-safe. */
bool ipmu_fork_state_counts(const struct ipmu_fork_state *f, int word, uint32_t run,
			    pid_t parent);

#endif
