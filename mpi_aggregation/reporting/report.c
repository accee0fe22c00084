/* SPDX-License-Identifier: MIT */
/* What rank 0 tells people and spreadsheets. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

static const char *const part_names[] = {
	[SCOPE_PACKAGE] = "packages", [SCOPE_NODE] = "nodes", [SCOPE_RANK] = "ranks",
};

const char *count_status(const struct ipmu_mpi_count *c)
{
	return !c->measured ? "not measured" : c->measured < c->expected ? "partial" : "measured";
}

static const char *plural(int n)
{
	return n == 1 ? "" : "s";
}

/* ---- for people ---- */

static void print_count(FILE *to, const char *name, const struct ipmu_mpi_count *c, int scope)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", c->count);
	fprintf(to, "  %-58s %16s", name, c->measured ? text : "not measured");
	if (c->measured && c->measured < c->expected)
		fprintf(to, "  only %d of %d %s", c->measured, c->expected, part_names[scope]);
	fputc('\n', to);
}

static void print_packages(FILE *to, const struct ipmu_mpi *m, int event, int node)
{
	struct ipmu_mpi_count c;
	char name[64];

	if (m->events[event].scope != SCOPE_PACKAGE || node_head_of(m, node)->npackages < 2)
		return;
	for (int p = 0; p < node_head_of(m, node)->npackages; p++)
		if (!ipmu_mpi_get(m, event, node, p, &c) && c.expected) {
			snprintf(name, sizeof(name), "    package %d", p);
			print_count(to, name, &c, SCOPE_PACKAGE);
		}
}

static void print_event(FILE *to, const struct ipmu_mpi *m, int event)
{
	const struct event *e = &m->events[event];
	struct ipmu_mpi_count c;
	char name[HOST_MAX + 32];

	if (!ipmu_mpi_get(m, event, IPMU_MPI_ALL, IPMU_MPI_ALL, &c))
		print_count(to, e->name, &c, e->scope);
	for (int n = m->first_row; n < m->first_row + m->nrows; n++) {
		if (m->nrows > 1 && !ipmu_mpi_get(m, event, n, IPMU_MPI_ALL, &c)) {
			snprintf(name, sizeof(name), "  node %d %s", n, node_head_of(m, n)->host);
			print_count(to, name, &c, e->scope);
		}
		print_packages(to, m, event, n);
	}
}

static void print_metrics(FILE *to, const struct ipmu_mpi *m, int node, const char *title)
{
	struct metric_value v[METRICS_MAX];
	char text[32];
	int n = metrics_of(m, node, v);

	if (n)
		fprintf(to, "\n  %s\n", title);
	for (int i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%.6g", v[i].value);
		fprintf(to, "  %-28s %12s %-7s = %s\n", v[i].metric->name,
			v[i].known ? text : "not known", v[i].known ? v[i].metric->unit : "",
			v[i].metric->formula);
	}
}

static void print_times(FILE *to, const struct ipmu_mpi *m)
{
	int64_t clocks = model_clocks(m, IPMU_MPI_ALL), wall = 0;

	for (int n = m->first_row; n < m->first_row + m->nrows; n++)
		if (node_head_of(m, n)->wall_ns > wall)
			wall = node_head_of(m, n)->wall_ns;
	if (!m->model_clock)
		fprintf(to, "  time %.6f s of wall clock\n", (double)wall * 1e-9);
	else if (!clocks)
		fprintf(to, "  %s\n  no clock of the model is counted; wall time means nothing "
			"here\n", m->identity.cpu_model);
	else
		fprintf(to, "  %s\n  model time %.6f s = %lld uncore clocks at %g GHz; wall time "
			"means nothing here\n", m->identity.cpu_model,
			(double)clocks / MODEL_HZ, (long long)clocks, MODEL_HZ * 1e-9);
}

static void print_all(FILE *to, const struct ipmu_mpi *m)
{
	char title[HOST_MAX + 32];

	fprintf(to, "\nipmu-mpi: %d rank%s on %d node%s with %d package%s%s%s\n", m->at.nranks,
		plural(m->at.nranks), m->at.count, plural(m->at.count), m->packages_all,
		plural(m->packages_all), m->incomplete[0] ? "; INCOMPLETE: " : "", m->incomplete);
	print_times(to, m);
	for (int i = 0; i < m->nlisted; i++)
		print_event(to, m, i);
	for (int n = m->first_row; n < m->first_row + m->nrows; n++)
		if (node_head_of(m, n)->why[0])
			fprintf(to, "  node %d %s: %s\n", n, node_head_of(m, n)->host,
				node_head_of(m, n)->why);
	print_metrics(to, m, IPMU_MPI_ALL, m->nrows > 1 ? "the job" : "metrics");
	for (int n = m->first_row; m->nrows > 1 && n < m->first_row + m->nrows; n++) {
		snprintf(title, sizeof(title), "node %d %s", n, node_head_of(m, n)->host);
		print_metrics(to, m, n, title);
	}
}

/* In one piece: other ranks' output may go to the same terminal, and stderr has no buffer. */
API int ipmu_mpi_report(const struct ipmu_mpi *m, FILE *to)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory;
	int rc = 0;

	if (!m->has_read)
		return -ENODATA;
	if (!m->nrows)
		return 0;
	memory = open_memstream(&text, &bytes);
	if (!memory)
		return -ENOMEM;
	print_all(memory, m);
	if (fclose(memory))
		rc = -ENOMEM;
	else if (fwrite(text, 1, bytes, to) != bytes || fflush(to))
		rc = -EIO;
	free(text);
	return rc;
}

/* ---- for spreadsheets ---- */

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
	const struct event *e = &m->events[event];
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

static int csv_fill(FILE *f, const void *arg)
{
	const struct ipmu_mpi *m = arg;

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

API int ipmu_mpi_write(const struct ipmu_mpi *m, const char *prefix)
{
	static const struct { const char *suffix; int (*fill)(FILE *, const void *); } files[] = {
		{ "csv", csv_fill }, { "json", json_fill },
	};
	char path[PATH_MAX];
	int rc = m->has_read ? 0 : -ENODATA;

	if (!m->nrows)
		return rc;
	for (size_t i = 0; i < 2 && !rc; i++)
		rc = snprintf(path, sizeof(path), "%s.%s", prefix, files[i].suffix) <
		     (int)sizeof(path) ? file_publish(path, files[i].fill, m) : -ENAMETOOLONG;
	return rc;
}
