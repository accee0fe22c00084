/* SPDX-License-Identifier: MIT */
/* What other cores have. The caller holds the machine lock, so that they get nothing from outside;
 * inside they go on, and are looked at without their locks. */
#ifndef VPMU_FEED_OTHERS_H
#define VPMU_FEED_OTHERS_H

#include "caches.h"

/* True: none of these agents of the runner's package (a bit each) has the line. False: one has it,
 * or it cannot be told without a lock. */
bool vpmu_others_lack(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t agents,
		      uint64_t tag);

#endif
