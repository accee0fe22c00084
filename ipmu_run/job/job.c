/* SPDX-License-Identifier: MIT */
#include "job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../counting/handover.h"
#include "../counting/program.h"
#include "complain.h"
#include "now.h"

#define FIND_MS 2000		/* the first node's address, before the program starts */
#define STRANGERS_MS 3000	/* for nodes that have not been heard of */
#define ENDING_MS 500		/* after a signal */

static void begin(void *arg)
{
	node_go(((struct job *)arg)->node);
}

static void end(void *arg, uint64_t *ns)
{
	struct node *node = ((struct job *)arg)->node;
	char why[COUNT_WHY_MAX];

	node_wait(node, ns);
	if (node_differs(node, why))	/* one that has come after the others' start */
		complain(0, "%s", why);
}

/* ---- meeting ---- */

/* Without a name for the job a file in the working directory could be another's. */
static char *rendezvous(const struct launched *as, const char *prefix)
{
	char *path = NULL;
	int n = prefix ? asprintf(&path, "%s.job", prefix) :
		as->job_wide ? asprintf(&path, ".ipmu-run-%s", as->job) : -1;

	return n < 0 ? NULL : path;
}

static void meet_nodes(struct job *j, const char *prefix)
{
	struct node_ranks here = node_ranks(j->node, 0, false);
	bool others = j->as.local_size > 0 ? j->as.local_size < j->as.size : here.n < j->as.size;
	char *path = others ? rendezvous(&j->as, prefix) : NULL;
	int rc = 0;

	j->has_first = here.has_first || !others;
	if (path && j->has_first)
		rc = links_open(path, &j->links);
	else if (path)
		j->link = link_connect(path, here.n, FIND_MS);
	if (rc)
		complain(0, "%s: %s: other nodes report alone", path, strerror(-rc));
	free(path);
}

/* One process counts what all of the node share, so it counts on the CPUs of all; its own program
 * keeps its own. */
int job_begin(struct job *j, const struct launched *as, const char *options, const char *prefix,
	      char why[COUNT_WHY_MAX])
{
	int rc;

	*j = (struct job){ .as = *as, .company = { begin, end, j }, .link = -1 };
	program_signals();
	rc = node_meet(as, options, &j->node, why);
	if (rc || !node_leads(j->node))
		return rc;
	if (node_differs(j->node, why)) {
		job_end(j, STATUS_OURS);
		return -EINVAL;
	}
	cpus_get(&j->own);
	cpus_set(node_cpus(j->node));	/* those that it may not use are told to be outside */
	program_cpus(&j->own);
	meet_nodes(j, prefix);
	return 0;
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

	if (status)
		return status;
	handover_note_counted();
	handover_note_released();	/* nothing of ours runs here */
	rc = program_start(&p, argv);
	if (rc)
		return complain(STATUS_OURS, "cannot start a process: %s", strerror(-rc));
	rc = program_run(&p, &status, &ns);
	if (rc) {
		program_why(argv[0], rc, why);
		status = complain(program_refused(rc), "%s", why);
	}
	node_tell(j->node, status, p.killed);
	return status;
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
	else if (asprintf(out, "%s.%s", prefix, host) < 0)
		*out = NULL;
	return *out ? 0 : -ENOMEM;
}

/* ---- collecting ---- */

static int send_away(struct job *j, const struct measurement *mine, const struct node_ranks *ranks)
{
	char *text = NULL, host[HOST_BYTES];
	size_t bytes;
	int rc = parcel_write(mine, ranks, &text, &bytes);

	if (!rc) {
		rc = link_send(j->link, text, bytes);
		j->link = -1;
	}
	free(text);
	machine_host(host);
	if (rc)
		complain(0, "%s: the first node of the job cannot be reached any more: %s: this "
			 "node's report", host, strerror(-rc));
	return rc;
}

/* Nodes that have announced themselves end or break their connection. */
static bool all_came(const struct job *j, int here)
{
	int ranks = here;
	bool open = false;

	for (int i = 0; i < links_count(j->links); i++) {
		const struct link *one = links_get(j->links, i);

		ranks += one->ranks;
		open |= one->greeted && one->fd >= 0;
	}
	return !open && ranks >= j->as.size;
}

static bool any_open(const struct job *j)
{
	for (int i = 0; i < links_count(j->links); i++)
		if (links_get(j->links, i)->greeted && links_get(j->links, i)->fd >= 0)
			return true;
	return false;
}

static void await_nodes(struct job *j, int here)
{
	int64_t strangers = now_ms() + STRANGERS_MS, ending = 0;

	while (!all_came(j, here)) {
		if (program_ending() && !ending)
			ending = now_ms() + ENDING_MS;
		if (ending ? now_ms() >= ending : !any_open(j) && now_ms() >= strangers)
			break;
		links_listen(j->links, 100);
	}
}

static void take_parcels(struct job *j, const struct measurement *mine)
{
	for (int i = 0; i < links_count(j->links); i++) {
		const struct link *one = links_get(j->links, i);
		struct parcel *p = &j->parcels[j->nparcels];

		if (!one->complete)
			continue;
		if (parcel_read(one->text, mine, p))
			complain(0, "a node's counts are of other events: they are left out");
		else
			j->nparcels++;
	}
}

static int take_own(struct job *j, const struct measurement *mine, const struct node_ranks *ranks)
{
	char *text = NULL;
	size_t bytes;
	int rc = parcel_write(mine, ranks, &text, &bytes);

	if (!rc)
		rc = parcel_read(text, mine, &j->parcels[0]);
	if (!rc)
		j->nparcels = 1;
	free(text);
	return rc;
}

static int describe(struct job *j)
{
	struct report_job *s = &j->shape;

	j->nodes = calloc((size_t)j->nparcels, sizeof(*j->nodes));
	if (!j->nodes)
		return -ENOMEM;
	*s = (struct report_job){ .size = j->as.size, .nodes = j->nparcels, .node = j->nodes };
	for (int i = 0; i < j->nparcels; i++) {
		const struct parcel *p = &j->parcels[i];

		snprintf(j->nodes[i].host, sizeof(j->nodes[i].host), "%s", p->host);
		j->nodes[i].ranks = p->ranks.n;
		s->ranks += p->ranks.n;
		s->ended += p->ranks.ended;
		s->outside += p->ranks.outside;
	}
	return 0;
}

int job_collect(struct job *j, const struct measurement *mine, const struct measurement **out)
{
	struct node_ranks here = node_ranks(j->node, mine->status, mine->killed);
	int rc;

	if (j->link >= 0 && !send_away(j, mine, &here))
		return 1;
	if (j->links)
		await_nodes(j, here.n);
	j->parcels = calloc((j->links ? (size_t)links_count(j->links) : 0) + 1,
			    sizeof(*j->parcels));
	rc = j->parcels ? take_own(j, mine, &here) : -ENOMEM;
	if (!rc && j->links)
		take_parcels(j, mine);
	if (!rc)
		rc = describe(j);
	if (!rc && j->nparcels > 1)
		rc = parcels_join(j->parcels, j->nparcels, &j->joined, &j->events);
	if (j->nparcels <= 1) {
		j->joined = *mine;
		j->joined.status = here.status;
	}
	*out = &j->joined;
	return rc;
}

const struct report_job *job_shape(const struct job *j)
{
	return &j->shape;
}

void job_end(struct job *j, int status)
{
	if (status)
		node_refuse(j->node, status);
	node_leave(j->node);
	links_close(j->links);
	if (j->link >= 0)
		link_send(j->link, "", 0);
	for (int i = 0; j->events && i < j->joined.nevents; i++)
		event_free(&j->events[i]);
	for (int i = 0; i < j->nparcels; i++)
		parcel_free(&j->parcels[i]);
	if (j->events)
		measure_free(&j->joined);
	free(j->events);
	free(j->parcels);
	free(j->nodes);
}
