/* SPDX-License-Identifier: MIT */
/* Starts the program on the booted machine: init_child_start() makes its streams, forks, and
 * executes it as its user. A failure in the new process reaches init through a pipe that a
 * successful execution closes. init_child_window() passes on the terminal's size. One program per
 * boot, so there is no lock. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pty.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

void init_child_window(const struct init_child *child, const struct vpmu_window *w)
{
	struct winsize size = { .ws_row = w->rows, .ws_col = w->columns };

	if (child->terminal >= 0)
		ioctl(child->terminal, TIOCSWINSZ, &size);
}

/* Makes the streams' two ends. far: the program's; the others are init's. */
static void make_streams(const struct vpmu_start *start, struct init_child *child, int *far)
{
	int slave = -1;

	child->terminal = -1;
	if (start->has_terminal && openpty(&child->terminal, &slave, NULL, &start->termios, NULL))
		init_fail("cannot make a terminal: %s", strerror(errno));
	init_child_window(child, &start->window);
	for (int i = 0; i < VPMU_STREAMS; i++) {
		int ends[2];

		if (start->terminal[i]) {
			far[i] = slave;
			child->near[i] = child->terminal;
			continue;
		}
		if (pipe(ends))
			init_fail("cannot make a pipe: %s", strerror(errno));
		if (!i)
			fcntl(ends[1], F_SETPIPE_SZ, VPMU_STREAM_BYTES);	/* if allowed */
		far[i] = ends[i ? 1 : 0];
		child->near[i] = ends[i ? 0 : 1];
	}
	/* Output to one terminal is one stream. */
	if (start->terminal[1] && start->terminal[2])
		child->near[2] = -1;
}

/* In the new process: its last words go to init through a pipe that a successful start closes. */
#define TELL VPMU_STREAMS

__attribute__((format(printf, 1, 2), noreturn)) static void give_up(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vdprintf(TELL, format, arguments);
	va_end(arguments);
	_exit(1);
}

/* All other descriptors are those of init, which are higher. */
static void take_streams(const struct vpmu_start *start, const int *far, int tell)
{
	setsid();
	for (int i = 0; i < VPMU_STREAMS; i++)
		if (dup2(far[i], i) < 0)
			_exit(1);
	if (tell == TELL)
		fcntl(TELL, F_SETFD, FD_CLOEXEC);
	else if (dup3(tell, TELL, O_CLOEXEC) < 0)
		_exit(1);
	closefrom(TELL + 1);
	for (int i = 0; i < VPMU_STREAMS; i++)
		if (start->terminal[i] && !ioctl(i, TIOCSCTTY, 0))
			break;
}

static void default_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void become(const struct init_order *order)
{
	const struct vpmu_start *start = order->start;

	if (setgroups(start->groups, order->groups) || setgid(start->gid) || setuid(start->uid))
		give_up("cannot become user %u: %s", start->uid, strerror(errno));
}

static void run(const struct init_order *order, const int *far, int tell)
{
	default_signals();
	take_streams(order->start, far, tell);
	if (chdir(order->folder))
		give_up("%s: %s", order->folder, strerror(errno));
	umask((mode_t)order->start->umask);
	become(order);
	environ = order->settings;
	init_ring(INIT_BELL_START);
	execvp(order->words[0], order->words);
	give_up("%s: %s", order->words[0], strerror(errno));
}

void init_child_start(const struct init_order *order, struct init_child *child)
{
	int far[VPMU_STREAMS], tell[2];
	char text[512];
	ssize_t n;

	make_streams(order->start, child, far);
	if (pipe2(tell, O_CLOEXEC))
		init_fail("cannot make a pipe: %s", strerror(errno));
	child->pid = fork();
	if (child->pid < 0)
		init_fail("cannot start a process: %s", strerror(errno));
	if (!child->pid)
		run(order, far, tell[1]);
	close(tell[1]);
	for (int i = 0; i < VPMU_STREAMS; i++)
		if (!i || far[i] != far[i - 1])
			close(far[i]);
	n = read(tell[0], text, sizeof(text));
	close(tell[0]);
	if (n > 0)
		init_fail("%.*s", (int)n, text);
}
