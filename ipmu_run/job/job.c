/* SPDX-License-Identifier: MIT */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../counting/program.h"
#include "complain.h"

static void begin(void *arg)
{
	node_go(((struct job *)arg)->node);
}

static void end(void *arg, uint64_t *ns)
{
	node_wait(((struct job *)arg)->node, ns);
}

/* One process counts what all of the node share, so it counts on the CPUs of all; its own program
 * keeps its own. */
int job_begin(struct job *j, const struct launched *as, char why[COUNT_WHY_MAX])
{
	int rc;

	*j = (struct job){ .as = *as, .company = { begin, end, j } };
	program_signals();
	rc = node_meet(as, &j->node, why);
	if (rc || !node_leads(j->node))
		return rc;
	rc = cpus_get(&j->own);
	if (!rc && cpus_set(node_cpus(j->node)))
		rc = 0;		/* then those of others are told to be outside */
	program_cpus(&j->own);
	return rc;
}

bool job_counts(const struct job *j)
{
	return node_leads(j->node);
}

int job_follow(struct job *j, char **argv)
{
	int status = node_await(j->node), rc;
	struct program p;
	uint64_t ns;

	if (status)
		return status;
	rc = program_start(&p, argv);
	if (rc)
		return complain(EXIT_FAILURE, "cannot start a process: %s", strerror(-rc));
	rc = program_run(&p, &status, &ns);
	if (rc)
		status = complain(program_refused(rc), "%s: %s", argv[0], strerror(-rc));
	node_tell(j->node, status);
	return status;
}

const struct report_job *job_shape(struct job *j, int status)
{
	const struct node_ranks r = node_ranks(j->node, status);

	j->shape = (struct report_job){ .size = j->as.size, .ranks = r.n, .ended = r.ended,
					.outside = r.outside, .nodes = 1 };
	return &j->shape;
}

void job_end(struct job *j, int status)
{
	if (status)
		node_refuse(j->node, status);
	node_leave(j->node);
}
