/* SPDX-License-Identifier: MIT */
/* The 10-core Comet Lake, which has slices where Skylakes of its model number have none. */
#include "engine_fixture.h"
#include "on_machine.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* By PmcReader's figures: MSR_UNC_CBO_CONFIG is 10, and slices 7 to 9 follow at 0x770. */
static void ten_slices_without_a_break(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { "UNC_CBO_CACHE_LOOKUP.READ_I",
					     "skl_unc_cbo9::UNC_CBO_CACHE_LOOKUP:READ_I",
					     "UNC_CBO_CACHE_LOOKUP.READ_I:box=7" };
	struct ipmu_session *s;
	uint64_t v[3];

	assert_int_equal(engine_fixture_peek(f, "MSR_UNC_CBO_CONFIG"), 10);
	assert_non_null(strstr(ipmu_system_note(f->sys), "not documented by Intel"));
	assert_int_equal(ipmu_reg_addr(ipmu_cml_client_uncore.types[0]->select, 7, 1), 0x771);
	s = engine_fixture_started(f, names, 3);
	assert_int_equal(engine_fixture_peek(f, "MSR_UNC_CBO_9_PERFEVTSEL0"), 0x401834);
	for (uint32_t slice = 0; slice < 10; slice++)
		engine_fixture_misses(f, slice, 1 + (int)slice);
	engine_fixture_end(s, v);
	assert_int_equal(v[0], 55);
	assert_int_equal(v[1], 10);
	assert_int_equal(v[2], 8);
}

/* Smaller ones of the model are Skylakes, whose eighth slice is elsewhere. */
static void ten_cores_tell_it(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_package package = f->topo->packages[0];
	struct ipmu_topology t = *f->topo;
	const struct ipmu_family *family;
	char why[IPMU_WHY_MAX];

	t.packages = &package;
	assert_ptr_equal(ipmu_family_find(&t, IPMU_SCOPE_PACKAGE, why), &ipmu_cml_client_uncore);
	package.ncores = 8;
	family = ipmu_family_find(&t, IPMU_SCOPE_PACKAGE, why);
	assert_ptr_equal(family, &ipmu_skl_client_uncore);
	assert_int_equal(ipmu_reg_addr(family->types[0]->select, 7, 1), 0xF71);
	package.ncores = 10;
	t.model = 0x9E;
	assert_ptr_equal(ipmu_family_find(&t, IPMU_SCOPE_PACKAGE, why), &ipmu_skl_client_uncore);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ten_slices_without_a_break),
		cmocka_unit_test(ten_cores_tell_it),
	};

	(void)argc;
	on_machine(argv, "cml-10c20t");
	return cmocka_run_group_tests(tests, engine_fixture_open, engine_fixture_close);
}
