/* SPDX-License-Identifier: MIT */
/* Processes of a job on one node meet at a socket in a private folder. node_meet() makes a process
 * the leader, or connects it to the leader. node_go() lets the others start their programs. From
 * then on a thread serves the socket, to which ranks come with their messages about MPI, too:
 * until node_halt(), when the leader's program has ended. node_wait() serves it until the others'
 * programs have ended. node_await() and node_gone() are the others' side. A node has one leader:
 * the folder is locked around bind() and listen(), so a socket that refuses is a dead leader's. */
#include "node.h"

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

#include "descriptor.h"
#include "message.h"
#include "now.h"
#include "socket.h"
#include "statuses.h"

#define MEET_MS 2000		/* processes of a job start together; not all need be ours */
#define ALONE_MS 300		/* where nobody says how many there are */
#define GO_MS 20000		/* a leader that we have met too late does not answer */
#define LATE_MS 3000		/* since then: a program may be over before others have begun */
#define ENDING_MS 500		/* after a signal: launchers grant a second */
#define CONNECT_MS 10000	/* connecting takes no time, unless a process is stopped at it */
#define ANSWER_MS 2000		/* to a program's end: a report is written first if need be */
#define LINGER_MS 600		/* Open MPI's mpirun grants a second, Hydra nothing */
#define CLIENTS_MAX 4096
#define OPTIONS_SHOWN 200

/* A connection: of another ipmu-run, which stays; of a rank, for one message about MPI; or of a
 * process that enters and leaves regions, which stays. */
struct client {
	int fd;			/* -1: is gone */
	bool heard;		/* nothing more is expected */
	bool begins;		/* a rank that waits for the region to begin */
	int rank, process;	/* of one with named regions; process 0: none */
	struct message_hello *hello;	/* of an ipmu-run, even if it is gone; NULL: not met */
	bool released, ended;
	int status;
};

struct node {
	struct launched as;
	int fd;			/* of the leader: where others come; of others: to it */
	char path[SOCKET_PATH_MAX];
	bool leads, lingers;
	struct message_hello own;
	struct cpus all;
	struct client *clients;
	int nclients;
	struct region *region;	/* NULL: none */
	struct phases *phases;	/* NULL: named regions are not counted */
	int wake;		/* ends the thread */
	pthread_t thread;
	bool runs;		/* the thread does */
	int64_t began_ms;
	uint64_t go_ns;
};

/* 0 where we lead; 1 where another process does. No other user can reach the folder, its lock or
 * the sockets in it. */
static int bind_or_connect(struct node *n)
{
	int64_t until = now_ms() + CONNECT_MS;
	char folder[SOCKET_FOLDER_MAX];
	int rc = socket_path(n->as.job, n->path, folder);

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

/* ---- the leader: ipmu-runs that come ---- */

static bool say(const struct client *c, int what, int status)
{
	const struct message_word word = { { MESSAGE_WORD, MESSAGE_VERSION }, what, status };

	return c->fd >= 0 && send(c->fd, &word, sizeof(word), MSG_NOSIGNAL) == sizeof(word);
}

static bool is_like_leader(const struct node *n, const struct client *c)
{
	return !strcmp(c->hello->options, n->own.options);
}

static void member_release(const struct node *n, struct client *c)
{
	if (is_like_leader(n, c))
		c->released = say(c, WORD_GO, 0);
	else
		say(c, WORD_REFUSED, STATUS_OURS);
}

static void client_end(const struct node *n, struct client *c)
{
	if (c->process && n->phases)
		phases_gone(n->phases, c->rank, c->process);
	c->process = 0;
	close(c->fd);
	c->fd = -1;
	c->heard = true;
}

static void member_meet(struct node *n, struct client *c, const struct message_hello *hello)
{
	c->hello = malloc(sizeof(*c->hello));
	if (!c->hello) {
		client_end(n, c);
		return;
	}
	*c->hello = *hello;
	if (n->go_ns)
		member_release(n, c);	/* late, but as welcome */
	else
		cpus_join(&n->all, &hello->cpus);
}

static int met(const struct node *n)
{
	int known = 1;

	for (int i = 0; i < n->nclients; i++)
		known += n->clients[i].hello != NULL;
	return known;
}

/* ---- the leader: messages ---- */

/* A rank that has ended early stays connected until all is written. */
static void client_answer(const struct node *n, struct client *c, enum region_answer what)
{
	const struct region_reply reply = { { MESSAGE_ANSWER, MESSAGE_VERSION }, (int)what };

	(void)!send(c->fd, &reply, sizeof(reply), MSG_NOSIGNAL | MSG_DONTWAIT);
	if (c->process)
		return;
	c->heard = true;
	c->begins = false;
	if (what != REGION_EARLY)
		client_end(n, c);
}

static void client_take_named(const struct node *n, struct client *c,
			      const struct region_message *m)
{
	int rc = !n->phases ? 0 : m->what == REGION_ENTERED ? phases_enter(n->phases, m) :
		 phases_leave(n->phases, m);

	c->rank = m->rank;
	c->process = m->process;
	client_answer(n, c, !rc ? REGION_WELL : rc == -ENOENT ? REGION_UNKNOWN : REGION_FULL);
}

static void client_take(struct node *n, struct client *c, const struct region_message *m)
{
	enum region_answer answer = n->region ? region_take(n->region, m) : REGION_WELL;

	c->ended = !m->killed && answer == REGION_WELL;
	c->status = m->status;
	c->heard = true;
	c->begins = answer == REGION_LATER;
	if (!c->begins)
		client_answer(n, c, answer);
}

static void client_hear(struct node *n, struct client *c)
{
	union message said;
	ssize_t got = recv(c->fd, &said, sizeof(said), MSG_DONTWAIT | MSG_TRUNC);
	char why[MESSAGE_WHY_MAX] = "its message is out of place";
	bool known;

	if (got < 0 && errno == EAGAIN)
		return;
	known = got > 0 && !message_check(&said, (size_t)got, why);
	if (known && said.head.type == MESSAGE_HELLO && !c->hello) {
		member_meet(n, c, &said.hello);
	} else if (known && said.head.type == MESSAGE_REGION &&
		   said.region.what >= REGION_ENTERED) {
		client_take_named(n, c, &said.region);
	} else if (known && said.head.type == MESSAGE_REGION) {
		client_take(n, c, &said.region);
	} else {
		if (got > 0)
			message_refuse(c->fd, why);
		client_end(n, c);
	}
}

static bool accept_one(struct node *n)
{
	int fd = n->fd < 0 ? -1 : descriptor_move_up(accept4(n->fd, NULL, NULL, SOCK_CLOEXEC));
	int i = 0;
	struct client *more;

	if (fd < 0)
		return false;
	while (i < n->nclients && (n->clients[i].fd >= 0 || n->clients[i].hello))
		i++;
	more = i < n->nclients ? n->clients : i == CLIENTS_MAX ? NULL :
	       realloc(n->clients, (size_t)(i + 1) * sizeof(*more));
	if (!more) {
		close(fd);
		return true;
	}
	n->clients = more;
	n->nclients += i == n->nclients;
	n->clients[i] = (struct client){ .fd = fd };
	return true;
}

static void advance_region(struct node *n)
{
	if (!n->region || !region_advance(n->region))
		return;
	for (int i = 0; i < n->nclients; i++)
		if (n->clients[i].begins)
			client_answer(n, &n->clients[i], REGION_WELL);
}

/* Waits for messages, and receives them. False: the thread is to end. */
static bool serve_once(struct node *n, int timeout_ms)
{
	struct pollfd fds[n->nclients + 2];
	int due = n->region ? region_due_ms(n->region) : -1;
	nfds_t count = 2;
	bool over;

	if (due >= 0 && (timeout_ms < 0 || due < timeout_ms))
		timeout_ms = due;
	fds[0] = (struct pollfd){ .fd = n->wake, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = n->fd, .events = POLLIN };
	for (int i = 0; i < n->nclients; i++)
		if (!n->clients[i].heard)
			fds[count++] = (struct pollfd){ .fd = n->clients[i].fd, .events = POLLIN };
	over = poll(fds, count, timeout_ms) > 0 && fds[0].revents;
	while (accept_one(n))
		;
	for (int i = 0; i < n->nclients; i++)
		if (!n->clients[i].heard)
			client_hear(n, &n->clients[i]);
	advance_region(n);
	return !over;
}

static void meet_members(struct node *n)
{
	int expected = n->as.local_size;
	int64_t until = n->began_ms + (expected > 0 ? MEET_MS : ALONE_MS);

	while ((expected < 0 || met(n) < expected) && now_ms() < until && !program_ending())
		serve_once(n, (int)(until - now_ms()));
}

/* ---- the leader: while programs run ---- */

static void stop_listening(struct node *n)
{
	if (n->fd >= 0) {
		unlink(n->path);
		close(n->fd);
	}
	n->fd = -1;
}

static void *serve(void *arg)
{
	struct node *n = arg;

	while (serve_once(n, -1))
		;
	return NULL;
}

/* Signals are for the thread that waits for the program. Without a thread nobody answers: the ranks
 * must not find the socket. */
void node_go(struct node *n, struct region *region, struct phases *phases)
{
	sigset_t all, old;

	n->region = region;
	n->phases = phases;
	n->go_ns = now_ns();
	for (int i = 0; i < n->nclients; i++)
		if (n->clients[i].hello)
			member_release(n, &n->clients[i]);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	n->runs = !pthread_create(&n->thread, NULL, serve, n);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!n->runs && (region || phases))
		stop_listening(n);
}

void node_halt(struct node *n)
{
	uint64_t one = 1;

	if (!n->runs)
		return;
	(void)!write(n->wake, &one, sizeof(one));
	pthread_join(n->thread, NULL);
	(void)!read(n->wake, &one, sizeof(one));
	n->runs = false;
}

static bool all_gone(const struct node *n)
{
	for (int i = 0; i < n->nclients; i++)
		if (n->clients[i].hello && !n->clients[i].heard)
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
		serve_once(n, until ? (int)(until - now_ms()) + 1 : 200);
	}
	serve_once(n, 0);	/* earlier messages are received */
	if (met(n) > 1)
		*ns = now_ns() - n->go_ns;
}

void node_refuse(struct node *n, int status)
{
	for (int i = 0; i < n->nclients; i++)
		if (n->clients[i].hello)
			say(&n->clients[i], WORD_REFUSED, status);
}

bool node_differs(const struct node *n, char why[COUNT_WHY_MAX])
{
	for (int i = 0; i < n->nclients; i++) {
		const struct client *c = &n->clients[i];

		if (!c->hello || is_like_leader(n, c))
			continue;
		snprintf(why, COUNT_WHY_MAX, "one job has one report: rank %d has the options "
			 "'%.*s', and rank %d '%.*s': give all application contexts the same",
			 n->own.rank, OPTIONS_SHOWN, n->own.options, c->hello->rank,
			 OPTIONS_SHOWN, c->hello->options);
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

	for (int i = 0; i < n->nclients; i++) {
		const struct client *c = &n->clients[i];

		if (!c->hello)
			continue;
		r.n++;
		r.ended += c->ended;
		r.outside += !c->released || !cpus_cover(&n->all, &c->hello->cpus);
		r.has_first |= c->hello->rank == 0;
		if (!r.status)
			r.status = c->status;
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
	union message m;

	while (now_ms() < until && !program_ending()) {
		if (poll(&one, 1, (int)(until - now_ms()) + 1) <= 0)
			continue;
		if (message_receive(n->fd, MESSAGE_WORD, &m))
			return STATUS_OURS;	/* the leader has ended, and has printed why */
		return m.word.what == WORD_REFUSED ? m.word.status : 0;
	}
	/* A launcher that ends the job may do so because the leader has refused. */
	return program_ending() ? 128 + program_ending() : 0;
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

bool node_gone(struct node *n, const struct program *p, int status, bool ranks_report)
{
	const struct region_message m = { .head = REGION_HEAD, .what = REGION_GONE,
					  .rank = n->own.rank, .status = status,
					  .killed = p->killed };
	union message answer;

	n->lingers = send(n->fd, &m, sizeof(m), MSG_NOSIGNAL) == sizeof(m) && ranks_report &&
		     readable(n->fd, ANSWER_MS) &&
		     !message_receive(n->fd, MESSAGE_ANSWER, &answer) &&
		     answer.reply.answer == REGION_EARLY;
	return ranks_report && (p->killed || n->lingers);
}

void node_linger(const struct node *n)
{
	if (n->lingers)
		readable(n->fd, LINGER_MS);
}

/* ---- all ---- */

int node_meet(const struct launched *l, const char *options, struct node **out,
	      char why[COUNT_WHY_MAX])
{
	struct node *n = calloc(1, sizeof(*n));
	int rc = n ? cpus_get(&n->own.cpus) : -ENOMEM;

	if (!rc) {
		n->as = *l;
		n->wake = descriptor_move_up(eventfd(0, EFD_CLOEXEC));
		n->own.head = (struct message_head){ MESSAGE_HELLO, MESSAGE_VERSION };
		n->own.rank = l->rank;
		snprintf(n->own.options, sizeof(n->own.options), "%s", options);
		n->all = n->own.cpus;
		n->began_ms = now_ms();
		rc = n->wake < 0 ? -errno : bind_or_connect(n);
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
		if (n && n->wake > 0)
			close(n->wake);
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

const char *node_path(const struct node *n)
{
	return n->path;
}

void node_leave(struct node *n)
{
	for (int i = 0; i < n->nclients; i++) {
		if (n->clients[i].fd >= 0)
			close(n->clients[i].fd);
		free(n->clients[i].hello);
	}
	if (n->leads)
		stop_listening(n);
	else
		close(n->fd);
	close(n->wake);
	free(n->clients);
	free(n);
}
