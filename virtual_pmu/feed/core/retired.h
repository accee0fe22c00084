/* SPDX-License-Identifier: MIT */
/* Instructions and clocks of a thread, while the machine's counters need no other core events. Each
 * runner has both (clock.h), so blocks and accesses have the callbacks of machines without a core
 * PMU, and cost what they cost there. A further repetition of a string instruction is no
 * instruction, though its block is entered again. */
#ifndef VPMU_FEED_RETIRED_H
#define VPMU_FEED_RETIRED_H

#include "../cache/caches.h"

/* Reports are due after so many clocks, and made when the clock is published next. Every 512 clocks
 * they took a fifth of sha256sum's time. */
#define VPMU_RETIRED_CLOCKS 8192u

/* The runner counts so from now on, or no more. */
void vpmu_retired_begin(struct vpmu_runner *r);
void vpmu_retired_end(struct vpmu_runner *r);
/* Reports to the model. Machine lock held. Does nothing for a runner that does not count so. */
void vpmu_retired_report(struct vpmu_segment *s, struct vpmu_runner *r);
/* Continues at the runner's clock, which may have jumped, without a report. */
void vpmu_retired_restart(struct vpmu_runner *r);
/* The thread's first block has been entered before its clock began. */
void vpmu_retired_first(struct vpmu_runner *r, const struct vpmu_timed_block *first);
/* A block has been entered whose last instruction is a repeated string instruction. alone: it has
 * no other one. */
void vpmu_retired_repeat(struct vpmu_runner *r, uint64_t address, bool alone);

static inline bool vpmu_retired_is_due(const struct vpmu_runner *r)
{
	return __builtin_expect(r->clock >= r->retired.due, 0);
}

#endif
