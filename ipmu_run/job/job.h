/* SPDX-License-Identifier: MIT */
/* The program as one of several that a launcher has started. */
#ifndef IPMU_RUN_JOB_H
#define IPMU_RUN_JOB_H

#include "../counting/measure.h"
#include "../report/report.h"
#include "launched.h"
#include "node.h"

struct job {
	struct launched as;
	struct node *node;
	struct cpus own;
	struct company company;
	struct report_job shape;
};

/* Meets the others of this node. 0; a negative errno with why. */
int job_begin(struct job *j, const struct launched *as, char why[COUNT_WHY_MAX]);
bool job_counts(const struct job *j);
/* Where another process counts: the program, and its exit status. */
int job_follow(struct job *j, char **argv);
/* What the report has to say about the job, once the program has ended. */
const struct report_job *job_shape(struct job *j, int status);
/* With a status that is not 0 the others have not been counted, and leave with it. */
void job_end(struct job *j, int status);

#endif
