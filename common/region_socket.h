/* SPDX-License-Identifier: MIT */
/* How a program sends the messages of mpi_region.h. Static functions, because libraries that are
 * loaded into users' programs include this and link nothing but C's library. */
#ifndef IPMU_REGION_SOCKET_H
#define IPMU_REGION_SOCKET_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "descriptor.h"
#include "mpi_region.h"

#define REGION_PATIENCE_S 30	/* with an ipmu-run that is stopped */

/* Read RANK:PATH. False: it is NULL, or something else. */
static inline bool region_address(const char *text, struct sockaddr_un *to, int *rank)
{
	int at = 0;

	*to = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (!text || sscanf(text, "%d:%n", rank, &at) != 1 || !at ||
	    strlen(text + at) >= sizeof(to->sun_path))
		return false;
	memcpy(to->sun_path, text + at, strlen(text + at));
	return true;
}

/* A connection, or a negative errno. *is identifies the descriptor, which other threads of the
 * program may close. */
static inline int region_connect(const struct sockaddr_un *to, uint64_t *is)
{
	const struct timeval patience = { .tv_sec = REGION_PATIENCE_S };
	int fd = descriptor_move_up(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)), rc;

	*is = 0;
	if (fd < 0)
		return -errno;
	*is = descriptor_identity(fd);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	while (connect(fd, (const struct sockaddr *)to, sizeof(*to))) {
		if (errno == EINTR)
			continue;
		rc = -errno;
		descriptor_close(fd, *is);
		return rc;
	}
	return fd;
}

/* Send the message and wait for the answer. Its number, or -EPIPE: there is nobody to give one. */
static inline int region_ask(int fd, uint64_t is, const struct region_message *message)
{
	struct region_reply answer;
	ssize_t got;

	if (!descriptor_is(fd, is) ||
	    send(fd, message, sizeof(*message), MSG_NOSIGNAL) != sizeof(*message))
		return -EPIPE;
	do
		got = descriptor_is(fd, is) ? recv(fd, &answer, sizeof(answer), 0) : 0;
	while (got < 0 && errno == EINTR);
	return got == sizeof(answer) && answer.head.type == MESSAGE_ANSWER &&
	       answer.head.version == MESSAGE_VERSION ? answer.answer : -EPIPE;
}

#endif
