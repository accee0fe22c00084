/* SPDX-License-Identifier: MIT */
/* The reports of a job. Those of one leader about its own node are for a job that has not ended or
 * may not; rank 0's stands for the job. */
#ifndef IPMU_MPI_JOB_REPORT_H
#define IPMU_MPI_JOB_REPORT_H

#include "job.h"

/* The first, before anything is counted, for the sake of SIGKILL. Returns a negative errno and a
 * sentence in why where rank 0 cannot write. */
int job_report_first(struct job *j, char *why);
/* A leader's, without the others. dying: nothing is counted after it; else the program goes on. */
void job_report_alone(struct job *j, const char *reason, bool dying);
/* After a collective read. */
void job_report_whole(struct job *j);

#endif
