/* SPDX-License-Identifier: MIT */
/* Sessions on the M-Boxes of a virtual Xeon 7500 whose memory commands this test raises itself. */
#include "model/core_events.h"
#include "counting/system.h"
#include "engine_fixture.h"
#include "on_machine.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#define READS "nhmex_unc_mbox.FVC_EV0:BBOX_CMDS_READS"
#define WRITES "nhmex_unc_mbox.FVC_EV0:BBOX_CMDS_WRITES"
#define ALL "nhmex_unc_mbox.BBOX_CMDS_ALL"
#define HIT "nhmex_unc_mbox.PAGE_HIT"
#define EMPTY "nhmex_unc_mbox.PAGE_EMPTY"
#define CYCLES "nhmex_unc_mbox.CYCLES"

#define EN_ALL 0x10000000u
#define FRZ_ALL 0x80000000u

static uint64_t clock_of[VPMU_PACKAGES_MAX];

/* n commands, one every ten clocks */
static void commands(const struct engine_fixture *f, uint32_t package, uint32_t box, bool write,
		     enum vpmu_page page, int n)
{
	vpmu_lock(f->segment);
	for (int i = 0; i < n; i++)
		vpmu_memory_command(f->segment, package, box, write, page, clock_of[package] += 10);
	vpmu_unlock(f->segment);
}

static void reads(const struct engine_fixture *f, uint32_t package, uint32_t box, int n)
{
	commands(f, package, box, false, VPMU_PAGE_HIT, n);
}

static void clocks(const struct engine_fixture *f, uint32_t package, uint64_t n)
{
	vpmu_lock(f->segment);
	vpmu_clock(f->segment, package, clock_of[package] += n);
	vpmu_unlock(f->segment);
}

static void stop_session(struct ipmu_session *s, uint64_t *v)
{
	char why[IPMU_WHY_MAX] = "";

	if (ipmu_session_stop(s, v, why))
		fail_msg("%s", why);
}

static void sums_over_boxes_and_packages_and_narrows(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { READS, READS ":package=1", READS ":package=1:box=1",
					     HIT, EMPTY, ALL };
	struct ipmu_session *s = engine_fixture_session(f, names, 6);
	uint64_t v[6];

	engine_fixture_start(s);
	reads(f, 0, 0, 5);
	reads(f, 1, 0, 7);
	reads(f, 1, 1, 11);
	commands(f, 3, 1, true, VPMU_PAGE_EMPTY, 13);
	stop_session(s, v);
	reads(f, 0, 0, 100);	/* stopped: not counted */
	assert_int_equal(v[0], 5 + 7 + 11);
	assert_int_equal(v[1], 7 + 11);
	assert_int_equal(v[2], 11);
	assert_int_equal(v[3], 5 + 7 + 11);
	assert_int_equal(v[4], 13);
	assert_int_equal(v[5], 5 + 7 + 11 + 13);
	ipmu_session_free(s);
}

static void what_is_written_and_in_what_order_it_ends(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { READS, "nhmex_unc_mbox.FVC_EV0:BBOX_RSP_ACK",
					     "nhmex_unc_mbox.CYCLES_DSP_FILL:RDQ_FULL" };
	struct ipmu_session *s = engine_fixture_session(f, names, 3);
	uint64_t v[3];

	engine_fixture_start(s);
	assert_int_equal(engine_fixture_peek(f, "M1_MSR_PMU_CNT_CTL_0"), 0x1A41);
	assert_int_equal(engine_fixture_peek(f, "M1_MSR_PMU_CNT_CTL_1"), 0x1C41);
	assert_int_equal(engine_fixture_peek(f, "M1_MSR_PMU_CNT_CTL_2"), 0xC1);
	assert_int_equal(engine_fixture_peek(f, "M0_MSR_PMU_ZDP_CTL_FVC"), 0x1A800);
	/* of box 1 it had evnt2 = 7, which nobody needs otherwise */
	assert_int_equal(engine_fixture_peek(f, "M1_MSR_PMU_ZDP_CTL_FVC"), 0xFA800);
	assert_int_equal(engine_fixture_peek(f, "M0_MSR_PMU_DSP"), 0x80);
	assert_int_equal(engine_fixture_peek(f, "M0_MSR_PERF_GLOBAL_CTL"), 7);
	assert_int_equal(engine_fixture_peek(f, "M1_MSR_PERF_GLOBAL_CTL"), 7);
	/* pmi_core_sel stays as it was found */
	assert_int_equal(engine_fixture_peek(f, "U_MSR_PMON_GLOBAL_CTL"), EN_ALL | 0x4);
	stop_session(s, v);
	assert_int_equal(engine_fixture_peek(f, "U_MSR_PMON_GLOBAL_CTL"), 0x4);
	assert_int_equal(engine_fixture_peek(f, "M0_MSR_PERF_GLOBAL_CTL"), 0);
	ipmu_session_free(s);
	assert_int_equal(engine_fixture_peek(f, "M1_MSR_PMU_ZDP_CTL_FVC"), 0xE0000);
	assert_int_equal(engine_fixture_peek(f, "M0_MSR_PERF_GLOBAL_CTL"), 0x20);
}

/* A counter's flag from before its time would end a freeze at once; flags of others stay. */
static void a_start_forgets_older_overflows_of_its_own_counter(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { ALL ":freeze=9:package=0:box=1" };
	struct ipmu_session *s = engine_fixture_session(f, names, 1);

	engine_fixture_poke(f, "M0_MSR_PERF_GLOBAL_STATUS", 0x1);
	engine_fixture_poke(f, "M1_MSR_PERF_GLOBAL_STATUS", 0x21);
	engine_fixture_start(s);
	assert_int_equal(engine_fixture_peek(f, "M1_MSR_PERF_GLOBAL_CTL"), 1);
	assert_int_equal(engine_fixture_peek(f, "M1_MSR_PERF_GLOBAL_STATUS"), 0x20);
	assert_int_equal(engine_fixture_peek(f, "M0_MSR_PERF_GLOBAL_STATUS"), 0x1);
	stop_session(s, NULL);
	ipmu_session_free(s);
	engine_fixture_poke(f, "M0_MSR_PERF_GLOBAL_STATUS", 0);
	engine_fixture_poke(f, "M1_MSR_PERF_GLOBAL_STATUS", 0);
}

static void sessions_with_other_sub_controls_wait_for_each_other(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const one[] = { READS }, *const two[] = { WRITES };
	struct ipmu_session *a = engine_fixture_session(f, one, 1);
	struct ipmu_session *b = engine_fixture_session(f, two, 1);
	char why[IPMU_WHY_MAX] = "";
	uint64_t v;

	engine_fixture_start(a);
	assert_int_equal(ipmu_session_start(b, why), -EBUSY);
	assert_non_null(strstr(why, READS));
	assert_non_null(strstr(why, WRITES));
	assert_non_null(strstr(why, "M0_MSR_PMU_ZDP_CTL_FVC"));
	reads(f, 2, 1, 3);
	stop_session(a, &v);
	assert_int_equal(v, 3);
	engine_fixture_start(b);
	commands(f, 2, 1, true, VPMU_PAGE_HIT, 4);
	reads(f, 2, 1, 9);
	stop_session(b, &v);
	assert_int_equal(v, 4);
	ipmu_session_free(a);
	ipmu_session_free(b);
}

static void counters_wrap_without_a_loss_and_count_down(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { ALL ":package=0:box=0",
					     ALL ":count_mode=1:package=0:box=0" };
	struct ipmu_session *s = engine_fixture_session(f, names, 2);
	uint64_t old = engine_fixture_peek(f, "M0_MSR_PMU_CNT_0"), v[2];

	engine_fixture_poke(f, "M0_MSR_PMU_CNT_0", 0xFFFFFFFFFFFD);
	engine_fixture_poke(f, "M0_MSR_PMU_CNT_1", 2);
	engine_fixture_start(s);
	reads(f, 0, 0, 7);
	assert_int_equal(ipmu_session_read(s, v), 0);
	assert_int_equal(v[0], 7);
	assert_int_equal(v[1], 7);
	assert_int_equal(engine_fixture_peek(f, "M0_MSR_PMU_CNT_0"), 4);
	assert_true(engine_fixture_peek(f, "M0_MSR_PMU_CNT_1") == 0xFFFFFFFFFFFB);
	assert_int_equal(ipmu_session_reset(s), 0);
	reads(f, 0, 0, 2);
	stop_session(s, v);
	assert_int_equal(v[0], 2);
	assert_int_equal(v[1], 2);
	ipmu_session_free(s);
	engine_fixture_poke(f, "M0_MSR_PMU_CNT_0", old);
	engine_fixture_poke(f, "M0_MSR_PMU_CNT_1", 0);
}

/* The uncore of package 1 stands still after the 10th command of its box 0: the events after it,
 * of all its boxes, are not counted; those of package 0 are. Twice, to see the second preset. */
static void freeze_stops_all_boxes_of_the_package_after_n_events(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { ALL ":freeze=10:package=1:box=0", ALL };
	struct ipmu_session *s = engine_fixture_session(f, names, 2);
	uint64_t v[2];

	for (int round = 0; round < 2; round++) {
		engine_fixture_start(s);
		assert_int_equal(engine_fixture_peek_on(f, 8, "U_MSR_PMON_GLOBAL_CTL"),
				 FRZ_ALL | EN_ALL);	/* no core is interrupted */
		assert_true(engine_fixture_peek_on(f, 8, "M0_MSR_PMU_CNT_0") == 0xFFFFFFFFFFF6);
		reads(f, 1, 1, 6);
		reads(f, 1, 0, 9);
		assert_int_equal(ipmu_session_read(s, v), 0);
		assert_int_equal(v[0], 9);
		assert_int_equal(v[1], 15);
		reads(f, 1, 0, 1);
		reads(f, 1, 0, 50);
		reads(f, 1, 1, 60);
		reads(f, 0, 1, 3);
		assert_int_equal(engine_fixture_peek_on(f, 8, "U_MSR_PMON_GLOBAL_CTL"),
				 FRZ_ALL);
		stop_session(s, v);
		assert_int_equal(v[0], 10);
		assert_int_equal(v[1], 6 + 10 + 3);
	}
	ipmu_session_free(s);
	assert_int_equal(engine_fixture_peek_on(f, 8, "U_MSR_PMON_GLOBAL_CTL"), 0x4);
	assert_int_equal(engine_fixture_peek_on(f, 8, "M0_MSR_PERF_GLOBAL_STATUS"), 0);
}

/* A start during a freeze would let the frozen counters continue, so it is refused. */
static void nobody_thaws_a_frozen_package_but_its_session(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const one[] = { ALL ":freeze=4:package=2" }, *const two[] = { HIT };
	struct ipmu_session *a = engine_fixture_session(f, one, 1);
	struct ipmu_session *b = engine_fixture_session(f, two, 1);
	struct ipmu_session *c = engine_fixture_session(f, two, 1);
	char why[IPMU_WHY_MAX] = "";
	uint64_t v;

	engine_fixture_start(b);
	engine_fixture_start(c);
	reads(f, 2, 0, 2);
	engine_fixture_start(a);
	reads(f, 2, 0, 3);
	stop_session(b, &v);		/* not frozen yet: a continues */
	assert_int_equal(v, 5);
	reads(f, 2, 0, 1);
	reads(f, 2, 0, 9);
	stop_session(c, &v);		/* frozen, and remains so */
	assert_int_equal(v, 6);
	assert_int_equal(ipmu_session_start(b, why), -EBUSY);
	assert_non_null(strstr(why, "freeze"));
	reads(f, 2, 0, 8);
	assert_int_equal(ipmu_session_read(a, &v), 0);
	assert_int_equal(v, 4);
	stop_session(a, &v);
	assert_int_equal(v, 4);
	engine_fixture_start(b);
	reads(f, 2, 0, 8);
	stop_session(b, &v);
	assert_int_equal(v, 8);
	ipmu_session_free(a);
	ipmu_session_free(b);
	ipmu_session_free(c);
}

/* A counter that does not wrap starts at 0, and so stops nowhere near. */
static void a_counter_without_wrap_starts_from_0(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { ALL ":wrap_mode=0:package=0:box=0" };
	struct ipmu_session *s = engine_fixture_session(f, names, 1);
	uint64_t old = engine_fixture_peek(f, "M0_MSR_PMU_CNT_0"), v;

	engine_fixture_poke(f, "M0_MSR_PMU_CNT_0", 0xFFFFFFFFFFFE);
	engine_fixture_start(s);
	assert_int_equal(engine_fixture_peek(f, "M0_MSR_PMU_CNT_0"), 0);
	reads(f, 0, 0, 5);
	stop_session(s, &v);
	assert_int_equal(v, 5);
	ipmu_session_free(s);
	engine_fixture_poke(f, "M0_MSR_PMU_CNT_0", old);
}

/* A foreign tool counts with boxes that are not ours: en_all is not ours to switch off. */
static void a_foreign_en_all_stays_on(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { ALL };
	struct ipmu_session *s;
	uint64_t v;

	engine_fixture_poke(f, "U_MSR_PMON_GLOBAL_CTL", EN_ALL | 0x4);
	s = engine_fixture_session(f, names, 1);
	engine_fixture_start(s);
	reads(f, 0, 0, 5);
	stop_session(s, &v);
	reads(f, 0, 0, 5);
	assert_int_equal(engine_fixture_peek(f, "U_MSR_PMON_GLOBAL_CTL"), EN_ALL | 0x4);
	assert_int_equal(v, 5);
	engine_fixture_start(s);
	reads(f, 0, 0, 2);
	stop_session(s, &v);
	assert_int_equal(v, 2);
	ipmu_session_free(s);
	assert_int_equal(engine_fixture_peek(f, "U_MSR_PMON_GLOBAL_CTL"), EN_ALL | 0x4);
	engine_fixture_poke(f, "U_MSR_PMON_GLOBAL_CTL", 0x4);
}

static void cycles_and_the_16_bit_timestamp(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { CYCLES ":package=0:box=0",
					     "nhmex_unc_mbox_ts.TIMESTAMP:package=0:box=0" };
	struct ipmu_session *s = engine_fixture_session(f, names, 2);
	uint64_t v[2], w[2];

	engine_fixture_start(s);
	assert_int_equal(ipmu_session_read(s, v), 0);
	clocks(f, 0, 40000);
	assert_int_equal(ipmu_session_read(s, w), 0);
	assert_true(w[0] > v[0]);
	assert_int_equal(w[0] - v[0], w[1] - v[1]);
	clocks(f, 0, 0x10000 * 5 + 100);	/* it cannot know of the wraps */
	assert_int_equal(ipmu_session_read(s, v), 0);
	assert_int_equal(v[1] - w[1], (v[0] - w[0]) & 0xFFFF);
	assert_true(v[0] - w[0] > 0xFFFF);
	stop_session(s, v);
	ipmu_session_free(s);
}

static void a_read_costs_one_access_a_counter(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { READS, HIT ":package=1", ALL ":package=1:box=1" };
	struct ipmu_session *s = engine_fixture_session(f, names, 3);
	struct vpmu_access_counts was;
	uint64_t v[3];

	engine_fixture_start(s);
	was = f->segment->accesses;
	for (int i = 0; i < 10; i++)
		assert_int_equal(ipmu_session_read(s, v), 0);
	assert_int_equal(f->segment->accesses.rdmsr - was.rdmsr, 10 * (8 + 2 + 1));
	assert_int_equal(f->segment->accesses.wrmsr, was.wrmsr);
	ipmu_session_free(s);
}

static int open_machine(void **state)
{
	static const struct engine_found found[] = {
		{ "U_MSR_PMON_GLOBAL_CTL", 0x4 },
		{ "M0_MSR_PERF_GLOBAL_CTL", 0x20 },
		{ "M0_MSR_PMU_CNT_CTL_1", 0x2840 },
		{ "M0_MSR_PMU_CNT_0", 0x123456789ABC },
		{ "M1_MSR_PMU_CNT_5", 0x42 },
		{ "M1_MSR_PMU_ZDP_CTL_FVC", 0xE0000 },
		{ NULL, 0 },
	};

	return engine_fixture_open_on(state, IPMU_SCOPE_PACKAGE, found);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_over_boxes_and_packages_and_narrows),
		cmocka_unit_test(what_is_written_and_in_what_order_it_ends),
		cmocka_unit_test(a_start_forgets_older_overflows_of_its_own_counter),
		cmocka_unit_test(sessions_with_other_sub_controls_wait_for_each_other),
		cmocka_unit_test(counters_wrap_without_a_loss_and_count_down),
		cmocka_unit_test(freeze_stops_all_boxes_of_the_package_after_n_events),
		cmocka_unit_test(nobody_thaws_a_frozen_package_but_its_session),
		cmocka_unit_test(a_counter_without_wrap_starts_from_0),
		cmocka_unit_test(a_foreign_en_all_stays_on),
		cmocka_unit_test(cycles_and_the_16_bit_timestamp),
		cmocka_unit_test(a_read_costs_one_access_a_counter),
	};

	(void)argc;
	on_machine(argv, "nhmex-4p32c64t");
	return cmocka_run_group_tests(tests, open_machine, engine_fixture_close);
}
