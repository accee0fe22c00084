/* SPDX-License-Identifier: MIT */
#include "fake_system.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define SYSTEMS_MAX 64

const struct ipmu_system *fake_system(const struct ipmu_family *family)
{
	static struct ipmu_cpu cpu = { .allowed = true };
	static struct ipmu_package package = { .ncores = 1, .ncpus = 1 };
	static struct ipmu_topology topo = { .ncpus = 1, .ncores = 1, .npackages = 1,
					     .cpus = &cpu, .packages = &package };
	static struct ipmu_system systems[SYSTEMS_MAX];
	static struct ipmu_unit units[SYSTEMS_MAX];
	static int n;
	struct ipmu_system *sys = &systems[n];
	struct ipmu_unit *unit = &units[n];
	char why[IPMU_WHY_MAX] = "";

	assert_true(n++ < SYSTEMS_MAX);
	if (ipmu_names_open(why))
		fail_msg("%s", why);
	unit->open = true;
	for (int t = 0; family->types[t]; t++)
		unit->found.nboxes[t] = 1;
	sys->topo = &topo;
	sys->allow_pmi = true;
	sys->family = family;
	sys->nunits = 1;
	sys->units = unit;
	return sys;
}

struct ipmu_event fake_event(const struct ipmu_system *sys, const char *name)
{
	struct ipmu_event event;
	char why[IPMU_WHY_MAX] = "";

	if (ipmu_event_parse(sys, name, &event, why))
		fail_msg("%s: %s", name, why);
	return event;
}

void fake_refuses(const struct ipmu_system *sys, const char *name, int rc, const char *says)
{
	struct ipmu_event event = { .box = 77 };
	char why[IPMU_WHY_MAX] = "";
	int got = ipmu_event_parse(sys, name, &event, why);

	print_message("%s -> %s\n", name, why);
	assert_int_equal(got, rc);
	assert_int_equal(event.box, 77);	/* untouched */
	if (!strstr(why, says))
		fail_msg("the reason does not contain '%s'", says);
}

uint64_t fake_value_of(const struct ipmu_choice *c, const char *reg)
{
	for (int i = 0; i < c->nextra; i++)
		if (strcmp(c->extra[i].reg->name, reg) == 0)
			return c->extra[i].value;
	fail_msg("%s is not set up", reg);
	return 0;
}
