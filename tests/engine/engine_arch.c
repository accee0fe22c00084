/* SPDX-License-Identifier: MIT */
/* Sessions on the architectural counters of a virtual Skylake's cores, whose events this test
 * raises itself; and each documented event of these cores by its name. */
#include "counting/assign.h"
#include "engine_fixture.h"
#include "on_machine.h"
#include "pmu/families.h"
#include "tsv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GLOBAL "IA32_PERF_GLOBAL_CTRL"

/* CPU 1 has a counter of somebody else's, which is enabled in the global control alone. */
static const struct engine_found found[] = {
	{ "IA32_FIXED_CTR_CTRL", 0x008 }, { GLOBAL, 0xF }, { "IA32_PERFEVTSEL3", 0x2C4 }, { 0 },
};

static int open_skylake(void **state)
{
	return engine_fixture_open_on(state, IPMU_SCOPE_CPU, found);
}

static void seven_counters_at_once(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = {
		"core_fixed.INST_RETIRED.ANY:cpu=1", "core_fixed.CPU_CLK_UNHALTED.CORE:cpu=1",
		"core_fixed.CPU_CLK_UNHALTED.REF:cpu=1", "ix86arch.INSTRUCTION_RETIRED:cpu=1",
		"ix86arch.BRANCH_INSTRUCTIONS_RETIRED:u:cpu=1",
		"skl.BR_MISP_RETIRED:ALL_BRANCHES:cpu=1", "ix86arch.LLC_MISSES:c=2:i:cpu=1",
	};
	struct ipmu_session *s = engine_fixture_started(f, names, 7);
	uint64_t v[7];

	/* examples worked out from the document */
	assert_int_equal(engine_fixture_peek_on(f, 1, "IA32_FIXED_CTR_CTRL"), 0x333);
	assert_true(engine_fixture_peek_on(f, 1, GLOBAL) == 0x70000000Full);
	assert_int_equal(engine_fixture_peek_on(f, 1, "IA32_PERFEVTSEL0"), 0x004300C0);
	assert_int_equal(engine_fixture_peek_on(f, 1, "IA32_PERFEVTSEL1"), 0x004100C4);
	assert_int_equal(engine_fixture_peek_on(f, 1, "IA32_PERFEVTSEL2"), 0x004300C5);
	assert_int_equal(engine_fixture_peek_on(f, 1, "IA32_PERFEVTSEL3"), 0x02C3412E);
	engine_fixture_raise(f, 1, VPMU_INSTRUCTIONS, 1000, 4000);
	engine_fixture_raise(f, 1, VPMU_BRANCHES, 300, 300);
	engine_fixture_raise(f, 1, VPMU_MISPREDICTED, 20, 20);
	engine_fixture_raise(f, 0, VPMU_INSTRUCTIONS, 50, 50);
	engine_fixture_end(s, v);
	assert_int_equal(v[0], 1000);
	assert_int_equal(v[1], 4320);
	assert_int_equal(v[2], 4320);
	assert_int_equal(v[3], 1000);
	assert_int_equal(v[4], 300);
	assert_int_equal(v[5], 20);
	assert_int_equal(v[6], 4320);	/* clocks with fewer than two */
	assert_int_equal(engine_fixture_peek_on(f, 1, GLOBAL), 0xF);
	assert_int_equal(engine_fixture_peek_on(f, 1, "IA32_PERFEVTSEL3"), 0x2C4);
}

/* CPUID is not that of the topology here: a core with two threads has four. */
static void four_and_no_fifth(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = {
		"skl.L1D:REPLACEMENT:cpu=0", "ix86arch.LLC_MISSES:cpu=0",
		"skl.BR_INST_RETIRED:CONDITIONAL:cpu=0", "skl.MEM_INST_RETIRED:ALL_LOADS:cpu=0",
		"skl.MEM_INST_RETIRED:ALL_STORES:cpu=0",
	};
	struct ipmu_event events[5];
	struct ipmu_session *s;
	char why[IPMU_WHY_MAX] = "";

	for (int i = 0; i < 5; i++)
		events[i] = engine_fixture_event(f, names[i]);
	assert_int_equal(ipmu_session_new(f->sys, &s, why), 0);
	assert_int_equal(ipmu_session_set(s, events, 4, why), 0);
	assert_int_equal(ipmu_session_set(s, events, 5, why), -ENOSPC);
	assert_non_null(strstr(why, "skl box 0 has 4 counters, 4 of which can count it"));
	ipmu_session_free(s);
}

static void a_counter_of_somebody_else_is_left_alone(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { "skl.INST_RETIRED:ANY_P:cpu=2" };
	struct ipmu_session *s = engine_fixture_session(f, names, 1);
	char why[IPMU_WHY_MAX] = "";

	engine_fixture_poke_on(f, 2, "IA32_PERFEVTSEL0", 0x4300C0);
	assert_int_equal(ipmu_session_start(s, why), -EBUSY);
	assert_non_null(strstr(why, "IA32_PERFEVTSEL0"));
	assert_int_equal(engine_fixture_peek_on(f, 2, "IA32_PERFEVTSEL0"), 0x4300C0);
	engine_fixture_poke_on(f, 2, "IA32_PERFEVTSEL0", 0);
	engine_fixture_start(s);
	/* Another counter of the kernel's begins and ends meanwhile: its bit stays as it is. */
	engine_fixture_poke_on(f, 2, GLOBAL, 0xD);
	engine_fixture_end(s, NULL);
	assert_int_equal(engine_fixture_peek_on(f, 2, GLOBAL), 0xD);
	engine_fixture_poke_on(f, 2, GLOBAL, 0xF);
}

/* "0,1,2,3" as bits, of four counters. */
static uint64_t counters_of(const char *list)
{
	uint64_t bits = 0;

	for (; *list; list += strcspn(list, ",") + (list[strcspn(list, ",")] == ','))
		bits |= 1ull << strtoul(list, NULL, 10);
	return bits;
}

/* Modifiers that a row's name needs in addition to code and unit mask: "CMASK=10,INV=1". */
static uint64_t wanted_modifier(const char *cell, const char *key)
{
	const char *at = strstr(cell, key);

	return at ? strtoull(at + strlen(key), NULL, 0) : 0;
}

static void check_skl_row(const struct engine_fixture *f, const struct tsv *t, const char *name)
{
	const char *needs = tsv_cell(t, "modifiers_required");
	struct ipmu_event e = engine_fixture_event(f, name);
	uint64_t select = tsv_number(t, "code") | tsv_number(t, "umask") << 8 |
			  wanted_modifier(needs, "CMASK=") << 24 |
			  wanted_modifier(needs, "INV=") << 23 |
			  wanted_modifier(needs, "ANY=") << 21 |
			  wanted_modifier(needs, "E=") << 18 | 3 << 16;

	if (e.choices[0].select != select)
		fail_msg("%s is 0x%llX, not 0x%llX", name,
			 (unsigned long long)e.choices[0].select, (unsigned long long)select);
	if ((e.choices[0].counters & 0xF) != counters_of(tsv_cell(t, "counters")))
		fail_msg("%s is on counters 0x%llX", name,
			 (unsigned long long)e.choices[0].counters);
	assert_true(!e.choices[0].nextra == !strstr(needs, "MSR0x"));
}

/* libpfm4's first name of each. Where the sheet says that libpfm4 is wrong, or has a select of its
 * own, nothing is compared. */
static void names_have_the_codes_of_perfmon(void **state)
{
	const struct engine_fixture *f = *state;
	int rows = 0;
	struct tsv t;

	for (tsv_open(&t, "skl-core/events.tsv"); tsv_next(&t);) {
		char name[IPMU_NAME_MAX];
		const char *pfm = tsv_cell(&t, "libpfm4");

		if (strcmp(pfm, "-") == 0 || strncmp(pfm, "OFFCORE", 7) == 0 ||
		    strncmp(tsv_cell(&t, "counters"), "FIXED", 5) == 0 ||
		    strncmp(pfm, "MEM_TRANS", 9) == 0)
			continue;
		snprintf(name, sizeof(name), "skl.%.*s", (int)strcspn(pfm, " "), pfm);
		check_skl_row(f, &t, name);
		rows++;
	}
	assert_in_range(rows, 140, 200);
}

static void what_only_samples_is_refused(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_event e;
	char why[IPMU_WHY_MAX] = "";

	assert_int_equal(ipmu_event_parse(f->sys, "skl.MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=3", &e,
					  why), -ENOTSUP);
	assert_non_null(strstr(why, "needs PEBS, which is not supported"));
	assert_int_equal(ipmu_event_parse(f->sys, "skl.RAW:event=0xB7:umask=1", &e, why), -EINVAL);
	assert_non_null(strstr(why, "needs a parameter"));
	assert_int_equal(ipmu_event_parse(f->sys, "skl.UNHALTED_REFERENCE_CYCLES:t", &e, why),
			 -EINVAL);
	assert_non_null(strstr(why, "a fixed counter takes u and k alone"));
	assert_int_equal(ipmu_event_parse(f->sys, "skl.UNHALTED_REFERENCE_CYCLES:0x0", &e, why),
			 -EINVAL);
	assert_non_null(strstr(why, "u and k alone"));
	assert_int_equal(ipmu_event_parse(f->sys, "skl.RAW:event=0:umask=3", &e, why), -EINVAL);
	e = engine_fixture_event(f, "skl.OFFCORE_RESPONSE_1:DMND_DATA_RD:ANY_RESPONSE");
	assert_int_equal(e.choices[0].nextra, 1);
	assert_int_equal(e.choices[0].extra[0].index, 1);
	assert_int_equal(e.choices[0].extra[0].value, 0x10001);
}

/* Each listed event with each modifier: the canonical name means the same event. */
static void canonical_names_mean_the_same(void **state)
{
	static const char *const modifiers[] = { "", ":e", ":i", ":c=1", ":u", ":k", ":e:c=1",
						 ":t", ":t=0", ":e=0", ":c=0", ":u=1", ":k=0",
						 ":0x0", ":0x1" };
	const struct engine_fixture *f = *state;
	struct ipmu_event_info info;
	int accepted = 0;

	for (int event = 0; !ipmu_event_list(f->sys, event, -1, &info); event++)
		for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++) {
			char name[IPMU_NAME_MAX + 16], why[IPMU_WHY_MAX];
			struct ipmu_event e, again;

			snprintf(name, sizeof(name), "%s%s", info.name, modifiers[i]);
			if (ipmu_event_parse(f->sys, name, &e, why))
				continue;
			if (ipmu_event_parse(f->sys, e.name, &again, why))
				fail_msg("%s is %s: %s", name, e.name, why);
			assert_string_equal(e.name, again.name);
			assert_ptr_equal(e.type, again.type);
			assert_true(ipmu_choice_equal(&e.choices[0], &again.choices[0]));
			accepted++;
		}
	assert_true(accepted > 100);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canonical_names_mean_the_same),
		cmocka_unit_test(seven_counters_at_once),
		cmocka_unit_test(four_and_no_fifth),
		cmocka_unit_test(a_counter_of_somebody_else_is_left_alone),
		cmocka_unit_test(names_have_the_codes_of_perfmon),
		cmocka_unit_test(what_only_samples_is_refused),
	};

	(void)argc;
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, open_skylake, engine_fixture_close);
}
