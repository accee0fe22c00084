/* SPDX-License-Identifier: MIT */
/* A thread of the process that counts for the node hears its ranks; it alone touches the slots and
 * the clients. The window is the program's own from region_begin() to region_end(), and the
 * measurement's before and after.
 *
 * No rank can block another for long. In MPI_Init a rank waits for the node's others, BEGIN_MS at
 * most: if one of them does not come, counting begins without it. In MPI_Finalize no rank waits for
 * another, as MPI itself may need the first to come for what the last has still to do. */
#include "region.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mpi_region.h"
#include "now.h"
#include "preload.h"
#include "socket.h"

#define BEGIN_MS 10000

/* A rank of the job, all of its processes together. */
struct rank_slot {
	int rank, begun, ended;		/* so many of them have begun, and ended */
	bool gone, aborts;
};

struct client {
	int fd;			/* -1: nothing more is expected */
	bool heard;		/* it has sent its message */
	bool begins;		/* and waits for the window to begin */
};

struct region {
	char job[64], path[SOCKET_PATH_MAX];
	int rank, fd, wake;
	struct company company;
	struct region_alarm alarm;
	struct window *window;
	pthread_t thread;
	bool runs, failed;
	int expected;
	int64_t begin_by;	/* 0: no rank has begun */
	struct rank_slot *slots;
	int nslots;
	struct client *clients;
	int nclients;
};

/* ---- ranks ---- */

static struct rank_slot *slot_of(struct region *r, int rank)
{
	struct rank_slot *more;

	for (int i = 0; i < r->nslots; i++)
		if (r->slots[i].rank == rank)
			return &r->slots[i];
	more = realloc(r->slots, (size_t)(r->nslots + 1) * sizeof(*more));
	if (!more)
		return NULL;
	r->slots = more;
	r->slots[r->nslots] = (struct rank_slot){ .rank = rank };
	return &r->slots[r->nslots++];
}

static bool all_have_begun(const struct region *r)
{
	int known = 0;

	for (int i = 0; i < r->nslots; i++)
		known += r->slots[i].begun || r->slots[i].gone;
	return known >= r->expected;
}

static bool all_have_ended(const struct region *r)
{
	for (int i = 0; i < r->nslots; i++) {
		const struct rank_slot *s = &r->slots[i];

		if (!s->gone && (!s->begun || s->ended < s->begun))
			return false;
	}
	return all_have_begun(r);
}

static void fail(struct region *r)
{
	if (r->failed)
		return;
	r->failed = true;
	if (r->alarm.ring)
		r->alarm.ring(r->alarm.arg);
}

/* The first reason counts: others follow from it. */
static void fail_gone(struct region *r, const struct rank_slot *s, const struct region_message *m)
{
	const char *name = m->killed ? sigabbrev_np(m->status - 128) : NULL;

	if (r->failed)
		return;
	if (m->killed)
		snprintf(r->window->reason, WINDOW_REASON_MAX, "rank %d ended by signal %d, SIG%s",
			 s->rank, m->status - 128, name ? name : "?");
	else
		snprintf(r->window->reason, WINDOW_REASON_MAX, "rank %d ended without "
			 "MPI_Finalize, with exit status %d", s->rank, m->status);
	fail(r);
}

/* ---- messages ---- */

static void answer(struct client *c, enum region_answer what)
{
	const char byte = (char)what;

	(void)!send(c->fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void finish(struct client *c)
{
	close(c->fd);
	c->fd = -1;
}

static void client_release(struct client *c)
{
	answer(c, REGION_WELL);
	finish(c);
}

static void begin_window(struct region *r)
{
	window_begin(r->window);
	r->begin_by = 0;
	for (int i = 0; i < r->nclients; i++)
		if (r->clients[i].fd >= 0 && r->clients[i].begins)
			client_release(&r->clients[i]);
}

static void region_advance(struct region *r)
{
	if (r->begin_by && (all_have_begun(r) || now_ms() >= r->begin_by))
		begin_window(r);
	if (r->window->begun && all_have_ended(r))
		window_end(r->window);
}

static void take_gone(struct region *r, struct client *c, struct rank_slot *s,
		      const struct region_message *m)
{
	bool early = m->killed || s->aborts || s->begun > s->ended;

	s->gone = true;
	region_advance(r);
	if (early)
		fail_gone(r, s, m);
	answer(c, early ? REGION_EARLY : REGION_WELL);
	if (!early)
		finish(c);
}

static void message_take(struct region *r, struct client *c, const struct region_message *m)
{
	struct rank_slot *s = slot_of(r, m->rank);

	if (!s) {
		client_release(c);
		return;
	}
	switch (m->what) {
	case REGION_BEGUN:
		s->begun++;
		if (r->window->begun) {
			client_release(c);
			break;
		}
		c->begins = true;
		if (!r->begin_by)
			r->begin_by = now_ms() + BEGIN_MS;
		region_advance(r);
		break;
	case REGION_ENDED:
		s->ended++;
		region_advance(r);
		client_release(c);
		break;
	case REGION_ABORTS:
		if (!r->failed)
			snprintf(r->window->reason, WINDOW_REASON_MAX,
				 "MPI_Abort was called by rank %d", s->rank);
		s->aborts = true;
		fail(r);
		client_release(c);
		break;
	case REGION_GONE:
		take_gone(r, c, s, m);
		break;
	default:
		client_release(c);
	}
}

/* ---- the thread ---- */

static void hear(struct region *r, int i)
{
	struct region_message m;
	ssize_t got = recv(r->clients[i].fd, &m, sizeof(m), MSG_DONTWAIT);

	if (got < 0 && errno == EAGAIN)
		return;
	r->clients[i].heard = true;
	if (got == sizeof(m))
		message_take(r, &r->clients[i], &m);
	else
		finish(&r->clients[i]);
}

static bool accept_one(struct region *r)
{
	int fd = accept4(r->fd, NULL, NULL, SOCK_CLOEXEC), free_one = 0;
	struct client *more;

	if (fd < 0)
		return false;
	while (free_one < r->nclients && r->clients[free_one].fd >= 0)
		free_one++;
	more = free_one < r->nclients ? r->clients :
	       realloc(r->clients, (size_t)(r->nclients + 1) * sizeof(*more));
	if (!more) {
		close(fd);
		return true;
	}
	r->clients = more;
	r->nclients += free_one == r->nclients;
	r->clients[free_one] = (struct client){ .fd = fd };
	return true;
}

static void hear_all(struct region *r)
{
	while (accept_one(r))
		;
	for (int i = 0; i < r->nclients; i++)
		if (r->clients[i].fd >= 0 && !r->clients[i].heard)
			hear(r, i);
}

/* True: the region is to end. */
static bool await(struct region *r)
{
	struct pollfd fds[r->nclients + 2];
	nfds_t n = 2;
	int64_t wait = r->begin_by ? r->begin_by - now_ms() : -1;

	fds[0] = (struct pollfd){ .fd = r->wake, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = r->fd, .events = POLLIN };
	for (int i = 0; i < r->nclients; i++)
		if (r->clients[i].fd >= 0 && !r->clients[i].heard)
			fds[n++] = (struct pollfd){ .fd = r->clients[i].fd, .events = POLLIN };
	return poll(fds, n, wait < 0 && r->begin_by ? 0 : (int)wait) > 0 && fds[0].revents;
}

static void *loop(void *arg)
{
	struct region *r = arg;
	bool over;

	do {
		over = await(r);
		hear_all(r);
		region_advance(r);
	} while (!over);
	return NULL;
}

/* ---- its life ---- */

static int listen_here(struct region *r)
{
	char folder[SOCKET_FOLDER_MAX];
	int rc = socket_path(r->job, SOCKET_REGION, r->path, folder);

	do {
		if (!rc || rc == -EAGAIN)
			rc = socket_meet(folder, r->path, &r->fd);
		if (rc == -EAGAIN)
			usleep(10000);
	} while (rc == -EAGAIN && !program_ending());
	if (rc > 0) {
		close(r->fd);
		rc = -EADDRINUSE;
	}
	if (rc)
		r->fd = -1;
	return rc;
}

static int region_explain(int rc, const char *path, char *why)
{
	snprintf(why, COUNT_WHY_MAX, "cannot hear of MPI_Init: %s: %s", path, strerror(-rc));
	return rc;
}

static int set_variable(int rank, const char *path, char *why)
{
	char text[SOCKET_PATH_MAX + 16];

	snprintf(text, sizeof(text), "%d:%s", rank, path);
	if (setenv(REGION_ENV, text, 1))
		return region_explain(-ENOMEM, path, why);
	program_keep_connection();
	return preload_set(why);
}

static void company_begin(void *arg)
{
	region_begin(arg, 1);
}

static void company_end(void *arg, const struct program *p, int status, uint64_t *ns)
{
	(void)ns;
	region_gone(((struct region *)arg)->rank, p, status);
	region_end(arg);
}

int region_open(const char *job, int rank, struct region **out, char why[COUNT_WHY_MAX])
{
	struct region *r = calloc(1, sizeof(*r));
	int rc = r ? 0 : -ENOMEM;

	if (rc)
		return region_explain(rc, "", why);
	*r = (struct region){ .rank = rank, .fd = -1, .wake = eventfd(0, EFD_CLOEXEC),
			      .company = { company_begin, company_end, r } };
	if (job)
		snprintf(r->job, sizeof(r->job), "%s", job + (strlen(job) < sizeof(r->job) ? 0 :
			 strlen(job) - sizeof(r->job) + 1));
	else
		snprintf(r->job, sizeof(r->job), "%d.%llu", (int)getpid(),
			 (unsigned long long)now_ns());
	rc = r->wake < 0 ? -errno : listen_here(r);
	rc = rc ? region_explain(rc, r->path, why) : set_variable(rank, r->path, why);
	if (rc)
		region_close(r);
	else
		*out = r;
	return rc;
}

int region_join(const char *job, int rank, char why[COUNT_WHY_MAX])
{
	char path[SOCKET_PATH_MAX], folder[SOCKET_FOLDER_MAX];
	int rc = socket_path(job, SOCKET_REGION, path, folder);

	return rc ? region_explain(rc, path, why) : set_variable(rank, path, why);
}

const struct company *region_company(struct region *r)
{
	return &r->company;
}

void region_set(struct region *r, struct window *window, struct region_alarm alarm)
{
	r->window = window;
	r->alarm = alarm;
}

/* Signals are for the thread that waits for the program. Without a thread nobody answers: the ranks
 * must not find the socket. */
void region_begin(struct region *r, int ranks)
{
	sigset_t all, old;

	if (r->fd < 0 && listen_here(r))
		return;
	r->nslots = 0;
	r->begin_by = 0;
	r->failed = false;
	r->expected = ranks;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r->runs = !pthread_create(&r->thread, NULL, loop, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!r->runs)
		region_end(r);
}

static void stop_listening(struct region *r)
{
	if (r->fd < 0)
		return;
	unlink(r->path);
	close(r->fd);
	r->fd = -1;
}

/* Messages that were sent before are heard. Those that wait for what is written stay. */
void region_end(struct region *r)
{
	uint64_t one = 1;

	if (r->runs) {
		(void)!write(r->wake, &one, sizeof(one));
		pthread_join(r->thread, NULL);
		(void)!read(r->wake, &one, sizeof(one));
		if (r->window->begun && !r->window->ended && !r->failed)
			snprintf(r->window->reason, WINDOW_REASON_MAX,
				 "a rank ended without MPI_Finalize");
	}
	r->runs = false;
	stop_listening(r);
}

void region_close(struct region *r)
{
	region_end(r);
	for (int i = 0; i < r->nclients; i++)
		if (r->clients[i].fd >= 0)
			close(r->clients[i].fd);
	if (r->wake >= 0)
		close(r->wake);
	free(r->clients);
	free(r->slots);
	free(r);
}
