/* SPDX-License-Identifier: MIT */
/* The line has the terminal's last row for itself: the rest scrolls above it, so that what the
 * program writes is where it would be without, one row higher. Cursor, attributes and partly
 * written lines stay as they are. */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "status.h"

#define LEAST_ROWS 4
#define LEAST_COLUMNS 16

/* Of a VT100: save and restore the cursor; scroll within rows; one row down, scrolling, and up. */
#define SAVE "\0337"
#define RESTORE "\0338"
#define DOWN_UP "\033D\033[A"
#define ALL_ROWS "\033[r"
#define ERASE_ROW "\033[2K"

static volatile sig_atomic_t drawn_rows;	/* of the terminal that has our line; 0: no line */
static int terminal_of_handler = -1;

static void put(int terminal, const char *text)
{
	(void)!write(terminal, text, strlen(text));	/* one write: the program may write, too */
}

/* ---- clearing ---- */

static char *append(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	*to = '\0';
	return to;
}

/* Safe in a signal handler, unlike snprintf. */
static char *append_number(char *to, int n)
{
	char digits[12], *p = digits + sizeof(digits) - 1;

	*p = '\0';
	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	return append(to, p);
}

static void clear(int terminal)
{
	char text[64], *p = text;

	if (!drawn_rows)
		return;
	p = append(p, SAVE "\033[");
	p = append_number(p, drawn_rows);
	append(p, ";1H" ERASE_ROW ALL_ROWS RESTORE);
	drawn_rows = 0;
	put(terminal, text);
}

/* The shell is to find the terminal as it was; the line comes back when we go on. */
static void stop(int number)
{
	(void)number;
	clear(terminal_of_handler);
	raise(SIGSTOP);
}

/* ---- drawing ---- */

static void draw(int terminal, const struct winsize *size, const char *line)
{
	char text[1024];
	size_t n = 0;

	if (drawn_rows && drawn_rows != size->ws_row)
		clear(terminal);
	if (!drawn_rows)
		n += (size_t)snprintf(text, sizeof(text), DOWN_UP SAVE "\033[1;%dr" RESTORE,
				      size->ws_row - 1);
	drawn_rows = size->ws_row;
	snprintf(text + n, sizeof(text) - n, SAVE "\033[%d;1H" ERASE_ROW "\033[7m%s\033[0m" RESTORE,
		 size->ws_row, line);
	put(terminal, text);
}

/* A program that reads single keys has the whole screen for itself. */
static bool may_draw(int terminal, struct winsize *size)
{
	struct termios mode;

	return tcgetpgrp(terminal) == getpgrp() && !tcgetattr(terminal, &mode) &&
	       (mode.c_lflag & ICANON) && !ioctl(terminal, TIOCGWINSZ, size) &&
	       size->ws_row >= LEAST_ROWS && size->ws_col >= LEAST_COLUMNS;
}

/* Into that many columns, without a part of a character at the end. */
static void cut(char *line, size_t columns)
{
	size_t n = 0;

	for (char *p = line; *p; p++) {
		bool begins = ((unsigned char)*p & 0xc0) != 0x80;

		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
		if (begins && n++ == columns) {
			*p = '\0';
			return;
		}
	}
}

/* ---- what it says ---- */

static struct value rate(const struct report *r, const struct report_span *span, int event)
{
	const uint64_t *ns = r->m->timelines[span->pass].end_ns;
	struct count c = report_count(r, span, event, -1);

	return (struct value){ c.known && ns[1] > ns[0],
			       (double)c.value * 1e9 / (double)(ns[1] - ns[0]), 0 };
}

/* The first group's first metric since the line was drawn last, or the first event's rate. */
static void main_metric(const struct report *r, char *out, size_t bytes)
{
	const struct report_group *g = &r->groups[0];
	struct report_span span = { 0, 0, 1, 2 };
	struct value v = { .known = false };
	const char *unit = "/s", *name = r->m->events[g->events[0]].given;

	for (; span.pass < r->m->passes->n && !v.known; span.pass++)
		v = g->group && g->group->nmetrics ? report_span_metric(r, g, &span, 0, NULL) :
						     rate(r, &span, g->events[0]);
	if (g->group && g->group->nmetrics) {
		name = g->group->metrics[0].name;
		unit = strcmp(g->group->metrics[0].unit, "1") ? g->group->metrics[0].unit : "";
	}
	if (v.known)
		snprintf(out, bytes, "%s %.4g %s", name, v.mean, unit);
	else
		snprintf(out, bytes, "%s -", name);
}

static void elapsed(uint64_t ns, char *out, size_t bytes)
{
	unsigned long long s = ns / 1000000000u;

	if (s < 60)
		snprintf(out, bytes, "%llu s", s);
	else if (s < 3600)
		snprintf(out, bytes, "%llu:%02llu min", s / 60, s % 60);
	else
		snprintf(out, bytes, "%llu:%02llu:%02llu h", s / 3600, s / 60 % 60, s % 60);
}

/* The two readings as if they were a timeline. */
static void compose(const struct status *s, char *out, size_t bytes)
{
	const struct measurement *m = s->report->m;
	struct timeline two = { .n = 2, .room = 2, .end_ns = (uint64_t *)(uintptr_t)s->ns,
				.counts = s->counts };
	struct timeline timelines[m->passes->n];
	struct measurement view = *m;
	struct report r = *s->report;
	char time[32], metric[300];

	for (int pass = 0; pass < m->passes->n; pass++)
		timelines[pass] = two;
	view.timelines = timelines;
	r.m = &view;
	elapsed(s->elapsed_ns, time, sizeof(time));
	main_metric(&r, metric, sizeof(metric));
	snprintf(out, bytes, " ipmu-run  %s  %s ", time, metric);
}

void status_show(void *arg, uint64_t elapsed_ns, uint64_t ns, const struct count *counts)
{
	struct status *s = arg;
	size_t n = (size_t)s->report->m->nparts;
	struct winsize size;
	char line[400];

	if (elapsed_ns < s->elapsed_ns)	/* another run */
		s->ns[1] = 0;
	if (!s->ns[1])
		for (size_t i = 0; i < n; i++)
			s->counts[n + i] = (struct count){ 0, true };
	memcpy(s->counts, s->counts + n, n * sizeof(*counts));
	memcpy(s->counts + n, counts, n * sizeof(*counts));
	s->ns[0] = s->ns[1];
	s->ns[1] = ns;
	s->elapsed_ns = elapsed_ns;
	if (!may_draw(s->terminal, &size)) {
		clear(s->terminal);
		return;
	}
	compose(s, line, sizeof(line));
	cut(line, size.ws_col - 1u);
	draw(s->terminal, &size, line);
}

/* ---- from the begin to the end ---- */

static bool is_terminal(void)
{
	const char *kind = getenv("TERM");

	return kind && *kind && strcmp(kind, "dumb") && isatty(STDERR_FILENO);
}

void status_open(struct status *s, const struct report *r, bool wanted)
{
	struct sigaction old, action = { .sa_handler = stop, .sa_flags = SA_RESTART };

	*s = (struct status){ .terminal = -1, .report = r };
	if (!wanted || !is_terminal() || !r->ngroups || !r->groups[0].nevents)
		return;
	s->counts = calloc(2 * (size_t)r->m->nparts + 1, sizeof(*s->counts));
	if (s->counts)
		s->terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	terminal_of_handler = s->terminal;
	if (s->terminal >= 0 && !sigaction(SIGTSTP, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGTSTP, &action, NULL);
}

void status_close(struct status *s)
{
	struct sigaction old;

	if (s->terminal >= 0) {
		clear(s->terminal);
		if (!sigaction(SIGTSTP, NULL, &old) && old.sa_handler == stop)
			signal(SIGTSTP, SIG_DFL);
		close(s->terminal);
	}
	free(s->counts);
	*s = (struct status){ .terminal = -1 };
}
