/* SPDX-License-Identifier: MIT */
/* Which process of a job this is, by the launcher's variables. */
#ifndef IPMU_LAUNCHED_H
#define IPMU_LAUNCHED_H

#include <stdbool.h>
#include <sys/types.h>

#define LAUNCHED_JOB_MAX 128

struct launched {
	int rank, size;		/* in the job */
	int local_size;		/* of them on this node; -1: unknown */
	char job[LAUNCHED_JOB_MAX];	/* the same for all of them on this node, and no others */
	bool job_wide;		/* and on the other nodes, too */
};

/* False: no launcher has started us, or one whose variables are too few. */
bool launched_as(struct launched *out);
/* Name the job of this process, as in struct launched. False: no launcher has started it. */
bool launched_job(char job[LAUNCHED_JOB_MAX], bool *wide);
/* Parent of a process, and its start in clock ticks, which with its id names it for good. 0: there
 * is no such process; then *ticks is as it was. */
pid_t launched_parent(pid_t pid, unsigned long long *ticks);

#endif
