/* SPDX-License-Identifier: MIT */
/* Starts programs for the other nodes' `vpmu rsh`. Only machines of the same user are in the
 * network, so nobody is asked for a password; who comes is the user whom this machine runs programs
 * as. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init.h"

static int listen_at(uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 128))
		init_fail("cannot listen for commands of other nodes: %s", strerror(errno));
	return fd;
}

static int take(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC), on = 1;

	if (fd >= 0)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

/* The program's streams have connections of their own, which come to a port that is told. */
static void take_streams(int *ports)
{
	struct sockaddr_in a;
	socklen_t bytes = sizeof(a);
	int listener = listen_at(0);
	uint32_t port;

	getsockname(listener, (struct sockaddr *)&a, &bytes);
	port = ntohs(a.sin_port);
	vpmu_frame_write(ports[VPMU_PORT_CONTROL], VPMU_STREAMS_AT, &port, sizeof(port));
	for (int i = VPMU_PORT_STREAM; i < VPMU_PORTS; i++) {
		ports[i] = take(listener);
		if (ports[i] < 0)
			init_switch_off();
		fcntl(ports[i], F_SETFL, O_NONBLOCK);
	}
	close(listener);
}

__attribute__((noreturn)) static void run(const struct init_order *machine, int connection)
{
	int ports[VPMU_PORTS] = { -1, connection, -1, -1, -1 };
	struct vpmu_ended ended = { .rung = 1 };
	struct init_order order;

	init_fail_to(connection);
	take_streams(ports);
	init_receive(connection, &order);
	order.user = machine->user;
	order.groups = machine->groups;
	order.other_folder = true;
	ended.status = init_life_run(&order, ports);
	init_life_drain(&ended);
	vpmu_frame_write(connection, VPMU_ENDED, &ended, sizeof(ended));
	_exit(0);
}

void init_serve(const struct init_order *order)
{
	int listener = listen_at(VPMU_SHELL_PORT), connection;

	if (fork())
		return;
	setsid();
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		connection = take(listener);
		if (connection >= 0 && !fork()) {
			signal(SIGCHLD, SIG_DFL);
			close(listener);
			run(order, connection);
		}
		close(connection);
	}
}
