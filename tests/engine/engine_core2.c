/* SPDX-License-Identifier: MIT */
/* Sessions on the fixed and general counters of a virtual Core 2 whose events this test raises
 * itself, and the fixed counters as later CPUs have them. */
#include "access/access.h"
#include "model/core_events.h"
#include "engine_fixture.h"
#include "on_machine.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <malloc.h>
#include <string.h>

#include <cmocka.h>

#define WRAP (1ull << 40)
#define FIELDS "MSR_PERF_FIXED_CTR_CTRL"
#define GLOBAL "MSR_PERF_GLOBAL_CTRL"

static void five_counters_at_once(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = {
		"INST_RETIRED.ANY:cpu=1", "CPU_CLK_UNHALTED.CORE:cpu=1",
		"CPU_CLK_UNHALTED.REF:cpu=1", "core.INSTRUCTION_RETIRED:cpu=1",
		"core.EXT_SNOOP:ALL_AGENTS:HITM:cpu=1",
	};
	struct ipmu_session *s = engine_fixture_started(f, names, 5);
	uint64_t v[5];

	/* examples worked out from the document */
	assert_int_equal(engine_fixture_peek_on(f, 1, FIELDS), 0x333);
	assert_true(engine_fixture_peek_on(f, 1, GLOBAL) == 0x700000003ull);
	assert_int_equal(engine_fixture_peek_on(f, 1, "IA32_PERFEVTSEL0"), 0x004300C0);
	assert_int_equal(engine_fixture_peek_on(f, 1, "IA32_PERFEVTSEL1"), 0x00432877);
	/* what they held was undefined */
	assert_int_equal(engine_fixture_peek_on(f, 1, "MSR_PERF_FIXED_CTR0"), 0);
	assert_int_equal(engine_fixture_peek_on(f, 1, "MSR_PERF_FIXED_CTR2"), 0);
	assert_int_equal(engine_fixture_peek_on(f, 1, "IA32_PMC1"), 0);
	engine_fixture_raise(f, 1, VPMU_INSTRUCTIONS, 1000, 4000);
	engine_fixture_raise(f, 0, VPMU_INSTRUCTIONS, 50, 50);
	engine_fixture_end(s, v);
	assert_int_equal(v[0], 1000);
	assert_int_equal(v[1], 4000);
	assert_true(v[2] > 0 && v[2] <= 4000);
	assert_int_equal(v[3], 1000);
	assert_int_equal(v[4], 0);
	assert_int_equal(engine_fixture_peek_on(f, 1, FIELDS), 0x333);
	assert_int_equal(engine_fixture_peek_on(f, 1, GLOBAL), 2);
}

static void privilege_levels_of_the_fixed_counters(void **state)
{
	const struct engine_fixture *f = *state;
	static const struct { const char *name; uint64_t fields, count; } cases[] = {
		{ "INST_RETIRED.ANY:u:cpu=2", 0x332, 100 },
		{ "INST_RETIRED.ANY:k:cpu=2", 0x331, 0 },
		{ "CPU_CLK_UNHALTED.CORE:u:cpu=2", 0x323, 300 },
		{ "CPU_CLK_UNHALTED.CORE:k:cpu=2", 0x313, 0 },
		{ "CPU_CLK_UNHALTED.CORE:cpu=2", 0x333, 300 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ipmu_session *s = engine_fixture_started(f, &cases[i].name, 1);
		uint64_t v;

		print_message("%s\n", cases[i].name);
		assert_int_equal(engine_fixture_peek_on(f, 2, FIELDS), cases[i].fields);
		engine_fixture_raise(f, 2, VPMU_INSTRUCTIONS, 100, 300);
		engine_fixture_end(s, &v);
		assert_int_equal(v, cases[i].count);
	}
}

/* 100 instructions, each in a clock of its own, in 300 clocks */
static void modifiers_of_the_general_counters(void **state)
{
	const struct engine_fixture *f = *state;
	static const struct { const char *name; uint64_t count; } cases[] = {
		{ "INSTRUCTION_RETIRED:cpu=2", 100 }, { "INSTRUCTION_RETIRED:u:cpu=2", 100 },
		{ "INSTRUCTION_RETIRED:k:cpu=2", 0 }, { "INSTRUCTION_RETIRED:c=1:cpu=2", 100 },
		{ "INSTRUCTION_RETIRED:c=2:cpu=2", 0 },
		{ "INSTRUCTION_RETIRED:c=1:i:cpu=2", 200 },
		{ "INSTRUCTION_RETIRED:c=1:e:cpu=2", 100 },
		{ "UNHALTED_CORE_CYCLES:cpu=2", 300 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ipmu_session *s = engine_fixture_started(f, &cases[i].name, 1);
		uint64_t v;

		engine_fixture_raise(f, 2, VPMU_INSTRUCTIONS, 100, 300);
		engine_fixture_end(s, &v);
		print_message("%s\n", cases[i].name);
		assert_int_equal(v, cases[i].count);
	}
}

static void sums_over_the_cpus_of_the_thread(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { "INST_RETIRED.ANY", "core.UNHALTED_CORE_CYCLES:c=1" };
	struct ipmu_session *s = engine_fixture_started(f, names, 2);
	uint64_t v[2];

	for (uint32_t cpu = 0; cpu < 4; cpu++)
		engine_fixture_raise(f, cpu, VPMU_INSTRUCTIONS, 10 + cpu, 100);
	engine_fixture_end(s, v);
	assert_int_equal(v[0], 40 + 1 + 2 + 3);
	assert_int_equal(v[1], 400);
}

static void counters_wrap_without_a_loss(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { "INST_RETIRED.ANY:cpu=3",
					     "core.INSTRUCTION_RETIRED:cpu=3" };
	struct ipmu_session *s = engine_fixture_started(f, names, 2);
	uint64_t v[2], w[2];

	for (uint64_t third = 1; third <= 3; third++) {	/* no step above half of the range */
		engine_fixture_poke_on(f, 3, "MSR_PERF_FIXED_CTR0", third * (WRAP / 3) - 4);
		engine_fixture_poke_on(f, 3, "IA32_PMC0", third * (WRAP / 3));
		assert_int_equal(ipmu_session_read(s, v), 0);
	}
	engine_fixture_raise(f, 3, VPMU_INSTRUCTIONS, 12, 20);
	assert_int_equal(engine_fixture_peek_on(f, 3, "MSR_PERF_FIXED_CTR0"), 7);
	assert_true(engine_fixture_peek_on(f, 3, "MSR_PERF_GLOBAL_STATUS") == 0x100000001ull);
	engine_fixture_end(s, w);
	assert_int_equal(w[0] - v[0], 12);
	assert_int_equal(w[1] - v[1], 12);
	assert_int_equal(engine_fixture_peek_on(f, 3, "MSR_PERF_GLOBAL_STATUS"), 0);
}

/* A write of IA32_PMCx takes 32 bits: what cannot be given back is stated, and no more is lost. */
static void general_counters_get_back_what_they_can_hold(void **state)
{
	const struct engine_fixture *f = *state;
	static const struct { uint64_t found, after; } cases[] = {
		{ 0x0012345678, 0x0012345678 }, { 0xFF87654321, 0xFF87654321 },
		{ 0x1212345678, 0x0012345678 }, { 0x0087654321, 0xFF87654321 },
	};
	static const char *const names[] = { "core.INSTRUCTION_RETIRED:cpu=0" };
	uint64_t old = engine_fixture_peek(f, "IA32_PMC0");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		engine_fixture_poke(f, "IA32_PMC0", cases[i].found);
		engine_fixture_end(engine_fixture_started(f, names, 1), NULL);
		assert_true(engine_fixture_peek(f, "IA32_PMC0") == cases[i].after);
	}
	engine_fixture_poke(f, "IA32_PMC0", old);
}

static void sets_that_fit_and_sets_that_do_not(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_event fits[5] = {
		engine_fixture_event(f, "FP_ASSIST"), engine_fixture_event(f, "FP_COMP_OPS_EXE"),
		engine_fixture_event(f, "INST_RETIRED.ANY:u"),
		engine_fixture_event(f, "CPU_CLK_UNHALTED.CORE"),
		engine_fixture_event(f, "CPU_CLK_UNHALTED.REF:k"),
	};
	struct ipmu_event counter_1[2] = { engine_fixture_event(f, "FP_ASSIST"),
					   engine_fixture_event(f, "MUL") };
	struct ipmu_event field_0[2] = { engine_fixture_event(f, "INST_RETIRED.ANY:u"),
					 engine_fixture_event(f, "INST_RETIRED.ANY:k") };
	struct ipmu_session *s;
	char why[IPMU_WHY_MAX] = "";

	assert_int_equal(ipmu_session_new(f->sys, &s, why), 0);
	assert_int_equal(ipmu_session_set(s, fits, 5, why), 0);
	assert_int_equal(ipmu_session_set(s, counter_1, 2, why), -ENOSPC);
	assert_non_null(strstr(why, "core.MUL collides with core.FP_ASSIST: core box 0 has 2 "
				    "counters, 1 of which can count it"));
	assert_int_equal(ipmu_session_set(s, field_0, 2, why), -ENOSPC);
	assert_non_null(strstr(why, "INST_RETIRED:ANY:k collides with "
				    "core_fixed.INST_RETIRED:ANY:u"));
	assert_non_null(strstr(why, FIELDS));
	ipmu_session_free(s);
}

static const struct ipmu_pmu_type *type_named(const struct ipmu_system *sys, const char *name)
{
	for (int i = 0;; i++) {
		const struct ipmu_pmu_type *type = ipmu_system_type(sys, i);

		if (!type || strcmp(ipmu_type_name(type), name) == 0)
			return type;
	}
}

/* CPU 0 stands for all: here another program counts with fixed counter 1. */
static void counters_of_somebody_else_are_left_alone(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_system *sys;
	struct ipmu_event event;
	char why[IPMU_WHY_MAX] = "";

	engine_fixture_poke(f, GLOBAL, 0x200000000ull);
	assert_int_equal(ipmu_system_open(f->topo, IPMU_SCOPE_CPU, &sys, why), 0);
	assert_int_equal(ipmu_system_boxes(sys, type_named(sys, "core"), 0, why), 1);
	assert_int_equal(ipmu_system_boxes(sys, type_named(sys, "core_fixed"), 0, why), 0);
	assert_non_null(strstr(why, "fixed counter 1 is in use by somebody else"));
	why[0] = '\0';
	assert_int_equal(ipmu_event_parse(sys, "INST_RETIRED.ANY", &event, why), -EINVAL);
	assert_int_equal(ipmu_event_parse(sys, "core_fixed.INST_RETIRED:ANY", &event, why),
			 -ENODEV);
	assert_int_equal(ipmu_event_parse(sys, "core.UNHALTED_REFERENCE_CYCLES", &event, why),
			 -ENODEV);
	assert_non_null(strstr(why, "somebody else"));
	ipmu_system_close(sys);
	engine_fixture_poke(f, GLOBAL, 2);
}

/* SDM 18.4.4: with bit 0 of IA32_PEBS_ENABLE counter 0 writes records. */
static void a_program_that_samples_is_left_alone(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_system *sys;
	char why[IPMU_WHY_MAX] = "";

	engine_fixture_poke(f, "IA32_PEBS_ENABLE", 1);
	assert_int_equal(ipmu_system_open(f->topo, IPMU_SCOPE_CPU, &sys, why), 0);
	assert_int_equal(ipmu_system_boxes(sys, type_named(sys, "core_fixed"), 0, why), 1);
	assert_int_equal(ipmu_system_boxes(sys, type_named(sys, "core"), 0, why), 0);
	assert_non_null(strstr(why, "IA32_PEBS_ENABLE is set"));
	ipmu_system_close(sys);
	assert_int_equal(engine_fixture_peek(f, "IA32_PEBS_ENABLE"), 1);
	engine_fixture_poke(f, "IA32_PEBS_ENABLE", 0);
}

/* Somebody else begins to count after the system was opened and before the first start. */
static void counters_that_somebody_takes_later_are_left_alone(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { "INST_RETIRED.ANY:cpu=2" };
	struct ipmu_session *s = engine_fixture_session(f, names, 1);
	const struct ipmu_pmu_type *later = ipmu_arch_core.types[0];
	char why[IPMU_WHY_MAX] = "";
	struct ipmu_regs p;

	for (int n = 0; n < 3; n++) {
		engine_fixture_poke_on(f, 2, GLOBAL, 1ull << (32 + n));
		assert_int_equal(ipmu_session_start(s, why), -EBUSY);
		assert_non_null(strstr(why, FIELDS));
		assert_non_null(strstr(why, "somebody else counts there"));
		assert_true(engine_fixture_peek_on(f, 2, GLOBAL) == 1ull << (32 + n));
		why[0] = '\0';
		assert_int_equal(ipmu_access_open(&p, ipmu_arch_core.registers, 2, why), 0);
		assert_int_equal(ipmu_arch_core.busy(&p, later, 0, 0, why), -EBUSY);
		assert_non_null(strstr(why, "somebody else counts there"));
		ipmu_access_close(&p);
	}
	engine_fixture_poke_on(f, 2, GLOBAL, 2);
	engine_fixture_start(s);
	engine_fixture_end(s, NULL);
	assert_int_equal(engine_fixture_peek_on(f, 2, GLOBAL), 2);	/* not what somebody had */
}

/* CPUs that were not checked before: a start gives no zero, and writes nothing of theirs. */
static void counters_that_somebody_has_on_another_cpu_are_left_alone(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { "INST_RETIRED.ANY:cpu=2" };
	struct engine_fixture own = *f;
	struct ipmu_event mul;
	struct ipmu_session *s;
	char why[IPMU_WHY_MAX] = "";

	engine_fixture_poke_on(f, 2, GLOBAL, 1ull << 33);
	engine_fixture_poke_on(f, 3, "IA32_PEBS_ENABLE", 1);
	assert_int_equal(ipmu_system_open(f->topo, IPMU_SCOPE_CPU, &own.sys, why), 0);
	mul = engine_fixture_event(&own, "core.MUL:cpu=3");
	s = engine_fixture_session(&own, names, 1);
	assert_int_equal(ipmu_session_start(s, why), -EBUSY);
	assert_non_null(strstr(why, FIELDS));
	assert_true(engine_fixture_peek_on(f, 2, GLOBAL) == 1ull << 33);
	engine_fixture_poke_on(f, 2, GLOBAL, 2);
	engine_fixture_start(s);
	assert_true(engine_fixture_peek_on(f, 2, GLOBAL) & 1ull << 32);
	engine_fixture_end(s, NULL);
	assert_int_equal(ipmu_session_new(own.sys, &s, why), 0);
	assert_int_equal(ipmu_session_set(s, &mul, 1, why), -EBUSY);
	assert_non_null(strstr(why, "core.MUL:cpu=3: /dev/cpu/3/msr: IA32_PEBS_ENABLE is set"));
	ipmu_session_free(s);
	ipmu_system_close(own.sys);
	engine_fixture_poke_on(f, 3, "IA32_PEBS_ENABLE", 0);
}

/* Counts of a thread's own CPUs need to know which those are. */
static void sessions_leave_no_memory(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { "INST_RETIRED.ANY", "core.INSTRUCTION_RETIRED" };
	size_t before = 0;

	for (int i = 0; i < 100; i++) {
		engine_fixture_end(engine_fixture_started(f, names, 2), (uint64_t[2]){ 0 });
		before = i == 10 ? mallinfo2().uordblks : before;
	}
	assert_int_equal(mallinfo2().uordblks, before);
}

/* On later CPUs the general counters are the kernel's, which uses the same registers. */
static void later_cpus_keep_what_the_kernel_does(void **state)
{
	const struct engine_fixture *f = *state;
	const struct ipmu_pmu_type *type = ipmu_arch_core.types[0];
	const struct ipmu_reg *fields = type->select;
	struct ipmu_activity activity = { 0 };
	struct ipmu_regs p;
	uint64_t raw;
	char why[IPMU_WHY_MAX] = "";

	assert_int_equal(ipmu_family_open(&p, &ipmu_arch_core, 0, why), 0);
	assert_int_equal(ipmu_arch_core.control(&p, &activity), 0);
	assert_int_equal(engine_fixture_peek(f, GLOBAL), 2);
	assert_int_equal(ipmu_msr_update(&p, fields, 0, 0, 0xF, 0x2), 0);
	assert_int_equal(type->ops->program(&p, type, 0, 0, 0), 0);
	engine_fixture_poke(f, GLOBAL, 3);	/* the kernel starts a counter of its own */
	activity.active[0][0] = 1;
	assert_int_equal(ipmu_arch_core.control(&p, &activity), 0);
	assert_true(engine_fixture_peek(f, GLOBAL) == 0x100000003ull);
	assert_int_equal(engine_fixture_peek(f, FIELDS), 0x332);
	engine_fixture_raise(f, 0, VPMU_INSTRUCTIONS, 77, 100);
	assert_int_equal(type->ops->read(&p, type, 0, 0, &raw), 0);
	assert_int_equal(raw, 77);
	engine_fixture_poke(f, GLOBAL, 0x100000001ull);
	assert_int_equal(ipmu_access_restore(&p), 0);
	assert_int_equal(engine_fixture_peek(f, GLOBAL), 1);
	assert_int_equal(engine_fixture_peek(f, FIELDS), 0x333);
	ipmu_access_close(&p);
	engine_fixture_poke(f, GLOBAL, 2);
}

/* This process's CPUID is not that of the topology, so the family does not take the machine. */
static void later_cpus_are_recognised_by_cpuid(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_topology other = *f->topo;
	const struct ipmu_family *family;
	char why[IPMU_WHY_MAX] = "";

	assert_ptr_equal(ipmu_family_find(f->topo, IPMU_SCOPE_CPU, why), &ipmu_core2);
	other.model = 0x7F;	/* no such CPU */
	family = ipmu_family_find(&other, IPMU_SCOPE_CPU, why);
	print_message("%s\n", why);
	assert_null(family);
	assert_non_null(strstr(why, "PerfMon 2 was not found"));
	/* Uncores have nothing to do with it. */
	why[0] = '\0';
	assert_null(ipmu_family_find(&other, IPMU_SCOPE_PACKAGE, why));
	assert_non_null(strstr(why, "family 6 model 0x7F"));
	assert_null(strstr(why, "PerfMon"));
}

static int open_core2(void **state)
{
	static const struct engine_found found[] = {
		{ "MSR_PERF_FIXED_CTR0", 0x123456789A }, { "MSR_PERF_FIXED_CTR2", 0xFEDCBA9876 },
		{ FIELDS, 0x333 }, { GLOBAL, 2 }, { "IA32_PMC0", 0x12345678 },
		{ "IA32_PMC1", 0xFF87654321 }, { "IA32_PERFEVTSEL1", 0x000300C0 }, { NULL, 0 },
	};

	return engine_fixture_open_on(state, IPMU_SCOPE_CPU, found);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(five_counters_at_once),
		cmocka_unit_test(privilege_levels_of_the_fixed_counters),
		cmocka_unit_test(modifiers_of_the_general_counters),
		cmocka_unit_test(sums_over_the_cpus_of_the_thread),
		cmocka_unit_test(counters_wrap_without_a_loss),
		cmocka_unit_test(general_counters_get_back_what_they_can_hold),
		cmocka_unit_test(sets_that_fit_and_sets_that_do_not),
		cmocka_unit_test(counters_of_somebody_else_are_left_alone),
		cmocka_unit_test(a_program_that_samples_is_left_alone),
		cmocka_unit_test(counters_that_somebody_takes_later_are_left_alone),
		cmocka_unit_test(counters_that_somebody_has_on_another_cpu_are_left_alone),
		cmocka_unit_test(sessions_leave_no_memory),
		cmocka_unit_test(later_cpus_keep_what_the_kernel_does),
		cmocka_unit_test(later_cpus_are_recognised_by_cpuid),
	};

	(void)argc;
	on_machine(argv, "core2-4c");
	return cmocka_run_group_tests(tests, open_core2, engine_fixture_close);
}
