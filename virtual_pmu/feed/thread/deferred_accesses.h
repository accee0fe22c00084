/* SPDX-License-Identifier: MIT */
/* Deferred blocks and accesses. A thread that defers only notes what it executes. Up to 32 of these
 * are then modelled one right behind the other, in the same order and with the same outcome, and so
 * little lies between them that the host fetches the lines of several at once. This pays where the
 * program misses in a scattered way, so misses decide it: a scattered miss begins it, and a batch
 * with few of them ends it for some time. Nothing but what the program executes has an influence.
 *
 * While a thread defers, its runner's address space has a bit that no word of a cache has: nothing
 * hits, and the paths for what does not hit look whether to defer. So the fast ones need not.
 *
 * A thread has nothing pending in a system call, behind a fence or a non-temporal store, on another
 * virtual CPU, and when it ends; nor behind a PAUSE beside other threads. For these it has else not
 * come so far. What is pending in a process that a signal ends is not counted.
 *
 * A CPU of a whole machine has nothing pending when it accesses a register or halts. A machine
 * whose core events are counted does not defer, since it has no plain case (plain_access.h), in
 * which scattered misses are found. */
#ifndef VPMU_FEED_DEFERRED_ACCESSES_H
#define VPMU_FEED_DEFERRED_ACCESSES_H

#include "../cache/caches.h"

#define VPMU_DEFERRED_MAX 32u
/* If fewer than VPMU_DEFERRED_SPARSE of VPMU_DEFERRED_MAX accesses were scattered misses, the
 * thread defers nothing until it has had VPMU_DEFERRED_PAUSE more of these. */
#define VPMU_DEFERRED_SPARSE 4u
#define VPMU_DEFERRED_PAUSE 64u
#define VPMU_DEFERRED_BLOCK 4u		/* beside the ways of translation.h: a block alone */

/* A callback's arguments, and which one it is: `user` of a block alone is the block. note: its
 * instruction's; NULL: there is no profile. */
struct vpmu_note;
struct vpmu_deferred { uint64_t address, user; uint32_t info, ways; struct vpmu_note *note; };

/* A thread's, which alone uses it. */
struct vpmu_deferring {
	struct vpmu_deferred what[VPMU_DEFERRED_MAX];
	uint32_t count;
};

/* The thread begins, and may defer. d stays its runner's. */
void vpmu_deferring_start(struct vpmu_deferring *d, struct vpmu_runner *r);
/* When a miss makes it due: the thread defers what comes after this access. */
void vpmu_deferring_judge(struct vpmu_runner *r);
/* Tells how many of what[] there are. The thread then works them off, during which it does not
 * defer, and tells how many of them were scattered misses. */
uint32_t vpmu_deferring_take(struct vpmu_runner *r);
void vpmu_deferring_done(struct vpmu_runner *r, uint32_t count, uint32_t misses);

static inline bool vpmu_defers(const struct vpmu_runner *r)
{
	return __builtin_expect((r->space & VPMU_SPACE_DEFERS) != 0, 0);
}

#endif
