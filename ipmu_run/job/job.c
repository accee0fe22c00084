/* SPDX-License-Identifier: MIT */
/* A program as one of several that a launcher has started. job_begin() meets the node's other
 * processes (node.c) and the other nodes (meeting.c). The process with job_counts() counts for its
 * node, and the others call job_follow(). Then job_describe_node() and, on the first node,
 * job_collect() make the job's report. Reports of another job or other events are not joined. */
#include "job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../measure/counting/program.h"
#include "complain.h"
#include "now.h"
#include "program_file.h"

#define STRANGERS_MS 3000	/* for nodes that have not reported */
#define ENDING_MS 500		/* after a signal */
#define LOOK_US 20000		/* between two checks of the folder, at first */
#define LOOK_LATER_US 500000
#define LOOKS_SOON 100

static void company_begin(void *arg)
{
	struct job *j = arg;

	if (j->region)
		region_begin(j->region, j->ranks);
	node_go(j->node, j->region, j->phases);
}

static void company_end(void *arg, const struct program *p, int status, uint64_t *ns)
{
	struct job *j = arg;
	struct node *node = j->node;
	const struct region_message gone = { .head = REGION_HEAD, .what = REGION_GONE,
					     .rank = j->as.rank, .status = status,
					     .killed = p->killed };
	char why[COUNT_WHY_MAX];

	node_halt(node);
	j->early = j->region && region_take(j->region, &gone) == REGION_EARLY;
	if (node_ranks(node, 0, false).n > 1)
		program_leave_connection();	/* the launcher may have to end the others */
	node_wait(node, ns);
	if (j->region)
		region_end(j->region);
	if (node_differs(node, why))	/* one that has come after the others' start */
		complain(0, "%s", why);
}

/* ---- meeting ---- */

/* Without a name for the job a file in the working directory could be another's. */
static char *meeting_prefix(const struct launched *as, const char *prefix)
{
	char *path = NULL;

	if (prefix)
		return strdup(prefix);
	return as->job_wide && asprintf(&path, ".ipmu-run-%s", as->job) > 0 ? path : NULL;
}

/* 0; -EEXIST with why: a name that the meeting needs is in use for something else. */
static int meet_nodes(struct job *j, const char *prefix, char why[COUNT_WHY_MAX])
{
	struct node_ranks here = node_ranks(j->node, 0, false);
	bool others = j->as.local_size > 0 ? j->as.local_size < j->as.size : here.n < j->as.size;
	char *path = others ? meeting_prefix(&j->as, prefix) : NULL, *foreign = NULL;
	int rc;

	j->has_first = here.has_first || !others;
	rc = path ? meeting_begin(path, &j->as, j->has_first, &j->meeting, &foreign) : 0;
	if (rc == -EEXIST)
		snprintf(why, COUNT_WHY_MAX, "%s: a job over several nodes needs this name: no run "
			 "of yours has made it; move it away, or choose another PREFIX",
			 foreign ? foreign : path);
	else if (rc)
		complain(0, "%s.job: %s: each node has a report of its own", path, rc == -EBUSY ?
			 "another job that runs has the same PREFIX" : strerror(-rc));
	free(foreign);
	free(path);
	return rc == -EEXIST ? rc : 0;
}

/* A program without a launcher. */
static void name_alone(struct launched *as)
{
	*as = (struct launched){ .size = 1, .local_size = 1 };
	snprintf(as->job, sizeof(as->job), "%d.%llu", (int)getpid(), (unsigned long long)now_ns());
}

/* The counting process counts what all of the node share, so it runs on the CPUs of all. Its own
 * program keeps its own CPUs. */
int job_begin(struct job *j, const struct launched *as, const char *options, const char *prefix,
	      char why[COUNT_WHY_MAX])
{
	int rc;

	*j = (struct job){ .company = { company_begin, company_end, j }, .alone = !as };
	if (as)
		j->as = *as;
	else
		name_alone(&j->as);
	as = &j->as;
	program_signals();
	rc = node_meet(as, options, &j->node, why);
	if (rc || !node_leads(j->node))
		return rc;
	if (node_differs(j->node, why)) {
		job_end(j, STATUS_OURS);
		return -EINVAL;
	}
	if (!j->alone) {
		cpus_get(&j->own);
		cpus_set(node_cpus(j->node));	/* the report has those that it may not use */
		program_cpus(&j->own);
	}
	rc = meet_nodes(j, prefix, why);
	if (rc)
		job_end(j, STATUS_OURS);
	return rc;
}

int job_from_mpi_init(struct job *j, char why[COUNT_WHY_MAX])
{
	int rc = region_tell(j->as.rank, node_path(j->node), why);

	j->ranks_report = true;
	j->ranks = node_ranks(j->node, 0, false).n;
	return rc || !node_leads(j->node) ? rc : region_open(&j->region, why);
}

int job_name_regions(const struct job *j, bool only)
{
	char text[SOCKET_PATH_MAX + 32];

	snprintf(text, sizeof(text), "%s%d:%s", only ? REGION_ONLY : "", j->as.rank,
		 node_path(j->node));
	return setenv(REGION_NAMED_ENV, text, 1) ? -ENOMEM : 0;
}

bool job_counts(const struct job *j)
{
	return node_leads(j->node);
}

int job_follow(struct job *j, char **argv)
{
	int status = node_await(j->node), rc;
	char why[PROGRAM_WHY_MAX];
	struct program p;
	uint64_t ns;
	bool early;

	if (status)
		return status;
	rc = program_start(&p, argv);
	if (rc)
		return complain(STATUS_OURS, "cannot start a process: %s", strerror(-rc));
	rc = program_run(&p, &status, &ns);
	if (rc) {
		program_why(argv[0], rc, why);
		status = complain(program_refused(rc), "%s", why);
	}
	early = node_gone(j->node, &p, status, j->ranks_report);
	node_linger(j->node);
	return status || !early ? status : STATUS_OURS;
}

int job_prefix(const struct job *j, const char *prefix, char **out)
{
	char host[HOST_BYTES];

	*out = NULL;
	if (!prefix)
		return 0;
	machine_host(host);
	if (j->has_first || !strcmp(prefix, "-"))
		*out = strdup(prefix);
	else if (j->meeting)
		*out = strdup(meeting_node_prefix(j->meeting));
	else if (asprintf(out, "%s.%s", prefix, host) < 0)
		*out = NULL;
	return *out ? 0 : -ENOMEM;
}

/* ---- collecting ---- */

struct report_job job_shape_here(const struct job *j, struct report_node *node)
{
	*node = (struct report_node){ .ranks = j->ranks };
	machine_host(node->host);
	return (struct report_job){ .size = j->as.size, .ranks = j->ranks, .nodes = 1,
				    .node = node, .first = j->has_first,
				    .id = j->meeting ? meeting_id(j->meeting) : "" };
}

void job_describe_node(struct job *j, const struct measurement *mine, struct measurement *out)
{
	struct node_ranks here = node_ranks(j->node, mine->status, mine->killed || j->early);

	*out = *mine;
	out->status = here.status;
	if (out->emulated && out->begun < (uint64_t)here.n && !out->uncounted[0])
		snprintf(out->uncounted, sizeof(out->uncounted), "of a rank " MEASURE_NOT_EXECUTED);
	j->shape = job_shape_here(j, &j->own_node);
	j->shape.ranks = j->own_node.ranks = here.n;
	j->shape.ended = here.ended;
	j->shape.outside = here.outside;
}

struct collecting {
	struct job *j;
	const struct measurement *like;
	int ranks, rc;
};

/* A report that its node has replaced stands for the first one. */
static void job_replace_report(struct collecting *c, struct from_json **old, struct from_json *r)
{
	c->ranks += r->job.ranks - (*old)->job.ranks;
	node_report_free(*old);
	*old = r;
}

static int job_add_report(struct collecting *c, struct from_json *r, const char *path)
{
	struct job *j = c->j;
	struct from_json **more;
	char **paths;

	for (int i = 0; path && i < j->nreports; i++)
		if (j->paths[i] && !strcmp(j->paths[i], path))
			return job_replace_report(c, &j->reports[i], r), 0;
	if (c->ranks + r->job.ranks > j->as.size) {
		complain(0, "%s: ignoring this report: with its ranks there are %d, but the job "
			 "has %d: one node is there twice", path, c->ranks + r->job.ranks,
			 j->as.size);
		return node_report_free(r), 0;
	}
	more = realloc(j->reports, (size_t)(j->nreports + 1) * sizeof(*more));
	paths = realloc(j->paths, (size_t)(j->nreports + 1) * sizeof(*paths));
	if (more)
		j->reports = more;
	if (paths)
		j->paths = paths;
	if (!more || !paths) {
		node_report_free(r);
		return -ENOMEM;
	}
	c->ranks += r->job.ranks;
	paths[j->nreports] = path ? strdup(path) : NULL;
	more[j->nreports++] = r;
	return 0;
}

/* Takes a report of this job; the folder may also have reports of others. */
static void take_report(void *arg, const char *path)
{
	struct collecting *c = arg;
	struct from_json *r;
	char why[SAVED_WHY_MAX];
	struct saved s;
	int rc;

	if (saved_read_own(path, &s, why))
		return;
	rc = node_report_is(&s, meeting_id(c->j->meeting)) ?
	     node_report_read(&s, c->like, &r) : -ENOENT;
	if (!rc)
		rc = job_add_report(c, r, path);
	else if (rc == -EINVAL)
		complain(0, "%s: ignoring this node: it has counted other events", path);
	if (rc == -ENOMEM)
		c->rc = rc;
	saved_free(&s);
}

static int take_own(struct collecting *c, const struct saved *own)
{
	struct from_json *r;
	int rc = node_report_read(own, c->like, &r);

	return rc ? rc : job_add_report(c, r, NULL);
}

/* Waits for nodes that run, and a while for those of which nothing is there yet. */
static void await_nodes(struct collecting *c)
{
	const struct job *j = c->j;
	int64_t strangers = now_ms() + STRANGERS_MS, ending = 0;

	for (int looks = 0; ; looks++) {
		int running = meeting_look(j->meeting, take_report, c);

		if (c->rc || (!running && c->ranks >= j->as.size))
			break;
		if (program_ending() && !ending)
			ending = now_ms() + ENDING_MS;
		if (ending ? now_ms() >= ending : !running && now_ms() >= strangers)
			break;
		usleep(looks < LOOKS_SOON || ending ? LOOK_US : LOOK_LATER_US);
	}
}

int job_collect(struct job *j, const struct saved *own, const struct measurement *mine,
		const struct measurement **out)
{
	struct collecting c = { .j = j, .like = mine };
	int rc = take_own(&c, own);

	if (rc)
		return rc;
	await_nodes(&c);
	rc = c.rc;
	*out = mine;
	if (rc || j->nreports == 1)
		return rc;
	rc = node_reports_join(j->reports, j->nreports, &j->joined);
	if (j->joined.lacking)
		complain(0, JOINED_LACKING, j->joined.lacking, j->nreports);
	j->shape = j->joined.job;
	*out = &j->joined.m;
	return rc;
}

const struct where *job_profile(const struct job *j)
{
	return j->joined.where ? &j->joined.where->where : NULL;
}

void job_remove_reports(const struct job *j)
{
	for (int i = 0; i < j->nreports; i++)
		if (j->paths[i])
			unlink(j->paths[i]);
}

bool job_has_others(const struct job *j)
{
	return j->meeting;
}

bool job_is_met(const struct job *j)
{
	return j->meeting && meeting_has_first(j->meeting);
}

const char *job_node_prefix(const struct job *j)
{
	return meeting_node_prefix(j->meeting);
}

const struct report_job *job_shape(const struct job *j)
{
	return j->alone ? NULL : &j->shape;
}

void job_end(struct job *j, int status)
{
	if (status)
		node_refuse(j->node, status);
	node_leave(j->node);
	meeting_end(j->meeting);
	if (j->region)
		region_close(j->region);
	joined_free(&j->joined);
	for (int i = 0; i < j->nreports; i++) {
		node_report_free(j->reports[i]);
		free(j->paths[i]);
	}
	free(j->reports);
	free(j->paths);
}
