/* SPDX-License-Identifier: MIT */
/* Processes of a job on one node meet at a socket in a private folder. node_meet() makes a process
 * the leader, or connects it to the leader. node_go() lets the others start their programs, and
 * node_wait() waits for these; node_await() and node_tell() are the others' side. A node has one
 * leader: the folder is locked around bind() and listen(), so a socket that refuses is a dead
 * leader's. */
#include "node.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../measure/counting/program.h"
#include "now.h"
#include "socket.h"
#include "statuses.h"

#define MEET_MS 2000		/* processes of a job start together; not all need be ours */
#define ALONE_MS 300		/* where nobody says how many there are */
#define GO_MS 20000		/* a leader that we have met too late does not answer */
#define LATE_MS 3000		/* since then: a program may be over before others have begun */
#define ENDING_MS 500		/* after a signal: launchers grant a second */
#define CONNECT_MS 10000	/* connecting takes no time, unless a process is stopped at it */
#define MEMBERS_MAX 4096
#define OPTIONS_MAX 4096	/* bytes of them that are compared */
#define OPTIONS_SHOWN 200

struct hello { int rank; struct cpus cpus; char options[OPTIONS_MAX]; };
enum { WORD_GO, WORD_REFUSED, WORD_ENDED, WORD_KILLED };
struct word { int what, status; };

struct member {
	int fd;			/* -1: is gone */
	struct hello hello;
	bool met, released, ended;
	int status;
};

struct node {
	struct launched as;
	int fd;			/* of the leader: where others come; of others: to it */
	char path[SOCKET_PATH_MAX];
	bool leads;
	struct hello own;
	struct cpus all;
	struct member *members;
	int nmembers;
	int64_t began_ms;
	uint64_t go_ns;
};

/* 0 where we lead; 1 where another process does. No other user can reach the folder, its lock or
 * the sockets in it. */
static int bind_or_connect(struct node *n)
{
	int64_t until = now_ms() + CONNECT_MS;
	char folder[SOCKET_FOLDER_MAX];
	int rc = socket_path(n->as.job, SOCKET_NODE, n->path, folder);

	if (rc)
		return rc;
	do {
		rc = socket_meet(folder, n->path, &n->fd);
		if (rc != -EAGAIN)
			return rc;
		usleep(10000);
	} while (!program_ending() && now_ms() < until);
	return program_ending() ? -EINTR : -ETIMEDOUT;
}

/* ---- the leader ---- */

static bool say(const struct member *m, int what, int status)
{
	const struct word word = { what, status };

	return m->fd >= 0 && send(m->fd, &word, sizeof(word), MSG_NOSIGNAL) == sizeof(word);
}

static bool is_like_leader(const struct node *n, const struct member *m)
{
	return !strcmp(m->hello.options, n->own.options);
}

static void member_release(const struct node *n, struct member *m)
{
	if (is_like_leader(n, m))
		m->released = say(m, WORD_GO, 0);
	else
		say(m, WORD_REFUSED, STATUS_OURS);
}

static void take_new(struct node *n)
{
	int fd = accept4(n->fd, NULL, NULL, SOCK_CLOEXEC);
	struct member *more;

	if (fd < 0)
		return;
	more = n->nmembers < MEMBERS_MAX ?
	       realloc(n->members, (size_t)(n->nmembers + 1) * sizeof(*more)) : NULL;
	if (!more) {
		close(fd);
		return;
	}
	n->members = more;
	n->members[n->nmembers++] = (struct member){ .fd = fd, .hello = { .rank = -1 } };
}

static void drop(struct member *m)
{
	close(m->fd);
	m->fd = -1;
}

/* A hello first, a word at the end. */
static void take_message(struct node *n, struct member *m)
{
	struct word word;
	ssize_t got;

	if (m->met) {
		got = recv(m->fd, &word, sizeof(word), MSG_DONTWAIT);
		m->ended = got == sizeof(word) && word.what == WORD_ENDED;
		m->status = got == sizeof(word) ? word.status : 0;
		drop(m);
		return;
	}
	got = recv(m->fd, &m->hello, sizeof(m->hello), MSG_DONTWAIT);
	m->met = got == sizeof(m->hello);
	m->hello.options[OPTIONS_MAX - 1] = '\0';
	if (!m->met)
		drop(m);
	else if (n->go_ns)
		member_release(n, m);	/* late, but as welcome */
	else
		cpus_join(&n->all, &m->hello.cpus);
}

static void listen_once(struct node *n, int timeout_ms)
{
	struct pollfd fds[n->nmembers + 1];
	int count = n->nmembers;

	fds[0] = (struct pollfd){ .fd = n->fd, .events = POLLIN };
	for (int i = 0; i < count; i++)
		fds[i + 1] = (struct pollfd){ .fd = n->members[i].fd, .events = POLLIN };
	if (poll(fds, (nfds_t)count + 1, timeout_ms) <= 0)
		return;
	for (int i = 0; i < count; i++)
		if (fds[i + 1].revents)
			take_message(n, &n->members[i]);
	if (fds[0].revents)
		take_new(n);
}

static int met(const struct node *n)
{
	int known = 1;

	for (int i = 0; i < n->nmembers; i++)
		known += n->members[i].met;
	return known;
}

static void meet_members(struct node *n)
{
	int expected = n->as.local_size;
	int64_t until = n->began_ms + (expected > 0 ? MEET_MS : ALONE_MS);

	while ((expected < 0 || met(n) < expected) && now_ms() < until && !program_ending())
		listen_once(n, (int)(until - now_ms()));
}

static bool all_gone(const struct node *n)
{
	for (int i = 0; i < n->nmembers; i++)
		if (n->members[i].fd >= 0)
			return false;
	return met(n) >= n->as.local_size || now_ms() >= n->began_ms + LATE_MS;
}

void node_wait(struct node *n, uint64_t *ns)
{
	int64_t until = 0;

	while (!all_gone(n)) {
		if (program_ending() && !until)
			until = now_ms() + ENDING_MS;
		if (until && now_ms() >= until)
			break;
		listen_once(n, until ? (int)(until - now_ms()) + 1 : 200);
	}
	*ns = now_ns() - n->go_ns;
}

void node_go(struct node *n)
{
	n->go_ns = now_ns();
	for (int i = 0; i < n->nmembers; i++)
		member_release(n, &n->members[i]);
}

void node_refuse(struct node *n, int status)
{
	for (int i = 0; i < n->nmembers; i++)
		say(&n->members[i], WORD_REFUSED, status);
}

bool node_differs(const struct node *n, char why[COUNT_WHY_MAX])
{
	for (int i = 0; i < n->nmembers; i++) {
		const struct member *m = &n->members[i];

		if (!m->met || is_like_leader(n, m))
			continue;
		snprintf(why, COUNT_WHY_MAX, "one job has one report: rank %d has the options "
			 "'%.*s', and rank %d '%.*s': give all application contexts the same",
			 n->own.rank, OPTIONS_SHOWN, n->own.options, m->hello.rank,
			 OPTIONS_SHOWN, m->hello.options);
		return true;
	}
	return false;
}

const struct cpus *node_cpus(const struct node *n)
{
	return &n->all;
}

struct node_ranks node_ranks(const struct node *n, int status, bool killed)
{
	struct node_ranks r = { .n = 1, .ended = !killed, .has_first = n->as.rank == 0,
				.status = status };

	for (int i = 0; i < n->nmembers; i++) {
		const struct member *m = &n->members[i];

		if (!m->met)
			continue;
		r.n++;
		r.ended += m->ended;
		r.outside += !m->released || !cpus_cover(&n->all, &m->hello.cpus);
		r.has_first |= m->hello.rank == 0;
		if (!r.status)
			r.status = m->status;
	}
	return r;
}

/* ---- the others ---- */

static int greet(struct node *n)
{
	return send(n->fd, &n->own, sizeof(n->own), MSG_NOSIGNAL) == sizeof(n->own) ? 0 : -errno;
}

/* A process that gets no answer runs its program all the same: ranks wait for each other. */
int node_await(struct node *n)
{
	struct pollfd one = { .fd = n->fd, .events = POLLIN };
	int64_t until = now_ms() + GO_MS;
	struct word word;

	while (now_ms() < until && !program_ending()) {
		if (poll(&one, 1, (int)(until - now_ms()) + 1) <= 0)
			continue;
		if (recv(n->fd, &word, sizeof(word), 0) != sizeof(word))
			return STATUS_OURS;	/* the leader has gone, and has said why */
		return word.what == WORD_REFUSED ? word.status : 0;
	}
	/* A launcher that ends the job may do so because the leader has refused. */
	return program_ending() ? 128 + program_ending() : 0;
}

void node_tell(struct node *n, int status, bool killed)
{
	const struct word word = { killed ? WORD_KILLED : WORD_ENDED, status };

	(void)!send(n->fd, &word, sizeof(word), MSG_NOSIGNAL);
}

/* ---- all ---- */

int node_meet(const struct launched *l, const char *options, struct node **out,
	      char why[COUNT_WHY_MAX])
{
	struct node *n = calloc(1, sizeof(*n));
	int rc = n ? cpus_get(&n->own.cpus) : -ENOMEM;

	if (!rc) {
		n->as = *l;
		n->own.rank = l->rank;
		snprintf(n->own.options, OPTIONS_MAX, "%s", options);
		n->all = n->own.cpus;
		n->began_ms = now_ms();
		rc = bind_or_connect(n);
	}
	if (rc >= 0) {
		n->leads = rc == 0;
		if (n->leads)
			meet_members(n);
		else
			rc = greet(n);
	}
	if (rc < 0) {
		snprintf(why, COUNT_WHY_MAX, "cannot meet the job's other processes on this node: "
			 "%s%s%s", n ? n->path : "", n && n->path[0] ? ": " : "", strerror(-rc));
		free(n);
		return rc;
	}
	*out = n;
	return 0;
}

bool node_leads(const struct node *n)
{
	return n->leads;
}

void node_leave(struct node *n)
{
	for (int i = 0; i < n->nmembers; i++)
		if (n->members[i].fd >= 0)
			close(n->members[i].fd);
	if (n->leads)
		unlink(n->path);
	close(n->fd);
	free(n->members);
	free(n);
}
