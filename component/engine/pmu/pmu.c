/* SPDX-License-Identifier: MIT */
#include "pmu.h"

#include "qualifiers.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

bool ipmu_type_runs_free(const struct ipmu_pmu_type *type)
{
	return type->fixed && !type->select;
}

const struct ipmu_reg *ipmu_type_counter(const struct ipmu_pmu_type *type, int ctr, int *index)
{
	*index = type->fixed || type->ctrs ? 0 : ctr;
	return type->ctrs ? &type->ctrs[ctr] : type->fixed ? type->fixed[ctr].ctr : type->ctr;
}

int ipmu_type_width(const struct ipmu_pmu_type *type)
{
	int index;

	return ipmu_type_counter(type, 0, &index)->width;
}

/* Listing compares thousands of names, and nearly all patterns differ from each in a letter. */
static bool matches(const char *pattern, size_t n, const char *name)
{
	char text[64];

	if (isalpha((unsigned char)*pattern) &&
	    tolower((unsigned char)*pattern) != tolower((unsigned char)*name))
		return false;
	if (strcspn(pattern, "*?[\\ ") >= n)
		return strncasecmp(pattern, name, n) == 0 && !name[n];
	snprintf(text, sizeof(text), "%.*s", (int)n, pattern);
	return fnmatch(text, name, FNM_CASEFOLD) == 0;
}

static bool in_list(const char *list, const char *name)
{
	for (const char *p = list; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (matches(p, n, name))
			return true;
		p += n;
	}
	return false;
}

static const char *measure(const struct ipmu_pmu_type *type, const char *name)
{
	for (const struct ipmu_measure *m = type->measures; m && m->units; m++)
		if (in_list(m->events, name))
			return m->units;
	return NULL;
}

const char *ipmu_type_units(const struct ipmu_pmu_type *type, const char *event,
			    const struct ipmu_qualifiers *q)
{
	char name[2 * IPMU_NAME_MAX];
	const char *units = NULL;

	for (int i = 0; q && i < q->n && !units; i++) {
		if (q->list[i].owner != IPMU_OF_PFM)
			continue;
		snprintf(name, sizeof(name), "%s:" IPMU_QUALIFIER_FORMAT, event,
			 IPMU_QUALIFIER_WORDS(&q->list[i]));
		units = measure(type, name);
	}
	if (!units)
		units = measure(type, event);
	return units ? units : type->units;
}
