/* SPDX-License-Identifier: MIT */
/* The job that job.c counts and watch.c keeps an eye on. */
#ifndef IPMU_MPI_JOB_H
#define IPMU_MPI_JOB_H

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

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
	int64_t before_ns;
	double model_seconds;	/* up to then */
};

/* ---- job.c */
void job_end(void);		/* collective */
void job_alone(const char *reason, bool dying);	/* not dying: the program goes on */
void job_write_alone(struct job *j, const char *reason);

/* ---- watch.c: a thread on each leader, for the timeline and for signals that end the job */
void job_watch(struct job *j, sem_t *wake);
void job_linger(struct job *j);	/* the other ranks' part */
void job_signal_reason(int number, int rank, char *reason, size_t bytes);
void job_unwatch(struct job *j);	/* without the lock */

/* ---- board.c. Open: collective over the node; the leader gets what its watcher waits for.
 * Tell: signal-safe; the first cause counts (a signal's number or one of these), and the leader has
 * patience_ms to write. */
#define ENDS_BY_ABORT 1000
#define ENDS_BY_EXIT 1001
#define LINGER_MS 600
sem_t *job_board_open(struct job *j);
void job_board_tell(int cause, int rank, int patience_ms);
bool job_board_read(char *reason, size_t bytes);	/* whether there is something to write */
void job_board_written(void);

/* ---- timeline.c */
void job_timeline_begin(struct job *j);
void job_timeline_line(struct job *j);	/* with the lock held */
void job_timeline_end(struct job *j);

void job_forget_alone(struct job *j);

#endif
