/* SPDX-License-Identifier: MIT */
/* System calls on device files that bypass the shim: a statically linked program makes them, or a
 * library with system call instructions of its own. The feed cannot serve them: it reports the call
 * and makes it fail, so that it does not reach the host's file. */
#ifndef VPMU_FEED_BYPASS_H
#define VPMU_FEED_BYPASS_H

#include <stdint.h>

/* Of one thread, between a call and its return. */
struct vpmu_bypass {
	uint64_t path;		/* address of a path whose first '/' is 0 meanwhile; 0: none */
	uint64_t fd;
};

void vpmu_bypass_call(struct vpmu_bypass *b, int64_t number, const uint64_t arguments[5]);
void vpmu_bypass_return(struct vpmu_bypass *b, int64_t number, int64_t answer);

#endif
