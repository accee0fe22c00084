/* SPDX-License-Identifier: MIT */
#include "pmutopo.h"

#include <string.h>

const struct ipmu_box_kind *kind_of(const struct ipmu_topology *t, const char *pmu)
{
	const struct ipmu_box_kind *kind = ipmu_topology_kinds(t);

	for (; kind->pmu; kind++)
		if (!strcmp(kind->pmu, pmu))
			return kind;
	return NULL;
}

bool has_slices(const struct ipmu_topology *t)
{
	const struct ipmu_box_kind *kind = ipmu_topology_kinds(t);

	while (kind->pmu && kind->place != IPMU_BOX_SLICE)
		kind++;
	return kind->pmu;
}
