/* SPDX-License-Identifier: MIT */
/* Which process of a job this is, as the launcher's variables say. */
#ifndef IPMU_LAUNCHED_H
#define IPMU_LAUNCHED_H

#include <stdbool.h>

struct launched {
	int rank, size;		/* in the job */
	int local_size;		/* of them on this node; -1: not told */
	char job[128];		/* the same for all of them on this node, and for no other job */
	bool job_wide;		/* and on the other nodes, too */
};

/* False: no launcher, or one that says too little, has started us. */
bool launched_as(struct launched *out);

#endif
