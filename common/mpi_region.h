/* SPDX-License-Identifier: MIT */
/* Messages of a rank to the ipmu-run that counts for its node: MPI has begun, and MPI is about to
 * end. Each has a connection of its own, and is answered when its sender may go on. The rank's own
 * ipmu-run has one more to say. */
#ifndef IPMU_MPI_REGION_H
#define IPMU_MPI_REGION_H

#include <stdint.h>

/* RANK:PATH, for the program: which rank it is, and the socket (AF_UNIX, SOCK_SEQPACKET). */
#define REGION_ENV "IPMU_RUN_REGION"

/* Each message between the processes of a job begins with this. job/message.h has those that only
 * ipmu-run sends. */
struct message_head {
	uint32_t type;		/* enum message_type */
	uint32_t version;	/* raised if any message changes */
};
#define MESSAGE_VERSION 1u

/* Large numbers: what else speaks to the socket has others there. */
enum message_type {
	MESSAGE_REGION = 0x49504d01, MESSAGE_ANSWER, MESSAGE_HELLO, MESSAGE_WORD,
};

enum region_what {
	REGION_BEGUN,		/* MPI_Init is over: answered when the node's counting has begun */
	REGION_ENDED,		/* MPI_Finalize begins: answered when its count has been read */
	REGION_ABORTS,		/* MPI_Abort begins: answered when the counts are in a report */
	REGION_GONE,		/* its ipmu-run: the rank's program is no more */
};

struct region_message {
	struct message_head head;
	int what, rank;
	int status;		/* of a program that is gone, as a shell has it */
	int killed;		/* 1: a signal has ended that program */
};
#define REGION_HEAD { MESSAGE_REGION, MESSAGE_VERSION }

/* To one that is gone: has the rank, or another, ended before its time? */
enum region_answer { REGION_WELL, REGION_EARLY, REGION_LATER /* none yet */ };

struct region_reply {
	struct message_head head;
	int answer;
};

#endif
