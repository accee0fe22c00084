/* SPDX-License-Identifier: MIT */
/* Clusters of E cores, which share an L2.
 *
 * Stated model: the L2 is neither inclusive nor exclusive of the L1s, as a core's own is. A miss of
 * a core's L1 snoops the L1s of the others before the L2: a load makes their lines shared, a store
 * invalidates them, and the L2 stores a line that it lacks. So a line of another L1 is a hit in the
 * L2, without a request to the LLC. To the LLC the cluster is one core.
 *
 * All these functions are called with the cluster's lock held. */
#ifndef VPMU_FEED_CLUSTER_H
#define VPMU_FEED_CLUSTER_H

#include "private_caches.h"

/* Snoops the other L1s for a line that the core's own L1 misses. Sets p->shared. Returns the dirty
 * word that the L2 evicts for it, or 0. may_put: the L2 may insert the line. If it would have to
 * and may not, *done is false and nothing has changed. */
uint64_t vpmu_cluster_ask(struct vpmu_private *p, uint64_t tag, bool store, bool may_put,
			  bool *done);
/* A snoop from outside, of the L1s of all cores. */
void vpmu_cluster_snoop(const struct vpmu_private *p, uint64_t tag, bool invalidate,
			enum vpmu_snoop_result *result);
/* Has an L1 of any core the line? */
bool vpmu_cluster_has(const struct vpmu_private *p, uint64_t tag);

#endif
