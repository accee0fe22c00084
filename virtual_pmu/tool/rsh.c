/* SPDX-License-Identifier: MIT */
/* vpmu rsh: on one node of a network, a program on another. What the caller of `vpmu boot` is to
 * the first process of a machine, this is to the server there (boot/remote.c). */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../boot/wire.h"
#include "tool.h"

static const char help[] =
"Usage: vpmu rsh [-n] NODE [COMMAND [ARGUMENTS]]\n"
"\n"
"On a machine that 'vpmu boot --nodes' or '--network' has booted: runs the command on\n"
"another node (node0, node1, ...), or a shell. As with ssh, the words are joined and a\n"
"shell there takes them apart; unlike with ssh, the command has the caller's environment\n"
"and, where it is there too, working folder. Launchers of parallel programs are told of\n"
"it: mpirun starts its processes on the nodes by it.\n"
"\n"
"  -n          the command's input is empty\n"
"  -h, --help  this text\n"
"\n"
"Exit status: the command's (128 + N when signal N ended it), 125 when it could not be run.\n";

/* A node that another command boots may need a while. */
#define TRIES 120

static int connect_to(const char *name, uint16_t port)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *found;
	int fd = -1, on = 1;

	if (getaddrinfo(name, NULL, &hints, &found)) {
		errno = EHOSTUNREACH;
		return -1;
	}
	((struct sockaddr_in *)found->ai_addr)->sin_port = htons(port);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen)) {
		close(fd);
		fd = -1;
	}
	freeaddrinfo(found);
	if (fd >= 0)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

static int reach(const char *name)
{
	int fd = connect_to(name, VPMU_SHELL_PORT);

	for (int i = 0; i < TRIES && fd < 0 && errno == ECONNREFUSED; i++) {
		usleep(500000);
		fd = connect_to(name, VPMU_SHELL_PORT);
	}
	return fd;
}

static int connect_streams(const struct vpmu_boot *boot, struct vpmu_boot_ends *ends)
{
	uint32_t type, port;
	size_t bytes;
	void *payload;

	if (vpmu_frame_read(ends->control, &type, &payload, &bytes))
		return -1;
	port = type == VPMU_STREAMS_AT && bytes == sizeof(port) ? *(uint32_t *)payload : 0;
	free(payload);
	for (int i = 0; i < VPMU_STREAMS; i++) {
		ends->streams[i] = connect_to(boot->far, (uint16_t)port);
		if (ends->streams[i] < 0)
			return -1;
		fcntl(ends->streams[i], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

static int start(const struct vpmu_boot *boot, struct vpmu_boot_ends *ends)
{
	ends->log = -1;
	ends->control = reach(boot->far);
	if (ends->control >= 0 && !connect_streams(boot, ends))
		return 0;
	vpmu_complain("%s: cannot be reached: %s. Nodes are those of 'vpmu boot --nodes' and "
		      "--network, and this has to run on one of them", boot->far, strerror(errno));
	return VPMU_EXIT_FAILURE;
}

/* "sh -c WORDS", or a shell. NULL: no memory. */
static char **words_for_shell(char **argv)
{
	static char *words[4];
	size_t bytes = 1;
	char *text;

	words[0] = getenv("SHELL") && !*argv ? getenv("SHELL") : "/bin/sh";
	if (!*argv)
		return words;
	for (char **w = argv; *w; w++)
		bytes += strlen(*w) + 1;
	text = calloc(1, bytes);
	if (!text)
		return NULL;
	for (char **w = argv; *w; w++)
		sprintf(text + strlen(text), "%s%s", w == argv ? "" : " ", *w);
	words[1] = "-c";
	words[2] = text;
	return words;
}

int vpmu_command_rsh(int argc, char **argv)
{
	struct vpmu_boot boot = { .start = start };
	struct vpmu_boot_ends ends = { .emulator = 0 };
	int status = 0, rc, at = 1;

	for (; at < argc && *argv[at] == '-'; at++) {
		if (!strcmp(argv[at], "-h") || !strcmp(argv[at], "--help")) {
			fputs(help, stdout);
			return 0;
		}
		if (strcmp(argv[at], "-n")) {
			vpmu_complain("rsh: unknown option %s; try 'vpmu rsh --help'", argv[at]);
			return VPMU_EXIT_USAGE;
		}
		if (!freopen("/dev/null", "r", stdin))
			return VPMU_EXIT_FAILURE;
	}
	if (at == argc) {
		vpmu_complain("rsh: which node? Try 'vpmu rsh --help'");
		return VPMU_EXIT_USAGE;
	}
	boot.far = argv[at];
	boot.argv = words_for_shell(argv + at + 1);
	rc = boot.argv ? vpmu_boot_talk(&boot, &ends, &status) : VPMU_EXIT_FAILURE;
	return rc ? rc : status;
}
