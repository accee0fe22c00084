/* SPDX-License-Identifier: MIT */
#include "other_cores.h"

#include "private_caches.h"

/* True if no level of the core has the line. A line moves between levels only while the core's
 * version is odd. So the search is valid if the version was even and has not changed. */
static bool lacks(const struct vpmu_private *p, uint64_t tag)
{
	uint32_t version = vpmu_core_version(p->core);
	bool found = l1_find(&p->l1d, tag) >= 0 || l1_find(&p->l1i, tag) >= 0 ||
		     set_find(&p->l2, tag) >= 0;

	/* The host does not reorder loads; the compiler must not, either. */
	__atomic_signal_fence(__ATOMIC_ACQUIRE);
	return !found && !(version & 1) && vpmu_core_version(p->core) == version;
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
