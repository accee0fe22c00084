/* SPDX-License-Identifier: MIT */
/* Reading a name without a machine: against results worked out by hand, and against the parser of
 * each machine. */
#include "fake_system.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ALL IPMU_ALL

static void every_spelling(void **state)
{
	static const struct { const char *name; struct ipmu_name says; } rows[] = {
		{ "skl_unc_arb.UNC_CLOCK:ANY", { "UNC_CLOCK:ANY", ALL, ALL, ALL } },
		{ "skl_unc_arb::UNC_CLOCK:ANY", { "UNC_CLOCK:ANY", ALL, ALL, ALL } },
		{ "UNC_CLOCK.ANY", { "UNC_CLOCK:ANY", ALL, ALL, ALL } },
		{ "skl_unc_arb.UNC_CLOCK.ANY", { "UNC_CLOCK:ANY", ALL, ALL, ALL } },
		{ "SKL_UNC_CBO.E:PACKAGE=1:x=2:Box=3", { "E:x=2", 1, ALL, 3 } },
		{ "skl_unc_cbo3::E", { "E", ALL, ALL, 3 } },
		{ "skl_unc_cbo3::E:box=3", { "E", ALL, ALL, 3 } },
		{ "hswep_unc_imc11::E", { "E", ALL, ALL, 11 } },
		/* no PMU, although it is spelt as one might be */
		{ "b2b_cycles.BIT1:cpu=12:u", { "b2b_cycles:BIT1:u", ALL, 12, ALL } },
		{ "netburst.b2b_cycles.BIT1", { "b2b_cycles:BIT1", ALL, ALL, ALL } },
		{ "E:packages=1:box1", { "E:packages=1:box1", ALL, ALL, ALL } },
		{ "E:cpu=9999:A:B", { "E:A:B", ALL, 9999, ALL } },
		{ "E", { "E", ALL, ALL, ALL } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ipmu_name n;
		char why[IPMU_WHY_MAX] = "";

		if (ipmu_name_read(rows[i].name, &n, why))
			fail_msg("%s: %s", rows[i].name, why);
		print_message("%s\n", rows[i].name);
		assert_string_equal(n.event, rows[i].says.event);
		assert_int_equal(n.package, rows[i].says.package);
		assert_int_equal(n.cpu, rows[i].says.cpu);
		assert_int_equal(n.box, rows[i].says.box);
	}
}

static void what_is_no_name_is_refused(void **state)
{
	static const struct { const char *name, *says; } rows[] = {
		{ "", "names no event" }, { "pmu::", "names no event" },
		{ "E:package", "takes a number" }, { "E:package=", "takes a number" },
		{ "E:package=x", "takes a number" }, { "E:cpu=10000", "takes a number" },
		{ "E:box=-1", "takes a number" }, { "E:box=1:BOX=1", "is given twice" },
		{ "skl_unc_cbo3::E:box=2", "names box 3 and box 2" },
		{ "E:", "a qualifier is empty" }, { "E.", "no unit mask follows" },
		{ "E F", "no blank" }, { "E,F", "no comma" },
		{ "E:1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17", "more than 16 qualifiers" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ipmu_name n = { .box = 77 };
		char why[IPMU_WHY_MAX] = "";

		assert_int_equal(ipmu_name_read(rows[i].name, &n, why), -EINVAL);
		print_message("%s -> %s\n", rows[i].name, why);
		assert_int_equal(n.box, 77);
		assert_non_null(strstr(why, rows[i].says));
		assert_int_equal(ipmu_name_read(rows[i].name, &n, NULL), -EINVAL);
	}
}

/* The longest name that there may be, and one byte more. */
static void lengths(void **state)
{
	char name[IPMU_NAME_MAX + 1];
	struct ipmu_name n;

	(void)state;
	memset(name, 'E', sizeof(name));
	name[IPMU_NAME_MAX] = '\0';
	assert_int_equal(ipmu_name_read(name, &n, NULL), -EINVAL);
	name[IPMU_NAME_MAX - 1] = '\0';
	assert_int_equal(ipmu_name_read(name, &n, NULL), 0);
	assert_string_equal(n.event, name);
}

/* Reading a listed name with a place has the same result as parsing it on its machine. */
static void machines_agree(void **state)
{
	int names = 0;

	(void)state;
	for (int f = 0; ipmu_families[f]; f++) {
		const struct ipmu_system *sys = fake_system(ipmu_families[f]);
		bool package = ipmu_families[f]->scope == IPMU_SCOPE_PACKAGE;
		struct ipmu_event_info info;

		for (int i = 0; ipmu_event_list(sys, i, 0, &info) == 0; i++, names++) {
			char name[IPMU_NAME_MAX + 32];
			struct ipmu_event e;
			struct ipmu_name n;

			snprintf(name, sizeof(name), "%s:%s=0:box=0", info.name,
				 package ? "package" : "cpu");
			e = fake_event(sys, name);
			assert_int_equal(ipmu_name_read(name, &n, NULL), 0);
			assert_int_equal(package ? n.package : n.cpu, e.place);
			assert_int_equal(package ? n.cpu : n.package, ALL);
			assert_int_equal(n.box, e.box);
			assert_string_equal(n.event, strchr(info.name, '.') + 1);
		}
	}
	assert_true(names > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_spelling),
		cmocka_unit_test(what_is_no_name_is_refused),
		cmocka_unit_test(lengths),
		cmocka_unit_test(machines_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
