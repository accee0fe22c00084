/* SPDX-License-Identifier: MIT */
/* Charges clocks of the thread that executes: a block's when it is entered, a stall's to the
 * instruction that stalls. What is left of the clocks that are reported to the model is charged
 * when they are reported, so that their sum is the same. */
#ifndef VPMU_FEED_PROFILE_CLOCKS_H
#define VPMU_FEED_PROFILE_CLOCKS_H

#include "../cache/caches.h"
#include "charge.h"

/* The runner's thread executes from now on, or has another virtual CPU. */
static inline void vpmu_profile_place(const struct vpmu_runner *r)
{
	if (r->cpu < vpmu_machine_cpus(&r->s->machine))
		vpmu_profile.little = vpmu_cpu_little(&r->s->machine, r->cpu) >= 0;
}

/* Clocks since the last ones that were charged are those of the block at hand. */
static inline void vpmu_profile_clocks(struct vpmu_runner *r)
{
	if (!vpmu_profiles())
		return;
	if (!*vpmu_profile.paused) {
		uint64_t clocks = r->clock - r->charged;

		vpmu_profile.note->block->record->clocks[vpmu_profile.little] += clocks;
		if (__builtin_expect(vpmu_profile.totals != NULL, 0))
			vpmu_profile.totals->clocks[vpmu_profile.little] += clocks;
	}
	r->charged = r->clock;
}

/* The thread has stalled for so many clocks. */
static inline void vpmu_profile_stall(struct vpmu_runner *r, uint64_t clocks)
{
	if (!vpmu_profiles())
		return;
	vpmu_charge_note(vpmu_profile.note,
			 vpmu_kind_core(vpmu_profile.little, VPMU_CORE_EVENTS), clocks);
	r->charged += clocks;
	vpmu_profile.stalled += clocks;
}

/* Stalls since vpmu_profile.stalled had this value are not reported. */
static inline void vpmu_profile_drop_stalls(uint64_t stalled)
{
	vpmu_charge_core((enum vpmu_core_event)VPMU_CORE_EVENTS, stalled - vpmu_profile.stalled);
}

/* Clocks before this one are not reported. */
static inline void vpmu_profile_clocks_from(struct vpmu_runner *r, uint64_t clock)
{
	r->charged = clock;
}

static inline void vpmu_profile_clocks_restart(struct vpmu_runner *r)
{
	vpmu_profile_clocks_from(r, r->clock);
}

#endif
