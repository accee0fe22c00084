/* SPDX-License-Identifier: MIT */
/* The status area on the terminal: status_open(), status_show() for struct watch, status_close().
 * The area has the terminal's last rows for itself. The rest scrolls above it, so the program's
 * output is where it would be without, some rows higher. Cursor, attributes and partly written
 * lines stay as they are. Closing and SIGTSTP leave the terminal as it was. */
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

/* VT100: save and restore the cursor; scroll within rows; one row down, scrolling, and up. */
#define SAVE "\0337"
#define RESTORE "\0338"
#define DOWN "\033D"
#define UP "\033[A"
#define ALL_ROWS "\033[r"
#define ERASE_ROW "\033[2K"

static volatile sig_atomic_t drawn_rows;	/* of the terminal that has our area; 0: no area */
static volatile sig_atomic_t drawn_lines;	/* of the area */
static int terminal_of_handler = -1;

static void terminal_put(int terminal, const char *text)
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
	char text[64 + 16 * STATUS_ROWS_MAX], *p = text;

	if (!drawn_rows)
		return;
	p = append(p, SAVE);
	for (int row = drawn_rows - drawn_lines + 1; row <= drawn_rows; row++) {
		p = append(p, "\033[");
		p = append_number(p, row);
		p = append(p, ";1H" ERASE_ROW);
	}
	append(p, ALL_ROWS RESTORE);
	drawn_rows = 0;
	terminal_put(terminal, text);
}

/* The shell is to find the terminal as it was; the line comes back when ipmu-run continues. */
static void status_stop(int number)
{
	(void)number;
	clear(terminal_of_handler);
	raise(SIGSTOP);
}

/* ---- drawing ---- */

struct area {
	char lines[STATUS_ROWS_MAX][400];
	int n;
};

/* Rows for the area are made by scrolling. */
static char *make_rows(char *to, int rows, int lines)
{
	for (int i = 0; i < lines; i++)
		to = append(to, DOWN);
	for (int i = 0; i < lines; i++)
		to = append(to, UP);
	to = append(to, SAVE "\033[1;");
	to = append_number(to, rows - lines);
	return append(to, "r" RESTORE);
}

static void area_draw(int terminal, const struct winsize *size, const struct area *a)
{
	char text[256 + sizeof(a->lines) + 64 * STATUS_ROWS_MAX], *p = text;

	if (drawn_rows && (drawn_rows != size->ws_row || drawn_lines != a->n))
		clear(terminal);
	if (!drawn_rows)
		p = make_rows(p, size->ws_row, a->n);
	drawn_lines = a->n;
	drawn_rows = size->ws_row;
	p = append(p, SAVE);
	for (int i = 0; i < a->n; i++) {
		p = append(p, "\033[");
		p = append_number(p, size->ws_row - a->n + 1 + i);
		p = append(p, i ? ";1H" ERASE_ROW : ";1H" ERASE_ROW "\033[7m");
		p = append(p, a->lines[i]);
		p = append(p, "\033[0m");
	}
	append(p, RESTORE);
	terminal_put(terminal, text);
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

/* The item that is shown: the first group's first metric, or the rate of the first event. */
struct shown_item {
	const struct report_group *g;
	bool is_metric;
	const char *name, *unit;
	const struct event *parts;	/* has the parts that are shown; NULL: none are */
	int event;
};

static struct shown_item find_item(const struct report *r)
{
	const struct report_group *g = &r->groups[0];
	const struct event *e = &r->m->events[g->events[0]];
	struct shown_item i = { .g = g, .event = g->events[0], .unit = "/s", .name = e->given };

	i.is_metric = g->group && g->group->nmetrics;
	if (i.is_metric) {
		i.name = g->group->metrics[0].name;
		i.unit = strcmp(g->group->metrics[0].unit, "1") ? g->group->metrics[0].unit : "";
		e = report_metric_event(r, g, 0);
	}
	if (e && e->nparts > 1)
		i.parts = e;
	return i;
}

static struct value item_value(const struct readings_view *v, const struct shown_item *i, int part)
{
	if (i->is_metric)
		return readings_metric(v, i->g, 0, part < 0 ? NULL : &i->parts->parts[part]);
	return readings_rate(v, i->event, part);
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

/* Now and the highest until now. */
static void numbers(struct value v, double *peak, const char *unit, char out[120])
{
	if (!v.known) {
		strcpy(out, "-");
		return;
	}
	if (v.mean > *peak)
		*peak = v.mean;
	snprintf(out, 120, "%.4g %.40s, peak %.4g", v.mean, unit, *peak);
}

static void put_bar(double now, double most, size_t width, char *out)
{
	size_t n = most > 0 && now > 0 ? (size_t)(now / most * (double)width + 0.5) : 0;

	memset(out, ' ', width);
	memset(out, '#', n < width ? n : width);
	out[width] = '\0';
}

/* Bars have one scale: the highest of all parts until now is a full one. */
static void compose_bars(struct status *s, const struct readings_view *v,
			 const struct shown_item *item, int columns, struct area *a)
{
	int n = item->parts ? item->parts->nparts : 0, room = columns - 60;
	size_t width = room < 8 ? 8 : room > 50 ? 50 : (size_t)room;
	struct value values[STATUS_ROWS_MAX];
	double most = 0;

	for (int i = 0; i < n && i + 1 < STATUS_ROWS_MAX; i++) {
		values[i] = item_value(v, item, i);
		if (values[i].known && values[i].mean > s->peak[i + 1])
			s->peak[i + 1] = values[i].mean;
		if (s->peak[i + 1] > most)
			most = s->peak[i + 1];
	}
	for (int i = 0; i < n && a->n < STATUS_ROWS_MAX; i++) {
		char part[64], bar[52], text[120];

		report_part_name(&item->parts->parts[i], part);
		numbers(values[i], &s->peak[i + 1], item->unit, text);
		put_bar(values[i].known ? values[i].mean : 0, most, width, bar);
		snprintf(a->lines[a->n++], sizeof(a->lines[0]), " %-18s|%s| %s", part, bar, text);
	}
}

static void status_compose(struct status *s, const struct winsize *size, struct area *a)
{
	const struct shown_item item = find_item(s->readings.report);
	struct readings_view v;
	char time[32], text[120];

	readings_view(&s->readings, &v);
	elapsed(s->readings.elapsed_ns, time, sizeof(time));
	numbers(item_value(&v, &item, -1), &s->peak[0], item.unit, text);
	a->n = 1;
	snprintf(a->lines[0], sizeof(a->lines[0]), " ipmu-run  %s  %.200s %s ", time, item.name,
		 text);
	if (item.parts && size->ws_row / 2 > item.parts->nparts)
		compose_bars(s, &v, &item, size->ws_col, a);
	for (int i = 0; i < a->n; i++)
		cut(a->lines[i], size->ws_col - 1u);
}

void status_show(void *arg, uint64_t elapsed_ns, uint64_t ns, const struct count *counts)
{
	struct status *s = arg;
	struct winsize size;
	struct area area;

	readings_take(&s->readings, elapsed_ns, ns, counts);
	if (!may_draw(s->terminal, &size)) {
		clear(s->terminal);
		return;
	}
	status_compose(s, &size, &area);
	area_draw(s->terminal, &size, &area);
}

/* ---- from the begin to the end ---- */

static bool is_terminal(void)
{
	const char *kind = getenv("TERM");

	return kind && *kind && strcmp(kind, "dumb") && isatty(STDERR_FILENO);
}

void status_open(struct status *s, const struct report *r, bool wanted)
{
	struct sigaction old, action = { .sa_handler = status_stop, .sa_flags = SA_RESTART };

	*s = (struct status){ .terminal = -1 };
	if (!wanted || !is_terminal() || !r->ngroups || !r->groups[0].nevents)
		return;
	if (readings_open(&s->readings, r))
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
		if (!sigaction(SIGTSTP, NULL, &old) && old.sa_handler == status_stop)
			signal(SIGTSTP, SIG_DFL);
		close(s->terminal);
	}
	readings_close(&s->readings);
	*s = (struct status){ .terminal = -1 };
}
