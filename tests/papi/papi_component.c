/* SPDX-License-Identifier: MIT */
/* The intel_uncore component as PAPI's clients see it, on a virtual Skylake client whose events
 * this test raises itself. */
#include "papi_machine.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define C "intel_uncore:::"
#define READ_I C "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I"
#define ANY_M C "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_M"
#define CLOCK C "skl_unc_clk.UNC_CLOCK:SOCKET"

static void counts_and_resets(void **state)
{
	static const char *const names[] = { READ_I, READ_I ":box=1", ANY_M };
	int set = papi_sets_of(names, 3);
	long long v[3];

	(void)state;
	assert_int_equal(PAPI_start(set), PAPI_OK);
	engine_fixture_misses(&machine, 1, 3);
	engine_fixture_misses(&machine, 2, 4);
	assert_int_equal(PAPI_read(set, v), PAPI_OK);
	assert_int_equal(v[0], 7);
	assert_int_equal(v[1], 3);
	assert_int_equal(v[2], 0);
	assert_int_equal(PAPI_reset(set), PAPI_OK);
	engine_fixture_misses(&machine, 1, 2);
	assert_int_equal(PAPI_accum(set, v), PAPI_OK);
	assert_int_equal(v[0], 9);
	assert_int_equal(v[1], 5);
	engine_fixture_misses(&machine, 0, 1);
	assert_int_equal(PAPI_stop(set, v), PAPI_OK);
	assert_int_equal(v[0], 1);
	assert_int_equal(PAPI_start(set), PAPI_OK);	/* counts from zero again */
	assert_int_equal(PAPI_stop(set, v), PAPI_OK);
	assert_int_equal(v[0], 0);
	papi_sets_end(set);
}

static void the_nth_event_freezes_the_uncore(void **state)
{
	static const char *const names[] = { READ_I ":box=1:freeze=10", READ_I ":box=2" };
	int set = papi_sets_of(names, 2);
	long long v[2];

	(void)state;
	assert_int_equal(PAPI_start(set), PAPI_OK);
	engine_fixture_misses(&machine, 2, 4);
	engine_fixture_misses(&machine, 1, 30);
	engine_fixture_misses(&machine, 2, 4);
	assert_int_equal(PAPI_stop(set, v), PAPI_OK);
	assert_int_equal(v[0], 10);
	assert_int_equal(v[1], 4);
	papi_sets_end(set);
}

/* PAPI moves list entries when one is removed and forgets their code: the others must continue. */
static void removing_an_event_leaves_the_others_right(void **state)
{
	static const char *const names[] = { ANY_M, READ_I ":box=1", READ_I ":box=2", CLOCK };

	(void)state;
	for (int gone = 0; gone < 4; gone++) {
		int set = papi_sets_of(names, 4), codes[3], n = 3;
		long long v[4];

		assert_int_equal(PAPI_remove_named_event(set, names[gone]), PAPI_OK);
		assert_int_equal(PAPI_start(set), PAPI_OK);
		engine_fixture_misses(&machine, 1, 10);
		engine_fixture_misses(&machine, 2, 20);
		assert_int_equal(PAPI_stop(set, v), PAPI_OK);
		assert_int_equal(PAPI_list_events(set, codes, &n), PAPI_OK);
		assert_int_equal(n, 3);
		for (int i = 0; i < n; i++) {
			char name[PAPI_MAX_STR_LEN];

			assert_int_equal(PAPI_event_code_to_name(codes[i], name), PAPI_OK);
			if (strcmp(name, names[1]) == 0)
				assert_int_equal(v[i], 10);
			else if (strcmp(name, names[2]) == 0)
				assert_int_equal(v[i], 20);
			else if (strcmp(name, CLOCK) == 0)
				assert_int_equal(v[i], 10 + 20);	/* a lookup a clock */
			else
				assert_int_equal(v[i], 0);
		}
		assert_int_equal(PAPI_add_named_event(set, names[gone]), PAPI_OK);
		assert_int_equal(PAPI_start(set), PAPI_OK);
		engine_fixture_misses(&machine, 1, 5);
		assert_int_equal(PAPI_stop(set, v), PAPI_OK);
		assert_int_equal(v[0] + v[1] + v[2] + v[3], 5 + 5);
		papi_sets_end(set);
	}
}

static void one_event_in_two_sets(void **state)
{
	static const char *const names[] = { READ_I };
	int a = papi_sets_of(names, 1), b = papi_sets_of(names, 1);
	long long va, vb;

	(void)state;
	/* PAPI runs one set a component and thread; the other one starts when the first stops. */
	assert_int_equal(PAPI_start(a), PAPI_OK);
	assert_int_equal(PAPI_start(b), PAPI_EISRUN);
	engine_fixture_misses(&machine, 0, 3);
	assert_int_equal(PAPI_stop(a, &va), PAPI_OK);
	assert_int_equal(PAPI_start(b), PAPI_OK);
	engine_fixture_misses(&machine, 0, 4);
	assert_int_equal(PAPI_stop(b, &vb), PAPI_OK);
	assert_int_equal(va, 3);
	assert_int_equal(vb, 4);
	papi_sets_end(a);
	papi_sets_end(b);
}

static void bad_names_give_papis_codes(void **state)
{
	static const struct {
		const char *name;
		int code;
	} bad[] = {
		{ C "skl_unc_cbo.NO_SUCH_EVENT", PAPI_ENOEVNT },
		{ C "NO_SUCH_EVENT", PAPI_ENOEVNT },
		{ C "skl_unc_cbo.UNC_CBO_XSNP_RESPONSE", PAPI_EINVAL },
		{ READ_I ":colour=3", PAPI_EINVAL },
		{ READ_I ":box=0:box=0", PAPI_EINVAL },
		{ READ_I ":package=9", PAPI_EINVAL },
		{ READ_I ":c=32", PAPI_EINVAL },
	};
	int set = PAPI_NULL;

	(void)state;
	assert_int_equal(PAPI_create_eventset(&set), PAPI_OK);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		print_message("%s\n", bad[i].name);
		assert_int_equal(PAPI_add_named_event(set, bad[i].name), bad[i].code);
	}
	assert_int_equal(PAPI_num_events(set), 0);
	assert_int_equal(PAPI_destroy_eventset(&set), PAPI_OK);
}

static int times(const char *text, const char *words)
{
	int n = 0;

	for (; (text = strstr(text, words)) != NULL; text++)
		n++;
	return n;
}

/* PAPI queries a name more than once, and queries us for names of other components. */
static void what_is_wrong_with_a_name_is_said_once(void **state)
{
	static const struct { const char *name, *says; int times; } asked[] = {
		{ "perf::NO_SUCH_EVENT", "NO_SUCH_EVENT", 0 },
		{ "perf.NO_SUCH_EVENT", "NO_SUCH_EVENT", 0 },
		{ "intel_uncore---skl_unc_clk.UNC_CLOCK:SOCKET", "UNC_CLOCK", 0 },
		{ C "skl_unc_cbo.NO_SUCH_EVENT", "NO_SUCH_EVENT", 1 },
		{ C "skl_unc_cbo.NO_SUCH_EVENT", "NO_SUCH_EVENT", 0 },
		{ READ_I ":colour=3", "colour", 1 },
		{ C "skl_unc_cbo.NO_SUCH_EVENT", "NO_SUCH_EVENT", 1 },
		{ C "NEITHER_THIS", "no documented PMU", !PAPI_SETS_BARE_NAMES },
		{ "skl_unc_cbo.NOR_THIS", "NOR_THIS", PAPI_SETS_BARE_NAMES },
		{ "UNC_CBO_CACHE_LOOKUP.READ_I:colour=4", "colour", PAPI_SETS_BARE_NAMES },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct papi_sets_ear ear = papi_sets_listen();
		char text[4096];
		int code;

		assert_int_not_equal(PAPI_event_name_to_code(asked[i].name, &code), PAPI_OK);
		papi_sets_what_was_heard(ear, text);
		if (times(text, asked[i].says) != asked[i].times)
			fail_msg("%s: not %d times '%s': %s", asked[i].name, asked[i].times,
				 asked[i].says, text);
	}
}

static void a_third_event_for_two_counters_conflicts(void **state)
{
	static const char *const names[] = { READ_I, ANY_M };
	int set = papi_sets_of(names, 2);
	long long v[2];

	(void)state;
	assert_int_equal(PAPI_add_named_event(set, C "UNC_CBO_CACHE_LOOKUP.ANY_I"), PAPI_ECNFLCT);
	assert_int_equal(PAPI_num_events(set), 2);
	assert_int_equal(PAPI_start(set), PAPI_OK);	/* the two go on */
	engine_fixture_misses(&machine, 3, 6);
	assert_int_equal(PAPI_stop(set, v), PAPI_OK);
	assert_int_equal(v[0], 6);
	assert_int_equal(v[1], 0);
	papi_sets_end(set);
}

static void many_events_in_one_set(void **state)
{
	int set = PAPI_NULL, n = 0;
	long long v[32];

	(void)state;
	assert_int_equal(PAPI_create_eventset(&set), PAPI_OK);
	for (int box = 0; box < 4; box++) {
		static const char *const umasks[] = { "READ_I", "ANY_M" };

		for (int u = 0; u < 2; u++, n++) {
			char name[PAPI_MAX_STR_LEN];

			snprintf(name, sizeof(name), C "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:%s:box=%d",
				 umasks[u], box);
			assert_int_equal(PAPI_add_named_event(set, name), PAPI_OK);
		}
	}
	static const char *const more[] = {
		C "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I", C "UNC_CBO_CACHE_LOOKUP.ANY_M",
		C "skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL", C "skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL",
		C "skl_unc_clk.UNC_CLOCK:SOCKET", C "skl_unc_imc.DRAM_GT_REQUESTS",
		C "skl_unc_imc.DRAM_IA_REQUESTS", C "skl_unc_imc.DRAM_IO_REQUESTS",
		C "skl_unc_imc.DRAM_DATA_READS", C "skl_unc_imc.DRAM_DATA_WRITES",
		C "skl_unc_imc.DRAM_DATA_READS:package=0", C "skl_unc_imc.DRAM_DATA_READS:box=0",
		C "skl_unc_imc.DRAM_DATA_WRITES:package=0", C "skl_unc_imc.DRAM_DATA_WRITES:box=0",
		C "skl_unc_clk.UNC_CLOCK:SOCKET:box=0", C "skl_unc_imc.DRAM_IA_REQUESTS:box=0",
		C "skl_unc_imc.DRAM_IA_REQUESTS:package=0",
	};
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++, n++)
		assert_int_equal(PAPI_add_named_event(set, more[i]), PAPI_OK);
	assert_int_equal(n, 25);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	engine_fixture_misses(&machine, 2, 9);
	assert_int_equal(PAPI_stop(set, v), PAPI_OK);
	assert_int_equal(v[4], 9);
	assert_int_equal(v[8], 9);
	papi_sets_end(set);
}

static void describes(const char *name, const char *units, const char *says)
{
	PAPI_event_info_t info;
	int code;

	assert_int_equal(PAPI_event_name_to_code(name, &code), PAPI_OK);
	assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
	assert_string_equal(info.units, units);
	if (!strstr(info.long_descr, says))
		fail_msg("%s: '%s' is not in '%s'", name, says, info.long_descr);
}

/* 334060-001 Table 2-7 (threshold), Table 3-3 (what a DRAM request is not). */
static void says_how_a_name_goes_on(void **state)
{
	static const char *const requests[] = { "GT", "IA", "IO" };

	(void)state;
	describes(C "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP", "events", "; qualifiers: package=0, "
		  "box=0-3, e, i, c=0-31, freeze=1-17592186044415; without a unit mask: ANY_MESI");
	describes(READ_I ":box=1", "events", "box=0-3, e, i, c=0-31,");
	describes(READ_I ":c=2", "clocks", "box=0-3");
	describes(C "UNC_CBO_CACHE_LOOKUP.READ_I", "events", "; qualifiers: package=0, box=0-3,");
	describes(C "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:READ_I", "events",
		  "; qualifiers: package=0, ");
	if (PAPI_SETS_BARE_NAMES)
		describes("skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:READ_I", "events",
			  "; qualifiers: package=0, ");
	describes(READ_I ":c=2:e", "occurrences", "box=0-3");
	describes(C "skl_unc_cbo.UNC_CBO_XSNP_RESPONSE", "events", "; needs a unit mask");
	describes(C "skl_unc_imc.DRAM_DATA_READS", "64-byte transfers", "qualifiers: package=0");
	for (int i = 0; i < 3; i++) {
		char name[64];

		snprintf(name, sizeof(name), C "skl_unc_imc.DRAM_%s_REQUESTS", requests[i]);
		describes(name, "requests", "requests x 64 bytes is more");
	}
}

static void says_what_an_event_is(void **state)
{
	PAPI_event_info_t info;
	int code;

	(void)state;
	assert_int_equal(PAPI_event_name_to_code(CLOCK, &code), PAPI_OK);
	assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
	assert_string_equal(info.symbol, CLOCK);
	assert_int_equal(info.data_type, PAPI_DATATYPE_UINT64);
	assert_int_equal(info.timescope, PAPI_TIMESCOPE_SINCE_START);
	assert_string_equal(info.units, "clocks");
	assert_non_null(strstr(info.long_descr, "masks:"));
	/* a second look-up finds the same code */
	int again;

	assert_int_equal(PAPI_event_name_to_code(CLOCK, &again), PAPI_OK);
	assert_int_equal(again, code);
}

static void unknown_enumerations_end(void **state)
{
	int cid = PAPI_get_component_index("intel_uncore"), code = PAPI_NATIVE_MASK, probe;

	(void)state;
	assert_int_equal(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cid), PAPI_OK);
	probe = code;
	assert_int_not_equal(PAPI_enum_cmp_event(&probe, PAPI_NTV_ENUM_GROUPS, cid), PAPI_OK);
	probe = code;
	assert_int_not_equal(PAPI_enum_cmp_event(&probe, PAPI_NTV_ENUM_IARR, cid), PAPI_OK);
}

static void says_how_many_events_it_has_listed(void **state)
{
	int cid = PAPI_get_component_index("intel_uncore"), code = PAPI_NATIVE_MASK, n = 1;

	(void)state;
	assert_int_equal(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cid), PAPI_OK);
	while (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, cid) == PAPI_OK)
		n++;
	assert_int_equal(PAPI_get_component_info(cid)->num_native_events, n);
}

static void can_be_cancelled(const char *after)
{
	int was;

	assert_int_equal(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &was), 0);
	if (was != PTHREAD_CANCEL_ENABLE)
		fail_msg("after %s the thread cannot be cancelled any more", after);
}

/* Inside, cancellation is off; afterwards it is as it was. */
static void cancellation_stays_as_it_was(void **state)
{
	int set = papi_sets_one(READ_I), bad;
	long long v;

	(void)state;
	can_be_cancelled("adding an event");
	assert_papi(PAPI_start(set), PAPI_OK);
	can_be_cancelled("a start");
	assert_papi(PAPI_read(set, &v), PAPI_OK);
	can_be_cancelled("a read");
	assert_papi(PAPI_reset(set), PAPI_OK);
	can_be_cancelled("a reset");
	assert_papi(PAPI_stop(set, &v), PAPI_OK);
	can_be_cancelled("a stop");
	assert_int_not_equal(PAPI_event_name_to_code(C "NO_SUCH", &bad), PAPI_OK);
	can_be_cancelled("a wrong name");
	papi_sets_end(set);
	can_be_cancelled("the end");
}

static volatile sig_atomic_t overflows;

static void on_overflow(int set, void *address, long long vector, void *context)
{
	(void)set, (void)address, (void)context;
	overflows += (vector & 1) == 1;
}

/* Software overflow by PAPI's 10 ms profiling timer: at most one a tick, whatever was counted. */
static void overflow_is_polled_and_rearmed(void **state)
{
	static const char *const names[] = { READ_I };
	int set = papi_sets_of(names, 1), code;
	long long v;

	(void)state;
	assert_int_equal(PAPI_event_name_to_code(READ_I, &code), PAPI_OK);
	assert_int_equal(PAPI_overflow(set, code, 1000, PAPI_OVERFLOW_FORCE_SW, on_overflow),
			 PAPI_OK);
	for (int round = 0; round < 2; round++) {
		clock_t end = clock() + CLOCKS_PER_SEC / 5;

		overflows = 0;
		assert_int_equal(PAPI_start(set), PAPI_OK);
		/* Ticks that come late, as under memcheck, are waited for. */
		while (clock() < end || (overflows < 3 && clock() < end + 5 * CLOCKS_PER_SEC)) {
			sigset_t timer, old;

			/* The handler reads registers: not while this thread has the machine. */
			sigemptyset(&timer);
			sigaddset(&timer, SIGPROF);
			sigprocmask(SIG_BLOCK, &timer, &old);
			engine_fixture_misses(&machine, 0, 100);
			sigprocmask(SIG_SETMASK, &old, NULL);
		}
		assert_int_equal(PAPI_stop(set, &v), PAPI_OK);
		print_message("%d overflows in 0.2 s, %lld counted\n", (int)overflows, v);
		assert_in_range(overflows, 3, 40);
	}
	assert_int_equal(PAPI_overflow(set, code, 0, 0, on_overflow), PAPI_OK);
	papi_sets_end(set);
}

/* With IPMU_NODE_SUM one set of a process reports an event: not one that could not start. PAPI
 * stops such a set, but for one with overflows. */
static void a_failed_start_leaves_the_report_to_others(void **state)
{
	static const char global[] = "MSR_UNC_PERF_GLOBAL_CTRL";
	static const char select[] = "MSR_UNC_CBO_0_PERFEVTSEL0";
	uint64_t global_found = engine_fixture_peek(&machine, global);
	uint64_t select_found = engine_fixture_peek(&machine, select);
	int failing = papi_sets_one(READ_I), other = papi_sets_one(READ_I);
	long long v;

	(void)state;
	assert_papi(PAPI_overflow(failing, papi_sets_code(READ_I), 1000000,
				  PAPI_OVERFLOW_FORCE_SW, on_overflow), PAPI_OK);
	setenv("IPMU_NODE_SUM", "first", 1);
	engine_fixture_poke(&machine, select, 0x508834);	/* somebody else counts */
	engine_fixture_poke(&machine, global, global_found | 1u << 29);
	assert_papi(PAPI_start(failing), PAPI_ECNFLCT);
	engine_fixture_poke(&machine, select, select_found);
	engine_fixture_poke(&machine, global, global_found);
	assert_papi(PAPI_start(other), PAPI_OK);
	engine_fixture_misses(&machine, 1, 5);
	assert_papi(PAPI_stop(other, &v), PAPI_OK);
	assert_int_equal(v, 5);
	unsetenv("IPMU_NODE_SUM");
	papi_sets_end(failing);
	papi_sets_end(other);
}

static void what_is_not_supported_says_so(void **state)
{
	static const char *const names[] = { READ_I };
	int set = papi_sets_of(names, 1);

	(void)state;
	assert_int_equal(PAPI_set_multiplex(set), PAPI_ENOSUPP);
	assert_int_equal(PAPI_attach(set, (unsigned long)getpid()), PAPI_ECMP);
	papi_sets_end(set);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_and_resets),
		cmocka_unit_test(the_nth_event_freezes_the_uncore),
		cmocka_unit_test(removing_an_event_leaves_the_others_right),
		cmocka_unit_test(one_event_in_two_sets),
		cmocka_unit_test(bad_names_give_papis_codes),
		cmocka_unit_test(what_is_wrong_with_a_name_is_said_once),
		cmocka_unit_test(a_third_event_for_two_counters_conflicts),
		cmocka_unit_test(many_events_in_one_set),
		cmocka_unit_test(says_what_an_event_is),
		cmocka_unit_test(says_how_a_name_goes_on),
		cmocka_unit_test(unknown_enumerations_end),
		cmocka_unit_test(says_how_many_events_it_has_listed),
		cmocka_unit_test(cancellation_stays_as_it_was),
		cmocka_unit_test(overflow_is_polled_and_rearmed),
		cmocka_unit_test(a_failed_start_leaves_the_report_to_others),
		cmocka_unit_test(what_is_not_supported_says_so),
	};

	(void)argc;
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, papi_machine_open, papi_machine_close);
}
