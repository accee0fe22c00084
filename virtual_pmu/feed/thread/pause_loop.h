/* SPDX-License-Identifier: MIT */
/* Threads that wait for another one in a loop of PAUSE instructions, as OpenMP's do for some time.
 * The program sees the virtual machine's CPUs, and the host may have fewer: then the thread that is
 * waited for does not run. So a loop that lasts gives the host's CPU away, and later sleeps. So
 * does one that asks the kernel for events again and again, as MPI libraries do, while nothing
 * comes and no L1 changes. */
#ifndef VPMU_FEED_PAUSE_LOOP_H
#define VPMU_FEED_PAUSE_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* PAUSEs that are at most this many clocks apart are a loop; where a PAUSE takes 140. */
#define VPMU_SPIN_CLOCKS 64u
#define VPMU_SPIN_CLOCKS_LONG 256u
#define VPMU_SPIN_LOOP 3u		/* PAUSEs until another thread of the process runs */
#define VPMU_SPIN_PATIENCE 32u		/* PAUSEs until it gives the CPU away, and at which again */
#define VPMU_SPIN_SLEEPS 1024u		/* PAUSEs until it sleeps instead */

#define VPMU_POLL_PATIENCE 64u		/* system calls until it gives the CPU away, at each */
#define VPMU_POLL_SLEEPS 256u		/* until it sleeps instead */

struct vpmu_spinning {
	uint64_t clock;
	uint32_t pauses;
	uint32_t polls, version;	/* in sequence, all at this version of the core */
};

enum vpmu_spin { VPMU_SPIN_ON, VPMU_SPIN_YIELD, VPMU_SPIN_SLEEP };

bool vpmu_is_pause(const uint8_t *bytes, size_t count);
/* Called for a PAUSE at this clock of the thread: returns whether to yield or sleep. within: one of
 * the above. */
enum vpmu_spin vpmu_spinning(struct vpmu_spinning *s, uint64_t clock, uint32_t within);
/* The same for a system call that does not wait and has found nothing. A miss of an L1 changes the
 * version, and then the thread has done work since. */
enum vpmu_spin vpmu_spinning_polls(struct vpmu_spinning *s, uint32_t version);
void vpmu_spin_do(enum vpmu_spin what);

#endif
