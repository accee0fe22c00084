/* SPDX-License-Identifier: MIT */
/* --merge PREFIX, by merge(): joins the reports that the nodes of a job have left in
 * PREFIX.NODE.json. That is for nodes that do not see one folder, and for a first node that was
 * killed. All joined reports are of one job and count the same events, or merge() fails. Reports
 * that are not of one node of a job are ignored. So are links, pipes and files of other users: they
 * were not named by the user, and may have been put beside PREFIX by anybody. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/meeting.h"
#include "job/node_report.h"
#include "../measure/report/from_json.h"
#include "run.h"

struct merging {
	struct from_json **reports;
	int n;
	struct saved frame;		/* the first file that was read */
	struct from_json from;		/* of frame */
	int status;			/* after a complaint */
	int ranks;			/* in the reports */
};

/* The ranks so far are at most the job's, so that one report more does not overflow them. */
static int check_job(const struct merging *g, const char *path, const struct from_json *r)
{
	const struct from_json *other = &g->from;

	if ((*r->id && *other->id && strcmp(r->id, other->id)) || r->job.size != other->job.size)
		return complain(EXIT_USAGE, "%s: it is of another job than %s: remove the older "
				"one", path, g->frame.path);
	if (g->ranks > r->job.size)
		return complain(EXIT_USAGE, "%s: with its ranks there are %d, but the job had %d: "
				"one node is there twice, or a report is of another job", path,
				g->ranks, r->job.size);
	return 0;
}

static int explain(const struct merging *g, const char *path, int rc)
{
	if (rc == -ENOMEM)
		return complain(EXIT_CANNOT_COUNT, "no memory");
	return complain(EXIT_USAGE, "%s: its events are not those of %s, or it was changed by "
			"hand: remove one of them", path, g->frame.path);
}

static int add_report(struct merging *g, const char *path, const struct saved *s)
{
	struct from_json **more = realloc(g->reports, (size_t)(g->n + 1) * sizeof(*more));
	int rc;

	if (!more)
		return explain(g, path, -ENOMEM);
	g->reports = more;
	rc = node_report_read(s, &g->from.m, &more[g->n]);
	g->n += !rc;
	g->ranks += rc ? 0 : more[g->n - 1]->job.ranks;
	return rc ? explain(g, path, rc) : check_job(g, path, more[g->n - 1]);
}

/* The frame is the first report of a node. */
static int take_frame(struct merging *g)
{
	char why[SAVED_WHY_MAX];

	switch (from_json(&g->frame, &g->from, why)) {
	case 0: return add_report(g, g->frame.path, &g->frame);
	case -ENOMEM: return explain(g, g->frame.path, -ENOMEM);
	default: return complain(EXIT_USAGE, "%s", why);
	}
}

static void take(void *arg, const char *path)
{
	struct merging *g = arg;
	char why[SAVED_WHY_MAX];
	struct saved s;
	int rc;

	if (g->status)
		return;
	rc = saved_read_own(path, &s, why);
	if (rc == -EPERM) {
		complain(0, "%s; ignoring it", why);
		return;
	}
	if (rc) {
		g->status = complain(EXIT_USAGE, "%s", why);
		return;
	}
	if (!node_report_is(&s, NULL)) {
		complain(0, "%s: ignoring this report: it is not of one node of a job", path);
	} else if (!g->n) {
		g->frame = s;
		g->status = take_frame(g);
		return;
	} else {
		g->status = add_report(g, path, &s);
	}
	saved_free(&s);
}

/* The node with rank 0 is node 0. */
static void put_first(struct merging *g)
{
	for (int i = 1; i < g->n; i++) {
		struct from_json *r = g->reports[i];

		if (!r->job.first)
			continue;
		memmove(&g->reports[1], &g->reports[0], (size_t)i * sizeof(*g->reports));
		g->reports[0] = r;
		break;
	}
	memcpy(g->from.machine.host, g->reports[0]->machine.host, sizeof(g->from.machine.host));
}

static int write_all(const struct report *r, const char *prefix)
{
	struct output files;
	int rc = output_open(&files, prefix, NULL);

	if (!rc) {
		rc = output_write(&files, r);
		output_drop(&files);
	}
	return rc;
}

static int join(struct merging *g, const char *prefix)
{
	struct report r = g->from.report;
	struct joined all;
	int rc;

	put_first(g);
	rc = node_reports_join(g->reports, g->n, &all);
	if (all.lacking)
		complain(0, JOINED_LACKING, all.lacking, g->n);
	r.m = &all.m;
	r.job = &all.job;
	r.where = all.where ? &all.where->where : NULL;
	rc = rc == -EOVERFLOW ? complain(EXIT_USAGE, "the counts of all nodes are too large to add "
					 "up: one of the reports was changed by hand") :
	     rc ? complain(EXIT_CANNOT_COUNT, "no memory") : write_all(&r, prefix);
	joined_free(&all);
	return rc;
}

int merge(const struct options *o)
{
	struct merging g = { .n = 0 };
	int rc = meeting_each_report(o->merge, take, &g);

	if (rc)
		rc = complain(EXIT_USAGE, "--merge %s: %s", o->merge, strerror(-rc));
	else if (g.status)
		rc = g.status;
	else if (!g.n)
		rc = complain(EXIT_USAGE, "--merge %s: no %s.NODE.json of a job's node is there",
			      o->merge, o->merge);
	else
		rc = join(&g, o->output ? o->output : o->merge);
	for (int i = 0; i < g.n; i++)
		node_report_free(g.reports[i]);
	free(g.reports);
	from_json_free(&g.from);
	saved_free(&g.frame);
	return rc;
}
