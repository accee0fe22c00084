/* SPDX-License-Identifier: MIT */
/* Deferred blocks and accesses. What a thread does is noted and worked off some time later, in the
 * same order and with the same outcome. Between two loads of the program then lies so little that
 * the host fetches both lines at once. This pays where misses do not depend on each other and the
 * host cannot foretell them, and costs time where they do: so both are tried (trial.h).
 *
 * While a thread defers, no word of a cache is of its runner's address space: nothing hits, and
 * what does not hit asks whether to defer. The thread works off what it has deferred before its
 * next system call, fence, PAUSE and non-temporal store. For other threads it has not come so far.
 *
 * A whole machine does not defer: its kernel reads registers without a system call before. */
#ifndef VPMU_FEED_DEFERRING_H
#define VPMU_FEED_DEFERRING_H

#include "caches.h"
#include "trial.h"

#define VPMU_DEFERRED_MAX 32u
/* With fewer misses in VPMU_DEFERRED_MAX the thread goes on without deferring, for so many. */
#define VPMU_DEFERRED_SPARSE 2u
#define VPMU_DEFERRED_PAUSE 8u
#define VPMU_DEFERRED_BLOCK 8u		/* beside the ways of translation.h: a block alone */

/* A callback's arguments. */
struct vpmu_deferred { uint64_t address, user; uint32_t info, ways; };

/* A thread's, which alone uses it. */
struct vpmu_deferring {
	struct vpmu_deferred what[VPMU_DEFERRED_MAX];
	uint32_t count;
	bool never;
	struct vpmu_trial trial;	/* events are misses; the second way is to defer */
};

/* The thread begins. never: it does not defer. */
void vpmu_deferring_start(struct vpmu_deferring *d, struct vpmu_runner *r, bool never);
/* When it is due: the thread defers from now, or not. */
void vpmu_deferring_judge(struct vpmu_deferring *d, struct vpmu_runner *r);
/* Before it works off what it has deferred: so much. It does not defer meanwhile. */
uint32_t vpmu_deferring_take(struct vpmu_deferring *d, struct vpmu_runner *r);
/* It has worked off so much, and had so many misses. */
void vpmu_deferring_done(struct vpmu_deferring *d, struct vpmu_runner *r, uint32_t count,
			 uint32_t misses);

static inline bool vpmu_defers(const struct vpmu_runner *r)
{
	return __builtin_expect((r->space & VPMU_SPACE_DEFERS) != 0, 0);
}

static inline bool vpmu_deferring_due(const struct vpmu_runner *r)
{
	return __builtin_expect((int32_t)(r->scattered - r->judged_at) >= 0, 0);
}

#endif
