/* SPDX-License-Identifier: MIT */
/* What a program may ask of an open system. */
#include "ipmu.h"

#include "base/why.h"
#include "counting/system.h"

#include <stdio.h>

const struct ipmu_pmu_type *ipmu_system_type(const struct ipmu_system *sys, int i)
{
	for (int t = 0; t <= i; t++)
		if (!sys->family->types[t])
			return NULL;
	return sys->family->types[i];
}

int ipmu_system_boxes(const struct ipmu_system *sys, const struct ipmu_pmu_type *type, int place,
		      char *why)
{
	const struct ipmu_unit *unit = ipmu_unit_find(sys, place);
	int t = ipmu_type_index(sys, type);

	if (t < 0 || !unit)
		return ipmu_fail(why, 0, "this machine has no %s %d",
				 sys->family->scope == IPMU_SCOPE_PACKAGE ? "package" : "CPU",
				 place);
	if (!unit->open)
		unit = ipmu_unit_model(sys);
	if (!unit->found.nboxes[t])
		ipmu_fail(why, 0, "%s", unit->found.reasons[t]);
	return unit->found.nboxes[t];
}

const char *ipmu_system_note(const struct ipmu_system *sys)
{
	return sys->note;
}

const char *ipmu_type_name(const struct ipmu_pmu_type *type)
{
	return type->name;
}

bool ipmu_system_left(struct ipmu_system *sys, char *why)
{
	bool any;

	pthread_mutex_lock(&sys->lock);
	any = sys->lessee.left[0];
	snprintf(why, IPMU_WHY_MAX, "%s", sys->lessee.left);
	sys->lessee.left[0] = '\0';
	pthread_mutex_unlock(&sys->lock);
	return any;
}
