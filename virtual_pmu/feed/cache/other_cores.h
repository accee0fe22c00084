/* SPDX-License-Identifier: MIT */
/* Checks whether other cores have a line. The caller holds the machine lock. */
#ifndef VPMU_FEED_OTHER_CORES_H
#define VPMU_FEED_OTHER_CORES_H

#include "caches.h"

/* True: none of these agents of the runner's package (a bit each) has the line. False: one has it,
 * or is a cluster. */
bool vpmu_others_lack(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t agents,
		      uint64_t tag);

#endif
