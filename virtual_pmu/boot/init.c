/* SPDX-License-Identifier: MIT */
/* Process 1: sets the machine up, starts the program, carries its streams, reports its end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"

static int ports[VPMU_PORTS] = { -1, -1, -1, -1, -1 };

/* ---- what the host says ---- */

/* The device appears when its driver has spoken with the host. */
static void open_ports(void)
{
	char path[32];

	for (int i = VPMU_PORT_CONTROL; i < VPMU_PORTS; i++) {
		snprintf(path, sizeof(path), "/dev/vport0p%d", i);
		for (int tries = 0; ports[i] < 0 && tries < 10000; tries++) {
			ports[i] = open(path, O_RDWR | O_CLOEXEC |
					(i >= VPMU_PORT_STREAM ? O_NONBLOCK : 0));
			if (ports[i] < 0)
				usleep(1000);
		}
		if (ports[i] < 0)
			init_fail("%s: %s", path, strerror(errno));
		if (i == VPMU_PORT_CONTROL)
			init_fail_to(ports[i]);
	}
}

static char *next_text(char **at, const char *end)
{
	char *text = *at;

	if (text >= end)
		init_fail("the order to start is incomplete");
	*at += strlen(text) + 1;
	return text;
}

static char **take_texts(uint32_t count, char **at, const char *end)
{
	char **texts = calloc((size_t)count + 1, sizeof(*texts));

	if (!texts)
		init_fail("no memory");
	for (uint32_t i = 0; i < count; i++)
		texts[i] = next_text(at, end);
	return texts;
}

static void receive_order(struct init_order *order)
{
	uint32_t type;
	size_t bytes;
	void *payload;
	char *at, *end;

	if (vpmu_frame_write(ports[VPMU_PORT_CONTROL], VPMU_READY, "", 0) ||
	    vpmu_frame_read(ports[VPMU_PORT_CONTROL], &type, &payload, &bytes) ||
	    type != VPMU_START || bytes < sizeof(*order->start))
		init_fail("no order to start");
	order->start = payload;
	order->groups = (gid_t *)((char *)payload + sizeof(*order->start));
	at = (char *)(order->groups + order->start->groups);
	end = (char *)payload + bytes;
	order->host = next_text(&at, end);
	order->folder = next_text(&at, end);
	order->words = take_texts(order->start->words, &at, end);
	order->settings = take_texts(order->start->settings, &at, end);
}

/* ---- while the program runs ---- */

struct life {
	struct init_child child;
	struct vpmu_stream *streams[VPMU_STREAMS];
	int signals;
	bool running;
	int status;
};

static void close_output(struct life *life, uint32_t which)
{
	if (which < 1 || which >= VPMU_STREAMS || life->child.near[which] < 0 ||
	    life->child.near[which] == life->child.terminal)
		return;
	close(life->child.near[which]);
	life->child.near[which] = life->streams[which]->from = -1;
	life->streams[which]->broken = true;
}

static void send_signal(const struct life *life, const struct vpmu_signal *s)
{
	if (life->running)
		kill(s->group ? -life->child.pid : life->child.pid, s->number);
}

static void obey(struct life *life)
{
	uint32_t type;
	size_t bytes;
	void *payload;

	if (vpmu_frame_read(ports[VPMU_PORT_CONTROL], &type, &payload, &bytes))
		init_switch_off();
	if (type == VPMU_SIGNAL && bytes >= sizeof(struct vpmu_signal))
		send_signal(life, payload);
	else if (type == VPMU_WINDOW && bytes >= sizeof(struct vpmu_window))
		init_child_window(&life->child, payload);
	else if (type == VPMU_INPUT_END && bytes >= sizeof(uint64_t))
		life->streams[0]->limit = *(uint64_t *)payload;
	else if (type == VPMU_OUTPUT_CLOSED && bytes >= sizeof(uint32_t))
		close_output(life, *(uint32_t *)payload);
	free(payload);
}

/* Everybody's children come here when their parents have gone. */
static void bury(struct life *life)
{
	struct signalfd_siginfo info;
	pid_t pid;
	int status;

	if (read(life->signals, &info, sizeof(info)) < 0)
		return;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != life->child.pid)
			continue;
		life->running = false;
		life->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
}

/* The program finds the end of its input where the host's has ended. */
static void end_input(struct life *life)
{
	if (life->child.near[0] < 0 || !vpmu_stream_done(life->streams[0]))
		return;
	if (life->child.near[0] != life->child.terminal)
		close(life->child.near[0]);
	life->child.near[0] = -1;
	life->streams[0]->broken = true;
}

static void step(struct life *life)
{
	struct pollfd p[VPMU_STREAMS + 2];

	for (int i = 0; i < VPMU_STREAMS; i++)
		vpmu_stream_wait(life->streams[i], &p[i]);
	p[VPMU_STREAMS] = (struct pollfd){ .fd = life->signals, .events = POLLIN };
	p[VPMU_STREAMS + 1] = (struct pollfd){ .fd = ports[VPMU_PORT_CONTROL], .events = POLLIN };
	if (poll(p, VPMU_STREAMS + 2, -1) < 0)
		return;
	for (int i = 0; i < VPMU_STREAMS; i++)
		vpmu_stream_move(life->streams[i], &p[i]);
	if (p[VPMU_STREAMS].revents)
		bury(life);
	if (p[VPMU_STREAMS + 1].revents)
		obey(life);
	end_input(life);
}

static void make_streams(struct life *life)
{
	for (int i = 0; i < VPMU_STREAMS; i++) {
		struct vpmu_stream *s = calloc(1, sizeof(*s));
		int port = ports[VPMU_PORT_STREAM + i], near = life->child.near[i];

		if (!s)
			init_fail("no memory");
		s->limit = VPMU_NO_LIMIT;
		s->from = i ? near : port;
		s->to = i ? port : near;
		if (near >= 0)
			fcntl(near, F_SETFL, fcntl(near, F_GETFL) | O_NONBLOCK);
		life->streams[i] = s;
	}
}

/* What is still in a pipe or a terminal when the program has ended. */
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

static void end_others(void)
{
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

int main(void)
{
	static struct life life = { .running = true };
	struct init_order order;
	struct vpmu_ended ended = { .bytes = { 0 } };
	sigset_t set;

	if (getenv("VPMU_COUNT_BOOT"))
		init_ring(INIT_BELL_START);
	init_first_folders();
	init_modules();
	open_ports();
	receive_order(&order);
	init_file_system(&order);
	init_names(&order);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	life.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	init_child_start(&order, &life.child);
	make_streams(&life);
	while (life.running)
		step(&life);
	ended.rung = init_ring(INIT_BELL_END);
	end_others();
	for (int i = 1; i < VPMU_STREAMS; i++) {
		drain(life.streams[i]);
		ended.bytes[i] = life.streams[i]->taken;
	}
	ended.status = life.status;
	init_file_system_end(&order);
	vpmu_frame_write(ports[VPMU_PORT_CONTROL], VPMU_ENDED, &ended, sizeof(ended));
	init_switch_off();
}
