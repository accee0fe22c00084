/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include "../base/why.h"

int ipmu_machine_nplaces(const struct ipmu_machine *m)
{
	return m->family->scope == IPMU_SCOPE_PACKAGE ? m->topo->npackages : m->topo->ncpus;
}

int ipmu_machine_place(const struct ipmu_machine *m, int i)
{
	return m->family->scope == IPMU_SCOPE_PACKAGE ? i : m->topo->cpus[i].os_cpu;
}

bool ipmu_machine_has(const struct ipmu_machine *m, int place)
{
	return m->found(m->sys, place) != NULL;
}

int ipmu_machine_boxes(const struct ipmu_machine *m, const struct ipmu_pmu_type *type, int place,
		       char *why)
{
	const struct ipmu_found *found = m->found(m->sys, place);

	for (int t = 0; found && m->family->types[t]; t++) {
		if (m->family->types[t] != type)
			continue;
		if (!found->nboxes[t])
			ipmu_fail(why, 0, "%s", found->reasons[t]);
		return found->nboxes[t];
	}
	return ipmu_fail(why, 0, "this machine has no %s %d",
			 m->family->scope == IPMU_SCOPE_PACKAGE ? "package" : "CPU", place);
}
