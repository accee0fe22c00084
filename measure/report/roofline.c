/* SPDX-License-Identifier: MIT */
/* Draws the roofline of a group ROOFLINE: roofline_html(). Both axes are logarithmic: operations in
 * double precision for each byte of memory traffic, and operations per second. The roof is the
 * smaller of the peak of operations and intensity x bandwidth (Williams, Waterman, Patterson:
 * Roofline, CACM 52(4), 2009). The peaks are given (--roof). On a virtual machine they follow from
 * its constants without that: fill buffers x 64 bytes / memory latency, and two fused operations on
 * four doubles a clock, for each core. Without peaks there is the point alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

#define WIDTH 340.0
#define HEIGHT 230.0
#define LEFT 46.0
#define RIGHT 12.0
#define TOP 22.0
#define BOTTOM 40.0
#define FLOP_PER_CLOCK 16	/* Intel 248966-050, table 2-1: two units, four doubles, fused */
#define LINE_BYTES 64

struct roofline {
	double intensity, gflops;	/* of the program */
	double peak, bandwidth;		/* 1e9/s and GB/s; 0: not known */
	int x_from, x_to, y_from, y_to;	/* decades */
};

/* The number behind a word of the machine's geometry. */
static double number_of(const char *geometry, const char *word)
{
	const char *at = strstr(geometry, word);

	return at ? strtod(at + strlen(word), NULL) : 0;
}

/* Peaks of a virtual machine, whose clock has 1 GHz. */
static void model_peaks(const struct machine *m, struct roofline *f)
{
	double cores = number_of(m->geometry, "packages ") * number_of(m->geometry, " cores ");
	const char *clocks = strstr(m->geometry, "clocks ");
	const char *memory = clocks ? strchr(clocks, '/') : NULL;
	double latency = memory ? strtod(memory + 1, NULL) : 0;

	if (!m->is_virtual || cores <= 0 || latency <= 0)
		return;
	f->peak = cores * FLOP_PER_CLOCK;
	f->bandwidth = cores * number_of(m->geometry, "fill buffers ") * LINE_BYTES / latency;
}

static double x_of(const struct roofline *f, double intensity)
{
	return LEFT + (WIDTH - LEFT - RIGHT) * (log10(intensity) - f->x_from) /
		      (f->x_to - f->x_from);
}

static double y_of(const struct roofline *f, double gflops)
{
	return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (log10(gflops) - f->y_from) /
				 (f->y_to - f->y_from);
}

static void axes_fit(struct roofline *f)
{
	double ridge = f->bandwidth > 0 ? f->peak / f->bandwidth : 1;
	double low = fmin(f->intensity, fmin(ridge, 0.1));
	double high = fmax(f->intensity, fmax(ridge, 10));

	f->x_from = (int)floor(log10(low));
	f->x_to = (int)ceil(log10(high * 1.5));
	low = f->bandwidth > 0 ? fmin(f->gflops, f->bandwidth * pow(10, f->x_from)) :
				 f->gflops / 10;
	high = fmax(f->peak, f->gflops);
	f->y_from = (int)floor(log10(low));
	f->y_to = (int)ceil(log10(high * 1.5));
}

static void put_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor,
		text);
}

static void put_line(FILE *out, double x1, double y1, double x2, double y2, const char *colour)
{
	fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
		x1, y1, x2, y2, colour);
}

static void put_axes(FILE *out, const struct roofline *f)
{
	char text[32];

	for (int d = f->x_from; d <= f->x_to; d++) {
		double x = x_of(f, pow(10, d));

		put_line(out, x, TOP, x, HEIGHT - BOTTOM, "#ccc");
		snprintf(text, sizeof(text), "%g", pow(10, d));
		put_text(out, x, HEIGHT - BOTTOM + 13, "middle", text);
	}
	for (int d = f->y_from; d <= f->y_to; d++) {
		double y = y_of(f, pow(10, d));

		put_line(out, LEFT, y, WIDTH - RIGHT, y, "#ccc");
		snprintf(text, sizeof(text), "%g", pow(10, d));
		put_text(out, LEFT - 4, y + 4, "end", text);
	}
	put_text(out, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "middle",
		 "operations for each byte of memory traffic");
	put_text(out, 4, 12, "start", "GFLOP/s");
}

static void put_roof(FILE *out, const struct roofline *f)
{
	double ridge = f->peak / f->bandwidth, left = pow(10, f->x_from);
	char text[64];

	put_line(out, x_of(f, left), y_of(f, left * f->bandwidth), x_of(f, ridge), y_of(f, f->peak),
		 "#000");
	put_line(out, x_of(f, ridge), y_of(f, f->peak), WIDTH - RIGHT, y_of(f, f->peak), "#000");
	snprintf(text, sizeof(text), "%.4g GFLOP/s", f->peak);
	put_text(out, WIDTH - RIGHT - 2, y_of(f, f->peak) - 4, "end", text);
	snprintf(text, sizeof(text), "%.4g GB/s", f->bandwidth);
	put_text(out, LEFT + 34, y_of(f, left * f->bandwidth) - 2, "start", text);
}

static void put_point(FILE *out, const struct roofline *f)
{
	double x = x_of(f, f->intensity), y = y_of(f, f->gflops);

	fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#c04000\"/>\n", x, y);
	put_text(out, x < WIDTH / 2 ? x + 7 : x - 7, y + 14, x < WIDTH / 2 ? "start" : "end",
		 "this run");
}

static bool metric_is(const struct group_metric *m, const char *name)
{
	return !strcmp(m->name, name);
}

static bool roofline_of(const struct report *r, const struct report_group *g, struct roofline *f)
{
	*f = (struct roofline){ 0 };
	for (int i = 0; g->group && i < g->group->nmetrics; i++) {
		const struct group_metric *m = &g->group->metrics[i];
		struct value v = report_metric(r, g, i, NULL);

		if (v.known && metric_is(m, "operational intensity"))
			f->intensity = v.mean;
		if (v.known && metric_is(m, "operations per second"))
			f->gflops = v.mean;
	}
	return f->intensity > 0 && f->gflops > 0;
}

void roofline_html(FILE *out, const struct report *r, const struct report_group *g)
{
	struct roofline f;
	char point[128];

	if (!roofline_of(r, g, &f))
		return;
	f.peak = r->roof.gflops;
	f.bandwidth = r->roof.bandwidth;
	if (f.peak <= 0)
		model_peaks(r->machine, &f);
	axes_fit(&f);
	fprintf(out, "<figure class=\"roofline\">\n<svg viewBox=\"0 0 %g %g\" width=\"%g\" "
		"font-family=\"sans-serif\" font-size=\"11\">\n", WIDTH, HEIGHT, 2 * WIDTH);
	put_axes(out, &f);
	if (f.peak > 0 && f.bandwidth > 0)
		put_roof(out, &f);
	put_point(out, &f);
	snprintf(point, sizeof(point), "%.4g operations for each byte, %.4g GFLOP/s", f.intensity,
		 f.gflops);
	fprintf(out, "</svg>\n<figcaption>Roofline: %s", point);
	if (f.peak > 0 && f.bandwidth > 0)
		fprintf(out, ", %.3g %% of the roof there. The roof is %s.",
			100 * f.gflops / fmin(f.peak, f.intensity * f.bandwidth),
			r->roof.gflops > 0 ? "that of --roof" : "the machine's constants");
	else
		fputs(". For the roof measure its peaks and give them with --roof.", out);
	fputs("</figcaption>\n</figure>\n", out);
}
