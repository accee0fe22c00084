/* SPDX-License-Identifier: MIT */
/* Signals that end a rank, and on each leader a thread that writes then, and the timeline. */
#ifndef IPMU_MPI_WATCH_H
#define IPMU_MPI_WATCH_H

#include <semaphore.h>

#include "job.h"

void job_watch(struct job *j, sem_t *wake);
void job_linger(struct job *j);		/* the other ranks' part */
void job_unwatch(void);			/* without the job's lock */

#endif
