/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct peer_fault peer_fault;

struct order {
	enum peer_command command;
	struct peer_fault fault;
	int how, n;
	char names[PEER_EVENTS_MAX][IPMU_NAME_MAX];
};

struct child {
	const struct engine_fixture *f;
	enum ipmu_scope scope;
	struct ipmu_system *sys;
	struct ipmu_session *session;
};

static int begin(struct child *c, const struct order *o, char *why)
{
	struct ipmu_event events[PEER_EVENTS_MAX];
	int rc = c->sys ? 0 : ipmu_system_open(c->f->topo, c->scope, &c->sys, why);

	for (int i = 0; i < o->n && !rc; i++)
		rc = ipmu_event_parse(c->sys, o->names[i], &events[i], why);
	if (!rc && !c->session)
		rc = ipmu_session_new(c->sys, &c->session, why);
	if (!rc)
		rc = ipmu_session_set(c->session, events, o->n, why);
	return rc ? rc : ipmu_session_start(c->session, why);
}

static void end(struct child *c, bool all)
{
	ipmu_session_free(c->session);
	c->session = NULL;
	if (all && c->sys)
		ipmu_system_close(c->sys);
	if (all)
		c->sys = NULL;
}

static void die(int how)
{
	if (how < 0)
		exit(3);
	if (how == 0)
		_exit(4);
	if (how == SIGSEGV)	/* a real one */
		*(volatile char *)mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
	if (how == SIGABRT)
		abort();
	raise(how);
}

/* Once it is here the child has come back from fork() and its handlers. */
static uint64_t idle_child(void)
{
	char word = 0;
	int ready[2];
	pid_t pid;

	if (pipe(ready))
		return 0;
	pid = fork();
	if (pid) {
		close(ready[1]);
		(void)!read(ready[0], &word, 1);
		close(ready[0]);
		return (uint64_t)pid;
	}
	(void)!write(ready[1], &word, 1);
	close(STDOUT_FILENO);	/* it may outlive the test that others read to its end */
	close(STDERR_FILENO);
	alarm(HANG_SECONDS);
	pause();
	_exit(0);
}

static void obey(struct child *c, const struct order *o, struct peer_answer *a)
{
	switch (o->command) {
	case PEER_START: a->rc = begin(c, o, a->why); break;
	case PEER_READ: a->rc = ipmu_session_read(c->session, a->values); break;
	case PEER_STOP: a->rc = ipmu_session_stop(c->session, a->values, a->why); break;
	case PEER_AGAIN: a->rc = ipmu_session_start(c->session, a->why); break;
	case PEER_RESET: a->rc = ipmu_session_reset(c->session); break;
	case PEER_FREE: end(c, false); break;
	case PEER_CLOSE: end(c, true); break;
	case PEER_FORK: a->values[0] = idle_child(); break;
	case PEER_DIE: die(o->how); break;
	}
}

static void serve(struct child *c, int from, int to)
{
	struct peer_answer answer;
	struct order order;

	while (read(from, &order, sizeof(order)) == (ssize_t)sizeof(order)) {
		memset(&answer, 0, sizeof(answer));
		peer_fault = order.fault;
		obey(c, &order, &answer);
		peer_fault.kind = PEER_SOUND;
		if (write(to, &answer, sizeof(answer)) != (ssize_t)sizeof(answer))
			break;
	}
	_exit(0);
}

/* cmocka catches signals that a peer has to die of, and a shell's background job ignores others. A
 * peer must not outlive the test. */
static void become_peer(void)
{
	static const int deadly[] = { SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGSYS, SIGABRT,
				      SIGHUP, SIGINT, SIGQUIT, SIGTERM };

	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		signal(deadly[i], SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

struct peer peer_new(const struct engine_fixture *f, enum ipmu_scope scope)
{
	struct child c = { .f = f, .scope = scope };
	int down[2], up[2];
	struct peer p;

	assert_int_equal(pipe(down), 0);
	assert_int_equal(pipe(up), 0);
	p.pid = fork();
	assert_true(p.pid >= 0);
	if (p.pid == 0) {
		become_peer();
		close(down[1]);
		close(up[0]);
		serve(&c, down[0], up[1]);
	}
	close(down[0]);
	close(up[1]);
	p.to = down[1];
	p.from = up[0];
	return p;
}

static int bury(struct peer *p)
{
	int status;

	/* A fuzzer's timer interrupts system calls. */
	assert_int_equal(TEMP_FAILURE_RETRY(waitpid(p->pid, &status, 0)), p->pid);
	close(p->to);
	close(p->from);
	p->pid = -1;
	return status;
}

static void request(const struct peer *p, enum peer_command command, const char *const *names,
		    struct peer_fault fault)
{
	struct order order = { .command = command, .fault = fault };

	for (; names && names[order.n]; order.n++)
		strcpy(order.names[order.n], names[order.n]);
	assert_int_equal(write(p->to, &order, sizeof(order)), sizeof(order));
}

struct peer_answer peer_do(const struct peer *p, enum peer_command command,
			   const char *const *names)
{
	struct peer_answer answer;

	request(p, command, names, (struct peer_fault){ .kind = PEER_SOUND });
	assert_int_equal(TEMP_FAILURE_RETRY(read(p->from, &answer, sizeof(answer))),
			 sizeof(answer));
	return answer;
}

/* A child of a dead peer may still hold the other end of its pipe. */
bool peer_try(struct peer *p, enum peer_command command, const char *const *names,
	      struct peer_fault fault, struct peer_answer *answer)
{
	struct pollfd from = { .fd = p->from, .events = POLLIN };
	siginfo_t ended = { 0 };

	request(p, command, names, fault);
	while (poll(&from, 1, 5) <= 0 && ended.si_pid == 0)
		assert_int_equal(waitid(P_PID, (id_t)p->pid, &ended,
					WEXITED | WNOHANG | WNOWAIT), 0);
	if (ended.si_pid == 0 && read(p->from, answer, sizeof(*answer)) == (ssize_t)sizeof(*answer))
		return true;
	bury(p);
	return false;
}

int peer_die(struct peer *p, int how)
{
	struct order order = { .command = PEER_DIE, .how = how };

	assert_int_equal(write(p->to, &order, sizeof(order)), sizeof(order));
	return bury(p);
}

void peer_kill(struct peer *p)
{
	kill(p->pid, SIGKILL);
	bury(p);
}
