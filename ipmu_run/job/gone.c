/* SPDX-License-Identifier: MIT */
/* The last message of a rank's ipmu-run to the one that counts. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mpi_region.h"
#include "now.h"
#include "region.h"
#include "socket.h"

#define ANSWER_MS 2000		/* a report is written first if need be */
#define LINGER_MS 600		/* Open MPI's mpirun grants a second, Hydra nothing */

static int waits = -1;

/* -1: nobody listens. */
static int ask(const struct region_message *m, const char *path)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0 || (!socket_connect(fd, path) &&
		       send(fd, m, sizeof(*m), MSG_NOSIGNAL) == sizeof(*m)))
		return fd;
	close(fd);
	return -1;
}

static bool readable(int fd, int ms)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };
	int64_t until = now_ms() + ms;
	int rc;

	do
		rc = poll(&one, 1, until > now_ms() ? (int)(until - now_ms()) : 0);
	while (rc < 0 && errno == EINTR);
	return rc > 0;
}

bool region_gone(int rank, const struct program *p, int status)
{
	const char *text = getenv(REGION_ENV), *path = text ? strchr(text, ':') : NULL;
	const struct region_message m = { REGION_GONE, rank, status, p->killed };
	int fd = path ? ask(&m, path + 1) : -1;
	char answer = REGION_WELL;

	if (fd >= 0 && readable(fd, ANSWER_MS) && recv(fd, &answer, 1, 0) != 1)
		answer = REGION_WELL;
	if (fd >= 0 && answer == REGION_EARLY)
		waits = fd;
	else if (fd >= 0)
		close(fd);
	return p->killed || answer == REGION_EARLY;
}

void region_linger(void)
{
	if (waits < 0)
		return;
	readable(waits, LINGER_MS);
	close(waits);
	waits = -1;
}
