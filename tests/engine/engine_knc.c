/* SPDX-License-Identifier: MIT */
/* Sessions and sampling on the registers of a virtual Knights Corner, 4 cores with 4 threads each,
 * whose events this test raises itself. */
#include "model/core_events.h"
#include "engine_fixture.h"
#include "on_machine.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WRAP (1ull << 40)
#define CPUS 16

static void sums_over_the_threads_and_narrows(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { "INSTRUCTIONS_EXECUTED",
					     "INSTRUCTIONS_EXECUTED:cpu=5", "BRANCHES:cpu=5" };
	struct ipmu_session *s = engine_fixture_started(f, names, 3);
	uint64_t v[3];

	engine_fixture_raise(f, 0, VPMU_INSTRUCTIONS, 7, 10);
	engine_fixture_raise(f, 5, VPMU_INSTRUCTIONS, 100, 100);
	engine_fixture_raise(f, 15, VPMU_INSTRUCTIONS, 1000, 2000);
	engine_fixture_raise(f, 5, VPMU_BRANCHES, 11, 100);
	engine_fixture_end(s, v);
	assert_int_equal(v[0], 1107);
	assert_int_equal(v[1], 100);
	assert_int_equal(v[2], 11);
}

static void writes_what_the_document_says(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const one[] = { "CPU_CLK_UNHALTED:cpu=3" };
	static const char *const two[] = { "CPU_CLK_UNHALTED:cpu=3",
					   "L2_DATA_READ_MISS_MEM_FILL:t:cpu=3" };
	struct ipmu_session *s = engine_fixture_started(f, one, 1);

	assert_int_equal(engine_fixture_peek_on(f, 3, "IA32_PerfEvtSel0"), 0x0043002A);
	assert_int_equal(engine_fixture_peek_on(f, 3, "IA32_PERF_GLOBAL_CTRL"), 1);
	assert_true(engine_fixture_peek_on(f, 3, "PERF_SPFLT_CONTROL") == 0x8000000000000001ull);
	engine_fixture_end(s, NULL);
	s = engine_fixture_started(f, two, 2);
	/* the second event only counts on counter 0 */
	assert_int_equal(engine_fixture_peek_on(f, 3, "IA32_PerfEvtSel0"), 0x006310F6);
	assert_int_equal(engine_fixture_peek_on(f, 3, "IA32_PerfEvtSel1"), 0x0043002A);
	assert_int_equal(engine_fixture_peek_on(f, 3, "IA32_PERF_GLOBAL_CTRL"), 3);
	assert_true(engine_fixture_peek_on(f, 3, "PERF_SPFLT_CONTROL") == 0x8000000000000003ull);
	/* nothing on another thread of the core */
	assert_int_equal(engine_fixture_peek_on(f, 2, "IA32_PERF_GLOBAL_CTRL"), 3);
	assert_int_equal(engine_fixture_peek_on(f, 2, "IA32_PerfEvtSel0"), 0x0003002A);
	engine_fixture_end(s, NULL);
	assert_int_equal(engine_fixture_peek_on(f, 3, "IA32_PerfEvtSel0"), 0x0003002A);
	assert_true(engine_fixture_peek_on(f, 3, "PERF_SPFLT_CONTROL") == 0);
}

static void any_thread_counts_a_core_once(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { "DATA_READ:t", "DATA_READ:t:cpu=6" };
	struct ipmu_session *s = engine_fixture_started(f, names, 2);
	uint64_t v[2];

	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		engine_fixture_raise(f, cpu, VPMU_LOADS, 10 + cpu, 100);
	engine_fixture_end(s, v);
	assert_int_equal(v[0], 16 * 10 + 120);			/* each thread once */
	assert_int_equal(v[1], 4 * 10 + 4 + 5 + 6 + 7);		/* the core of CPU 6 */
}

static void modifiers_count_as_documented(void **state)
{
	const struct engine_fixture *f = *state;
	/* 100 instructions, each in a clock of its own, in 300 clocks */
	static const struct { const char *name; uint64_t count; } cases[] = {
		{ "INSTRUCTIONS_EXECUTED:cpu=1", 100 }, { "INSTRUCTIONS_EXECUTED:u:cpu=1", 100 },
		{ "INSTRUCTIONS_EXECUTED:k:cpu=1", 0 },
		{ "INSTRUCTIONS_EXECUTED:c=1:cpu=1", 100 },
		{ "INSTRUCTIONS_EXECUTED:c=2:cpu=1", 0 },
		{ "INSTRUCTIONS_EXECUTED:c=1:i:cpu=1", 200 },
		{ "INSTRUCTIONS_EXECUTED:e:cpu=1", 100 },
		{ "CPU_CLK_UNHALTED:cpu=1", 300 },
		{ "CPU_CLK_UNHALTED:e:cpu=1", 1 },	/* back to back: one transition */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ipmu_session *s = engine_fixture_started(f, &cases[i].name, 1);
		uint64_t v;

		engine_fixture_raise(f, 1, VPMU_INSTRUCTIONS, 100, 300);
		engine_fixture_end(s, &v);
		print_message("%s\n", cases[i].name);
		assert_int_equal(v, cases[i].count);
	}
}

static void counters_wrap_without_a_loss(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { "BRANCHES:cpu=2" };
	uint64_t old = engine_fixture_peek_on(f, 2, "IA32_PerfCnt0"), v;
	struct ipmu_session *s;

	engine_fixture_poke_on(f, 2, "IA32_PerfCnt0", WRAP - 5);
	s = engine_fixture_started(f, names, 1);
	engine_fixture_raise(f, 2, VPMU_BRANCHES, 12, 20);
	assert_int_equal(engine_fixture_peek_on(f, 2, "IA32_PerfCnt0"), 7);
	assert_int_equal(engine_fixture_peek_on(f, 2, "IA32_PERF_GLOBAL_STATUS"), 1);
	engine_fixture_end(s, &v);
	assert_int_equal(v, 12);
	/* all 40 bits are given back, and no flag is left */
	assert_true(engine_fixture_peek_on(f, 2, "IA32_PerfCnt0") == WRAP - 5);
	assert_int_equal(engine_fixture_peek_on(f, 2, "IA32_PERF_GLOBAL_STATUS"), 0);
	engine_fixture_poke_on(f, 2, "IA32_PerfCnt0", old);
}

static void sets_that_fit_and_sets_that_do_not(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_event fits[2] = { engine_fixture_event(f, "DATA_READ"),
				      engine_fixture_event(f, "L2_READ_MISS") };
	struct ipmu_event both_0[2] = { engine_fixture_event(f, "L2_WRITE_HIT"),
					engine_fixture_event(f, "L2_READ_MISS") };
	struct ipmu_event three[3] = { engine_fixture_event(f, "DATA_READ"),
				       engine_fixture_event(f, "DATA_WRITE"),
				       engine_fixture_event(f, "BRANCHES") };
	struct ipmu_session *s;
	char why[IPMU_WHY_MAX] = "";

	assert_int_equal(ipmu_session_new(f->sys, &s, why), 0);
	assert_int_equal(ipmu_session_set(s, fits, 2, why), 0);
	assert_int_equal(ipmu_session_set(s, both_0, 2, why), -ENOSPC);
	assert_non_null(strstr(why, "L2_READ_MISS collides with knc.L2_WRITE_HIT"));
	assert_int_equal(ipmu_session_set(s, three, 3, why), -ENOSPC);
	assert_non_null(strstr(why, "BRANCHES collides with"));
	ipmu_session_free(s);
}

/* An operating system has given counter 0 of CPU 9 to the program's SPFLT instruction. */
static void spflt_stays_the_programs_own(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { "BRANCHES:cpu=9" };
	struct ipmu_session *s;
	uint64_t v;

	engine_fixture_poke_on(f, 9, "PERF_SPFLT_CONTROL", 0x1);
	s = engine_fixture_started(f, names, 1);
	engine_fixture_raise(f, 9, VPMU_BRANCHES, 100, 100);
	engine_fixture_poke_on(f, 9, "PERF_SPFLT_CONTROL", 0x8000000000000001ull);
	engine_fixture_raise(f, 9, VPMU_BRANCHES, 20, 20);
	engine_fixture_poke_on(f, 9, "PERF_SPFLT_CONTROL", 0x1);
	engine_fixture_raise(f, 9, VPMU_BRANCHES, 3, 20);
	engine_fixture_end(s, &v);
	assert_int_equal(v, 20);
	assert_int_equal(engine_fixture_peek_on(f, 9, "PERF_SPFLT_CONTROL"), 0x1);
	engine_fixture_poke_on(f, 9, "PERF_SPFLT_CONTROL", 0);
}

static int open_knc(void **state)
{
	static const struct engine_found found[] = {
		{ "IA32_PerfEvtSel0", 0x0003002A }, { "IA32_PerfCnt0", 0xFEDCBA9876 },
		{ "IA32_PerfCnt1", 0x123456789A }, { "IA32_PERF_GLOBAL_CTRL", 3 }, { NULL, 0 },
	};

	return engine_fixture_open_on(state, IPMU_SCOPE_CPU, found);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_over_the_threads_and_narrows),
		cmocka_unit_test(writes_what_the_document_says),
		cmocka_unit_test(any_thread_counts_a_core_once),
		cmocka_unit_test(modifiers_count_as_documented),
		cmocka_unit_test(counters_wrap_without_a_loss),
		cmocka_unit_test(sets_that_fit_and_sets_that_do_not),
		cmocka_unit_test(spflt_stays_the_programs_own),
	};

	(void)argc;
	on_machine(argv, "knc-4c16t");
	return cmocka_run_group_tests(tests, open_knc, engine_fixture_close);
}
