/* SPDX-License-Identifier: MIT */
/* The names of a job's files, and what is said where one cannot be written. */
#ifndef IPMU_MPI_OUTPUTS_H
#define IPMU_MPI_OUTPUTS_H

#include "job.h"

#define OUTPUT_MAX (PATH_MAX + 64)

/* PREFIX.nodeN and an ending: of files about this leader's node alone. */
void job_node_path(const struct job *j, const char *ending, char path[OUTPUT_MAX]);
void job_unwritten(const char *path, int rc);	/* rc: a negative errno */

#endif
