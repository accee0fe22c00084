/* SPDX-License-Identifier: MIT */
/* Qualifiers that an event's form lists are tried: each number at both ends of its range and
 * beyond, each default unit mask against its absence. */
#include "fake_system.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* An event of a system, with a unit mask where it cannot do without; RAW with what its qualifiers
 * cannot do without, so that each of them is tried by itself. */
struct subject {
	const struct ipmu_system *sys;
	struct ipmu_event_form form;
	char bare[IPMU_NAME_MAX], name[IPMU_NAME_MAX];
	bool is_raw;
};

static int parse(const struct subject *s, const char *qualifier, char *why)
{
	struct ipmu_event e;
	char name[2 * IPMU_NAME_MAX];

	snprintf(name, sizeof(name), "%s:%s%s", s->name, qualifier,
		 !s->is_raw ? "" : !s->form.needs_umask ?
		 strncasecmp(qualifier, "storage", 7) == 0 ? ":flag_mode" : "" :
		 strncasecmp(qualifier, "event", 5) == 0 ? "" : ":event=0xC0");
	return ipmu_event_parse(s->sys, name, &e, why);
}

static void in_capitals(char *text)
{
	for (; *text; text++)
		*text = (char)toupper((unsigned char)*text);
}

/* Unit masks of Skylake may have a threshold, an edge or an inversion of their own. */
static bool excludes(const struct subject *s, const char *qualifier, const char *why)
{
	return strncmp(s->name, "skl.", 4) == 0 && strchr("cei", qualifier[0]) &&
	       strstr(why, "exclude each other");
}

/* In capitals as well. On Core 2 an edge is one of a threshold. */
static void accepts(const struct subject *s, const char *qualifier)
{
	char why[IPMU_WHY_MAX] = "", with[64];
	const char *more = "";

	if (parse(s, qualifier, why) && strcmp(qualifier, "e") == 0)
		more = ":c=1";
	for (int capitals = 0; capitals < 2; capitals++) {
		snprintf(with, sizeof(with), "%s%s", qualifier, more);
		if (capitals)
			in_capitals(with);
		if (parse(s, with, why) && !excludes(s, qualifier, why))
			fail_msg("%s does not take %s: %s", s->name, with, why);
	}
}

static void refuses(const struct subject *s, const char *qualifier)
{
	char why[IPMU_WHY_MAX] = "";

	if (parse(s, qualifier, why) != -EINVAL || !why[0])
		fail_msg("%s takes %s: '%s'", s->name, qualifier, why);
}

/* "e", "c=0-31", "box=0", or a form that is not a number's. */
static void check_qualifier(const struct subject *s, const char *text)
{
	const char *value = strchr(text, '=');
	char *end, qualifier[80];
	int key = (int)(value ? value - text : 0);
	unsigned long long least, most;

	if (!value) {
		accepts(s, text);
		return;
	}
	least = most = strtoull(value + 1, &end, 10);
	if (end == value + 1)
		return;
	if (*end == '-')
		most = strtoull(end + 1, &end, 10);
	assert_true(*end == '\0' && least <= most);
	snprintf(qualifier, sizeof(qualifier), "%.*s=%llu", key, text, least);
	accepts(s, qualifier);
	snprintf(qualifier, sizeof(qualifier), "%.*s=%llu", key, text, most);
	accepts(s, qualifier);
	snprintf(qualifier, sizeof(qualifier), "%.*s=%llu", key, text, most + 1);
	refuses(s, qualifier);
	snprintf(qualifier, sizeof(qualifier), "%.*s=%llu", key, text, least - 1);
	refuses(s, qualifier);
}

static void check_qualifiers(const struct subject *s)
{
	char list[sizeof(s->form.qualifiers)], *at = NULL;

	snprintf(list, sizeof(list), "%s", s->form.qualifiers);
	assert_true(strlen(list) < sizeof(list) - 1);	/* nothing was cut off */
	for (char *q = strtok_r(list, ", ", &at); q; q = strtok_r(NULL, ", ", &at))
		check_qualifier(s, q);
}

static void check_umask(const struct subject *s, bool has_umasks)
{
	char name[3 * IPMU_NAME_MAX], list[sizeof(s->form.umask)], *at = NULL;
	struct ipmu_event plain, said;

	if (s->form.needs_umask) {
		fake_refuses(s->sys, s->bare, -EINVAL, "unit mask");
		return;
	}
	/* Its defaults are of groups that exclude each other. */
	if (strstr(s->bare, ".OFFCORE_RESPONSE_"))
		return;
	plain = fake_event(s->sys, s->bare);
	if (!s->form.umask[0]) {
		if (has_umasks)
			fail_msg("%s: what does it count without a unit mask?", s->bare);
		return;
	}
	snprintf(list, sizeof(list), "%s", s->form.umask);
	strcpy(name, s->bare);
	for (char *m = strtok_r(list, ", ", &at); m; m = strtok_r(NULL, ", ", &at))
		strcat(strcat(name, ":"), m);
	said = fake_event(s->sys, name);
	assert_int_equal(said.nchoices, plain.nchoices);
	assert_memory_equal(said.choices, plain.choices, sizeof(said.choices));
	if (strcmp(said.units, plain.units) != 0)
		fail_msg("%s is in %s, %s in %s", s->bare, plain.units, name, said.units);
}

static void check_event(const struct ipmu_system *sys, int event)
{
	struct subject s = { .sys = sys };
	struct ipmu_event_info info;
	bool has_umasks;

	assert_int_equal(ipmu_event_list(sys, event, -1, &info), 0);
	strcpy(s.bare, info.name);
	if (strcmp(s.bare, "skl.MEM_TRANS_RETIRED") == 0) {
		fake_refuses(sys, "skl.MEM_TRANS_RETIRED:LOAD_LATENCY", -ENOTSUP, "needs PEBS");
		return;
	}
	has_umasks = ipmu_event_list(sys, event, 0, &info) == 0;
	assert_int_equal(ipmu_event_form(sys, info.name, &s.form), 0);
	s.is_raw = strstr(s.bare, ".RAW");
	strcpy(s.name, s.form.needs_umask && !s.is_raw ? info.name : s.bare);
	check_qualifiers(&s);
	check_umask(&s, has_umasks);
}

/* With EVERY_MACHINE=N in the environment each Nth event. */
static void every_event_takes_what_is_said_and_no_more(void **state)
{
	const char *every = getenv("EVERY_MACHINE");
	int step = every ? atoi(every) : 1, n = 0;

	(void)state;
	assert_true(step > 0);
	for (const struct ipmu_family *const *f = ipmu_families; *f; f++) {
		const struct ipmu_system *sys = fake_system(*f);
		struct ipmu_event_info info;

		for (int i = 0; ipmu_event_list(sys, i, -1, &info) == 0; i += step, n += step)
			check_event(sys, i);
	}
	assert_true(n > 300);
}

static void forms(void **state)
{
	static const struct {
		const char *family, *name, *qualifiers, *umask;
	} cases[] = {	/* from the documents: Tables 2-7, 2-8 of 334060-001, 1-5 of 327357-001 */
		{ "skl_unc", "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I",
		  "package=0, box=0, e, i, c=0-31, freeze=1-17592186044415", "ANY_MESI" },
		{ "skl_unc", "skl_unc_clk.UNC_CLOCK", "package=0, box=0, freeze=1-281474976710655",
		  "SOCKET" },
		{ "skl_unc", "skl_unc_imc.DRAM_DATA_READS", "package=0, box=0", "" },
		{ "knc", "knc.DATA_READ", "cpu=0, k, u, e, i, c=0-255, t, ovf=1-1099511627776",
		  "" },
	};
	struct ipmu_event_form form;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ipmu_family *const *f = ipmu_families;

		while (*f && strcmp((*f)->name, cases[i].family) != 0)
			f++;
		assert_int_equal(ipmu_event_form(fake_system(*f), cases[i].name, &form), 0);
		assert_string_equal(form.qualifiers, cases[i].qualifiers);
		assert_string_equal(form.umask, cases[i].umask);
		assert_false(form.needs_umask);
	}
	assert_int_equal(ipmu_event_form(fake_system(ipmu_families[0]), "no_pmu.EVENT", &form),
			 -ENOENT);
	assert_int_equal(ipmu_event_form(fake_system(ipmu_families[0]), "UNC_CLOCK", &form),
			 -ENOENT);
	assert_int_equal(ipmu_event_form(fake_system(ipmu_families[0]), "skl_unc_cbo.NONE", &form),
			 -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_takes_what_is_said_and_no_more),
		cmocka_unit_test(forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
