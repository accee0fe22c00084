/* SPDX-License-Identifier: MIT */
/* Runs while a booted machine does: carries its streams, the terminal's state and signals until it
 * is off. vpmu_boot_talk() is the entry point, one loop around poll() in a single thread. The
 * machine lock is held only to read or reset the segment's records. The terminal's state is
 * restored before it returns. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../wire.h"
#include "shown.h"
#include "host.h"

#define BOOT_SECONDS 300	/* hundreds of CPUs on a busy host need minutes */
#define OFF_MILLISECONDS 10000
#define LOG_KEPT 4096

enum phase { BOOTING, RUNNING, ENDED, FAILED, LOST, STOPPED };

struct talk {
	const struct vpmu_boot *boot;
	struct vpmu_boot_ends *ends;
	enum phase phase;
	struct vpmu_stream streams[VPMU_STREAMS];
	bool terminal[VPMU_STREAMS], raw, input_told, output_told[VPMU_STREAMS];
	struct termios saved;
	int signals, status;
	struct vpmu_ended ended;
	char log[2 * LOG_KEPT];
	size_t logged;
};

/* ---- the terminal ---- */

static void make_raw(struct talk *t)
{
	struct termios raw;

	if (!t->terminal[0] || t->raw || tcgetattr(0, &t->saved))
		return;
	raw = t->saved;
	cfmakeraw(&raw);
	t->raw = !tcsetattr(0, TCSADRAIN, &raw);
}

static void make_cooked(struct talk *t)
{
	if (t->raw)
		tcsetattr(0, TCSADRAIN, &t->saved);
	t->raw = false;
}

/* The program has a terminal where the caller has one and is in its foreground. */
static void look_for_terminal(struct talk *t)
{
	t->terminal[0] = isatty(0) && (isatty(1) || isatty(2)) && tcgetpgrp(0) == getpgrp();
	for (int i = 1; i < VPMU_STREAMS; i++)
		t->terminal[i] = t->terminal[0] && isatty(i);
}

/* ---- signals ---- */

static const int watched[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM,
			       SIGWINCH, SIGTSTP };

static void watch_signals(struct talk *t)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++)
		sigaddset(&set, watched[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	t->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void tell_window(struct talk *t)
{
	struct winsize size;

	if (!t->terminal[0] || ioctl(0, TIOCGWINSZ, &size))
		return;
	struct vpmu_window w = { .rows = size.ws_row, .columns = size.ws_col };
	vpmu_frame_write(t->ends->control, VPMU_WINDOW, &w, sizeof(w));
}

static void stand_still(struct talk *t)
{
	bool raw = t->raw;

	make_cooked(t);
	kill(t->ends->emulator, SIGSTOP);
	raise(SIGSTOP);
	kill(t->ends->emulator, SIGCONT);
	if (raw)
		make_raw(t);
}

/* Wakes a suspended machine: the program that suspended it may not have set a time to wake. */
static void wake(const struct talk *t)
{
	if (t->boot->suspend && write(t->ends->wake, "\n", 1) < 0)
		vpmu_complain("cannot wake the machine: %s", strerror(errno));
}

static void take_signal(struct talk *t)
{
	struct signalfd_siginfo info;

	if (read(t->signals, &info, sizeof(info)) != sizeof(info))
		return;
	/* From the terminal it is meant for all of the program's processes. */
	struct vpmu_signal s = { .number = (int32_t)info.ssi_signo,
				 .group = info.ssi_code == SI_KERNEL };

	if (info.ssi_signo == SIGTSTP) {
		stand_still(t);
	} else if (t->phase == BOOTING && info.ssi_signo != SIGWINCH) {
		t->phase = STOPPED;
		t->status = 128 + (int)info.ssi_signo;
	} else if (t->phase == RUNNING && info.ssi_signo == SIGWINCH) {
		tell_window(t);
	} else if (t->phase == RUNNING) {
		wake(t);
		vpmu_frame_write(t->ends->control, VPMU_SIGNAL, &s, sizeof(s));
	}
}

/* ---- streams ---- */

static void talk_make_streams(struct talk *t)
{
	for (int i = 0; i < VPMU_STREAMS; i++) {
		struct vpmu_stream *s = &t->streams[i];

		s->from = i ? t->ends->streams[i] : 0;
		s->to = i ? i : t->ends->streams[i];
		s->limit = VPMU_NO_LIMIT;
		s->careful = i > 0;
	}
}

static void tell_ends_of_streams(struct talk *t)
{
	struct vpmu_stream *in = &t->streams[0];

	if (in->from < 0 && !t->input_told) {
		t->input_told = true;
		vpmu_frame_write(t->ends->control, VPMU_INPUT_END, &in->taken,
				 sizeof(in->taken));
	}
	for (uint32_t i = 1; i < VPMU_STREAMS; i++)
		if (t->streams[i].broken && !t->output_told[i]) {
			t->output_told[i] = true;
			vpmu_frame_write(t->ends->control, VPMU_OUTPUT_CLOSED, &i, sizeof(i));
		}
}

static void take_log(struct talk *t)
{
	ssize_t n;

	if (t->logged > LOG_KEPT) {
		memmove(t->log, t->log + t->logged - LOG_KEPT, LOG_KEPT);
		t->logged = LOG_KEPT;
	}
	n = read(t->ends->log, t->log + t->logged, sizeof(t->log) - t->logged);
	if (n > 0) {
		if (t->boot->console)
			shown_write(stderr, t->log + t->logged, (size_t)n);
		t->logged += (size_t)n;
	} else if (!n || errno != EAGAIN) {
		close(t->ends->log);
		t->ends->log = -1;
	}
}

/* ---- frames ---- */

/* Forgets what the kernel did to registers while it booted: only the program's time counts. */
static void forget_booting(struct talk *t)
{
	struct vpmu_segment *s = t->boot->place->segment;

	vpmu_lock(s);
	if (t->boot->console && s->by_kernel_count)
		vpmu_complain("%s: %llu violations of the register rules by the kernel's drivers "
			      "while it booted", s->machine.name,
			      (unsigned long long)s->by_kernel_count);
	s->by_kernel_count = 0;
	t->ends->violations = s->violations_told = s->violation_count;
	s->undriven_told = s->undriven_count;
	vpmu_unlock(s);
}

static void talk_begin(struct talk *t)
{
	const struct vpmu_boot *boot = t->boot;

	if (t->phase != BOOTING)
		return;
	if (!boot->count_boot)
		forget_booting(t);
	if (vpmu_boot_order(boot, t->ends->control, t->terminal)) {
		t->phase = LOST;
		return;
	}
	t->phase = RUNNING;
	make_raw(t);
}

static void talk_end(struct talk *t, const struct vpmu_ended *ended)
{
	t->ended = *ended;
	t->phase = ENDED;
	for (int i = 1; i < VPMU_STREAMS; i++)
		t->streams[i].limit = ended->bytes[i];
}

static void take_frame(struct talk *t)
{
	uint32_t type;
	size_t bytes;
	void *payload;

	if (vpmu_frame_read(t->ends->control, &type, &payload, &bytes)) {
		if (t->phase == BOOTING || t->phase == RUNNING)
			t->phase = LOST;
		close(t->ends->control);
		t->ends->control = -1;
		return;
	}
	if (type == VPMU_READY) {
		talk_begin(t);
	} else if (type == VPMU_ENDED && bytes >= sizeof(t->ended)) {
		talk_end(t, payload);
	} else if (type == VPMU_FAILED) {
		make_cooked(t);
		vpmu_complain("%s", (char *)payload);
		t->phase = FAILED;
	}
	free(payload);
}

/* ---- the loop ---- */

static bool is_over(const struct talk *t)
{
	bool written = vpmu_stream_done(&t->streams[1]) && vpmu_stream_done(&t->streams[2]);

	return t->phase == FAILED || t->phase == STOPPED ||
	       ((t->phase == ENDED || t->phase == LOST) && written);
}

/* After the streams: */
enum { CONTROL = VPMU_STREAMS, LOG, SIGNALS, WATCHED };

static void talk_step(struct talk *t, int timeout)
{
	struct pollfd p[WATCHED];

	for (int i = 0; i < VPMU_STREAMS; i++)
		vpmu_stream_wait(&t->streams[i], &p[i]);
	if (t->phase != RUNNING)
		p[0].fd = -1;
	p[CONTROL] = (struct pollfd){ .fd = t->ends->control, .events = POLLIN };
	p[LOG] = (struct pollfd){ .fd = t->ends->log, .events = POLLIN };
	p[SIGNALS] = (struct pollfd){ .fd = t->signals, .events = POLLIN };
	if (poll(p, WATCHED, timeout) < 0)
		return;
	for (int i = 0; i < VPMU_STREAMS; i++)
		vpmu_stream_move(&t->streams[i], &p[i]);
	if (t->phase == RUNNING)
		tell_ends_of_streams(t);
	if (p[LOG].revents)
		take_log(t);
	if (p[CONTROL].revents)
		take_frame(t);
	if (p[SIGNALS].revents)
		take_signal(t);
}

static void go_on_to_the_end(struct talk *t)
{
	int64_t latest = vpmu_now_ms() + BOOT_SECONDS * 1000;

	while (!is_over(t)) {
		int64_t left = latest - vpmu_now_ms();

		talk_step(t, t->phase == BOOTING ? (left > 0 ? (int)left : 0) : -1);
		if (t->phase == BOOTING && left <= 0) {
			vpmu_complain("the machine has not come up in %d s", BOOT_SECONDS);
			t->phase = LOST;
			t->streams[1].from = t->streams[2].from = -1;
		}
	}
}

/* The feed has its last words when the emulator ends by itself. */
static int switch_off(struct talk *t)
{
	int64_t latest = vpmu_now_ms() + OFF_MILLISECONDS;
	int status = 0;

	kill(t->ends->emulator, SIGTERM);
	while (!waitpid(t->ends->emulator, &status, WNOHANG)) {
		if (vpmu_now_ms() > latest)
			kill(t->ends->emulator, SIGKILL);
		if (t->ends->log >= 0) {
			struct pollfd p = { .fd = t->ends->log, .events = POLLIN };

			if (poll(&p, 1, 5) > 0)
				take_log(t);
		} else {
			usleep(1000);
		}
	}
	while (t->ends->log >= 0)
		take_log(t);
	return status;
}

static void tell_loss(const struct talk *t, int emulator)
{
	vpmu_complain("the machine ended before the program did%s%s; %s",
		      WIFSIGNALED(emulator) ? ": the emulator was killed by " : "",
		      WIFSIGNALED(emulator) ? strsignal(WTERMSIG(emulator)) : "",
		      t->logged ? "its last words:" : "it has said nothing");
	shown_write(stderr, t->log, t->logged);
}

int vpmu_boot_talk(const struct vpmu_boot *boot, struct vpmu_boot_ends *ends, int *status)
{
	struct talk *t = calloc(1, sizeof(*t));
	int emulator, rc = VPMU_EXIT_FAILURE;

	if (!t) {
		vpmu_complain("no memory");
		return rc;
	}
	t->boot = boot;
	t->ends = ends;
	look_for_terminal(t);
	watch_signals(t);
	rc = vpmu_boot_start(boot, ends);
	if (!rc) {
		talk_make_streams(t);
		go_on_to_the_end(t);
		make_cooked(t);
		emulator = switch_off(t);
		if (t->phase == LOST)
			tell_loss(t, emulator);
		*status = t->phase == ENDED ? t->ended.status : t->status;
		rc = t->phase == ENDED || t->phase == STOPPED ? 0 : VPMU_EXIT_FAILURE;
	}
	if (t->phase == ENDED && boot->feed && !t->ended.rung)
		vpmu_complain("warning: %s is not the emulator of 'make guest': the model was "
			      "not told of the program's start and end",
			      boot->qemu ? boot->qemu : "the emulator");
	free(t);
	return rc;
}
