/* SPDX-License-Identifier: MIT */
/* The job that job.c counts and job_watch.c keeps an eye on. */
#ifndef IPMU_MPI_JOB_INSIDE_H
#define IPMU_MPI_JOB_INSIDE_H

#include <limits.h>
#include <pthread.h>

#include "inside.h"

struct job {
	struct ipmu_mpi *m;
	pthread_mutex_t lock;	/* of all that follows, between the program and the watcher */
	pid_t pid;		/* ours: a child that was forked is no rank */
	bool leader, on_self;
	bool ending, ended;	/* MPI_Finalize is on; nothing is left to do */
	char prefix[PATH_MAX];
	long interval_ms;
	FILE *timeline;
	struct cell *before;	/* cells at the timeline's last line */
};

/* ---- job.c */
void job_end(void);		/* collective */
void job_alone(const char *reason, bool dying);	/* not dying: the program goes on */
void job_write(struct job *j, const char *prefix);
void job_write_alone(struct job *j, const char *reason);

/* ---- job_watch.c: a thread on each leader, for the timeline and for signals that end the job */
void job_watch(struct job *j);
void job_linger(void);	/* the other ranks' part */
void job_unwatch(struct job *j);	/* without the lock */

/* ---- job_timeline.c */
void job_timeline_begin(struct job *j);
void job_timeline_line(struct job *j);	/* with the lock held */
void job_timeline_end(struct job *j);

void job_forget_alone(struct job *j);

#endif
