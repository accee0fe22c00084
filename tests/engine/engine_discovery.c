/* SPDX-License-Identifier: MIT */
/* The discovery table of Panther Lake, on its virtual machine: its values are used, and a table
 * that cannot be right is refused by name, before anything is written. Layout of an entry: Linux
 * uncore_discovery.h. The machine's entries have four words; 1 and 3 are the controllers. */
#include "engine_fixture.h"
#include "on_machine.h"
#include "pmu/client_uncore.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EVENT "ptl_unc_imc.UNC_M_CAS_COUNT_RD"
enum { WORDS = 4, ENTRIES = 6, ROOM = 10, HEAD = 0, CONTROL, KIND };

static uint64_t *table(const struct engine_fixture *f)
{
	uint64_t base, bytes;

	vpmu_mmio_window(f->segment, &base, &bytes);
	return (void *)(vpmu_package_mmio(f->segment, 0) +
			(engine_fixture_peek(f, "UNCORE_DISCOVERY_MSR") - base));
}

static void check(const struct engine_fixture *f, const char *reason)
{
	char why[IPMU_WHY_MAX] = "";
	struct ipmu_system *sys;
	struct ipmu_event e;

	assert_int_equal(ipmu_system_open(f->topo, IPMU_SCOPE_PACKAGE, &sys, why), 0);
	assert_true(ipmu_event_parse(sys, EVENT, &e, why) < 0);
	if (!strstr(why, reason))
		fail_msg("not \"%s\": %s", reason, why);
	/* A unit that is not in the table is counted all the same. */
	assert_int_equal(ipmu_event_parse(sys, "ptl_unc_cncu.UNC_CLOCK:SOCKET", &e, why), 0);
	assert_int_equal(ipmu_system_close(sys), 0);
}

static void what_cannot_be_is_refused(void **state)
{
	static const struct {
		int entry, word;
		uint64_t clear, set;
		const char *reason;
	} cases[] = {
		{ 0, HEAD, ~0ull, 0, "has no valid first entry (0x0)" },
		/* entries of two words */
		{ 0, HEAD, 0xFF00, 0x200, "has no valid first entry" },
		{ 0, CONTROL, ~0ull, 0, "has no valid first entry" },
		{ 1, HEAD, 3ull << 62, 0, "has a unit that is not memory-mapped" },
		/* no counter; selects, then counters between two places; 69 bits; a page's end */
		{ 1, HEAD, 0xFF, 0, "has a unit whose registers cannot be" },
		{ 1, HEAD, 0xFF00, 0x1200, "has a unit whose registers cannot be" },
		{ 1, HEAD, 0xFF000000, 0x44000000, "has a unit whose registers cannot be" },
		{ 1, HEAD, 0xFF0000, 0x450000, "has a unit whose registers cannot be" },
		{ 1, CONTROL, 0, 0x6C0, "has a unit whose registers cannot be" },
		/* 40 bits, four counters */
		{ 3, HEAD, 0xFF0000, 0x280000, "has units of a kind that differ" },
		{ 3, HEAD, 0xFF, 4, "has units of a kind that differ" },
	};
	const struct engine_fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t *word = table(f) + cases[i].entry * WORDS + cases[i].word, was = *word;

		*word = (was & ~cases[i].clear) | cases[i].set;
		check(f, cases[i].reason);
		*word = was;
	}
}

static void there_has_to_be_a_table(void **state)
{
	const struct engine_fixture *f = *state;
	uint64_t was = engine_fixture_peek(f, "UNCORE_DISCOVERY_MSR");

	engine_fixture_poke(f, "UNCORE_DISCOVERY_MSR", 0);
	check(f, "UNCORE_DISCOVERY_MSR is 0x0: there is no discovery table");
	engine_fixture_poke(f, "UNCORE_DISCOVERY_MSR", was + 4);
	check(f, "there is no discovery table");
	engine_fixture_poke(f, "UNCORE_DISCOVERY_MSR", was);
}

static void none_and_too_many_units(void **state)
{
	const struct engine_fixture *f = *state;
	uint64_t *t = table(f), was[ROOM * WORDS];

	memcpy(was, t, sizeof(was));
	t[1 * WORDS + KIND] = t[3 * WORDS + KIND] = 5;
	check(f, "has no unit of this kind (0x6)");
	memcpy(t, was, sizeof(was));
	for (int i = ENTRIES; i < ENTRIES + 3; i++)
		memcpy(t + i * WORDS, t + 1 * WORDS, WORDS * sizeof(*t));
	t[HEAD] = (t[HEAD] & ~0x3FF0000ull) | (ENTRIES + 2) << 16;
	check(f, "has more units of a kind than are known");
	memcpy(t, was, sizeof(was));
}

/* Entries of Linux's invalid kinds are left out: no control, or all ones. */
static void invalid_entries_are_no_units(void **state)
{
	const struct engine_fixture *f = *state;
	uint64_t *control = table(f) + 3 * WORDS + CONTROL, was = *control;
	char why[IPMU_WHY_MAX];
	struct ipmu_system *sys;
	struct ipmu_event e;

	for (int ones = 0; ones < 2; ones++) {
		*control = ones ? ~0ull : 0;
		assert_int_equal(ipmu_system_open(f->topo, IPMU_SCOPE_PACKAGE, &sys, why), 0);
		assert_int_equal(ipmu_event_parse(sys, EVENT ":box=0", &e, why), 0);
		assert_true(ipmu_event_parse(sys, EVENT ":box=1", &e, why) < 0);
		assert_int_equal(ipmu_system_close(sys), 0);
	}
	*control = was;
}

/* The controllers the other way round: box 0 is the first in the table. */
static void the_table_says_which_is_where(void **state)
{
	struct engine_fixture f = *(struct engine_fixture *)*state;
	const char *name = EVENT ":box=0";
	char why[IPMU_WHY_MAX];
	struct ipmu_session *s;
	uint64_t *t = table(&f), v;

	for (int swaps = 0; swaps < 2; swaps++) {
		uint64_t control = t[1 * WORDS + CONTROL];

		t[1 * WORDS + CONTROL] = t[3 * WORDS + CONTROL];
		t[3 * WORDS + CONTROL] = control;
		assert_int_equal(ipmu_system_open(f.topo, IPMU_SCOPE_PACKAGE, &f.sys, why), 0);
		s = engine_fixture_started(&f, &name, 1);
		assert_int_equal(engine_fixture_peek(&f, "IMC0_PERFEVTSEL0"), swaps ? 0x22 : 0);
		assert_int_equal(engine_fixture_peek(&f, "IMC1_PERFEVTSEL0"), swaps ? 0 : 0x22);
		assert_int_equal(engine_fixture_peek(&f, "UNITS_GLOBAL_CTL"), 0);
		engine_fixture_end(s, &v);
		assert_int_equal(ipmu_system_close(f.sys), 0);
		assert_int_equal(engine_fixture_peek(&f, "UNITS_GLOBAL_CTL"), 1);
	}
}

/* A journal may name any register of the family. */
static void a_unit_that_is_not_there_is_nowhere(void **state)
{
	const struct ipmu_reg *ctl = &ipmu_ptl_unit_ctl;
	char why[IPMU_WHY_MAX];
	struct ipmu_regs p;
	uint64_t value;

	(void)state;
	assert_int_equal(ipmu_family_open(&p, &ipmu_ptl_client_uncore, 0, why), 0);
	for (int box = 0; box < ctl->boxes; box++) {
		assert_int_equal(ipmu_access_read(&p, ctl, ipmu_reg_addr(ctl, box, 0), &value),
				 box < 2 ? 0 : -ENXIO);
		assert_int_equal(ipmu_msr_write(&p, ctl, box, 0, 0), box < 2 ? 0 : -ENXIO);
	}
	assert_int_equal(ipmu_access_restore(&p), 0);
	ipmu_access_close(&p);
}

/* While all units are frozen no select counts; once they are not, one that somebody left does. */
static void whoever_counts_there_is_seen(void **state)
{
	const struct engine_fixture *f = *state;
	const char *name = EVENT;
	char why[IPMU_WHY_MAX] = "";
	struct ipmu_session *s;
	uint64_t v;

	engine_fixture_poke(f, "IMC1_PERFEVTSEL3", 0x23);
	s = engine_fixture_started(f, &name, 1);
	assert_int_equal(engine_fixture_peek(f, "IMC1_PERFEVTSEL3"), 0);
	engine_fixture_end(s, &v);
	assert_int_equal(engine_fixture_peek(f, "IMC1_PERFEVTSEL3"), 0x23);
	engine_fixture_poke(f, "UNITS_GLOBAL_CTL", 0);
	s = engine_fixture_session(f, &name, 1);
	assert_int_equal(ipmu_session_start(s, why), -EBUSY);
	assert_non_null(strstr(why, "IMC1_PERFEVTSEL3"));
	ipmu_session_free(s);
	engine_fixture_poke(f, "UNITS_GLOBAL_CTL", 1);
	engine_fixture_poke(f, "IMC1_PERFEVTSEL3", 0);
}

static int open_here(void **state)
{
	static const struct engine_found nothing[] = { { NULL, 0 } };

	return engine_fixture_open_on(state, IPMU_SCOPE_PACKAGE, nothing);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(there_has_to_be_a_table),
		cmocka_unit_test(none_and_too_many_units),
		cmocka_unit_test(invalid_entries_are_no_units),
		cmocka_unit_test(the_table_says_which_is_where),
		cmocka_unit_test(a_unit_that_is_not_there_is_nowhere),
		cmocka_unit_test(whoever_counts_there_is_seen),
	};

	(void)argc;
	on_machine(argv, "ptl-4p8e4lp16t");
	return cmocka_run_group_tests(tests, open_here, engine_fixture_close);
}
