/* SPDX-License-Identifier: MIT */
/* Messages between the ipmu-run of a node, and the check of one that has been received. */
#ifndef IPMU_RUN_MESSAGE_H
#define IPMU_RUN_MESSAGE_H

#include <stddef.h>

#include "../../measure/counting/cpus.h"
#include "mpi_region.h"

#define MESSAGE_OPTIONS_MAX 4096	/* bytes of them that are compared */
#define MESSAGE_WHY_MAX 160

/* A process of the job to the one that leads. */
struct message_hello {
	struct message_head head;
	int rank;
	struct cpus cpus;
	char options[MESSAGE_OPTIONS_MAX];
};

/* The answer to it. */
enum message_go { WORD_GO, WORD_REFUSED };
struct message_word {
	struct message_head head;
	int what, status;
};

union message {
	struct message_head head;
	struct region_message region;
	struct region_reply reply;
	struct message_hello hello;
	struct message_word word;
};

/* 0: so many bytes are a message of this version, and its members are in range. -EPROTO with why.
 * bytes: as received, which may be more than the union has. */
int message_check(const union message *m, size_t bytes, char why[MESSAGE_WHY_MAX]);
/* The same for a message that has to be of this type, from fd; why is printed. */
int message_receive(int fd, enum message_type type, union message *out);
/* Prints that the peer of fd is refused, and why. */
void message_refuse(int fd, const char *why);

#endif
