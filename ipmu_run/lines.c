/* SPDX-License-Identifier: MIT */
/* A line on stderr for each interval: lines_open(), lines_show() for struct watch, lines_close().
 * Columns are the metrics of the groups, and events that were requested by name. Each interval has
 * one line: the last one is not repeated if it was already read when the program ended. */
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "shown.h"

#define COLUMN_LEAST 12
#define LINES_BETWEEN_HEADINGS 24

typedef void (*column_fn)(void *arg, const struct report_group *g, int metric, int event);

/* Calls for each column; the metric is -1 for an event's. */
static void each_column(const struct report *r, column_fn call, void *arg)
{
	for (int i = 0; i < r->ngroups; i++) {
		const struct report_group *g = &r->groups[i];

		for (int m = 0; g->group && m < g->group->nmetrics; m++)
			call(arg, g, m, -1);
		for (int e = 0; !g->group && e < g->nevents; e++)
			call(arg, g, -1, g->events[e]);
	}
}

struct writing {
	FILE *f;
	const struct report *report;
	const struct readings_view *view;
};

static int heading_of(const struct report *r, const struct report_group *g, int metric, int event,
		      char out[300])
{
	const struct group_metric *m = metric < 0 ? NULL : &g->group->metrics[metric];
	int n = !m ? snprintf(out, 300, "%s", r->m->events[event].given) :
		!strcmp(m->unit, "1") ? snprintf(out, 300, "%s", m->name) :
		snprintf(out, 300, "%s %s", m->name, m->unit);

	n = n < 300 ? n : 299;
	return n > COLUMN_LEAST ? n : COLUMN_LEAST;
}

static void write_heading(void *arg, const struct report_group *g, int metric, int event)
{
	struct writing *w = arg;
	char text[300];
	int width = heading_of(w->report, g, metric, event, text);

	fprintf(w->f, "  %*s", width, text);
}

static void write_value(void *arg, const struct report_group *g, int metric, int event)
{
	struct writing *w = arg;
	char text[300], number[REPORT_NUMBER_MAX] = "-";
	int width = heading_of(w->report, g, metric, event, text);
	struct value v = metric < 0 ? readings_count(w->view, event) :
			 readings_metric(w->view, g, metric, NULL);

	if (v.known)
		report_number(v.mean, metric < 0, number);
	fprintf(w->f, "  %*s", width, number);
}

bool lines_open(struct lines *l, const struct report *report, const char *host)
{
	*l = (struct lines){ .host = host };
	return readings_open(&l->readings, report);
}

void lines_close(struct lines *l)
{
	readings_close(&l->readings);
}

/* The last interval may have been read when the program had ended already. */
static bool is_read_already(const struct readings *s, uint64_t elapsed_ns, uint64_t *ns,
			    const struct count *counts)
{
	size_t n = (size_t)s->report->m->nparts;

	if (elapsed_ns < s->elapsed_ns || !s->ns[1] || *ns > s->ns[1])
		return false;
	*ns = s->ns[1] + 1;
	for (size_t i = 0; i < n; i++)
		if (counts[i].value != s->counts[n + i].value)
			return false;
	return true;
}

void lines_show(void *arg, uint64_t elapsed_ns, uint64_t ns, const struct count *counts)
{
	struct lines *l = arg;
	struct readings_view view;
	struct writing w = { .report = l->readings.report, .view = &view };
	char *text = NULL;
	size_t bytes;

	if (is_read_already(&l->readings, elapsed_ns, &ns, counts))
		return;
	if (elapsed_ns < l->readings.elapsed_ns)
		l->written = 0;
	readings_take(&l->readings, elapsed_ns, ns, counts);
	readings_view(&l->readings, &view);
	w.f = open_memstream(&text, &bytes);
	if (!w.f)
		return;
	if (l->written++ % LINES_BETWEEN_HEADINGS == 0) {
		fprintf(w.f, "%s%s%12s", l->host ? l->host : "", l->host ? " " : "", "seconds");
		each_column(w.report, write_heading, &w);
		fputc('\n', w.f);
	}
	fprintf(w.f, "%s%s%12.6f", l->host ? l->host : "", l->host ? " " : "",
		(double)ns * 1e-9);
	each_column(w.report, write_value, &w);
	fputc('\n', w.f);
	if (!fclose(w.f))
		shown_write(stderr, text, bytes);
	free(text);
}
