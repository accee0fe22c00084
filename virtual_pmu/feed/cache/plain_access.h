/* SPDX-License-Identifier: MIT */
/* The plain case of a data miss, which nearly every one is: it concerns no other core. */
#ifndef VPMU_FEED_PLAIN_ACCESS_H
#define VPMU_FEED_PLAIN_ACCESS_H

#include "caches.h"

/* As vpmu_caches_access, for data of a line that the L1D does not have. word: what the L1D will
 * have, in state E or, for a store, M. False: the access is not of this case, or not any more, and
 * nothing of it has been noted. */
bool vpmu_plain_miss(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t word);
/* Are the runner's caches, and the LLC, of the kind that this is fastest for? */
bool vpmu_plain_usual(const struct vpmu_caches *c, const struct vpmu_runner *r);

#endif
