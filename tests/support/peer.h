/* SPDX-License-Identifier: MIT */
/* Other processes that count: forked from the test, each with an engine of its own, doing what
 * the test requests. */
#ifndef PEER_H
#define PEER_H

#include "engine_fixture.h"

#include <sys/types.h>

#define PEER_EVENTS_MAX 8

struct peer {
	pid_t pid;
	int to, from;
};

struct peer_answer {
	int rc;
	uint64_t values[PEER_EVENTS_MAX];
	char why[IPMU_WHY_MAX];
};

enum peer_command {
	PEER_START,	/* open (once), and start a session with these events */
	PEER_READ,
	PEER_STOP,	/* answers the final counts; the session stays */
	PEER_AGAIN,	/* start it again */
	PEER_RESET,
	PEER_FREE,	/* the session */
	PEER_CLOSE,	/* session and engine */
	PEER_FORK,	/* a child that does nothing, for a minute; values[0]: its pid */
	PEER_DIE,	/* arg: signal to raise; 0: _exit; -1: exit; no answer */
};

/* A fault in a peer, for tests that wrap pwrite(): what the write after `left` others meets. The
 * command of peer_try() sets it in the peer. */
struct peer_fault {
	enum { PEER_SOUND, PEER_KILLED, PEER_DISK_FULL } kind;
	int left;
};
extern struct peer_fault peer_fault;

/* A child that waits for commands. */
struct peer peer_new(const struct engine_fixture *f, enum ipmu_scope scope);
/* A command and its answer. names up to NULL, for PEER_START. */
struct peer_answer peer_do(const struct peer *p, enum peer_command command,
			   const char *const *names);
/* The same with a fault in it; false: the peer died and is waited for. */
bool peer_try(struct peer *p, enum peer_command command, const char *const *names,
	      struct peer_fault fault, struct peer_answer *answer);
/* PEER_DIE; returns the status that waitpid gives. */
int peer_die(struct peer *p, int how);
/* SIGKILL. */
void peer_kill(struct peer *p);

#endif
