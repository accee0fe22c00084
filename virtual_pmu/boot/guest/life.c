/* SPDX-License-Identifier: MIT */
/* Runs the program: init_life_run() moves its streams, obeys frames from the host and collects
 * ended processes, all in one loop around poll(). init_life_drain() moves the rest of the output
 * after the program has ended. Init has one thread, so there is no lock. If the host is gone, the
 * machine is switched off. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"

static struct life {
	const int *ports;
	struct init_child child;
	struct vpmu_stream *streams[VPMU_STREAMS];
	int signals;
	bool running;
	int status;
} life;

static void close_output(uint32_t which)
{
	if (which < 1 || which >= VPMU_STREAMS || life.child.near[which] < 0 ||
	    life.child.near[which] == life.child.terminal)
		return;
	close(life.child.near[which]);
	life.child.near[which] = life.streams[which]->from = -1;
	life.streams[which]->broken = true;
}

static void send_signal(const struct vpmu_signal *s)
{
	if (life.running)
		kill(s->group ? -life.child.pid : life.child.pid, s->number);
}

static void obey(void)
{
	uint32_t type;
	size_t bytes;
	void *payload;

	if (vpmu_frame_read(life.ports[VPMU_PORT_CONTROL], &type, &payload, &bytes)) {
		kill(-life.child.pid, SIGHUP);	/* the host's command has gone */
		init_switch_off();
	}
	if (type == VPMU_SIGNAL && bytes >= sizeof(struct vpmu_signal))
		send_signal(payload);
	else if (type == VPMU_WINDOW && bytes >= sizeof(struct vpmu_window))
		init_child_window(&life.child, payload);
	else if (type == VPMU_INPUT_END && bytes >= sizeof(uint64_t))
		life.streams[0]->limit = *(uint64_t *)payload;
	else if (type == VPMU_OUTPUT_CLOSED && bytes >= sizeof(uint32_t))
		close_output(*(uint32_t *)payload);
	free(payload);
}

/* Collects ended processes: the program, and children whose parents have ended. */
static void bury(void)
{
	struct signalfd_siginfo info;
	pid_t pid;
	int status;

	if (read(life.signals, &info, sizeof(info)) < 0)
		return;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != life.child.pid)
			continue;
		life.running = false;
		life.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
}

/* Ends the program's input once all of the host's has been passed on. */
static void end_input(void)
{
	if (life.child.near[0] < 0 || !vpmu_stream_done(life.streams[0]))
		return;
	if (life.child.near[0] != life.child.terminal)
		close(life.child.near[0]);
	life.child.near[0] = -1;
	life.streams[0]->broken = true;
}

static void step(void)
{
	struct pollfd p[VPMU_STREAMS + 2];

	for (int i = 0; i < VPMU_STREAMS; i++)
		vpmu_stream_wait(life.streams[i], &p[i]);
	p[VPMU_STREAMS] = (struct pollfd){ .fd = life.signals, .events = POLLIN };
	p[VPMU_STREAMS + 1] = (struct pollfd){ .fd = life.ports[VPMU_PORT_CONTROL],
					       .events = POLLIN };
	if (poll(p, VPMU_STREAMS + 2, -1) < 0)
		return;
	for (int i = 0; i < VPMU_STREAMS; i++)
		vpmu_stream_move(life.streams[i], &p[i]);
	if (p[VPMU_STREAMS].revents)
		bury();
	if (p[VPMU_STREAMS + 1].revents)
		obey();
	end_input();
}

static void make_streams(void)
{
	for (int i = 0; i < VPMU_STREAMS; i++) {
		struct vpmu_stream *s = calloc(1, sizeof(*s));
		int port = life.ports[VPMU_PORT_STREAM + i], near = life.child.near[i];

		if (!s)
			init_fail("no memory");
		s->limit = VPMU_NO_LIMIT;
		s->from = i ? near : port;
		s->to = i ? port : near;
		s->eager = !i;
		if (near >= 0)
			fcntl(near, F_SETFL, fcntl(near, F_GETFL) | O_NONBLOCK);
		life.streams[i] = s;
	}
}

/* Moves output that is still in a pipe or terminal when the program has ended. */
static void drain(struct vpmu_stream *s)
{
	struct pollfd p;

	for (;;) {
		vpmu_stream_wait(s, &p);
		if (p.fd < 0 || (!poll(&p, 1, p.events == POLLOUT ? -1 : 0)))
			return;
		vpmu_stream_move(s, &p);
	}
}

int init_life_run(const struct init_order *order, const int *ports)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	life.ports = ports;
	life.running = true;
	life.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	init_child_start(order, &life.child);
	make_streams();
	while (life.running)
		step();
	return life.status;
}

void init_life_drain(struct vpmu_ended *ended)
{
	for (int i = 1; i < VPMU_STREAMS; i++) {
		drain(life.streams[i]);
		ended->bytes[i] = life.streams[i]->taken;
	}
}
