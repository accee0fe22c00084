/* SPDX-License-Identifier: MIT */
/* Writes the last completed read as text for people: text_print(). Events come first, each with its
 * nodes and packages, then remarks of nodes, then metrics. A count that misses a part says of how
 * many parts it is. */
#include <stdio.h>

#include "formats.h"
#include "metrics.h"

static const char *const part_names[] = {
	[SCOPE_PACKAGE] = "packages", [SCOPE_NODE] = "nodes", [SCOPE_RANK] = "ranks",
};

static const char *plural(int n)
{
	return n == 1 ? "" : "s";
}

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
	const struct counted_event *e = &m->events[event];
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

void text_print(FILE *to, const struct ipmu_mpi *m)
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
