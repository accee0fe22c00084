/* SPDX-License-Identifier: MIT */
/* Sessions on the registers of a virtual Skylake client whose events this test raises itself. */
#include "engine_fixture.h"
#include "on_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#define READ_I "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I"
#define ANY_I "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I"
#define ANY_M "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_M"
#define REQUESTS "skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL"
#define OCCUPANCY "skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL"
#define CLOCK "skl_unc_clk.UNC_CLOCK:SOCKET"

static void sums_over_slices_and_narrows(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { READ_I, READ_I ":box=2", READ_I ":package=0:box=0",
					     ANY_M };
	struct ipmu_session *s = engine_fixture_session(f, names, 4);
	uint64_t v[4];

	engine_fixture_start(s);
	engine_fixture_misses(f, 0, 5);
	engine_fixture_misses(f, 2, 7);
	engine_fixture_misses(f, 3, 11);
	assert_int_equal(ipmu_session_stop(s, v, NULL), 0);
	assert_int_equal(v[0], 5 + 7 + 11);
	assert_int_equal(v[1], 7);
	assert_int_equal(v[2], 5);
	assert_int_equal(v[3], 0);
	engine_fixture_misses(f, 2, 100);	/* stopped: not counted */
	assert_int_equal(ipmu_session_read(s, v), 0);
	ipmu_session_free(s);
}

static void start_counts_from_zero_and_reset_moves_the_baseline(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { READ_I };
	struct ipmu_session *s = engine_fixture_session(f, names, 1);
	uint64_t v;

	for (int round = 1; round < 4; round++) {
		engine_fixture_start(s);
		engine_fixture_misses(f, 1, round);
		assert_int_equal(ipmu_session_read(s, &v), 0);
		assert_int_equal(v, round);
		assert_int_equal(ipmu_session_reset(s), 0);
		engine_fixture_misses(f, 3, 3);
		assert_int_equal(ipmu_session_stop(s, &v, NULL), 0);
		assert_int_equal(v, 3);
	}
	ipmu_session_free(s);
}

static void counters_wrap_without_a_loss(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { READ_I ":box=0", "skl_unc_imc.DRAM_DATA_READS",
					     "skl_unc_imc.DRAM_DATA_WRITES" };
	struct ipmu_session *s = engine_fixture_session(f, names, 3);
	uint64_t old = engine_fixture_peek(f, "MSR_UNC_CBO_0_PERFCTR0"), v[3];

	engine_fixture_poke(f, "MSR_UNC_CBO_0_PERFCTR0", (1ull << 44) - 3);
	engine_fixture_poke(f, "DRAM_DATA_READS", 0xFFFFFFF0);
	engine_fixture_start(s);
	engine_fixture_misses(f, 0, 10);
	vpmu_lock(f->segment);
	vpmu_dram(f->segment, 0, 32, 30, 2);
	vpmu_unlock(f->segment);
	assert_int_equal(ipmu_session_stop(s, v, NULL), 0);
	assert_int_equal(v[0], 10);
	assert_int_equal(v[1], 30);
	assert_int_equal(v[2], 2);
	ipmu_session_free(s);
	assert_true(engine_fixture_peek(f, "MSR_UNC_CBO_0_PERFCTR0") == (1ull << 44) - 3);
	engine_fixture_poke(f, "MSR_UNC_CBO_0_PERFCTR0", old);
}

static void sessions_share_a_counter_with_baselines_of_their_own(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const one[] = { READ_I, ANY_M }, *const two[] = { READ_I };
	struct ipmu_session *a = engine_fixture_session(f, one, 2);
	struct ipmu_session *b = engine_fixture_session(f, two, 1);
	uint64_t va[2], vb;

	engine_fixture_start(a);
	engine_fixture_misses(f, 0, 4);
	engine_fixture_start(b);
	engine_fixture_misses(f, 0, 2);
	assert_int_equal(ipmu_session_take(a, va), 0);
	assert_int_equal(va[0], 4 + 2);		/* until the counts began again */
	assert_int_equal(va[1], 0);
	engine_fixture_misses(f, 0, 1);
	assert_int_equal(ipmu_session_stop(a, va, NULL), 0);
	engine_fixture_misses(f, 0, 8);		/* the other one still counts */
	assert_int_equal(ipmu_session_stop(b, &vb, NULL), 0);
	assert_int_equal(va[0], 1);
	assert_int_equal(vb, 2 + 1 + 8);
	ipmu_session_free(a);
	ipmu_session_free(b);
}

static void colliding_events_are_refused_by_name(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const arb[] = { REQUESTS, OCCUPANCY };
	struct ipmu_session *running = engine_fixture_session(f, arb, 2), *s;
	struct ipmu_event three[3] = {
		engine_fixture_event(f, READ_I), engine_fixture_event(f, ANY_I),
		engine_fixture_event(f, ANY_M),
	};
	struct ipmu_event writes = engine_fixture_event(f, "UNC_ARB_TRK_REQUESTS.WRITES");
	char why[IPMU_WHY_MAX] = "";
	uint64_t v[2];

	assert_int_equal(ipmu_session_new(f->sys, &s, why), 0);
	assert_int_equal(ipmu_session_set(s, three, 3, why), -ENOSPC);
	assert_non_null(strstr(why, "ANY_M collides with"));
	assert_int_equal(ipmu_session_set(s, three, 2, why), 0);
	assert_int_equal(ipmu_session_set(s, &writes, 1, why), 0);
	engine_fixture_start(running);
	assert_int_equal(ipmu_session_start(s, why), -EBUSY);
	assert_non_null(strstr(why, "UNC_ARB_TRK_OCCUPANCY:ALL"));
	assert_int_equal(ipmu_session_stop(running, v, NULL), 0);
	engine_fixture_start(s);
	ipmu_session_free(s);
	ipmu_session_free(running);
}

static void occupancy_takes_counter_0_wherever_it_stands(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const orders[2][2] = { { REQUESTS, OCCUPANCY },
						  { OCCUPANCY, REQUESTS } };

	for (int i = 0; i < 2; i++) {
		struct ipmu_session *s = engine_fixture_session(f, orders[i], 2);

		engine_fixture_start(s);
		assert_int_equal(engine_fixture_peek(f, "MSR_UNC_ARB_PERFEVTSEL0"), 0x400180);
		assert_int_equal(engine_fixture_peek(f, "MSR_UNC_ARB_PERFEVTSEL1"), 0x400181);
		assert_int_equal(engine_fixture_peek(f, "MSR_UNC_PERF_GLOBAL_CTRL"), 0x20000000);
		ipmu_session_free(s);
		assert_int_equal(engine_fixture_peek(f, "MSR_UNC_PERF_GLOBAL_CTRL"), 0x8000000F);
	}
}

static void a_read_costs_one_access_a_counter(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { READ_I, READ_I ":box=1", REQUESTS,
					     "skl_unc_clk.UNC_CLOCK:SOCKET" };
	struct ipmu_session *s = engine_fixture_session(f, names, 4);
	struct vpmu_access_counts was;
	uint64_t v[4];

	engine_fixture_start(s);
	was = f->segment->accesses;
	for (int i = 0; i < 10; i++)
		assert_int_equal(ipmu_session_read(s, v), 0);
	/* four slices, one of them shared by the first two events; ARB; clock */
	assert_int_equal(f->segment->accesses.rdmsr - was.rdmsr, 10 * 6);
	assert_int_equal(f->segment->accesses.wrmsr, was.wrmsr);
	assert_int_equal(ipmu_session_stop(s, NULL, NULL), 0);
	assert_int_equal(f->segment->accesses.wrmsr - was.wrmsr, 1);
	was = f->segment->accesses;
	engine_fixture_start(s);
	assert_int_equal(f->segment->accesses.wrmsr - was.wrmsr, 1);	/* all is programmed */
	assert_int_equal(f->segment->accesses.rdmsr - was.rdmsr, 6);
	ipmu_session_free(s);
}

/* 334060-001 Table 2-2: the Nth event's overflow stops all counters of the package. */
static void freeze_stops_the_uncore_at_the_nth_event(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { READ_I ":box=0:freeze=40", READ_I ":box=1" };
	static const char *const others[] = { ANY_M ":box=2" };
	struct ipmu_session *s = engine_fixture_session(f, names, 2);
	struct ipmu_session *other = engine_fixture_session(f, others, 1);
	char why[IPMU_WHY_MAX] = "";
	uint64_t v[2];

	for (int again = 0; again < 2; again++) {
		engine_fixture_start(s);
		engine_fixture_misses(f, 1, 5);
		engine_fixture_misses(f, 0, 39);
		assert_int_equal(ipmu_session_read(s, v), 0);
		assert_int_equal(v[0], 39);
		engine_fixture_misses(f, 0, 11);
		engine_fixture_misses(f, 1, 7);
		assert_int_equal(ipmu_session_start(other, why), -EBUSY);
		assert_non_null(strstr(why, "freeze="));
		assert_int_equal(ipmu_session_read(s, v), 0);
		assert_int_equal(v[0], 40);
		assert_int_equal(v[1], 5);
		assert_int_equal(ipmu_session_stop(s, v, why), 0);
		assert_int_equal(v[0], 40);
	}
	engine_fixture_start(other);
	engine_fixture_misses(f, 0, 100);	/* nothing freezes any more */
	assert_int_equal(engine_fixture_peek(f, "MSR_UNC_PERF_GLOBAL_CTRL"), 1u << 29);
	ipmu_session_free(s);
	ipmu_session_free(other);
}

static void pass(const struct engine_fixture *f, uint64_t clocks)
{
	vpmu_lock(f->segment);
	vpmu_clock(f->segment, 0, f->segment->uclk[0] + clocks);
	vpmu_unlock(f->segment);
}

/* 334060-001 Tables 2-3, 2-4: the clock's overflow is forwarded as the others are. */
static void freeze_stops_the_uncore_at_the_nth_clock(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { CLOCK ":freeze=250", READ_I };
	struct ipmu_session *s = engine_fixture_session(f, names, 2);
	char why[IPMU_WHY_MAX] = "";
	uint64_t v[2];

	for (int again = 0; again < 2; again++) {
		engine_fixture_start(s);
		pass(f, 248);
		engine_fixture_misses(f, 0, 1);
		assert_int_equal(ipmu_session_read(s, v), 0);
		assert_int_equal(v[0], 249);
		assert_int_equal(v[1], 1);
		pass(f, 100);
		engine_fixture_misses(f, 0, 9);
		assert_int_equal(engine_fixture_peek(f, "MSR_UNC_PERF_GLOBAL_STATUS"), 1);
		assert_int_equal(ipmu_session_stop(s, v, why), 0);
		assert_int_equal(v[0], 250);
		assert_int_equal(v[1], 1);
	}
	ipmu_session_free(s);
}

/* Sessions that run already continue, and may end, alongside a freeze. */
static void a_freeze_outlasts_other_sessions(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { REQUESTS ":freeze=3" }, *const others[] = { READ_I };
	struct ipmu_session *other = engine_fixture_started(f, others, 1);
	struct ipmu_session *s = engine_fixture_started(f, names, 1);
	uint64_t v;

	engine_fixture_misses(f, 0, 2);
	vpmu_lock(f->segment);
	for (uint64_t i = 0; i < 5; i++)
		vpmu_tracker(f->segment, 0, VPMU_TRK_DATA_READ, true, 10 * i, 10 * i + 5);
	vpmu_clock(f->segment, 0, f->segment->uclk[0] + 1000);
	vpmu_unlock(f->segment);
	engine_fixture_misses(f, 0, 2);
	engine_fixture_end(other, &v);
	assert_int_equal(v, 2);
	engine_fixture_end(s, &v);
	assert_int_equal(v, 3);
}

static void setting_the_same_events_again_changes_nothing(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { READ_I };
	struct ipmu_event event = engine_fixture_event(f, READ_I);
	struct ipmu_event other = engine_fixture_event(f, ANY_M);
	struct ipmu_session *s = engine_fixture_session(f, names, 1);
	char why[IPMU_WHY_MAX] = "";
	uint64_t v;

	engine_fixture_start(s);
	engine_fixture_misses(f, 0, 6);
	assert_int_equal(ipmu_session_set(s, &event, 1, why), 0);
	assert_int_equal(ipmu_session_set(s, &other, 1, why), -EBUSY);
	assert_int_equal(ipmu_session_read(s, &v), 0);
	assert_int_equal(v, 6);
	ipmu_session_free(s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_over_slices_and_narrows),
		cmocka_unit_test(start_counts_from_zero_and_reset_moves_the_baseline),
		cmocka_unit_test(counters_wrap_without_a_loss),
		cmocka_unit_test(sessions_share_a_counter_with_baselines_of_their_own),
		cmocka_unit_test(colliding_events_are_refused_by_name),
		cmocka_unit_test(freeze_stops_the_uncore_at_the_nth_event),
		cmocka_unit_test(freeze_stops_the_uncore_at_the_nth_clock),
		cmocka_unit_test(a_freeze_outlasts_other_sessions),
		cmocka_unit_test(occupancy_takes_counter_0_wherever_it_stands),
		cmocka_unit_test(a_read_costs_one_access_a_counter),
		cmocka_unit_test(setting_the_same_events_again_changes_nothing),
	};

	(void)argc;
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, engine_fixture_open, engine_fixture_close);
}
