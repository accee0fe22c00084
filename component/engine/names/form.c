/* SPDX-License-Identifier: MIT */
/* Form of an event's name: qualifiers and unit masks that may follow the event, from the tables
 * that names are checked with. */
#include "list.h"
#include "name.h"
#include "parse.h"
#include "pfm.h"
#include "takes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void add_umask(const struct ipmu_pmu_type *type, const char *event,
		      struct ipmu_event_form *out)
{
	char umask[64];
	bool is_default;
	int n = 0;

	for (; ipmu_pfm_umask(type, event, n, &is_default, umask, sizeof(umask)) == 0; n++)
		if (is_default && !out->needs_umask)
			ipmu_list_add(out->umask, sizeof(out->umask), umask);
	if (n == 1 && !out->needs_umask && !out->umask[0])
		ipmu_list_add(out->umask, sizeof(out->umask), umask);
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
	if (!type || box != IPMU_ALL || !ipmu_pfm_boxes(m, type, IPMU_ALL, NULL) ||
	    !ipmu_type_has_event(type, parsed.event))
		return -ENOENT;
	/* The name alone shows whether there is a default unit mask. Some events are another
	 * type's. */
	out->needs_umask = ipmu_name_event_alone(m, type, parsed.event, &alone) != 0;
	ipmu_name_takes(m, type, out->needs_umask ? type : alone.type, parsed.event,
			out->qualifiers, sizeof(out->qualifiers));
	add_umask(type, parsed.event, out);
	return 0;
}
