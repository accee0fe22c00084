/* SPDX-License-Identifier: MIT */
/* Sessions on the C-Boxes of a virtual Xeon 7500 whose lookups this test raises itself, alone and
 * beside sessions on its M-Boxes, which the same U-Box starts and stops. TEST_DATA is the folder of
 * the tables. */
#include "counting/system.h"
#include "engine_fixture.h"
#include "fake_system.h"
#include "on_machine.h"
#include "pmu/families.h"
#include "tsv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#define HITS "nhmex_unc_cbox.LLC_HITS:ALL"
#define MISSES "nhmex_unc_cbox::LLC_MISSES"
#define COMMANDS "nhmex_unc_mbox.BBOX_CMDS_ALL"
#define EN_ALL 0x10000000u
#define FRZ_ALL 0x80000000u

static uint64_t clock_of[VPMU_PACKAGES_MAX];

static void lookups(const struct engine_fixture *f, uint32_t package, uint32_t slice,
		    enum vpmu_mesi found, int n)
{
	vpmu_lock(f->segment);
	for (int i = 0; i < n; i++)
		vpmu_llc_lookup(f->segment, package, slice, VPMU_READ, found,
				clock_of[package] += 10);
	vpmu_unlock(f->segment);
}

static void commands(const struct engine_fixture *f, uint32_t package, uint32_t box, int n)
{
	vpmu_lock(f->segment);
	for (int i = 0; i < n; i++)
		vpmu_memory_command(f->segment, package, box, false, VPMU_PAGE_HIT,
				    clock_of[package] += 10);
	vpmu_unlock(f->segment);
}

/* ---- names */

static void check_spellings(const struct ipmu_system *sys, const struct tsv *t)
{
	static const char *const pmus[] = { "", "", "nhmex_unc_cbox.", "nhmex_unc_cbox::",
					    "nhmex_unc_cbox0::" };
	const char *manual = tsv_cell(t, "event"), *umask = tsv_cell(t, "umask");
	uint64_t select = tsv_number(t, "code");
	char event[64], name[IPMU_NAME_MAX];

	if (strcmp(umask, "-") != 0)
		select |= tsv_number(t, "umask") << 8;
	snprintf(event, sizeof(event), "%s", manual);
	if (strchr(event, '.'))
		*strchr(event, '.') = ':';
	for (int i = 0; i < 5; i++) {
		struct ipmu_event e;

		snprintf(name, sizeof(name), "%s%s", pmus[i], i ? event : manual);
		e = fake_event(sys, name);
		if (e.choices[0].select != select || e.choices[0].counters != 0x3F ||
		    strcmp(ipmu_type_name(e.type), "nhmex_unc_cbox") != 0)
			fail_msg("%s is 0x%llx of %s", name,
				 (unsigned long long)e.choices[0].select, ipmu_type_name(e.type));
		assert_int_equal(e.box, i == 4 ? 0 : IPMU_ALL);
	}
}

static void every_row_in_each_spelling(void **state)
{
	static const struct ipmu_family *const families[] = { &ipmu_nehalem_ex,
							      &ipmu_westmere_ex };
	int rows = 0;
	struct tsv t;

	(void)state;
	for (int i = 0; i < 2; i++)
		for (tsv_open(&t, "nehalem-ex-cbox/events.tsv"); tsv_next(&t); rows++)
			check_spellings(fake_system(families[i]), &t);
	assert_int_equal(rows, 2 * 25);
}

static void raw_codes_and_modifiers(void **state)
{
	const struct ipmu_system *sys = fake_system(&ipmu_nehalem_ex);

	(void)state;
	assert_int_equal(fake_event(sys, "nhmex_unc_cbox.RAW:event=0x17:umask=0x0f")
			 .choices[0].select, 0x0F17);
	assert_int_equal(fake_event(sys, "nhmex_unc_cbox.STARVED_EGRESS:AK:c=255:i:e")
			 .choices[0].select, 0xFF84180B);
	fake_refuses(sys, "nhmex_unc_cbox.RAW:inc_sel=1", -EINVAL, "no such qualifier");
	fake_refuses(sys, "nhmex_unc_cbox.LLC_HITS:freeze=0", -EINVAL, "from 1 to");
}

/* ---- counts */

static void sums_over_boxes_and_packages_and_narrows(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { MISSES, "LLC_MISSES.ALL:package=1",
					     "nhmex_unc_cbox.LLC_MISSES:INVALID:package=1:box=7",
					     HITS, "nhmex_unc_cbox3::LLC_HITS:EXCLUSIVE",
					     "nhmex_unc_cbox.LLC_HITS.MODIFIED" };
	struct ipmu_session *s = engine_fixture_session(f, names, 6);
	uint64_t v[6];

	engine_fixture_start(s);
	for (uint32_t slice = 0; slice < 8; slice++) {
		lookups(f, 0, slice, VPMU_I, 1 << slice);
		lookups(f, 1, slice, VPMU_I, 3);
	}
	lookups(f, 2, 3, VPMU_E, 5);
	lookups(f, 3, 4, VPMU_E, 7);
	lookups(f, 3, 3, VPMU_M, 11);
	engine_fixture_end(s, v);
	assert_int_equal(v[0], 255 + 8 * 3);
	assert_int_equal(v[1], 8 * 3);
	assert_int_equal(v[2], 3);
	assert_int_equal(v[3], 5 + 7 + 11);
	assert_int_equal(v[4], 5);
	assert_int_equal(v[5], 11);
}

/* Six counters of each box of both kinds at once, and no seventh. */
static void all_counters_of_a_package(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = {
		HITS ":package=1", "LLC_HITS.SHARED:package=1", "LLC_HITS.MODIFIED:package=1",
		"LLC_HITS.EXCLUSIVE:package=1", MISSES ":package=1", "LLC_MISSES.INVALID:package=1",
		COMMANDS ":package=1", "PAGE_HIT:package=1", "PAGE_EMPTY:package=1",
		"CYCLES:package=1:box=1", "INFLIGHT_CMDS:package=1",
		"FVC_EV0.BBOX_CMDS.READS:package=1",
	};
	static const uint64_t counts[] = { 2, 2, 0, 0, 3, 3, 5, 5, 0, 0, 5, 5 };
	struct ipmu_session *s = engine_fixture_session(f, names, 12);
	struct ipmu_event seven[7];
	char why[IPMU_WHY_MAX] = "";
	uint64_t v[12];

	engine_fixture_start(s);
	lookups(f, 1, 0, VPMU_S, 2);
	lookups(f, 1, 7, VPMU_I, 3);
	commands(f, 1, 1, 5);
	engine_fixture_end(s, v);
	for (int i = 0; i < 12; i++)
		if (i != 9)	/* clocks */
			assert_int_equal(v[i], counts[i]);
	for (int i = 0; i < 7; i++)
		seven[i] = engine_fixture_event(f, i < 6 ? names[i] :
						"nhmex_unc_cbox7::SNPS:REMOTE_RD:package=1");
	assert_int_equal(ipmu_session_new(f->sys, &s, why), 0);
	assert_true(ipmu_session_set(s, seven, 7, why) < 0);
	if (!strstr(why, "has 6 counters"))
		fail_msg("%s", why);
	ipmu_session_free(s);
}

/* ---- two kinds of boxes, one U-Box */

/* While `stays` counts, a session of `comes` starts, counts and ends, twice. */
static void beside(const struct engine_fixture *f, const char *stays, const char *comes)
{
	bool cbox = strstr(stays, "cbox") != NULL;
	struct ipmu_session *s = engine_fixture_started(f, &stays, 1), *other;
	uint64_t v;

	for (int round = 0; round < 2; round++) {
		lookups(f, 0, 2, VPMU_I, 10);
		commands(f, 0, 0, 20);
		other = engine_fixture_started(f, &comes, 1);
		lookups(f, 0, 2, VPMU_I, 1);
		commands(f, 0, 0, 2);
		engine_fixture_end(other, &v);
		assert_int_equal(v, cbox ? 2 : 1);
		assert_int_equal(engine_fixture_peek(f, "U_MSR_PMON_GLOBAL_CTL"), EN_ALL | 0x4);
		lookups(f, 0, 2, VPMU_I, 100);
		commands(f, 0, 0, 200);
	}
	engine_fixture_end(s, &v);
	assert_int_equal(v, cbox ? 2 * 111 : 2 * 222);
	assert_int_equal(engine_fixture_peek(f, "U_MSR_PMON_GLOBAL_CTL"), 0x4);
	assert_int_equal(engine_fixture_changed(f, true), 0);
}

static void sessions_of_either_box_leave_the_other_alone(void **state)
{
	beside(*state, COMMANDS, MISSES);
	beside(*state, MISSES, COMMANDS);
}

/* The value before the freeze is 2^48 - N (guide 2-15), and no core is interrupted. */
static void freeze_stops_boxes_of_both_kinds(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { MISSES ":freeze=10:package=1:box=4", COMMANDS, HITS };
	struct ipmu_session *s = engine_fixture_session(f, names, 3);
	uint64_t v[3];

	for (int round = 0; round < 2; round++) {
		engine_fixture_start(s);
		assert_int_equal(engine_fixture_peek_on(f, 8, "U_MSR_PMON_GLOBAL_CTL"),
				 FRZ_ALL | EN_ALL);
		assert_true(engine_fixture_peek_on(f, 8, "C4_MSR_PMON_CTR_0") == 0xFFFFFFFFFFF6);
		commands(f, 1, 0, 3);
		lookups(f, 1, 0, VPMU_S, 4);
		lookups(f, 1, 4, VPMU_I, 10);
		commands(f, 1, 0, 50);
		lookups(f, 1, 0, VPMU_S, 60);
		commands(f, 0, 1, 7);		/* another package continues */
		assert_int_equal(engine_fixture_peek_on(f, 8, "U_MSR_PMON_GLOBAL_CTL"), FRZ_ALL);
		assert_int_equal(ipmu_session_stop(s, v, (char[IPMU_WHY_MAX]){ "" }), 0);
		assert_int_equal(v[0], 10);
		assert_int_equal(v[1], 3 + 7);
		assert_int_equal(v[2], 4);
	}
	ipmu_session_free(s);
	assert_int_equal(engine_fixture_peek_on(f, 8, "C4_MSR_PMON_GLOBAL_STATUS"), 0);
	assert_int_equal(engine_fixture_peek_on(f, 8, "U_MSR_PMON_GLOBAL_STATUS"), 0);
	assert_int_equal(engine_fixture_changed(f, true), 0);
}

/* Somebody else's C-Box counter runs: that is reported, whichever box is to count. */
static void counters_of_others_are_left_alone(void **state)
{
	const struct engine_fixture *f = *state;
	static const char *const names[] = { COMMANDS };
	struct ipmu_session *s = engine_fixture_session(f, names, 1);
	char why[IPMU_WHY_MAX] = "";

	engine_fixture_poke(f, "U_MSR_PMON_GLOBAL_CTL", EN_ALL | 0x4);
	engine_fixture_poke(f, "C6_MSR_PMON_GLOBAL_CTL", 0x10);
	engine_fixture_poke(f, "C6_MSR_PMON_EVT_SEL_4", 0x400F15);
	assert_int_equal(ipmu_session_start(s, why), -EBUSY);
	assert_non_null(strstr(why, "C6_MSR_PMON_EVT_SEL_4"));
	ipmu_session_free(s);
	assert_int_equal(engine_fixture_peek(f, "C6_MSR_PMON_GLOBAL_CTL"), 0x10);
	engine_fixture_poke(f, "U_MSR_PMON_GLOBAL_CTL", 0x4);
	engine_fixture_poke(f, "C6_MSR_PMON_GLOBAL_CTL", 0);
	engine_fixture_poke(f, "C6_MSR_PMON_EVT_SEL_4", 0);
}

static int open_machine(void **state)
{
	static const struct engine_found found[] = {
		{ "U_MSR_PMON_GLOBAL_CTL", 0x4 },
		{ "C0_MSR_PMON_GLOBAL_CTL", 0x20 },
		{ "C7_MSR_PMON_EVT_SEL_0", 0xF14 },
		{ "C7_MSR_PMON_CTR_0", 0x123456789ABC },
		{ "M1_MSR_PMU_CNT_5", 0x42 },
		{ NULL, 0 },
	};

	return engine_fixture_open_on(state, IPMU_SCOPE_PACKAGE, found);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_in_each_spelling),
		cmocka_unit_test(raw_codes_and_modifiers),
		cmocka_unit_test(sums_over_boxes_and_packages_and_narrows),
		cmocka_unit_test(all_counters_of_a_package),
		cmocka_unit_test(sessions_of_either_box_leave_the_other_alone),
		cmocka_unit_test(freeze_stops_boxes_of_both_kinds),
		cmocka_unit_test(counters_of_others_are_left_alone),
	};

	(void)argc;
	on_machine(argv, "nhmex-4p32c64t");
	return cmocka_run_group_tests(tests, open_machine, engine_fixture_close);
}
