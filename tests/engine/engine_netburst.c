/* SPDX-License-Identifier: MIT */
/* Encoding NetBurst event names: against the transcription under facts, and against the
 * manual's worked examples. */
#include "fake_system.h"
#include "pmu/families.h"
#include "pmu/netburst.h"
#include "tsv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct ipmu_system *sys;	/* models 3, 4, 6 */

static int open_systems(void **state)
{
	(void)state;
	sys = fake_system(&ipmu_netburst_p);
	return 0;
}

/* "12,13,16" */
static uint32_t mask_of_list(const char *list, size_t length)
{
	const char *end = list + length;
	uint32_t mask = 0;

	while (list < end) {
		char *next;

		mask |= 1u << strtol(list, &next, 10);
		list = next + 1;
	}
	return mask;
}

/* Counters that the event can use through that ESCR, over all its choices. */
static uint32_t counters_by(const struct ipmu_event *e, const char *escr)
{
	uint64_t counters = 0;

	for (int i = 0; i < e->nchoices; i++)
		if (strcmp(e->choices[i].extra[0].reg->name, escr) == 0)
			counters |= e->choices[i].counters;
	return (uint32_t)counters;
}

static uint32_t counters_of(const struct ipmu_event *e)
{
	uint64_t counters = 0;

	for (int i = 0; i < e->nchoices; i++)
		counters |= e->choices[i].counters;
	return (uint32_t)counters;
}

/* The parallel lists "A;B" and "0,1;2,3". */
static void compare_routes(const struct ipmu_event *e, const char *escrs, const char *counters)
{
	uint32_t all = 0;

	while (*escrs) {
		size_t n = strcspn(escrs, ";"), m = strcspn(counters, ";");
		uint32_t mask = mask_of_list(counters, m);
		char escr[32];

		snprintf(escr, sizeof(escr), "%.*s", (int)n, escrs);
		assert_int_equal(counters_by(e, escr), mask);
		all |= mask;
		escrs += n + (escrs[n] == ';');
		counters += m + (counters[m] == ';');
	}
	assert_int_equal(counters_of(e), all);
}

static void every_row_of_the_table(void **state)
{
	struct tsv t;
	int rows = 0;

	(void)state;
	tsv_open(&t, "netburst/events.tsv");
	for (; tsv_next(&t); rows++) {
		uint64_t escr, cccr;
		struct ipmu_event e;
		char name[80];

		snprintf(name, sizeof(name), "netburst_p.%s:%s:e=0", tsv_cell(&t, "event"),
			 tsv_cell(&t, "mask_bit_name"));
		print_message("%s\n", name);
		e = fake_event(sys, name);
		escr = tsv_number(&t, "event_select") * 0x2000000 +
		       (0x200ull << tsv_number(&t, "mask_bit")) + 0xF;
		cccr = 0x31000 + tsv_number(&t, "cccr_select") * 0x2000;
		for (int i = 0; i < e.nchoices; i++) {
			assert_int_equal(e.choices[i].extra[0].value, escr);
			assert_int_equal(e.choices[i].extra[0].mask, 0x7FFFFFFF);
			assert_int_equal(e.choices[i].select, cccr);
			assert_int_equal(e.choices[i].companions, 0);
		}
		compare_routes(&e, tsv_cell(&t, "escr_list"), tsv_cell(&t, "counters"));
	}
	assert_int_equal(rows, 181);
}

static void every_escr_feeds_what_the_table_says(void **state)
{
	struct tsv t;
	int rows = 0;

	(void)state;
	tsv_open(&t, "netburst/registers.tsv");
	while (tsv_next(&t)) {
		const char *name = tsv_cell(&t, "register"), *note = tsv_cell(&t, "note");
		const char *counters = strstr(note, "counters=");

		if (!strstr(name, "ESCR"))
			continue;
		for (int i = 0; i < NETBURST_ESCR_COUNT; i++) {
			if (strcmp(ipmu_netburst_escrs[i].name, name) != 0)
				continue;
			rows++;
			print_message("%s %s\n", name, note);
			counters += strlen("counters=");
			assert_int_equal(ipmu_netburst_routes[i].number,
					 strtol(note + strlen("select="), NULL, 10));
			assert_int_equal(ipmu_netburst_routes[i].counters,
					 mask_of_list(counters, strspn(counters, "0123456789,")));
		}
	}
	assert_int_equal(rows, 45);
	assert_int_equal(NETBURST_ESCR_COUNT, 45);
}

/* ---- worked examples, for logical processor 0 */

struct example {
	const char *name, *escr;
	uint32_t value, cccr;
	const char *also;	/* another register, "" */
	uint32_t also_value;
};

static const struct example examples[] = {
	{ "global_power_events:RUNNING", "MSR_FSB_ESCR0", 0x2600020C, 0x0003D000, "", 0 },
	{ "global_power_events:RUNNING:ovf=100", "MSR_FSB_ESCR0", 0x2600020C, 0x0403D000, "", 0 },
	{ "global_power_events:RUNNING:force_ovf", "MSR_FSB_ESCR0", 0x2600020C, 0x0603D000, "", 0 },
	{ "instr_retired:NBOGUSNTAG:u", "MSR_CRU_ESCR0", 0x04000204, 0x00039000, "", 0 },
	{ "instr_retired:NBOGUSNTAG:NBOGUSTAG:u", "MSR_CRU_ESCR0", 0x04000604, 0x00039000, "", 0 },
	{ "branch_retired:MMNP:cmpl:thr=15", "MSR_CRU_ESCR2", 0x0C00020C, 0x00FFB000, "", 0 },
	{ "branch_retired:MMNM:MMTM", "MSR_CRU_ESCR2", 0x0C00140C, 0x0003B000, "", 0 },
	{ "replay_event:NBOGUS:L1_LD_MISS", "MSR_CRU_ESCR2", 0x1200020C, 0x0003B000,
	  "MSR_PEBS_ENABLE", 0x01000001 },
	{ "replay_event:NBOGUS:L1_LD_MISS", "MSR_CRU_ESCR2", 0x1200020C, 0x0003B000,
	  "MSR_PEBS_MATRIX_VERT", 0x1 },
	{ "execution_event:NBOGUS0:tag=packed_DP", "MSR_CRU_ESCR2", 0x1800020C, 0x0003B000,
	  "MSR_FIRM_ESCR0", 0x1900003C },
	{ "front_end_event:NBOGUS:tag=loads", "MSR_CRU_ESCR2", 0x1000020C, 0x0003B000,
	  "MSR_RAT_ESCR0", 0x0400040C },
	{ "machine_clear:CLEAR:e", "MSR_CRU_ESCR2", 0x0400020C, 0x0107B000, "", 0 },
	{ "BSQ_cache_reference:RD_2ndL_MISS", "MSR_BSU_ESCR0", 0x1802000C, 0x0003F000, "", 0 },
	/* table 18-63 has 6 where table 19-28 prints 3 */
	{ "bnr:BIT0:select=6", "MSR_FSB_ESCR0", 0x1000020C, 0x0003D000, "", 0 },
	/* the document requires EDGE, and without it there are several counts an occurrence */
	{ "BSQ_allocation:REQ_DEM_TYPE", "MSR_BSU_ESCR0", 0x0A04000C, 0x0107F000, "", 0 },
};

static struct ipmu_choice first_choice(const char *event, unsigned threads)
{
	char name[IPMU_NAME_MAX + 16];
	struct ipmu_event e;

	snprintf(name, sizeof(name), "netburst_p.%s", event);
	e = fake_event(sys, name);
	e.type->ops->for_threads(&e.choices[0], threads);
	return e.choices[0];
}

static void worked_examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct example *x = &examples[i];
		struct ipmu_choice c = first_choice(x->name, 1);

		print_message("%s\n", x->name);
		assert_int_equal(fake_value_of(&c, x->escr), x->value);
		assert_int_equal(c.select & 0xFFFFFFFF, x->cccr);
		if (*x->also)
			assert_int_equal(fake_value_of(&c, x->also), x->also_value);
	}
}

/* CCCR bits 17:16, of the named event alone: not of what starts it, nor of what tags for it. */
static void active_threads_are_a_field_of_the_cccr(void **state)
{
	static const struct { const char *state; uint32_t bits; } cases[] = {
		{ "none", 0 }, { "SINGLE", 0x10000 }, { "both", 0x20000 }, { "any", 0x30000 },
	};
	static struct ipmu_cpu cpus[2] = { { .allowed = true },
					   { .os_cpu = 1, .smt_idx = 1, .allowed = true } };
	static struct ipmu_package package = { .ncores = 1, .ncpus = 2 };
	static const struct ipmu_topology two = { .ncpus = 2, .ncores = 1, .npackages = 1,
						  .cpus = cpus, .packages = &package };
	struct ipmu_system ht = *sys;
	struct ipmu_event e;
	char name[IPMU_NAME_MAX];

	(void)state;
	ht.topo = &two;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(name, sizeof(name), "netburst_p.instr_retired:NBOGUSNTAG:threads=%s",
			 cases[i].state);
		e = fake_event(&ht, name);
		assert_int_equal(e.choices[0].select, 0x00009000 | cases[i].bits);
	}
	e = fake_event(&ht, "netburst_p.uops_retired:NBOGUS:threads=both:"
		       "start=instr_retired.NBOGUSNTAG:ovf=9");
	assert_int_equal(e.choices[0].select & 0x30000, 0x20000);
	assert_int_equal(e.choices[0].companion_select & 0x30000, 0x30000);
	e = fake_event(&ht, "netburst_p.replay_event:NBOGUS:tag=SP_LD_RET:threads=single");
	assert_int_equal(e.choices[0].select & 0x30000, 0x10000);
	assert_int_equal(e.choices[0].companion_select & 0x30000, 0x30000);
	fake_refuses(&ht, "netburst_p.TC_misc:FLUSH:threads=two", -EINVAL, "none, single, both");
	fake_refuses(&ht, "netburst_p.TC_misc:FLUSH:threads", -EINVAL, "none, single, both");
	/* a core with one thread */
	fake_event(sys, "netburst_p.TC_misc:FLUSH:threads=any");
	fake_refuses(sys, "netburst_p.TC_misc:FLUSH:threads=both", -EINVAL, "has one thread");
}

static void threads_have_bits_of_their_own(void **state)
{
	struct ipmu_choice c;

	(void)state;
	c = first_choice("instr_retired:NBOGUSNTAG:u:ovf=5", 2);
	assert_int_equal(fake_value_of(&c, "MSR_CRU_ESCR0"), 0x04000201);
	assert_int_equal(c.select & 0x0C000000, 0x08000000);
	c = first_choice("instr_retired:NBOGUSNTAG:k", 3);
	assert_int_equal(fake_value_of(&c, "MSR_CRU_ESCR0"), 0x0400020A);
	c = first_choice("execution_event:NBOGUS1:tag=x87_FP", 2);
	assert_int_equal(fake_value_of(&c, "MSR_CRU_ESCR2"), 0x18000403);
	assert_int_equal(fake_value_of(&c, "MSR_FIRM_ESCR0"), 0x09000053);
}

/* ---- tags */

struct tagged {
	const char *name;
	uint32_t enable, vert;
	const char *escr;	/* upstream of the first choice */
	uint32_t value;
	uint32_t companions, companion_select;
};

/* Table 19-33, with bit 24 set and 25 not. */
static const struct tagged replays[] = {
	{ "L1_LD_MISS", 0x01000001, 0x1, NULL, 0, 0, 0 },
	{ "L2_LD_MISS", 0x01000002, 0x1, NULL, 0, 0, 0 },
	{ "DTLB_LD_MISS", 0x01000004, 0x1, NULL, 0, 0, 0 },
	{ "DTLB_ST_MISS", 0x01000004, 0x2, NULL, 0, 0, 0 },
	{ "DTLB_ALL_MISS", 0x01000004, 0x3, NULL, 0, 0, 0 },
	{ "BR_MSP", 0x01018000, 0x10, NULL, 0, 0, 0 },
	{ "MOB_LD_REPLAY", 0x01000200, 0x1, "MSR_MOB_ESCR0", 0x0600600F, 0x1, 0x35000 },
	{ "SP_LD_RET", 0x01000400, 0x1, "MSR_SAAT_ESCR1", 0x0800040F, 0xC00, 0x35000 },
	{ "SP_ST_RET", 0x01000400, 0x2, "MSR_SAAT_ESCR0", 0x0A00040F, 0x300, 0x35000 },
};

static void replay_tags(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(replays) / sizeof(replays[0]); i++) {
		const struct tagged *t = &replays[i];
		char name[64];
		struct ipmu_choice c;

		snprintf(name, sizeof(name), "replay_event:%s", t->name);
		print_message("%s\n", name);
		c = first_choice(name, 3);
		assert_int_equal(fake_value_of(&c, "MSR_CRU_ESCR2"), 0x1200020F);
		assert_int_equal(fake_value_of(&c, "MSR_PEBS_ENABLE"), t->enable);
		assert_int_equal(fake_value_of(&c, "MSR_PEBS_MATRIX_VERT"), t->vert);
		assert_int_equal(c.nextra, t->escr ? 4 : 3);
		if (t->escr)
			assert_int_equal(fake_value_of(&c, t->escr), t->value);
		assert_int_equal(c.companions, t->companions);
		assert_int_equal(c.companion_select, t->companion_select);
		assert_true(c.clear);
	}
}

/* Table 19-32: metric, event select in bits 30:25 and mask in 24:9, tag 0. */
static void execution_tags(void **state)
{
	static const struct { const char *tag; uint32_t escr; } rows[] = {
		{ "packed_SP", 0x1100003F }, { "packed_DP_retired", 0x1900003F },
		{ "scalar_SP", 0x1500003F }, { "scalar_DP", 0x1D00003F },
		{ "128_bit_MMX_retired", 0x3500003F }, { "64bit_MMX", 0x0500003F },
		{ "x87_FP", 0x0900003F }, { "X87_SIMD_memory_moves_retired", 0x5C00303F },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char name[64];
		struct ipmu_choice c;

		snprintf(name, sizeof(name), "execution_event:tag=%s", rows[i].tag);
		print_message("%s\n", name);
		c = first_choice(name, 3);
		assert_int_equal(fake_value_of(&c, "MSR_CRU_ESCR2"), 0x1800020F);
		assert_int_equal(fake_value_of(&c, "MSR_FIRM_ESCR0"), rows[i].escr);
		/* the upstream ESCR needs an enabled counter, 8 or 9 (18.15.5.9) */
		assert_int_equal(c.companions, 0x300);
		assert_int_equal(c.companion_select, 0x33000);
	}
}

static void tags_by_hand(void **state)
{
	struct ipmu_choice c;

	(void)state;
	c = first_choice("packed_SP_uop:ALL:TAG2", 1);
	assert_int_equal(fake_value_of(&c, "MSR_FIRM_ESCR0"), 0x1100009C);
	c = first_choice("front_end_event:tag=memory_stores", 1);
	assert_int_equal(fake_value_of(&c, "MSR_RAT_ESCR0"), 0x0400080C);
	assert_int_equal(fake_value_of(&c, "MSR_CRU_ESCR2"), 0x1000020C);
	assert_int_equal(c.companions, 0);	/* the counter itself is one of the RAT's */
}

/* ---- overflow and cascades */

static void presets(void **state)
{
	(void)state;
	assert_true(ipmu_netburst_preset(100, true) == 0xFFFFFFFF9D);
	assert_true(ipmu_netburst_preset(100, false) == 0xFFFFFFFF9C);
	assert_true(ipmu_netburst_preset(1000000, true) == 0xFFFFF0BDC1);
	assert_true(ipmu_netburst_preset(2, true) == 0xFFFFFFFFFF);
	/* -1 + 1 would be 2^40 events away, and an interrupt with every event is FORCE_OVF's */
	fake_refuses(sys, "netburst_p.TC_misc:FLUSH:ovf=1", -EINVAL, "force_ovf");
	fake_refuses(sys, "netburst_p.TC_misc:FLUSH:ovf=2:force_ovf", -EINVAL, "remove ovf=");
	fake_event(sys, "netburst_p.TC_misc:FLUSH:ovf=1:force_ovf=0:"
			"start=retired_branch_type.CALL");
}

static void cascades(void **state)
{
	static const int from[18] = { 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9,
				      14, 15, 12, 13, 14, 15 };
	struct ipmu_event e;
	int on14 = 0;

	(void)state;
	for (int c = 0; c < 18; c++)
		assert_int_equal(ipmu_netburst_cascades_from(c), from[c]);
	e = fake_event(sys, "netburst_p.uops_retired:NBOGUS:start=instr_retired.NBOGUSNTAG:ovf=70");
	assert_int_equal(e.nchoices, 6);
	for (int i = 0; i < e.nchoices; i++) {
		const struct ipmu_choice *c = &e.choices[i];
		int ctr = __builtin_ctzll(c->counters);

		assert_int_equal(c->companions, 1u << from[ctr]);
		assert_int_equal(c->select, 0x40038000);
		assert_true(c->companion_select == ((uint64_t)70 << 32 | 0x39000));
		if (ctr == 14) {
			assert_int_equal(fake_value_of(c, "MSR_CRU_ESCR1"), 0x0200020F);
			assert_int_equal(fake_value_of(c, "MSR_CRU_ESCR0"), 0x0400020F);
			on14++;
		}
	}
	assert_int_equal(on14, 1);
	e = fake_event(sys, "netburst_p.branch_retired:MMTM:start=instr_retired.NBOGUSNTAG:ovf=9");
	assert_int_equal(e.choices[0].select, 0x4003A000);
	/* BPU: 2 to 0 and back; counter 1 is not used for that */
	e = fake_event(sys, "ITLB_reference:MISS:start=global_power_events.RUNNING:ovf=9");
	assert_int_equal(counters_of(&e), 0x5);
	fake_refuses(sys, "netburst_p.uops_retired:NBOGUS:start=page_walk_type.DTMISS:ovf=1",
		     -EINVAL, "neighbouring counters");
	fake_refuses(sys, "netburst_p.uops_retired:NBOGUS:start=instr_retired.NBOGUSNTAG", -EINVAL,
		     "start= needs ovf=N");
	fake_refuses(sys, "netburst_p.uops_retired:NBOGUS:start=instr_retired:ovf=1", -EINVAL,
		     "unit mask");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_of_the_table),
		cmocka_unit_test(every_escr_feeds_what_the_table_says),
		cmocka_unit_test(worked_examples),
		cmocka_unit_test(active_threads_are_a_field_of_the_cccr),
		cmocka_unit_test(threads_have_bits_of_their_own),
		cmocka_unit_test(replay_tags),
		cmocka_unit_test(execution_tags),
		cmocka_unit_test(tags_by_hand),
		cmocka_unit_test(presets),
		cmocka_unit_test(cascades),
	};

	return cmocka_run_group_tests(tests, open_systems, NULL);
}
