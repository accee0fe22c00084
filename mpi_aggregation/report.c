/* SPDX-License-Identifier: MIT */
/* Reports of the last completed read: ipmu_mpi_report() and ipmu_mpi_write(), on rank 0 of the
 * communicator. They are ipmu-run's reports of events by name: report_describe() makes its
 * measurement of the nodes' cells, in one run, and the writers are the same. Metrics are left to
 * `ipmu-run --show`, as their formulas need a library that programs shall not have to load. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../measure/counting/library.h"
#include "../measure/counting/virtual.h"
#include "../measure/report/report.h"
#include "collecting/counter_set.h"
#include "export.h"
#include "file_limit.h"
#include "new_file.h"
#include "plain_numbers.h"

struct description {
	struct machine machine;
	struct event *events;
	struct part *parts;		/* those of all events, sums included */
	struct count *counts;		/* one for each part that is no sum */
	int nparts;			/* of `parts` */
	int *order;			/* all events */
	bool *member;
	struct passes passes;
	uint64_t ns;
	struct measurement m;
	struct report_group group;
	struct report_node *nodes;
	struct report_job job;
	char *words, **program;
	char command[REPORT_COMMAND_MAX];
	struct report report;
};

/* ---- the program: its words, with a 0 behind each ---- */

static size_t words_read(char **out)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	size_t bytes = 0;
	FILE *to = open_memstream(out, &bytes);
	char buffer[4096];
	ssize_t n;

	while (to && fd >= 0 && (n = read(fd, buffer, sizeof(buffer))) > 0)
		fwrite(buffer, 1, (size_t)n, to);
	if (fd >= 0)
		close(fd);
	return to && !fclose(to) ? bytes : 0;
}

static int program_set(struct description *d)
{
	size_t bytes = words_read(&d->words), n = 0;

	d->program = calloc(bytes + 1, sizeof(*d->program));
	if (!d->words || !d->program)
		return -ENOMEM;
	for (size_t at = 0; at < bytes; at += strlen(d->words + at) + 1)
		d->program[n++] = d->words + at;
	report_command(d->program, d->command);
	return 0;
}

/* ---- counts ---- */

static void add_part(struct description *d, struct event *e, struct part p, const struct cell *c)
{
	d->parts[d->nparts++] = p;
	e->nparts++;
	d->counts[d->m.nparts++] = (struct count){ c->count, c->measured == c->expected };
}

/* The parts of all nodes, then the sums of those that have several. A cell that nothing was
 * expected of is none. */
static void event_set(struct description *d, const struct ipmu_mpi *m, int event)
{
	const struct listed *from = &m->events[event];
	struct event *e = &d->events[event];

	*e = (struct event){ .given = (char *)(uintptr_t)from->name, .first = d->m.nparts,
			     .parts = d->parts + d->nparts };
	snprintf(e->name, sizeof(e->name), "%s", from->name);
	for (int n = 0; n < m->nrows; n++)
		for (int p = 0; p <= m->packages_max; p++) {
			const struct cell *c = &node_cells_of(m, n)[cell_index(m, event, p)];

			if (c->expected)
				add_part(d, e, (struct part){ p < m->packages_max ? p : -1, -1, -1,
							      m->nrows > 1 ? n + 1 : 0 }, c);
		}
	for (int n = 1; n <= m->nrows && m->nrows > 1; n++) {
		int parts = 0;

		for (int i = 0; i < e->nparts; i++)
			parts += e->parts[i].node == n;
		if (parts > 1) {
			d->parts[d->nparts++] = (struct part){ -1, -1, -1, n };
			e->nsums++;
		}
	}
}

/* The first node that says why something was not measured, or is counted twice. */
static void lost_set(struct description *d, const struct ipmu_mpi *m)
{
	for (int n = 0; n < m->nrows && !d->m.lost[0]; n++)
		if (node_head_of(m, n)->why[0])
			snprintf(d->m.lost, sizeof(d->m.lost), "node %d %s: %s", n,
				 node_head_of(m, n)->host, node_head_of(m, n)->why);
}

static void measurement_set(struct description *d, const struct ipmu_mpi *m)
{
	d->passes = (struct passes){ .n = 1, .nevents = m->nevents, .member = d->member };
	d->m = (struct measurement){
		.events = d->events, .nevents = m->nevents, .passes = &d->passes, .runs = 1,
		.done = 1, .counts = d->counts, .run_ns = &d->ns,
		.of_machine = node_is_virtual(&m->identity) && virtual_is_beside(),
	};
	for (int i = 0; i < m->nevents; i++) {
		event_set(d, m, i);
		d->order[i] = i;
		d->member[i] = true;
	}
	lost_set(d, m);
	d->group = (struct report_group){ NULL, d->order, m->nevents };
}

/* ---- the frame ---- */

static void machine_set(struct machine *machine, const struct ipmu_mpi *m)
{
	snprintf(machine->model, sizeof(machine->model), "%s", m->identity.cpu_model);
	snprintf(machine->host, sizeof(machine->host), "%s", m->at.host);
	machine_geometry(machine->geometry, sizeof(machine->geometry));
	machine->is_virtual = node_is_virtual(&m->identity);
	machine->clock = machine_clock_rule(machine->is_virtual);
	machine->has_seed = virtual_seed(&machine->seed);
}

static void job_set(struct description *d, const struct ipmu_mpi *m)
{
	for (int n = 0; n < m->nrows; n++) {
		const struct node_head *head = node_head_of(m, n);

		snprintf(d->nodes[n].host, sizeof(d->nodes[n].host), "%s", head->host);
		d->nodes[n].ranks = head->nranks;
		if ((uint64_t)head->ns > d->ns)
			d->ns = (uint64_t)head->ns;
	}
	d->job = (struct report_job){ .size = m->at.nranks, .ranks = m->at.nranks,
				      .ended = m->at.nranks, .nodes = m->nrows, .node = d->nodes,
				      .id = "", .first = true };
}

static void description_free(struct description *d)
{
	free(d->events);
	free(d->parts);
	free(d->counts);
	free(d->order);
	free(d->member);
	free(d->nodes);
	free(d->words);
	free(d->program);
}

static int report_describe(struct description *d, const struct ipmu_mpi *m)
{
	size_t events = (size_t)m->nevents, rows = (size_t)m->nrows;
	size_t parts = events * rows * (size_t)(m->packages_max + 1);

	*d = (struct description){ .nparts = 0 };
	d->events = calloc(events, sizeof(*d->events));
	d->parts = calloc(parts + events * rows, sizeof(*d->parts));
	d->counts = calloc(parts, sizeof(*d->counts));
	d->order = calloc(events, sizeof(*d->order));
	d->member = calloc(events, sizeof(*d->member));
	d->nodes = calloc(rows, sizeof(*d->nodes));
	if (!d->events || !d->parts || !d->counts || !d->order || !d->member || !d->nodes ||
	    program_set(d)) {
		description_free(d);
		return -ENOMEM;
	}
	machine_set(&d->machine, m);
	measurement_set(d, m);
	job_set(d, m);
	d->report = (struct report){
		.machine = &d->machine, .m = &d->m, .groups = &d->group, .ngroups = 1,
		.command = d->command, .job = &d->job, .options = "ipmu_mpi.h",
		.program = d->program, .by = "ipmu-mpi",
	};
	return 0;
}

/* ---- for users ---- */

/* In one piece: other ranks' output may go to the same terminal, and stderr has no buffer. */
static int print(const struct report *r, FILE *to)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&text, &bytes);
	int rc = memory ? report_text(memory, r) : -ENOMEM;

	if (memory && fclose(memory))
		rc = -ENOMEM;
	if (!rc && (fwrite(text, 1, bytes, to) != bytes || fflush(to)))
		rc = -EIO;
	free(text);
	return rc;
}

static int publish(const char *prefix, const char *ending,
		   int (*write_as)(FILE *, const struct report *), const struct report *r)
{
	char path[PATH_MAX];
	struct new_file n;
	int rc;

	if (snprintf(path, sizeof(path), "%s.%s", prefix, ending) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	rc = new_file_open(&n, path, 0666);
	if (!rc)
		rc = write_as(n.f, r);
	if (!rc)
		rc = new_file_publish(&n);
	new_file_drop(&n);
	return rc;
}

/* to: NULL: files that begin with prefix. */
static int report(const struct ipmu_mpi *m, FILE *to, const char *prefix)
{
	struct description d;
	locale_t before;
	sigset_t signals;
	int rc = m->has_read ? 0 : -ENODATA;

	if (rc || !m->nrows)
		return rc;
	rc = report_describe(&d, m);
	if (rc)
		return rc;
	before = plain_numbers_begin();
	file_limit_hold(&signals);
	if (to)
		rc = print(&d.report, to);
	else
		rc = publish(prefix, "csv", report_csv, &d.report);
	if (!to && !rc)
		rc = publish(prefix, "json", report_json, &d.report);
	file_limit_release(&signals);
	plain_numbers_end(before);
	description_free(&d);
	return rc;
}

API int ipmu_mpi_report(const struct ipmu_mpi *m, FILE *to)
{
	return report(m, to, NULL);
}

API int ipmu_mpi_write(const struct ipmu_mpi *m, const char *prefix)
{
	return report(m, NULL, prefix);
}
