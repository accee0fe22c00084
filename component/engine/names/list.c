/* SPDX-License-Identifier: MIT */
/* Lists of documented events. ipmu_name_list() finds an event and its unit mask by their numbers;
 * ipmu_type_has_event() and ipmu_names_event() look an event up by its name. A type lists libpfm4's
 * events, then RAW with an example, or events that libpfm4's table lacks. Numbers stay the same
 * while the system is open. Tables are only read. */
#include "list.h"

#include "parse.h"
#include "pfm.h"

#include "../pmu/raw_event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool ipmu_type_has_event(const struct ipmu_pmu_type *type, const char *event)
{
	if (ipmu_raw_is(type, event))
		return true;
	return type->own_names ? type->ops->knows(event) : ipmu_pfm_has_event(type, event);
}

static bool family_has_event(const struct ipmu_family *family, const char *event)
{
	for (int t = 0; family->types[t]; t++)
		if (ipmu_type_has_event(family->types[t], event))
			return true;
	return false;
}

bool ipmu_names_event(enum ipmu_scope scope, const char *name)
{
	struct ipmu_parsed_name parsed;

	if (ipmu_name_parse(name, &parsed, NULL) || parsed.pmu)
		return true;	/* the machine has something to say about it */
	for (const struct ipmu_family *const *f = ipmu_families; *f; f++)
		if ((*f)->scope == scope && family_has_event(*f, parsed.event))
			return true;
	return false;
}

/* Number of unit masks that libpfm4 lists for the event. */
static int pfm_umasks(const struct ipmu_pmu_type *type, int event)
{
	struct ipmu_event_info probe;
	int n = 0;

	while (ipmu_pfm_list(type, event, n, &probe) == 0)
		n++;
	return n;
}

/* RAW is listed after the others, if there are any, with an example: tools that list events try
 * each of them. */
static bool lists_raw(const struct ipmu_pmu_type *type, int event)
{
	return type->raw && event > 0 && event == ipmu_pfm_events(type);
}

static int count_events(const struct ipmu_pmu_type *type)
{
	const char *name, *desc;
	int events = ipmu_pfm_events(type), own = 0;

	while (type->own_names && !type->ops->more(NULL, own, &name, &desc))
		own++;
	return events + own + lists_raw(type, events);
}

static int list_raw_event(const struct ipmu_pmu_type *type, struct ipmu_event_info *out)
{
	memset(out, 0, sizeof(*out));
	out->type = type;
	out->units = type->units;
	snprintf(out->name, sizeof(out->name), "%s." IPMU_RAW_EVENT, type->name);
	snprintf(out->desc, sizeof(out->desc), "An event by its numbers: the code and the unit "
		 "mask of the event select");
	return 0;
}

static int list_raw_umask(const struct ipmu_pmu_type *type, int umask, struct ipmu_event_info *out)
{
	if (umask)
		return -ENOENT;
	list_raw_event(type, out);
	snprintf(out->name, sizeof(out->name), "%s." IPMU_RAW_EVENT ":%s", type->name, type->raw);
	snprintf(out->umask_desc, sizeof(out->umask_desc), "an example of the two numbers");
	return 0;
}

static int list_own_event(const struct ipmu_pmu_type *type, int event, struct ipmu_event_info *out)
{
	const char *name, *desc;

	if (!type->own_names || type->ops->more(NULL, event - ipmu_pfm_events(type), &name, &desc))
		return -ENOENT;
	memset(out, 0, sizeof(*out));
	out->type = type;
	out->units = ipmu_type_units(type, name, NULL);
	snprintf(out->name, sizeof(out->name), "%s.%s", type->name, name);
	snprintf(out->desc, sizeof(out->desc), "%s", desc);
	return 0;
}

static int list_event(const struct ipmu_pmu_type *type, int event, struct ipmu_event_info *out)
{
	if (lists_raw(type, event))
		return list_raw_event(type, out);
	return ipmu_pfm_list(type, event, -1, out) ? list_own_event(type, event, out) : 0;
}

static int list_own_umask(const struct ipmu_pmu_type *type, int event, int umask,
			  struct ipmu_event_info *out)
{
	struct ipmu_qualifiers q = { .n = 1 };
	char bare[IPMU_NAME_MAX];
	const char *desc;
	size_t n;

	if (!type->own_names || list_event(type, event, out))
		return -ENOENT;
	n = strlen(out->name);
	snprintf(bare, sizeof(bare), "%s", out->name + strlen(type->name) + 1);
	if (type->ops->more(bare, umask - pfm_umasks(type, event), &q.list[0].key, &desc) ||
	    (size_t)snprintf(out->name + n, sizeof(out->name) - n, ":%s", q.list[0].key) >=
	    sizeof(out->name) - n)
		return -ENOENT;
	snprintf(out->umask_desc, sizeof(out->umask_desc), "%s", desc);
	out->units = ipmu_type_units(type, bare, &q);
	return 0;
}

static int list_umask(const struct ipmu_pmu_type *type, int event, int umask,
		      struct ipmu_event_info *out)
{
	if (lists_raw(type, event))
		return list_raw_umask(type, umask, out);
	return ipmu_pfm_list(type, event, umask, out) ? list_own_umask(type, event, umask, out) : 0;
}

int ipmu_name_list(const struct ipmu_machine *m, int event, int umask,
		   struct ipmu_event_info *out)
{
	for (int t = 0; m->family->types[t]; t++) {
		const struct ipmu_pmu_type *type = m->family->types[t];
		int events = ipmu_pfm_boxes(m, type, IPMU_ALL, NULL) ? count_events(type) : 0;

		if (event < events)
			return umask < 0 ? list_event(type, event, out) :
					   list_umask(type, event, umask, out);
		event -= events;
	}
	return -ENOENT;
}
