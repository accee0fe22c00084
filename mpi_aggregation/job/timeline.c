/* SPDX-License-Identifier: MIT */
/* Lines are added as time goes, so that a job that dies leaves them. */
#include "timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collecting/measure.h"
#include "file_limit.h"
#include "outputs.h"
#include "plain_numbers.h"
#include "reporting/metrics.h"

#define ENDING ".timeline.csv"

static bool shown(const struct job *j, int event, int package)
{
	return j->m->events[event].scope != SCOPE_RANK &&
	       j->m->mine[cell_index(j->m, event, package)].expected;
}

/* Rates of the interval, per second of the clock that the column names. */
static void header_rates(const struct job *j)
{
	const struct interval none = { NULL, NULL, 0 };
	struct metric_value v[METRICS_MAX];
	int n = metrics_of_interval(j->m, &none, v);

	for (int i = 0; i < n; i++)
		fprintf(j->timeline.f, ",%s %s (%s clock)", v[i].metric->name, v[i].metric->unit,
			j->m->model_clock ? "model" : "wall");
}

static void header(const struct job *j)
{
	fputs("seconds", j->timeline.f);
	if (j->m->model_clock)
		fputs(",model seconds", j->timeline.f);
	for (int i = 0; i < j->m->nevents; i++)
		for (int p = 0; p <= j->m->packages_max; p++)
			if (shown(j, i, p) && p < j->m->packages_max)
				fprintf(j->timeline.f, ",%s package %d", j->m->events[i].name, p);
			else if (shown(j, i, p))
				fprintf(j->timeline.f, ",%s", j->m->events[i].name);
	header_rates(j);
	fputc('\n', j->timeline.f);
}

static void complain(const struct job *j, int rc)
{
	char path[OUTPUT_MAX];

	job_node_path(j, ENDING, path);
	job_unwritten(path, rc);
}

static int begin_file(struct job *j, const char *path)
{
	int rc = new_file_open(&j->timeline, path, 0666);

	if (!rc)
		rc = new_file_place(&j->timeline);
	if (rc)
		new_file_drop(&j->timeline);
	return rc;
}

static void begin_lines(struct job *j)
{
	sigset_t signals;

	file_limit_hold(&signals);
	header(j);
	new_file_flush(&j->timeline);
	file_limit_release(&signals);
}

void job_timeline_begin(struct job *j)
{
	char path[OUTPUT_MAX];
	int rc;

	if (j->interval_ms <= 0 || !j->prefix[0])
		return;
	job_node_path(j, ENDING, path);
	j->before = calloc(cells_count(j->m), sizeof(*j->before));
	rc = j->before ? begin_file(j, path) : -ENOMEM;
	if (rc)
		complain(j, rc);
	else
		begin_lines(j);
}

/* A cell that was not measured stays empty. */
static void put_cell(struct job *j, size_t i)
{
	const struct cell *now = &j->m->mine[i];

	fputc(',', j->timeline.f);
	if (now->measured)
		fprintf(j->timeline.f, "%" PRId64, now->count - j->before[i].count);
}

static void put_times(struct job *j)
{
	fprintf(j->timeline.f, "%.6f", (double)j->m->wall_ns * 1e-9);
	if (j->m->model_clock)
		fprintf(j->timeline.f, ",%.9f", j->model_seconds);
}

static void put_rates(struct job *j, const struct interval *in)
{
	struct metric_value v[METRICS_MAX];
	int n = metrics_of_interval(j->m, in, v);

	for (int i = 0; i < n; i++) {
		fputc(',', j->timeline.f);
		if (v[i].known)
			fprintf(j->timeline.f, "%.6g", v[i].value);
	}
}

void job_timeline_line(struct job *j)
{
	size_t cells = cells_count(j->m);
	struct interval in = { j->m->mine, j->before, 0 };
	locale_t locale;

	if (!j->timeline.f || !j->before || !j->m->running)
		return;
	measure_read(j->m);
	in.wall_ns = j->m->wall_ns - j->before_ns;
	j->model_seconds += interval_seconds(j->m, &in);
	locale = plain_numbers_begin();
	put_times(j);
	for (int i = 0; i < j->m->nevents; i++)
		for (int p = 0; p <= j->m->packages_max; p++)
			if (shown(j, i, p))
				put_cell(j, cell_index(j->m, i, p));
	put_rates(j, &in);
	plain_numbers_end(locale);
	memcpy(j->before, j->m->mine, cells * sizeof(*j->before));
	j->before_ns = j->m->wall_ns;
	fputc('\n', j->timeline.f);
	new_file_flush(&j->timeline);
}

void job_timeline_end(struct job *j)
{
	sigset_t signals;
	int rc;

	file_limit_hold(&signals);
	rc = j->timeline.f ? new_file_publish(&j->timeline) : 0;
	if (rc)
		complain(j, rc);
	new_file_drop(&j->timeline);
	file_limit_release(&signals);
	free(j->before);
	j->before = NULL;
}
