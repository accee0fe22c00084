/* SPDX-License-Identifier: MIT */
#include "event_check.h"

#include "counting/assign.h"
#include "fake_system.h"
#include "fuzz.h"
#include "pmu/families.h"

unsigned event_check_families(void)
{
	unsigned count = 0;

	while (ipmu_families[count])
		count++;
	REQUIRE(count > 0 && count <= FAMILIES_MAX);
	return count;
}

const struct ipmu_system *event_check_system(unsigned n)
{
	static const struct ipmu_system *systems[FAMILIES_MAX];

	n %= event_check_families();
	if (!systems[n])
		systems[n] = fake_system(ipmu_families[n]);
	return systems[n];
}

/* Whatever the name says, only documented bits of documented registers. */
static void check_choice(const struct ipmu_event *e, const struct ipmu_choice *c)
{
	REQUIRE(c->counters != 0);
	REQUIRE(c->counters >> e->type->counters == 0);
	if (e->type->select)
		REQUIRE((c->select & ~ipmu_reg_fields(e->type->select)) == 0);
	REQUIRE(c->nextra >= 0 && c->nextra <= IPMU_EXTRA_MAX);
	for (int i = 0; i < c->nextra; i++) {
		const struct ipmu_extra_reg *need = &c->extra[i];

		REQUIRE((need->value & ~need->mask) == 0);
		if (need->reg->space != IPMU_SHARED_RESOURCE)
			REQUIRE((need->value & ~ipmu_reg_writable(need->reg)) == 0);
	}
}

static void check_event(const struct ipmu_event *e)
{
	REQUIRE(e->type != NULL);
	REQUIRE(e->nchoices > 0 && e->nchoices <= IPMU_CHOICES_MAX);
	for (int i = 0; i < e->nchoices; i++)
		check_choice(e, &e->choices[i]);
	REQUIRE(memchr(e->name, '\0', sizeof(e->name)) != NULL);
}

/* The canonical name means the same event and is its own canonical name. */
static void check_again(const struct ipmu_system *sys, const struct ipmu_event *e)
{
	struct ipmu_event again;
	char why[IPMU_WHY_MAX] = "";

	if (ipmu_event_parse(sys, e->name, &again, why))
		fprintf(stderr, "%s: %s\n", e->name, why);
	REQUIRE(why[0] == '\0');
	REQUIRE(strcmp(e->name, again.name) == 0);
	REQUIRE(e->type == again.type && e->place == again.place && e->box == again.box);
	REQUIRE(e->nchoices == again.nchoices);
	for (int i = 0; i < e->nchoices; i++)
		REQUIRE(ipmu_choice_equal(&e->choices[i], &again.choices[i]));
}

int event_check_parse(const struct ipmu_system *sys, const char *name)
{
	struct ipmu_event e;
	char why[IPMU_WHY_MAX] = "";
	int rc = ipmu_event_parse(sys, name, &e, why);

	REQUIRE(rc <= 0);
	if (rc) {
		REQUIRE(why[0] != '\0' && memchr(why, '\0', sizeof(why)));
		return rc;
	}
	check_event(&e);
	check_again(sys, &e);
	return 0;
}
