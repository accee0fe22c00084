/* SPDX-License-Identifier: MIT */
/* Queries on an open system: its PMUs, boxes, event names and listings. Each describes the machine
 * to the layer names by a struct ipmu_machine. The layer names finds what discovery saw through
 * found_at(), so a place whose unit is not open is described by another unit. ipmu_system_left()
 * takes the system's lock. The other functions take none, and the caller keeps the system open
 * meanwhile. */
#include "ipmu.h"

#include "counting/system.h"
#include "names/list.h"
#include "names/name.h"
#include "names/pfm.h"

#include <stdio.h>

const struct ipmu_pmu_type *ipmu_system_type(const struct ipmu_system *sys, int i)
{
	for (int t = 0; t <= i; t++)
		if (!sys->family->types[t])
			return NULL;
	return sys->family->types[i];
}

static const struct ipmu_found *found_at(const struct ipmu_system *sys, int place)
{
	const struct ipmu_unit *unit = place == IPMU_ALL ? NULL : ipmu_unit_find(sys, place);

	if (!unit && place != IPMU_ALL)
		return NULL;
	if (!unit || !unit->open)
		unit = ipmu_unit_model(sys);
	return &unit->found;
}

static struct ipmu_machine machine_of(const struct ipmu_system *sys)
{
	return (struct ipmu_machine){ .topo = sys->topo, .family = sys->family, .sys = sys,
				      .allow_pmi = sys->allow_pmi, .found = found_at };
}

int ipmu_system_boxes(const struct ipmu_system *sys, const struct ipmu_pmu_type *type, int place,
		      char *why)
{
	struct ipmu_machine m = machine_of(sys);

	return ipmu_pfm_boxes(&m, type, place, why);
}

const char *ipmu_system_pmu(const struct ipmu_system *sys, int i, char name[32])
{
	struct ipmu_machine m = machine_of(sys);

	return ipmu_name_pmu(&m, i, name);
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

/* ---- events */

int ipmu_event_parse_in(const struct ipmu_system *sys, const char *name,
			const struct ipmu_frame *frame, struct ipmu_event *out, char *why)
{
	struct ipmu_machine m = machine_of(sys);

	return ipmu_name_event(&m, name, frame, out, why);
}

int ipmu_event_parse(const struct ipmu_system *sys, const char *name, struct ipmu_event *out,
		     char *why)
{
	static const struct ipmu_frame anywhere = { .place = IPMU_ALL };

	return ipmu_event_parse_in(sys, name, &anywhere, out, why);
}

int ipmu_event_list(const struct ipmu_system *sys, int event, int umask,
		    struct ipmu_event_info *out)
{
	struct ipmu_machine m = machine_of(sys);

	return ipmu_name_list(&m, event, umask, out);
}

int ipmu_event_form(const struct ipmu_system *sys, const char *name, struct ipmu_event_form *out)
{
	struct ipmu_machine m = machine_of(sys);

	return ipmu_name_form(&m, name, out);
}
