/* SPDX-License-Identifier: MIT */
/* The status line has the last row of the terminal; the program's output scrolls above it. Closing
 * and SIGTSTP leave the terminal as it was. One write each, as the program may write meanwhile. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "../common/shown.h"
#include "status.h"

static int line_terminal = -1;
static volatile sig_atomic_t line_row;	/* 0: nothing is drawn */
static char line_clear[64];		/* what removes it, for the signal handler too */
static void (*stop_before)(int);

static void line_remove(void)
{
	if (line_row)
		(void)!write(line_terminal, line_clear, strlen(line_clear));
	line_row = 0;
}

static void line_stop(int number)	/* status_show() draws it again when ipmu-run continues */
{
	(void)number;
	line_remove();
	raise(SIGSTOP);
}

/* VT100: ESC 7 and ESC 8 save and restore the cursor, ESC D scrolls, CSI A is a row up, CSI 1;N r
 * has rows 1 to N scroll, and CSI r all. */
static void line_draw(int row, size_t columns, const char *text)
{
	char line[512], all[640], room[32] = "";

	if (line_row != row)
		line_remove();
	if (!line_row)
		snprintf(room, sizeof(room), "\033D\033[A\0337\033[1;%dr\0338", row - 1);
	snprintf(line_clear, sizeof(line_clear), "\0337\033[%d;1H\033[2K\033[r\0338", row);
	line_row = row;
	snprintf(all, sizeof(all), "%s\0337\033[%d;1H\033[2K\033[7m%s\033[0m\0338", room, row,
		 shown(text, line, columns < sizeof(line) ? columns : sizeof(line)));
	(void)!write(line_terminal, all, strlen(all));
}

/* A program that reads single keys has the whole screen for itself. */
static bool may_draw(struct winsize *size)
{
	struct termios mode;

	return tcgetpgrp(line_terminal) == getpgrp() && !tcgetattr(line_terminal, &mode) &&
	       (mode.c_lflag & ICANON) && !ioctl(line_terminal, TIOCGWINSZ, size) &&
	       size->ws_row > 3 && size->ws_col > 15;
}

/* The first group's first metric, or the rate of the first event: now, and its peak. */
void status_show(void *arg, uint64_t elapsed_ns, uint64_t ns, const struct count *counts)
{
	struct status *s = arg;
	const struct report *r = s->readings.report;
	const struct group *g = r->groups[0].group;
	const struct group_metric *metric = g && g->nmetrics ? &g->metrics[0] : NULL;
	int event = r->groups[0].events[0];
	char now[120] = "-", text[512];
	struct readings_view view;
	struct winsize size;
	struct value v;

	readings_take(&s->readings, elapsed_ns, ns, counts);
	if (!may_draw(&size)) {
		line_remove();
		return;
	}
	readings_view(&s->readings, &view);
	v = metric ? readings_metric(&view, &r->groups[0], 0, NULL) :
		readings_rate(&view, event, -1);
	s->peak = v.known && v.mean > s->peak ? v.mean : s->peak;
	if (v.known)
		snprintf(now, sizeof(now), "%.4g %.40s, peak %.4g", v.mean,
			 !metric ? "/s" : strcmp(metric->unit, "1") ? metric->unit : "", s->peak);
	snprintf(text, sizeof(text), " ipmu-run  %.0f s  %.200s %s ", (double)elapsed_ns / 1e9,
		 metric ? metric->name : r->m->events[event].given, now);
	line_draw(size.ws_row, size.ws_col, text);
}

bool status_open(struct status *s, const struct report *r, bool wanted)
{
	const char *kind = getenv("TERM");

	*s = (struct status){ .peak = 0 };
	if (!wanted || !kind || !*kind || !strcmp(kind, "dumb") || !isatty(STDERR_FILENO) ||
	    !r->ngroups || !r->groups[0].nevents || !readings_open(&s->readings, r))
		return false;
	line_terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	stop_before = signal(SIGTSTP, line_stop);
	if (stop_before != SIG_DFL)
		signal(SIGTSTP, stop_before);
	return line_terminal >= 0;
}

void status_close(struct status *s)
{
	if (line_terminal >= 0) {
		line_remove();
		signal(SIGTSTP, stop_before);
		close(line_terminal);
	}
	line_terminal = -1;
	readings_close(&s->readings);
}
