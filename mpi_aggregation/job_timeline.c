/* SPDX-License-Identifier: MIT */
/* PREFIX.nodeN.timeline.csv: what a node counted in each interval. Lines are added as time goes, so
 * that a job that dies leaves them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job_inside.h"

static void name_file(const struct job *j, const char *what, char *path, size_t bytes)
{
	snprintf(path, bytes, "%s.node%d.%s", j->prefix, j->m->at.index, what);
}

static bool shown(const struct job *j, int event, int package)
{
	return j->m->events[event].scope != SCOPE_RANK &&
	       j->m->mine[cell_index(j->m, event, package)].expected;
}

static void header(const struct job *j)
{
	fputs("seconds", j->timeline);
	for (int i = 0; i < j->m->nevents; i++)
		for (int p = 0; p <= j->m->packages_max; p++)
			if (shown(j, i, p) && p < j->m->packages_max)
				fprintf(j->timeline, ",%s package %d", j->m->events[i].name, p);
			else if (shown(j, i, p))
				fprintf(j->timeline, ",%s", j->m->events[i].name);
	fputc('\n', j->timeline);
	fflush(j->timeline);
}

void job_timeline_begin(struct job *j)
{
	char path[PATH_MAX + 64];

	if (j->interval_ms <= 0 || !j->prefix[0])
		return;
	name_file(j, "timeline.csv", path, sizeof(path));
	j->timeline = fopen(path, "we");
	j->before = calloc(cell_index(j->m, j->m->nevents, 0), sizeof(*j->before));
	if (j->timeline && j->before)
		header(j);
	else
		fprintf(stderr, "ipmu-mpi-run: cannot write %s: %s\n", path, strerror(errno));
}

/* A cell that was not measured stays empty. */
static void put_cell(struct job *j, size_t i)
{
	const struct cell *now = &j->m->mine[i];

	fputc(',', j->timeline);
	if (now->measured)
		fprintf(j->timeline, "%" PRId64, now->count - j->before[i].count);
	j->before[i] = *now;
}

void job_timeline_line(struct job *j)
{
	if (!j->timeline || !j->before || !j->m->running)
		return;
	measure_read(j->m);
	fprintf(j->timeline, "%.6f", (double)j->m->wall_ns * 1e-9);
	for (int i = 0; i < j->m->nevents; i++)
		for (int p = 0; p <= j->m->packages_max; p++)
			if (shown(j, i, p))
				put_cell(j, cell_index(j->m, i, p));
	fputc('\n', j->timeline);
	fflush(j->timeline);
}

void job_timeline_end(struct job *j)
{
	if (j->timeline)
		fclose(j->timeline);
	j->timeline = NULL;
	free(j->before);
	j->before = NULL;
}

/* The job's report has it all. */
void job_forget_alone(struct job *j)
{
	char path[PATH_MAX + 64];

	if (!j->prefix[0])
		return;
	name_file(j, "csv", path, sizeof(path));
	unlink(path);
	name_file(j, "json", path, sizeof(path));
	unlink(path);
}
