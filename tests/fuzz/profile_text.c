/* SPDX-License-Identifier: MIT */
/* Text of `vpmu profile`: whatever it has, no reference in what was read is beyond its list. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "measure/profile/profile.h"
#include "measure/profile/weights.h"

static void check(const struct profile *p)
{
	for (size_t i = 0; i < p->nspots; i++)
		REQUIRE(p->spots[i].map >= -1 && p->spots[i].map < (int)p->nmaps);
	for (size_t i = 0; i < p->ncells; i++)
		REQUIRE(p->cells[i].spot < p->nspots && p->cells[i].kind < p->nkinds &&
			p->kinds[p->cells[i].kind]);
	for (size_t i = 0; i < p->narcs; i++) {
		const struct profile_arc *a = &p->arcs[i];

		REQUIRE(a->from < p->nspots || a->from == PROFILE_NOWHERE);
		REQUIRE(a->to < p->nspots && a->first + a->n <= p->narc_cells);
	}
	for (size_t i = 0; i < p->nobjects; i++)
		REQUIRE(p->objects[i].first + p->objects[i].n <= p->nsites);
	for (size_t i = 0; i < p->nsites; i++)
		REQUIRE(p->sites[i] < p->nspots);
	for (size_t i = 0; i < p->nobject_cells; i++)
		REQUIRE(p->object_cells[i].object < p->nobjects);
	for (size_t i = 0; i < p->nsharings; i++)
		REQUIRE(p->sharings[i].spot < p->nspots && p->sharings[i].offset < 64 &&
			(p->sharings[i].object < p->nobjects ||
			 p->sharings[i].object == PROFILE_NOWHERE));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *f = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	char why[PROFILE_WHY_MAX] = "";
	struct weights w = { .nevents = 2 };
	const bool wanted[] = { true, true };
	struct profile p;

	if (!f)
		return 0;
	if (profile_read(f, &p, why)) {
		REQUIRE(*why);
	} else {
		check(&p);
		REQUIRE(weights_add(&w, "LOOKUP"));
		free(weights_costs(&w, &p, wanted));
	}
	fclose(f);
	weights_free(&w);
	profile_free(&p);
	return 0;
}
