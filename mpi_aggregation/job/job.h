/* SPDX-License-Identifier: MIT */
/* The job that is counted: one in a process. */
#ifndef IPMU_MPI_JOB_H
#define IPMU_MPI_JOB_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "new_file.h"

struct job {
	struct ipmu_mpi *m;
	pthread_mutex_t lock;	/* of all that follows, between the program and the watcher */
	pid_t pid;		/* ours: a child that was forked is no rank */
	bool leader, on_self;
	bool ending, ended;	/* MPI_Finalize is on; nothing is left to do */
	char prefix[PATH_MAX];
	long interval_ms;
	struct new_file timeline;
	struct cell *before;	/* cells at the timeline's last line */
	int64_t before_ns;
	double model_seconds;	/* up to then */
};

#endif
