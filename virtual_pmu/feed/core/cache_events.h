/* SPDX-License-Identifier: MIT */
/* Core events that the caches cause, in a thread's counts (vpmu_runner.counts; NULL: not counted).
 *
 * Stated rules: "the level behind" is the core's own L2, or the LLC on machines whose cores have
 * none. A store that finds its line shared in the L1 is no L1 miss, but a request to the level
 * behind. A fill is from a cache when another core had the line and the data came from there, from
 * memory when it came from there, and neither when an LLC had it.
 * A snoop - for another core's access, or because the LLC or directory drops a line - and a
 * modified line that an L1 loses to it count for the first thread of the snooped core. */
#ifndef VPMU_FEED_CACHE_EVENTS_H
#define VPMU_FEED_CACHE_EVENTS_H

#include "../../model/core_events.h"
#include "../cache/private_caches.h"

/* These require r->counts; the inline ones below check it. */
/* Called before an access is looked up in the core's caches. */
void vpmu_cache_events_access(const struct vpmu_private *p, const struct vpmu_runner *r,
			      uint64_t tag, enum vpmu_touch kind);
bool vpmu_cache_events_l1_modified(const struct vpmu_private *p, uint64_t tag);
/* The LLC had the line in this state; without it, took it in, and let `victim` go (0: none;
 * modified: newer than memory anywhere). For machines where it is the level behind. */
void vpmu_cache_events_count_hit(const struct vpmu_caches *c, const struct vpmu_runner *r,
				 enum vpmu_touch kind, enum vpmu_word_state state);
void vpmu_cache_events_count_miss(const struct vpmu_caches *c, const struct vpmu_runner *r,
				  enum vpmu_touch kind, uint64_t victim, bool modified);
/* The line came from another core, or from memory. */
void vpmu_cache_events_count_fill(const struct vpmu_runner *r, enum vpmu_touch kind,
				  bool from_cache);
/* Why a core was snooped, the other core's access if that was the cause, and the answer. */
struct vpmu_snooped {
	enum vpmu_snoop_cause cause;
	enum vpmu_touch kind;
	enum vpmu_snoop_result result;
};
/* A core of the package was snooped on behalf of this runner, machine lock held. l1_lost: its L1
 * had the line modified. */
void vpmu_cache_events_count_snoop(const struct vpmu_caches *c, const struct vpmu_runner *r,
				   uint32_t core, struct vpmu_snooped snooped, bool l1_lost);
/* A store of that core's first thread missed, and another core had the line modified. */
void vpmu_cache_events_count_taken_back(const struct vpmu_caches *c, const struct vpmu_runner *r,
					uint32_t core);

static inline void vpmu_cache_events_llc_hit(const struct vpmu_caches *c,
					     const struct vpmu_runner *r, enum vpmu_touch kind,
					     enum vpmu_word_state state)
{
	if (r->counts)
		vpmu_cache_events_count_hit(c, r, kind, state);
}

static inline void vpmu_cache_events_llc_miss(const struct vpmu_caches *c,
					      const struct vpmu_runner *r, enum vpmu_touch kind,
					      uint64_t victim, bool modified)
{
	if (r->counts)
		vpmu_cache_events_count_miss(c, r, kind, victim, modified);
}

static inline void vpmu_cache_events_fill(const struct vpmu_runner *r, enum vpmu_touch kind,
					  bool from_cache)
{
	if (r->counts)
		vpmu_cache_events_count_fill(r, kind, from_cache);
}

static inline void vpmu_cache_events_snooped(const struct vpmu_caches *c,
					     const struct vpmu_runner *r, uint32_t core,
					     struct vpmu_snooped snooped, bool l1_lost)
{
	if (r->counts)
		vpmu_cache_events_count_snoop(c, r, core, snooped, l1_lost);
}

static inline void vpmu_cache_events_taken_back(const struct vpmu_caches *c,
						const struct vpmu_runner *r, uint32_t core)
{
	if (r->counts)
		vpmu_cache_events_count_taken_back(c, r, core);
}

#endif
