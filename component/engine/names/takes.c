/* SPDX-License-Identifier: MIT */
/* The qualifiers that an event takes, from the tables that names are checked with.
 * ipmu_name_takes() makes the list, for listings and for messages: places, boxes, RAW's numbers,
 * libpfm4's modifiers, then the type's own. The list is cut where the caller's room ends. Tables
 * and the machine's description are only read. */
#include "takes.h"

#include "list.h"
#include "pfm.h"

#include "../pmu/raw_event.h"

#include <stdio.h>
#include <string.h>

void ipmu_list_add(char *list, size_t bytes, const char *text)
{
	size_t n = strlen(list);

	snprintf(list + n, bytes - n, "%s%s", n ? ", " : "", text);
}

/* "cpu=0-3,8": the places that there are. */
static void add_places(const struct ipmu_machine *m, char *list, size_t bytes)
{
	bool packages = m->family->scope == IPMU_SCOPE_PACKAGE;
	int most = packages ? ipmu_machine_nplaces(m) - 1 : 0;
	char text[256];
	size_t n;

	for (int i = 0; i < m->topo->ncpus && !packages; i++)
		most = m->topo->cpus[i].os_cpu > most ? m->topo->cpus[i].os_cpu : most;
	n = (size_t)snprintf(text, sizeof(text), "%s=", packages ? "package" : "cpu");
	for (int first = 0, last; first <= most && n < sizeof(text); first = last + 1) {
		last = first;
		if (!ipmu_machine_has(m, first))
			continue;
		while (last < most && ipmu_machine_has(m, last + 1))
			last++;
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      first == last ? "%s%d" : "%s%d-%d",
				      strchr(text, '=')[1] ? "," : "", first, last);
	}
	ipmu_list_add(list, bytes, text);
}

static void add_boxes(const struct ipmu_machine *m, const struct ipmu_pmu_type *type,
		      char *list, size_t bytes)
{
	int boxes = ipmu_machine_boxes(m, type, IPMU_ALL, NULL);
	char text[32];

	snprintf(text, sizeof(text), boxes > 1 ? "box=0-%d" : "box=0", boxes - 1);
	if (m->family->scope == IPMU_SCOPE_PACKAGE)
		ipmu_list_add(list, bytes, text);
}

static bool raw_lacks(const struct ipmu_pmu_type *type, const char *modifier)
{
	char key[16];

	snprintf(key, sizeof(key), "%.*s", (int)strcspn(modifier, "="), modifier);
	return ipmu_raw_most(type, key) == 0;
}

/* The first event of libpfm4's table, without its PMU; NULL: there is no table. */
static const char *first_event(const struct ipmu_pmu_type *type, struct ipmu_event_info *info)
{
	return ipmu_pfm_list(type, 0, -1, info) ? NULL : info->name + strlen(type->name) + 1;
}

static bool first_has(const struct ipmu_pmu_type *type, const char *modifier)
{
	struct ipmu_event_info info;
	const char *event = first_event(type, &info);
	char text[64];

	if (!event)
		return true;
	for (int n = 0; ipmu_pfm_modifier(type, event, n, text, sizeof(text)) == 0; n++)
		if (strcmp(text, modifier) == 0)
			return true;
	return false;
}

/* Add libpfm4's modifiers. An event that its table lacks takes those of the PMU's first event. If a
 * PMU of fixed counters (`own`) counts the event, modifiers that its own events lack are
 * skipped. */
static void add_modifiers(const struct ipmu_pmu_type *type, const struct ipmu_pmu_type *own,
			  const char *event, char *list, size_t bytes)
{
	bool raw = ipmu_raw_is(type, event);
	struct ipmu_event_info info;
	char text[64];

	if (!ipmu_pfm_has_event(type, event))
		event = first_event(type, &info);
	if (!event)
		return;
	for (int n = 0; ipmu_pfm_modifier(type, event, n, text, sizeof(text)) == 0; n++)
		if ((!raw || !raw_lacks(type, text)) && (own == type || first_has(own, text)))
			ipmu_list_add(list, bytes, text);
}

/* Add RAW's numbers: fields of the event select that other events get from libpfm4's tables. */
static void add_raw(const struct ipmu_pmu_type *type, const char *event, char *list, size_t bytes)
{
	static const char *const keys[] = { "event", "umask" };
	char text[32];

	for (int i = 0; i < 2 && ipmu_raw_is(type, event); i++) {
		snprintf(text, sizeof(text), "%s=0-%llu", keys[i],
			 (unsigned long long)ipmu_raw_most(type, keys[i]));
		ipmu_list_add(list, bytes, text);
	}
}

static void add_own(const struct ipmu_pmu_type *type, char *list, size_t bytes)
{
	char text[64];

	for (const struct ipmu_own_qualifier *q = type->qualifiers; q && q->name; q++) {
		if (q->most)
			snprintf(text, sizeof(text), "%s=%llu-%llu", q->name,
				 (unsigned long long)q->least, (unsigned long long)q->most);
		if (q->most || q->form)
			ipmu_list_add(list, bytes, q->most ? text : q->form);
	}
}

void ipmu_name_takes(const struct ipmu_machine *m, const struct ipmu_pmu_type *type,
		     const struct ipmu_pmu_type *own, const char *event, char *list, size_t bytes)
{
	list[0] = '\0';
	add_places(m, list, bytes);
	add_boxes(m, type, list, bytes);
	add_raw(type, event, list, bytes);
	add_modifiers(type, own, event, list, bytes);
	add_own(own, list, bytes);
}
