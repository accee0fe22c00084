/* SPDX-License-Identifier: MIT */
#include "patterns.h"

#include <string.h>

#include "store.h"

#define PLACES (4 * VPMU_PATTERNS_MAX)

static struct vpmu_profile_pattern *places[PLACES];	/* open addressing */
static uint32_t patterns;

static uint32_t pattern_hash(const struct vpmu_profile_occurrence *what, uint32_t count)
{
	uint64_t hash = count;

	for (uint32_t i = 0; i < count; i++)
		hash = (hash ^ what[i].kind ^ what[i].times << 32) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(hash >> 32);
}

/* Instructions and clocks are those of blocks, too, and added up with these. */
static bool may_have(uint64_t kind)
{
	uint32_t event = (uint32_t)(kind - VPMU_KIND_CORE) % VPMU_KINDS_OF_CORE;

	return kind < VPMU_KIND_CORE || (event != VPMU_INSTRUCTIONS && event != VPMU_CORE_EVENTS);
}

static struct vpmu_profile_pattern *pattern_new(const struct vpmu_profile_occurrence *what,
						uint32_t count)
{
	struct vpmu_profile_pattern *p;

	for (uint32_t i = 0; i < count; i++)
		if (!may_have(what[i].kind))
			return NULL;
	p = patterns < VPMU_PATTERNS_MAX ?
	    vpmu_profile_add(sizeof(*p) + count * sizeof(*what), VPMU_LOST_CELLS) : NULL;
	if (!p)
		return NULL;
	p->number = VPMU_KINDS + patterns++;
	p->count = count;
	memcpy(p->what, what, count * sizeof(*what));
	vpmu_profile_publish(VPMU_LIST_PATTERNS, p);
	return p;
}

uint32_t vpmu_pattern_of(const struct vpmu_profile_occurrence *what, uint32_t count)
{
	uint32_t at = pattern_hash(what, count) % PLACES;

	for (; places[at]; at = (at + 1) % PLACES)
		if (places[at]->count == count &&
		    !memcmp(places[at]->what, what, count * sizeof(*what)))
			return places[at]->number;
	places[at] = pattern_new(what, count);
	return places[at] ? places[at]->number : 0;
}
