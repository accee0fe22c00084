/* SPDX-License-Identifier: MIT */
#include "other_cores.h"

#include "private_caches.h"

/* True if no level of the core has the line. */
static bool lacks(const struct vpmu_private *p, uint64_t tag)
{
	return l1_find(&p->l1d, tag) < 0 && l1_find(&p->l1i, tag) < 0 &&
	       set_find(&p->l2, tag) < 0;
}

bool vpmu_others_lack(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t agents,
		      uint64_t tag)
{
	for (; agents; agents &= agents - 1) {
		uint32_t agent = (uint32_t)__builtin_ctzll(agents);
		struct vpmu_private p;

		if (agent >= c->layout.clusters_from)
			return false;
		p = vpmu_private_sets(c, r, agent, tag);
		if (!lacks(&p, tag))
			return false;
	}
	return true;
}
