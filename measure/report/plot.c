/* SPDX-License-Identifier: MIT */
/* Draws counts over time by gnuplot: plots_make() writes data and script, and runs it. A metric or
 * event has one plot, for wide and narrow windows, with a line for each part if they are few.
 * plot_items() and plot_path() return which plots there are and where. Several intervals make a
 * point if there are more than POINTS_MAX. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "helper.h"
#include "page.h"

#define LINES_MAX 8	/* more could not be distinguished */
#define POINTS_MAX 400	/* more could not be seen */

/* A metric of a group, or an event where there is no group. */
struct subject {
	const struct report *r;
	const struct report_group *g;
	int item, pass;
	const struct event *e;	/* whose parts are the lines; NULL: one line */
	size_t n, step;		/* intervals, and how many of them are a point */
	bool known[LINES_MAX];	/* has the line any point? */
	double least, most;
	double top;		/* of the axis; 0: where this one's values end */
	bool wall;		/* time is not that of the machine's clock */
};

static bool find_known(struct subject *u);

static bool subject_of(const struct report *r, const struct report_group *g, int item,
		       struct subject *out)
{
	const struct event *e;

	*out = (struct subject){ .r = r, .g = g, .item = item };
	if (g->group) {
		e = report_metric_event(r, g, item);
		out->pass = report_metric_pass(r, g, item);
	} else {
		e = &r->m->events[g->events[item]];
		out->pass = measure_pass(r->m, g->events[item]);
	}
	if (e && e->nparts > 1 && e->nparts <= LINES_MAX)
		out->e = e;
	if (out->pass < 0)
		return false;
	out->n = report_intervals(r, 0, out->pass);
	out->step = (out->n + POINTS_MAX - 1) / POINTS_MAX;
	return find_known(out);
}

int plot_items(const struct report_group *g)
{
	return g->group ? g->group->nmetrics : g->nevents;
}

void plot_path(struct scratch *s, const struct report *r, const struct report_group *g,
	       int item, const char *width, char out[SCRATCH_PATH_MAX])
{
	char name[48];

	snprintf(name, sizeof(name), "plot-%d-%d-%s.svg", (int)(g - r->groups), item, width);
	scratch_path(s, name, out);
}

void plot_caption(FILE *f, const struct report *r, const struct report_group *g, int item)
{
	struct subject u;

	if (!subject_of(r, g, item, &u))
		return;
	markup_text(f, g->group ? g->group->metrics[item].name :
		    r->m->events[g->events[item]].given);
	fprintf(f, "%s in intervals of %zu ms", g->group ? "" : " per second",
		u.step * r->m->watch->interval_ms);
	if (r->m->runs > 1)
		fprintf(f, ", run 1 of %d", r->m->runs);
}

/* ---- data ---- */

/* Time of the machine's clock, where that is counted, or of the wall's. */
static struct value seconds_of(const struct subject *u, const struct report_span *span)
{
	const struct timeline *t = &u->r->m->timelines[measure_place(u->r->m, 0, u->pass)];
	uint64_t begin = span->begin ? t->end_ns[span->begin - 1] : 0;
	struct value v = report_span_seconds(u->r, u->g, span);

	if (u->wall || !v.known)
		v = (struct value){ true, (double)(t->end_ns[span->end - 1] - begin) * 1e-9, 0 };
	return v;
}

static struct value subject_value(const struct subject *u, const struct report_span *span, int part)
{
	struct count c;
	double seconds;

	if (u->g->group)
		return report_span_metric(u->r, u->g, span, u->item,
					  u->e ? &u->e->parts[part] : NULL);
	c = report_count(u->r, span, u->g->events[u->item], u->e ? part : -1);
	seconds = seconds_of(u, span).mean;
	return (struct value){ c.known && seconds > 0, (double)c.value / seconds, 0 };
}

static int lines(const struct subject *u)
{
	return u->e ? u->e->nparts : 1;
}

static struct report_span point(const struct subject *u, size_t begin)
{
	size_t end = begin + u->step < u->n ? begin + u->step : u->n;

	return (struct report_span){ 0, u->pass, begin, end };
}

static bool find_known(struct subject *u)
{
	const struct report_span all = { 0, u->pass, 0, u->n };
	struct value v = report_span_seconds(u->r, u->g, &all);
	bool any = false;

	u->wall = !v.known || v.mean <= 0;
	if (u->wall && u->r->m->of_machine)	/* nothing has been executed */
		return false;
	for (size_t begin = 0; begin < u->n; begin += u->step)
		for (int i = 0; i < lines(u); i++) {
			const struct report_span span = point(u, begin);

			v = subject_value(u, &span, i);
			u->known[i] |= v.known;
			any |= v.known;
			u->least = v.known && v.mean < u->least ? v.mean : u->least;
			u->most = v.known && v.mean > u->most ? v.mean : u->most;
		}
	return any;
}

static void plot_row(FILE *f, const struct subject *u, double x, const struct report_span *span)
{
	fprintf(f, "%.9g", x);
	for (int i = 0; i < lines(u); i++) {
		struct value v = subject_value(u, span, i);

		if (v.known)
			fprintf(f, " %.6g", v.mean);
		else
			fputs(" NaN", f);
	}
	fputc('\n', f);
}

/* A step begins where its interval does; the last one is drawn to the end. */
static void data(FILE *f, const struct subject *u)
{
	struct report_span span = point(u, 0);
	double x = 0;

	fputs("$data << END\n", f);
	for (size_t begin = 0; begin < u->n; begin += u->step) {
		span = point(u, begin);
		plot_row(f, u, x, &span);
		x += seconds_of(u, &span).mean;
	}
	plot_row(f, u, x, &span);
	fputs("END\n", f);
}

/* ---- the script ---- */

/* Between single quotes gnuplot takes all as it is, but for these. */
static void quoted(FILE *f, const char *text)
{
	fputc('\'', f);
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', f);
		fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
	}
	fputc('\'', f);
}

static const char *subject_unit(const struct subject *u)
{
	const char *unit = u->g->group ? u->g->group->metrics[u->item].unit : "1/s";

	return strcmp(unit, "1") ? unit : "";
}

static const char *time_of(const struct subject *u)
{
	if (!u->r->machine->is_virtual)
		return "s";
	return u->wall ? "s of the wall's clock" : "s of the machine's clock";
}

/* Metrics of a group that have one unit are there to be compared, so their axes are equal. A number
 * without a unit may be anything. */
static double top_of(const struct subject *u)
{
	double most = 0;
	int same = 0;

	if (!u->g->group || !*subject_unit(u))
		return 0;
	for (int i = 0; i < plot_items(u->g); i++) {
		struct subject other;

		if (!subject_of(u->r, u->g, i, &other) ||
		    strcmp(subject_unit(&other), subject_unit(u)))
			continue;
		if (other.least < 0)
			return 0;
		most = other.most > most ? other.most : most;
		same++;
	}
	return same > 1 ? 1.05 * most : 0;
}

static void plot_range(FILE *f, const struct subject *u)
{
	if (u->top > 0)
		fprintf(f, "\nset yrange [0:%.6g]", u->top);
	else
		fprintf(f, "\nset yrange [%s:%s]", u->least < 0 ? "*" : "0",
			u->least < 0 || u->most > 0 ? "*" : "1");
}

static void plot(FILE *f, const struct subject *u, const char *path, const char *size)
{
	bool first = true;
	char name[64];

	fprintf(f, "set terminal svg size %s noenhanced font 'sans-serif,12' linewidth 1.5\n"
		"set output ", size);
	quoted(f, path);
	plot_range(f, u);
	fputs("\nset ylabel ", f);
	quoted(f, subject_unit(u));
	fputs("\nset xlabel ", f);
	quoted(f, time_of(u));
	fputs("\nplot", f);
	for (int i = 0; i < lines(u); i++) {
		if (!u->known[i])
			continue;
		report_part_name(u->e ? &u->e->parts[i] : NULL, name);
		fprintf(f, "%s $data using 1:%d with steps linetype %d ", first ? "" : ",", i + 2,
			i + 1);
		first = false;
		fputs(u->e ? "title " : "notitle", f);
		if (u->e)
			quoted(f, name);
	}
	fputs("\nunset output\n", f);
}

static void head(FILE *f)
{
	fputs("set key outside top center horizontal\n"
	      "set border 3\nset xtics nomirror\nset ytics nomirror\nset format y '%.3g'\n"
	      "set grid ytics\nset xrange [0:*] noextend\nset datafile missing 'NaN'\n", f);
}

static int script(const struct report *r, struct scratch *s, const char *path)
{
	FILE *f = fopen(path, "we");
	struct subject u;
	char svg[SCRATCH_PATH_MAX];
	int rc;

	if (!f)
		return -errno;
	head(f);
	for (int i = 0; i < r->ngroups; i++)
		for (int k = 0; k < plot_items(&r->groups[i]); k++) {
			if (!subject_of(r, &r->groups[i], k, &u))
				continue;
			u.top = top_of(&u);
			data(f, &u);
			plot_path(s, r, u.g, k, "wide", svg);
			plot(f, &u, svg, "800,240");
			plot_path(s, r, u.g, k, "narrow", svg);
			plot(f, &u, svg, "330,240");
		}
	rc = report_flush(f);
	fclose(f);
	return rc;
}

int plots_make(const struct report *r, struct scratch *s, char why[PAGE_WHY_MAX])
{
	struct helper h = { .package = "gnuplot-nox", .in = -1, .out = STDERR_FILENO };
	char path[SCRATCH_PATH_MAX];
	const char *const argv[] = { "gnuplot", "-d", path, NULL };
	int rc;

	scratch_path(s, "plots", path);
	rc = script(r, s, path);
	if (rc) {
		snprintf(why, PAGE_WHY_MAX, "%s: %s", path, strerror(-rc));
		return rc;
	}
	helper_start(&h, argv);
	return helper_wait(&h, why, PAGE_WHY_MAX);
}
