/* SPDX-License-Identifier: MIT */
/* The report for spreadsheets. */
#include <stdio.h>

#include "formats.h"
#include "metrics.h"

static void csv_text(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

static void csv_place(FILE *f, const struct ipmu_mpi *m, const char *level, int node, int package)
{
	fprintf(f, "%s,", level);
	if (node >= 0)
		fprintf(f, "%d,%s,", node, node_head_of(m, node)->host);
	else
		fputs(",,", f);
	if (package >= 0)
		fprintf(f, "%d", package);
	fputc(',', f);
}

static void csv_count(FILE *f, const struct ipmu_mpi *m, int event, int node, int package)
{
	const char *level = package >= 0 ? "package" : node >= 0 ? "node" : "job";
	const struct counted_event *e = &m->events[event];
	struct ipmu_mpi_count c;

	if (ipmu_mpi_get(m, event, node, package, &c) || !c.expected)
		return;
	csv_place(f, m, level, node, package);
	fprintf(f, "%s,%s,", e->name, e->unit);
	if (c.measured)
		fprintf(f, "%lld", c.count);
	fprintf(f, ",%d,%d,%s,", c.measured, c.expected, count_status(&c));
	if (node >= 0 && c.measured < c.expected)
		csv_text(f, node_head_of(m, node)->why);
	fputc('\n', f);
}

static void csv_metrics(FILE *f, const struct ipmu_mpi *m, int node)
{
	struct metric_value v[METRICS_MAX];
	int n = metrics_of(m, node, v);

	for (int i = 0; i < n; i++) {
		csv_place(f, m, node >= 0 ? "node" : "job", node, -1);
		fprintf(f, "%s,%s,", v[i].metric->name, v[i].metric->unit);
		if (v[i].known)
			fprintf(f, "%.9g", v[i].value);
		fprintf(f, ",,,%s,", v[i].known ? "derived" : "not known");
		csv_text(f, v[i].metric->formula);
		fputc('\n', f);
	}
}

static void csv_info(FILE *f, const char *name, const char *unit, double value, const char *remark)
{
	fprintf(f, "info,,,,%s,%s,%.15g,,,,", name, unit, value);
	csv_text(f, remark);
	fputc('\n', f);
}

int csv_fill(FILE *f, const struct ipmu_mpi *m)
{
	fputs("level,node,host,package,name,unit,value,measured,expected,status,remark\n", f);
	csv_info(f, "complete", "", !m->incomplete[0], m->incomplete);
	csv_info(f, "ranks", "", m->at.nranks, "");
	csv_info(f, "nodes", "", m->at.count, "");
	csv_info(f, "packages", "", m->packages_all, "");
	csv_info(f, "seconds", "s", metric_seconds(m, IPMU_MPI_ALL),
		 m->model_clock ? "model clock at 1 GHz" : "wall clock");
	for (int i = 0; i < m->nlisted; i++) {
		csv_count(f, m, i, IPMU_MPI_ALL, IPMU_MPI_ALL);
		for (int n = m->first_row; n < m->first_row + m->nrows; n++) {
			csv_count(f, m, i, n, IPMU_MPI_ALL);
			for (int p = 0; p < m->packages_max; p++)
				csv_count(f, m, i, n, p);
		}
	}
	csv_metrics(f, m, IPMU_MPI_ALL);
	for (int n = m->first_row; n < m->first_row + m->nrows; n++)
		csv_metrics(f, m, n);
	return 0;
}
