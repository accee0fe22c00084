/* SPDX-License-Identifier: MIT */
/* Messages of a program to the ipmu-run that counts for its node: MPI has begun or is about to end,
 * and a thread enters or leaves a region that the program has named. Each is answered when its
 * sender may continue. Those about MPI have a connection each; those about named regions share one
 * in a process, so that its end closes what is open. The rank's own ipmu-run has one more to
 * send. */
#ifndef IPMU_MPI_REGION_H
#define IPMU_MPI_REGION_H

#include <stdint.h>

/* RANK:PATH, for the program: its rank, and the socket (AF_UNIX, SOCK_SEQPACKET). The first is
 * there if ipmu-run counts from MPI_Init on. */
#define REGION_ENV "IPMU_RUN_REGION"
/* The same for named regions, always there. `vpmu run` takes it out of the program's environment:
 * its machine sends the messages. */
#define REGION_NAMED_ENV "IPMU_RUN_NAMED_REGIONS"
/* Begins the value above if nothing outside of regions is to be counted. */
#define REGION_ONLY "only:"

/* Each message between the processes of a job begins with this. job/message.h has those that only
 * ipmu-run sends. */
struct message_head {
	uint32_t type;		/* enum message_type */
	uint32_t version;	/* raised if any message changes */
};
#define MESSAGE_VERSION 2u

/* Large numbers: what else speaks to the socket has others there. */
enum message_type {
	MESSAGE_REGION = 0x49504d01, MESSAGE_ANSWER, MESSAGE_HELLO, MESSAGE_WORD,
};

enum region_what {
	REGION_BEGUN,		/* MPI_Init is over: answered when the node's counting has begun */
	REGION_ENDED,		/* MPI_Finalize begins: answered when its count has been read */
	REGION_ABORTS,		/* MPI_Abort begins: answered when the counts are in a report */
	REGION_GONE,		/* its ipmu-run: the rank's program is no more */
	REGION_ENTERED,		/* a thread enters a named region: answered after a reading */
	REGION_LEFT,		/* and leaves it */
};

#define REGION_NAME_MAX 128	/* with the 0 that ends it */

struct region_message {
	struct message_head head;
	int what, rank;
	int status;		/* of a program that is gone, as a shell has it */
	int killed;		/* 1: a signal has ended that program */
	int process, thread;	/* of a named region */
	char name[REGION_NAME_MAX];
};
#define REGION_HEAD { MESSAGE_REGION, MESSAGE_VERSION }

/* To one that is gone: has the rank, or another, ended before its time? To a named region: */
enum region_answer {
	REGION_WELL, REGION_EARLY,
	REGION_LATER,		/* none yet */
	REGION_UNKNOWN,		/* the thread is not in the region that it leaves */
	REGION_FULL,		/* there are too many regions, or there is no memory */
};

struct region_reply {
	struct message_head head;
	int answer;
};

#endif
