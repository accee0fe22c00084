/* SPDX-License-Identifier: MIT */
/* What the name of an event may have behind it, from the tables that names are checked with. */
#include "list.h"
#include "name.h"
#include "parse.h"
#include "pfm.h"

#include "../pmu/raw_event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void add(char *list, size_t bytes, const char *text)
{
	size_t n = strlen(list);

	snprintf(list + n, bytes - n, "%s%s", n ? ", " : "", text);
}

/* "cpu=0-3,8": the places that there are. */
static void add_places(const struct ipmu_machine *m, struct ipmu_event_form *out)
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
	add(out->qualifiers, sizeof(out->qualifiers), text);
}

static void add_boxes(const struct ipmu_machine *m, const struct ipmu_pmu_type *type,
		      struct ipmu_event_form *out)
{
	int boxes = ipmu_machine_boxes(m, type, IPMU_ALL, NULL);
	char text[32];

	snprintf(text, sizeof(text), boxes > 1 ? "box=0-%d" : "box=0", boxes - 1);
	if (m->family->scope == IPMU_SCOPE_PACKAGE)
		add(out->qualifiers, sizeof(out->qualifiers), text);
}

/* An event that libpfm4's table lacks takes what others of its PMU take. */
static void add_modifiers(const struct ipmu_pmu_type *type, const char *event,
			  struct ipmu_event_form *out)
{
	struct ipmu_event_info first;
	char text[64];

	if (!ipmu_pfm_has_event(type, event)) {
		if (ipmu_pfm_list(type, 0, -1, &first))
			return;
		event = first.name + strlen(type->name) + 1;
	}
	for (int n = 0; ipmu_pfm_modifier(type, event, n, text, sizeof(text)) == 0; n++)
		add(out->qualifiers, sizeof(out->qualifiers), text);
}

/* Fields of the event select that other events get from libpfm4's tables. */
static void add_raw(const struct ipmu_pmu_type *type, const char *event,
		    struct ipmu_event_form *out)
{
	static const char *const keys[] = { "event", "umask" };
	char text[32];

	for (int i = 0; i < 2 && ipmu_raw_is(type, event); i++) {
		snprintf(text, sizeof(text), "%s=0-%llu", keys[i],
			 (unsigned long long)ipmu_raw_most(type, keys[i]));
		add(out->qualifiers, sizeof(out->qualifiers), text);
	}
}

static void add_own(const struct ipmu_pmu_type *type, struct ipmu_event_form *out)
{
	char text[64];

	for (const struct ipmu_own_qualifier *q = type->qualifiers; q && q->name; q++) {
		if (q->most)
			snprintf(text, sizeof(text), "%s=%llu-%llu", q->name,
				 (unsigned long long)q->least, (unsigned long long)q->most);
		if (q->most || q->form)
			add(out->qualifiers, sizeof(out->qualifiers), q->most ? text : q->form);
	}
}

static void add_umask(const struct ipmu_pmu_type *type, const char *event,
		      struct ipmu_event_form *out)
{
	char umask[64];
	bool is_default;
	int n = 0;

	for (; ipmu_pfm_umask(type, event, n, &is_default, umask, sizeof(umask)) == 0; n++)
		if (is_default && !out->needs_umask)
			add(out->umask, sizeof(out->umask), umask);
	if (n == 1 && !out->needs_umask && !out->umask[0])
		add(out->umask, sizeof(out->umask), umask);
}

int ipmu_name_form(const struct ipmu_machine *m, const char *name, struct ipmu_event_form *out)
{
	struct ipmu_parsed_name parsed;
	const struct ipmu_pmu_type *type;
	struct ipmu_event alone;
	int box;

	memset(out, 0, sizeof(*out));
	if (ipmu_name_parse(name, &parsed, NULL) || !parsed.pmu)
		return -ENOENT;
	type = ipmu_type_named(m->family, parsed.pmu, &box);
	if (!type || box != IPMU_ALL || !ipmu_machine_boxes(m, type, IPMU_ALL, NULL) ||
	    !ipmu_type_has_event(type, parsed.event))
		return -ENOENT;
	/* Whether there is a default is what the name alone gives; and some events are another
	 * type's. */
	out->needs_umask = ipmu_name_event_alone(m, type, parsed.event, &alone) != 0;
	add_places(m, out);
	add_boxes(m, type, out);
	add_raw(type, parsed.event, out);
	add_modifiers(type, parsed.event, out);
	add_own(out->needs_umask ? type : alone.type, out);
	add_umask(type, parsed.event, out);
	return 0;
}
