/* SPDX-License-Identifier: MIT */
#include "parcel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MAX 1000000

/* ---- writing ---- */

static void write_event(FILE *f, const struct measurement *m, const struct event *e)
{
	const struct count *counts = measure_counts(m, 0, 0) + e->first;

	fprintf(f, "event %d %s\n", e->nparts, e->name);
	for (int i = 0; i < e->nparts; i++)
		fprintf(f, "part %d %d %d %d %lld\n", e->parts[i].package, e->parts[i].box,
			e->parts[i].cpu, counts[i].known, counts[i].value);
}

int parcel_write(const struct measurement *m, const struct node_ranks *r, char **text,
		 size_t *bytes)
{
	FILE *f = open_memstream(text, bytes);
	char host[HOST_BYTES];

	if (!f)
		return -ENOMEM;
	machine_host(host);
	fprintf(f, "host %s\nranks %d %d %d %d\nwall %" PRIu64 " %d %d\nlost %s\n", host, r->n,
		r->ended, r->outside, r->status, m->run_ns[0], m->done, m->nevents, m->lost);
	for (int i = 0; i < m->nevents; i++)
		write_event(f, m, &m->events[i]);
	fputs("end\n", f);
	return fclose(f) ? -ENOMEM : 0;
}

/* ---- reading ---- */

static char *next_line(char **text)
{
	char *line = strsep(text, "\n");

	return line ? line : (char *)(uintptr_t)"";
}

static int read_event(char **text, const struct event *like, struct event *e, struct count **counts,
		      int *nparts)
{
	char *line = next_line(text);
	struct count *more;
	int n, at = 0;

	if (sscanf(line, "event %d %n", &n, &at) != 1 || !at || strcmp(line + at, like->name) ||
	    n < 1 || n > PARTS_MAX)
		return -EINVAL;
	*e = *like;
	e->given = strdup(like->given);
	e->parts = calloc((size_t)n, sizeof(*e->parts));
	more = realloc(*counts, (size_t)(*nparts + n) * sizeof(*more));
	if (more)
		*counts = more;
	if (!more || !e->parts || !e->given)
		return -ENOMEM;
	e->nparts = n;
	e->first = *nparts;
	for (int i = 0; i < n; i++) {
		struct part *p = &e->parts[i];
		int known;

		if (sscanf(next_line(text), "part %d %d %d %d %lld", &p->package, &p->box, &p->cpu,
			   &known, &more[*nparts + i].value) != 5)
			return -EINVAL;
		more[*nparts + i].known = known == 1;
	}
	*nparts += n;
	return 0;
}

static int read_head(char **text, const struct measurement *like, struct parcel *p, uint64_t *wall)
{
	struct node_ranks *r = &p->ranks;
	const char *line;
	int events;

	if (sscanf(next_line(text), "host %64s", p->host) != 1 ||
	    sscanf(next_line(text), "ranks %d %d %d %d", &r->n, &r->ended, &r->outside,
		   &r->status) != 4 || r->n < 1 ||
	    sscanf(next_line(text), "wall %" SCNu64 " %d %d", wall, &p->m.done, &events) != 3 ||
	    events != like->nevents)
		return -EINVAL;
	line = next_line(text);
	if (strncmp(line, "lost ", 5))
		return -EINVAL;
	snprintf(p->m.lost, sizeof(p->m.lost), "%s", line + 5);
	return 0;
}

int parcel_read(char *text, const struct measurement *like, struct parcel *out)
{
	struct parcel p = { .m = *like };
	uint64_t wall;
	int rc;

	p.m.counts = NULL;
	p.m.timelines = NULL;	/* they stay on their node */
	p.m.watch = NULL;
	p.m.nparts = p.m.nevents = 0;
	p.m.run_ns = calloc(1, sizeof(*p.m.run_ns));
	p.m.events = p.events = calloc((size_t)like->nevents + 1, sizeof(*p.events));
	rc = p.m.run_ns && p.events ? read_head(&text, like, &p, &wall) : -ENOMEM;
	while (!rc && p.m.nevents < like->nevents) {
		int i = p.m.nevents++;

		rc = read_event(&text, &like->events[i], &p.events[i], &p.m.counts, &p.m.nparts);
	}
	if (rc) {
		parcel_free(&p);
		return rc;
	}
	p.m.run_ns[0] = wall;
	*out = p;
	return 0;
}

void parcel_free(struct parcel *p)
{
	for (int i = 0; p->events && i < p->m.nevents; i++)
		event_free(&p->events[i]);
	free(p->events);
	measure_free(&p->m);
	*p = (struct parcel){ .host = "" };
}

/* ---- joining ---- */

static int parts_of(const struct parcel *p, int n, int event)
{
	int parts = 0;

	for (int i = 0; i < n; i++)
		parts += p[i].m.events[event].nparts;
	return parts;
}

/* The parts of all nodes, then the sums of those that have several. */
static int join_event(const struct parcel *p, int n, int event, struct measurement *out,
		      struct event *e)
{
	int parts = parts_of(p, n, event);

	*e = p[0].m.events[event];
	e->given = strdup(e->given);
	e->parts = calloc((size_t)(parts + n), sizeof(*e->parts));
	e->first = out->nparts;
	e->nparts = e->nsums = 0;
	if (!e->given || !e->parts)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		const struct event *from = &p[i].m.events[event];

		for (int k = 0; k < from->nparts; k++) {
			e->parts[e->nparts] = from->parts[k];
			e->parts[e->nparts++].node = n > 1 ? i + 1 : 0;
			out->counts[out->nparts++] =
				measure_counts(&p[i].m, 0, 0)[from->first + k];
		}
	}
	for (int i = 0; n > 1 && i < n; i++)
		if (p[i].m.events[event].nparts > 1)
			e->parts[parts + e->nsums++] = (struct part){ -1, -1, -1, i + 1 };
	return 0;
}

static void join_heads(const struct parcel *p, int n, struct measurement *out)
{
	for (int i = 0; i < n; i++) {
		if (p[i].m.run_ns[0] > out->run_ns[0])
			out->run_ns[0] = p[i].m.run_ns[0];
		if (!out->status)
			out->status = p[i].ranks.status;
		if (!out->lost[0])
			memcpy(out->lost, p[i].m.lost, sizeof(out->lost));
		if (p[i].m.done < out->done)
			out->done = p[i].m.done;
	}
}

int parcels_join(const struct parcel *p, int n, struct measurement *out, struct event **events)
{
	struct measurement m = p[0].m;
	struct event *list = calloc((size_t)m.nevents + 1, sizeof(*list));
	int all = 0, rc = 0;

	for (int i = 0; i < m.nevents; i++)
		all += parts_of(p, n, i);
	m.counts = calloc((size_t)all + 1, sizeof(*m.counts));
	m.run_ns = calloc(1, sizeof(*m.run_ns));
	m.events = list;
	m.nparts = 0;
	if (!list || !m.counts || !m.run_ns)
		rc = -ENOMEM;
	for (int i = 0; i < m.nevents && !rc; i++)
		rc = join_event(p, n, i, &m, &list[i]);
	if (!rc)
		join_heads(p, n, &m);
	*events = list;
	*out = m;
	return rc;
}
