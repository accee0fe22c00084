/* SPDX-License-Identifier: MIT */
/* Which models have which PMUs stands twice: in the topology's table of boxes and in the engine's
 * families, of which neither may see the other. Both say the same of every family and model. */
#include "ipmu_topology.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bool has_model(const struct ipmu_family *f, const struct ipmu_topology *t)
{
	if (strcmp(f->vendor, t->vendor) || f->family != t->family)
		return false;
	for (const int *m = f->models; m && *m >= 0; m++)
		if (*m == t->model)
			return true;
	return false;
}

static bool fits(const struct ipmu_family *f, enum ipmu_box_place place)
{
	if (f->scope == IPMU_SCOPE_PACKAGE)
		return place == IPMU_BOX_PACKAGE || place == IPMU_BOX_SLICE;
	return place == (f->per_core ? IPMU_BOX_CORE : IPMU_BOX_CPU);
}

static const struct ipmu_box_kind *kind_of(const struct ipmu_topology *t, const char *pmu)
{
	for (const struct ipmu_box_kind *k = ipmu_topology_kinds(t); k->pmu; k++)
		if (!strcmp(k->pmu, pmu))
			return k;
	return NULL;
}

/* A second PMU with the same boxes: the timestamp counter of the M-Boxes. */
static bool is_second(const char *pmu)
{
	return !strcmp(pmu, "nhmex_unc_mbox_ts");
}

/* How many PMUs the engine has for the machine, all of which must be kinds of boxes. */
static int pmus_of(const struct ipmu_topology *t)
{
	int n = 0;

	for (const struct ipmu_family *const *f = ipmu_families; *f; f++) {
		/* Every thread's, beside an uncore whose boxes are what there is to see. */
		if (*f == &ipmu_skl_core || *f == &ipmu_arch_core)
			continue;
		for (int i = 0; has_model(*f, t) && (*f)->types[i]; i++) {
			const struct ipmu_box_kind *kind = kind_of(t, (*f)->types[i]->name);

			if (is_second((*f)->types[i]->name))
				continue;
			if (!kind)
				fail_msg("family %d model 0x%X: boxes.c lacks %s", t->family,
					 (unsigned int)t->model, (*f)->types[i]->name);
			assert_true(fits(*f, kind->place));
			n++;
		}
	}
	return n;
}

static int kinds_of(const struct ipmu_topology *t)
{
	int n = 0;

	while (ipmu_topology_kinds(t)[n].pmu)
		n++;
	return n;
}

static void every_model(void **state)
{
	int known = 0;

	(void)state;
	for (int family = 0; family < 32; family++)
		for (int model = 0; model < 256; model++) {
			struct ipmu_topology t = { .vendor = "GenuineIntel", .family = family,
						   .model = model };
			int n = pmus_of(&t);

			if (n != kinds_of(&t))
				fail_msg("family %d model 0x%X: the engine has %d PMUs, boxes.c %d",
					 family, (unsigned int)model, n, kinds_of(&t));
			known += n > 0;
		}
	assert_true(known > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_model) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
