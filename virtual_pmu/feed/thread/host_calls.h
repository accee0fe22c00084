/* SPDX-License-Identifier: MIT */
/* System calls of a thread that has the turn, which the host's kernel makes. */
#ifndef VPMU_FEED_HOST_CALLS_H
#define VPMU_FEED_HOST_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* A call begins, and waits here for files of other threads. Its timeout may become 0 by that.
 * vpmu_host_call_ends() follows, however the call is answered. */
void vpmu_host_call_begins(int64_t number, int64_t a[6]);
/* The host's kernel makes it next: outside of the turn if it may wait. */
void vpmu_host_call_leaves(int64_t number, const int64_t a[6]);
void vpmu_host_call_ends(int64_t number, const int64_t a[6], int64_t answer);

#endif
