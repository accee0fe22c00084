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
