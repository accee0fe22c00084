/* SPDX-License-Identifier: MIT */
/* PREFIX.nodeN.timeline.csv: what a node counted in each interval. */
#ifndef IPMU_MPI_TIMELINE_H
#define IPMU_MPI_TIMELINE_H

#include "job.h"

void job_timeline_begin(struct job *j);
void job_timeline_line(struct job *j);	/* with the lock held */
void job_timeline_end(struct job *j);

#endif
