/* SPDX-License-Identifier: MIT */
/* Draws the machine with the counts on its boxes: drawing_make(). labels_write() writes the lines,
 * and pmutopo draws with them through lstopo. There are two drawings, for wide and narrow windows.
 * Both are empty if one cannot be made. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helper.h"
#include "page.h"

#define CPUS_MAX 64	/* more would leave nothing of the drawing to be seen */

/* Four digits are enough on a box; the table has all. */
static void print_short(FILE *f, double x)
{
	static const char *const prefixes[] = { "", " k", " M", " G", " T", " P" };
	size_t i = 0;

	for (; fabs(x) >= 999.95 && i + 1 < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		x /= 1000;
	fprintf(f, "%.4g%s", x, prefixes[i]);
}

/* shade: per cent, see shade_of(). */
static void drawing_place(FILE *f, const struct part *p, const char *pmu, int n, int shade)
{
	if (p && p->package >= 0)
		fprintf(f, "package=%d ", p->package);
	if (p && p->box >= 0)
		fprintf(f, "box=%d ", p->box);
	if (p && p->cpu >= 0)
		fprintf(f, "cpu=%d ", p->cpu);
	if (n)
		fprintf(f, "pmu=%.*s", n, pmu);
	fprintf(f, " shade=%d: ", shade);
}

/* Counts differ by orders of magnitude, so shades are of their logarithms. */
static int shade_of(double x, double most)
{
	return x > 0 && most > 0 ? (int)lround(100 * log1p(x) / log1p(most)) : 0;
}

/* "intel_uncore:::skl_unc_cbo.NAME:box=1" is NAME of skl_unc_cbo. PMUs are written small. */
static const char *event_split(const struct event *e, const char **pmu, int *n)
{
	static const char small[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	const char *begin = strstr(e->name, ":::"), *end;

	begin = begin ? begin + 3 : e->name;
	end = begin + strspn(begin, small);
	*pmu = begin;
	*n = *end == '.' || !strncmp(end, "::", 2) ? (int)(end - begin) : 0;
	return *n ? end + strspn(end, ".:") : begin;
}

/* The name without its place: the box that it is drawn on says that. */
static void print_name(FILE *f, const char *name)
{
	static const char *const places[] = { ":package=", ":box=", ":cpu=" };

	while (*name) {
		size_t n = 1 + strcspn(name + 1, ":");
		bool is_place = false;

		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			is_place |= !strncmp(name, places[i], strlen(places[i]));
		if (!is_place)
			fwrite(name, 1, n, f);
		name += n;
	}
	fputc(' ', f);
}

static void event_line(FILE *f, const struct event *e, const struct part *p, struct value v,
		       double most)
{
	const char *pmu, *name;
	int n;

	if (!v.known)
		return;
	name = event_split(e, &pmu, &n);
	drawing_place(f, p, pmu, n, shade_of(v.mean, most));
	print_name(f, name);
	print_short(f, v.mean);
	fputc('\n', f);
}

static bool drawn_apart(const struct event *e)
{
	return e->nparts <= CPUS_MAX || e->parts[0].cpu < 0;
}

/* Only a job's first node is drawn, because the report is made there. */
static bool is_here(const struct part *p)
{
	return p->node <= 1;
}

/* The part that is the whole machine's, -1: all are. */
static int whole_of(const struct event *e)
{
	for (int i = e->nparts; i < report_nparts(e); i++)
		if (is_here(&e->parts[i]))
			return i;
	return -1;
}

static void event_lines(FILE *f, const struct report *r, int event, double most)
{
	const struct event *e = &r->m->events[event];

	for (int i = 0; drawn_apart(e) && i < e->nparts; i++)
		if (is_here(&e->parts[i]))
			event_line(f, e, &e->parts[i], report_event(r, event, i), most);
	if (!drawn_apart(e))
		event_line(f, e, NULL, report_event(r, event, whole_of(e)), most);
}

/* The largest count on any box. */
static double largest_count(const struct report *r)
{
	double most = 0;

	for (int i = 0; i < r->m->nevents; i++) {
		const struct event *e = &r->m->events[i];
		int first = drawn_apart(e) ? 0 : whole_of(e);
		int last = drawn_apart(e) ? e->nparts - 1 : first;

		for (int part = first; part <= last; part++) {
			struct value v = report_event(r, i, part);

			if ((part < 0 || is_here(&e->parts[part])) && v.known && v.mean > most)
				most = v.mean;
		}
	}
	return most;
}

static void metric_line(FILE *f, const struct report *r, const struct report_group *g,
			const struct event *e, const struct part *p)
{
	const struct group_metric *m = &g->group->metrics[0];
	struct value v = report_metric(r, g, 0, e && report_nparts(e) > 1 ? p : NULL);
	const char *pmu = NULL;
	int n = 0;

	if (!v.known)
		return;
	if (p && p->box >= 0)
		event_split(e, &pmu, &n);
	drawing_place(f, p, pmu, n, 0);
	fprintf(f, "%s ", m->name);
	print_short(f, v.mean);
	fprintf(f, " %s\n", strcmp(m->unit, "1") ? m->unit : "");
}

/* The first metric is the one that the group is named for. */
static void metric_lines(FILE *f, const struct report *r, const struct report_group *g)
{
	const struct event *with_parts = report_metric_event(r, g, 0);
	const struct event *first = &r->m->events[g->events[0]];
	const struct event *e = with_parts ? with_parts : first;

	if ((!with_parts && first->nparts > 1) || !drawn_apart(e)) {
		int whole = with_parts ? whole_of(e) : -1;

		metric_line(f, r, g, e, whole < 0 ? NULL : &e->parts[whole]);
		return;
	}
	for (int i = 0; i < e->nparts; i++)
		if (is_here(&e->parts[i]))
			metric_line(f, r, g, e, &e->parts[i]);
}

static int labels_write(const struct report *r, const char *path, double most)
{
	FILE *f = fopen(path, "we");
	bool drawn[EVENTS_MAX] = { false };
	int rc;

	if (!f)
		return -errno;
	for (int i = 0; i < r->ngroups; i++)
		if (r->groups[i].group && r->groups[i].group->nmetrics)
			metric_lines(f, r, &r->groups[i]);
	for (int i = 0; i < r->ngroups; i++)
		for (int k = 0; k < r->groups[i].nevents; k++) {
			int event = r->groups[i].events[k];

			if (!drawn[event])
				event_lines(f, r, event, most);
			drawn[event] = true;
		}
	rc = report_flush(f);
	fclose(f);
	return rc;
}

int drawing_make(const struct report *r, struct scratch *s, struct machine_drawing *out,
		 char why[PAGE_WHY_MAX])
{
	struct helper wide = { .in = -1, .out = scratch_file(s, "wide.svg") },
		      narrow = { .in = -1, .out = scratch_file(s, "narrow.svg") };
	char labels[SCRATCH_PATH_MAX], svg[SCRATCH_PATH_MAX];
	const char *const argv[2][8] = {
		{ "pmutopo", "--svg", "-", "--labels", labels, NULL },
		{ "pmutopo", "--svg", "-", "--labels", labels, "--narrow", NULL },
	};
	int rc, rc2;

	*out = (struct machine_drawing){ .wide = { NULL, 0 }, .most = largest_count(r) };
	scratch_path(s, "labels", labels);
	rc = labels_write(r, labels, out->most);
	if (rc) {
		snprintf(why, PAGE_WHY_MAX, "%s: %s", labels, strerror(-rc));
		return rc;
	}
	helper_start(&wide, argv[0]);
	helper_start(&narrow, argv[1]);
	rc = helper_wait(&wide, why, PAGE_WHY_MAX);
	rc2 = helper_wait(&narrow, why, PAGE_WHY_MAX);
	rc = rc ? rc : rc2;
	scratch_path(s, "wide.svg", svg);
	if (!rc)
		rc = markup_read(svg, &out->wide, why);
	scratch_path(s, "narrow.svg", svg);
	if (!rc)
		rc = markup_read(svg, &out->narrow, why);
	if (rc) {
		free(out->wide.svg);
		out->wide.svg = NULL;
	}
	return rc;
}
