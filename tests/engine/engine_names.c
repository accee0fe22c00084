/* SPDX-License-Identifier: MIT */
/* Event names: every event of the document in every spelling, and what must be refused. */
#include "engine_fixture.h"
#include "on_machine.h"
#include "pmu/pmu.h"
#include "tsv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *pmu_of(const char *unit)
{
	return strcmp(unit, "CBO") == 0 ? "skl_unc_cbo" : strcmp(unit, "ARB") == 0 ? "skl_unc_arb" :
	       strcmp(unit, "FIXED") == 0 ? "skl_unc_clk" : "skl_unc_imc";
}

static uint64_t counters_of(const struct tsv *t)
{
	const char *text = tsv_cell(t, "counters");
	const char *name = tsv_cell(t, "event");
	static const char *const imc[] = { "DRAM_GT_REQUESTS", "DRAM_IA_REQUESTS",
					   "DRAM_IO_REQUESTS", "DRAM_DATA_READS",
					   "DRAM_DATA_WRITES" };

	if (strcmp(text, "0,1") == 0)
		return 3;
	for (int i = 0; i < 5; i++)
		if (strcmp(name, imc[i]) == 0)
			return 1ull << i;
	return 1;
}

static uint64_t select_of(const struct tsv *t)
{
	const char *unit = tsv_cell(t, "unit"), *needs = tsv_cell(t, "modifiers_required");
	uint64_t threshold = strncmp(needs, "THR=", 4) == 0 ? strtoull(needs + 4, NULL, 0) : 0;

	if (strcmp(unit, "CBO") != 0 && strcmp(unit, "ARB") != 0)
		return 0;
	return tsv_number(t, "code") | tsv_number(t, "umask") << 8 | threshold << 24;
}

static void check(const struct engine_fixture *f, const char *name, const struct tsv *t)
{
	struct ipmu_event e = engine_fixture_event(f, name);

	assert_string_equal(ipmu_type_name(e.type), pmu_of(tsv_cell(t, "unit")));
	assert_int_equal(e.choices[0].select, select_of(t));
	assert_int_equal(e.choices[0].counters, counters_of(t));
	assert_int_equal(e.place, IPMU_ALL);
	assert_int_equal(e.box, IPMU_ALL);
}

static void every_documented_event_in_every_spelling(void **state)
{
	const struct engine_fixture *f = *state;
	int rows = 0;
	struct tsv t;

	tsv_open(&t, "skl-client-uncore/events.tsv");
	while (tsv_next(&t)) {
		const char *manual = tsv_cell(&t, "event");
		const char *pmu = pmu_of(tsv_cell(&t, "unit"));
		char event[64], name[IPMU_NAME_MAX], *dot;

		snprintf(event, sizeof(event), "%s", manual);
		dot = strchr(event, '.');
		if (dot)
			*dot = ':';
		check(f, manual, &t);
		snprintf(name, sizeof(name), "%s.%s", pmu, event);
		check(f, name, &t);
		snprintf(name, sizeof(name), "%s::%s", pmu, event);
		check(f, name, &t);
		snprintf(name, sizeof(name), "%s.%s", pmu, manual);
		check(f, name, &t);
		rows++;
	}
	assert_int_equal(rows, 28);
}

/* Examples worked out from the document: what is written, less the enable bit. */
static uint64_t select_by_name(const struct engine_fixture *f, const char *name)
{
	return engine_fixture_event(f, name).choices[0].select;
}

static void modifiers_reach_their_fields(void **state)
{
	const struct engine_fixture *f = *state;

	assert_int_equal(select_by_name(f, "UNC_CBO_CACHE_LOOKUP.ANY_MESI"), 0x8F34);
	assert_int_equal(select_by_name(f, "UNC_CBO_XSNP_RESPONSE.HITM_XCORE"),
			 0x4822);
	assert_int_equal(select_by_name(f, "UNC_ARB_TRK_OCCUPANCY.ALL:c=1:i"),
			 0x01C00180 & ~0x400000);
	assert_int_equal(select_by_name(f, "UNC_ARB_TRK_OCCUPANCY.ALL:e:c=1"),
			 0x01440180 & ~0x400000);
	assert_int_equal(select_by_name(f, "UNC_CBO_CACHE_LOOKUP.ANY_I:c=31"),
			 0x1F008834);
	assert_int_equal(select_by_name(f, "skl_unc_cbo.RAW:event=0x34:umask=0x3F"), 0x3F34);
	assert_int_equal(select_by_name(f, "skl_unc_arb.RAW:c=31:event=0xFF:i:umask=0xFF:e"),
			 0x1FC4FFFF & ~0x400000);
}

static void qualifiers_in_any_order(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_event a, b;

	a = engine_fixture_event(f, "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:box=3:ANY_I:package=0:c=2");
	b = engine_fixture_event(f, "skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:c=2:ANY_I:package=0");
	assert_int_equal(a.choices[0].select, b.choices[0].select);
	assert_int_equal(a.box, 3);
	assert_int_equal(b.box, 3);
	assert_int_equal(a.place, 0);
	/* the canonical name means the same event */
	b = engine_fixture_event(f, a.name);
	assert_int_equal(b.choices[0].select, a.choices[0].select);
	assert_int_equal(b.box, a.box);
	assert_int_equal(b.place, a.place);
}

static void bad_names_are_refused(void **state)
{
	static const struct {
		const char *name;
		int rc;
		const char *says;
	} bad[] = {
		{ "skl_unc_cbo.NO_SUCH_EVENT", -ENOENT, "NO_SUCH_EVENT" },
		{ "NO_SUCH_EVENT", -ENOENT, "NO_SUCH_EVENT" },
		{ "skl_unc_foo::UNC_CLOCK", -ENOENT, "'skl_unc_foo::UNC_CLOCK': this machine" },
		{ "", -EINVAL, "no event" },
		{ ":::", -EINVAL, "no event" },
		{ "skl_unc_cbo.", -EINVAL, "no event" },
		{ "skl_unc_cbo.UNC_CBO_XSNP_RESPONSE", -EINVAL, "unit mask" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:NO_SUCH", -EINVAL, "READ_I" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:READ_I", -EINVAL, "exclude" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:colour=3", -EINVAL, "colour" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:", -EINVAL,
		  "'skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:'" },
		{ "skl_unc_clk.UNC_CLOCK.", -EINVAL, "no unit mask" },
		{ "RAW:event=0x34", -EINVAL, "as in skl_unc_cbo.RAW:event=0x34" },
		{ "skl_unc_clk.RAW:event=1", -ENOENT, "no event RAW" },
		{ "skl_unc_arb.RAW:event=0x80:c=32", -EINVAL, "c takes a number from 0 to 0x1F" },
		{ "skl_unc_arb.RAW:event=0x80:u", -EINVAL, "its fields are event, umask, e, i, c" },
		{ "skl_unc_clk.UNC_CLOCK:SOCKET:freeze=0x1000000000000", -EINVAL,
		  "to 281474976710655" },
		{ "skl_unc_imc.DRAM_DATA_READS:freeze=3", -EINVAL, "freeze" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:freeze=0", -EINVAL,
		  "to 17592186044415" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:freeze=0x100000000000", -EINVAL,
		  "to 17592186044415" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:freeze", -EINVAL, "freeze=1000" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:box=0:box=1", -EINVAL, "twice" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:c=1:c=1", -EINVAL, "twice" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:c=32", -EINVAL, "0 to 31" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:c=255", -EINVAL, "0 to 31" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:package=9", -EINVAL, "package 9" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:package=-1", -EINVAL, "number" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:package=", -EINVAL, "number" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:package", -EINVAL, "number" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:box=4", -EINVAL, "box 4" },
		{ "skl_unc_cbo5::UNC_CBO_CACHE_LOOKUP:ANY_I", -EINVAL, "box 5" },
		{ "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I:box=2", -EINVAL, "box 1 and box 2" },
		{ "skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL:box=1", -EINVAL, "box 1" },
		{ "skl_unc_clk.UNC_CLOCK:SOCKET:c=1", -EINVAL, "" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I,x", -EINVAL, "comma" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I x", -EINVAL, "blank" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", -EINVAL, "longer" },
	};
	const struct engine_fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char why[IPMU_WHY_MAX] = "";
		struct ipmu_event event = { .box = 77 };
		int rc = ipmu_event_parse(f->sys, bad[i].name, &event, why);

		print_message("%s -> %s\n", bad[i].name, why);
		assert_int_equal(rc, bad[i].rc);
		assert_true(strlen(why) > 10);
		assert_non_null(strstr(why, bad[i].says));
		assert_int_equal(event.box, 77);	/* untouched */
	}
}

/* Spellings of perf (format/ of its uncore PMUs), of libpfm4 and of LIKWID. */
static void other_tools_spellings_are_translated(void **state)
{
	static const struct { const char *typed, *says; } words[] = {
		{ "skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL:cmask=1", "cmask=1: write c=1;" },
		{ "skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL:thresh=7", "write c=7;" },
		{ "skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL:t=1", "write c=1;" },
		{ "skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL:THRESHOLD=0x2", "write c=0x2;" },
		{ "skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL:thresh", "write c=0-31;" },
		{ "skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL:edge=1", "write e=1;" },
		{ "skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL:EDGEDETECT", "write e;" },
		{ "skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL:inv", "write i;" },
		{ "skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL:invert=1", "write i=1;" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:socket=0", "write package=0;" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:slice=2", "write box=2;" },
		{ "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:CBOX0C1", "CBOX0C1: leave it out" },
		/* what these counters cannot do is not offered; what they can is listed */
		{ "skl_unc_imc.DRAM_DATA_READS:cmask=1", "cmask=1; qualifiers: package=0, box=0" },
		{ "skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL:colour=3",
		  "colour=3; unit masks: ALL, CYCLES_WITH_ANY_REQUEST, DATA_READ; qualifiers: "
		  "package=0, box=0, e, i, c=0-31" },
	};
	const struct engine_fixture *f = *state;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char why[IPMU_WHY_MAX] = "";
		struct ipmu_event event;

		assert_int_equal(ipmu_event_parse(f->sys, words[i].typed, &event, why), -EINVAL);
		print_message("%s -> %s\n", words[i].typed, why);
		assert_non_null(strstr(why, words[i].says));
	}
}

static void lists_what_the_document_has(void **state)
{
	const struct engine_fixture *f = *state;
	struct ipmu_event_info info;
	int events = 0, umasks = 0;

	for (int e = 0; ipmu_event_list(f->sys, e, -1, &info) == 0; e++) {
		assert_true(strlen(info.desc) > 10);
		events++;
		for (int u = 0; ipmu_event_list(f->sys, e, u, &info) == 0; u++) {
			assert_true(strlen(info.umask_desc) > 10);
			engine_fixture_event(f, info.name);
			umasks++;
		}
	}
	/* CBo 2, ARB 3, clock 1, IMC 5; 14 + 8 (three of them Intel's later additions) + 1; RAW of
	 * CBo and ARB, with an example */
	assert_int_equal(events, 11 + 2);
	assert_int_equal(umasks, 14 + 8 + 1 + 2);
}

enum { NAMES_MAX = 256 };

static int position(char (*names)[32], int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	fail_msg("there is no %s", name);
	return -1;
}

static void pmus_are_named_before_their_boxes(void **state)
{
	static const char *const cores[] = { "knc", "netburst", "netburst_p", "core",
					     "core_fixed", "skl", "ix86arch" };
	static char names[NAMES_MAX][32];
	int n = ipmu_names_pmus(IPMU_SCOPE_PACKAGE, 0, names, NAMES_MAX);

	(void)state;
	assert_in_range(n, 10, NAMES_MAX - 1);
	/* PAPI has room for 80: each one beyond is a box of a PMU that is among them. */
	for (int i = 80; i < n; i++) {
		int pmu = 0;

		while (pmu < 80 && strncmp(names[i], names[pmu], strlen(names[pmu])) != 0)
			pmu++;
		assert_in_range(pmu, 0, 79);
	}
	assert_true(position(names, n, "skl_unc_imc") < position(names, n, "skl_unc_cbo0"));
	assert_true(position(names, n, "skl_unc_cbo1") < position(names, n, "skl_unc_cbo3"));
	/* all of this machine's */
	assert_true(position(names, n, "skl_unc_cbo7") < position(names, n, "snb_unc_cbo"));
	assert_true(position(names, n, "nhmex_unc_mbox") < position(names, n, "hsw_unc_cbo0"));
	assert_true(position(names, n, "nhmex_unc_mbox0") < position(names, n, "hsw_unc_cbo1"));
	assert_true(position(names, n, "hsw_unc_cbo1") < position(names, n, "hsw_unc_cbo3"));
	n = ipmu_names_pmus(IPMU_SCOPE_CPU, 0, names, NAMES_MAX);
	assert_int_equal(n, 7);
	for (int i = 0; i < n; i++)
		position(names, n, cores[i]);
}

/* For any number of names that is requested at once. */
static void pmus_are_named_in_pieces(void **state)
{
	static char names[NAMES_MAX][32], piece[NAMES_MAX + 1][32];
	int n = ipmu_names_pmus(IPMU_SCOPE_PACKAGE, 0, names, NAMES_MAX);

	(void)state;
	for (int first = 0; first <= n + 1; first++)
		for (int max = 0; max <= NAMES_MAX; max += 1 + max / 2) {
			int left = first < n ? n - first : 0, want = left < max ? left : max;

			strcpy(piece[want], "not written");
			assert_int_equal(ipmu_names_pmus(IPMU_SCOPE_PACKAGE, first, piece, max),
					 want);
			for (int i = 0; i < want; i++)
				assert_string_equal(piece[i], names[first + i]);
			assert_string_equal(piece[want], "not written");
		}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_documented_event_in_every_spelling),
		cmocka_unit_test(modifiers_reach_their_fields),
		cmocka_unit_test(qualifiers_in_any_order),
		cmocka_unit_test(bad_names_are_refused),
		cmocka_unit_test(other_tools_spellings_are_translated),
		cmocka_unit_test(lists_what_the_document_has),
		cmocka_unit_test(pmus_are_named_before_their_boxes),
		cmocka_unit_test(pmus_are_named_in_pieces),
	};

	(void)argc;
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, engine_fixture_open, engine_fixture_close);
}
