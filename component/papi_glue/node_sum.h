/* SPDX-License-Identifier: MIT */
/* For tools that add up what every process and every thread of a job read: with IPMU_NODE_SUM=first
 * in the environment a node-wide count is reported once at a time on a node, and is 0 elsewhere.
 *
 * The process that reports is the one that its launcher calls the first of the node (local rank 0);
 * without a launcher the one that has the lock /dev/shm/ipmu-first-UID-JOB. Within it, the running
 * event set that was started first with an event reports that event. No MPI is called. */
#ifndef PAPI_GLUE_NODE_SUM_H
#define PAPI_GLUE_NODE_SUM_H

#include <stdbool.h>
#include <stdint.h>

#include "apart.h"
#include "ipmu.h"

/* Share of a running event set: what it reports. Zeroed before its first use. */
struct node_sum_share {
	struct node_sum_share *next;
	const int *codes;
	int n, stride;		/* codes are `stride` bytes apart */
	uint64_t reported;
	bool compared;		/* with the other ranks' reads: one set of a process is */
	struct apart apart;
};

/* 0, or -EINVAL and a sentence for a value that means nothing. */
int node_sum_setting(char *why);
bool node_sum_is_on(void);

/* s->reported: codes (at most 64) that this set may report from now on, a bit each, until the set
 * releases them. -EACCES and a sentence: the process that is to report cannot be determined. */
int node_sum_claim(struct node_sum_share *s, const int *codes, int n, int stride, char *why);
void node_sum_release(struct node_sum_share *s);

/* The set was read or reset: counts until then are those of its codes, in their order.
 * Async-signal-safe. */
void node_sum_read(struct node_sum_share *s, const long long *counts, bool is_reset);

/* Another process may be the first from here on. */
void node_sum_end(void);

#endif
