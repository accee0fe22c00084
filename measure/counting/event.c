/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

const char *event_qualifier(const char *name, const char *key)
{
	size_t n = strlen(key);

	for (const char *q = strchr(name, ':'); q; q = strchr(q + 1, ':'))
		if (!strncasecmp(q + 1, key, n) && q[1 + n] == '=')
			return q + 1 + n + 1;
	return NULL;
}

void event_part_name(const struct event *e, const struct part *p, char out[EVENT_NAME_MAX])
{
	int n = snprintf(out, EVENT_NAME_MAX, "%s", e->name);

	if (e->uncore && p->package >= 0 && !event_qualifier(e->name, "package") &&
	    n < EVENT_NAME_MAX)
		n += snprintf(out + n, (size_t)(EVENT_NAME_MAX - n), ":package=%d", p->package);
	if (e->uncore && p->box >= 0 && !event_qualifier(e->name, "box") && n < EVENT_NAME_MAX)
		snprintf(out + n, (size_t)(EVENT_NAME_MAX - n), ":box=%d", p->box);
}

void event_free(struct event *e)
{
	free(e->given);
	free(e->parts);
	*e = (struct event){ .given = NULL };
}
