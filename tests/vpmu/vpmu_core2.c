/* SPDX-License-Identifier: MIT */
/* Contents of counters after a reset, the list of Core 2's events against the table of facts, and
 * interrupts that only booted machines have. The registers' rules are in scripts/core2.script. */
#include "vpmu_core.h"

#include "tsv.h"

#define FIXED0 0x309u
#define FIXED1 0x30au
#define FIXED2 0x30bu
#define FIXED_CTRL 0x38du
#define GLOBAL 0x38fu
#define PMC0 0xc1u
#define PMC1 0xc2u
#define SEL0 0x186u
#define OS (UINT64_C(1) << 17)
#define ON UINT64_C(0x410000)
#define ALL_ON UINT64_C(0x700000003)
#define FULL UINT64_C(0xffffffffff)
#define CLOCKS 0x003cu

/* Packages of two cores: CPUs 0 and 1, CPUs 2 and 3. */
static int setup(void **state)
{
	(void)state;
	return setup_on("core2-4c");
}

static void start(uint64_t select)
{
	wr(0, GLOBAL, 0);
	wr(0, PMC0, 0);
	wr(0, SEL0, select);
	wr(0, GLOBAL, ALL_ON);
}

static void contents_are_arbitrary_after_reset_and_init(void **state)
{
	static const uint32_t counters[] = { FIXED0, FIXED1, FIXED2, PMC0, PMC1 };

	(void)state;
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		for (uint32_t i = 0; i < 5; i++) {
			uint64_t junk = rd(cpu, counters[i]);

			assert_true(junk > UINT64_C(0xffffff) && junk <= FULL);
			assert_int_not_equal(junk, rd((cpu + 1) % 4, counters[i]));
			assert_int_not_equal(junk, rd(cpu, counters[(i + 1) % 5]));
		}
	wr(0, FIXED0, 0);
	wr(0, FIXED_CTRL, 0x333);
	wr(0, SEL0, ON | CLOCKS);
	vpmu_model_init(t.s);
	assert_true(rd(0, FIXED0) > UINT64_C(0xffffff));
	assert_int_equal(rd(0, FIXED_CTRL), 0x333);	/* INIT leaves the controls */
	assert_int_equal(rd(0, SEL0), ON | CLOCKS);
	vpmu_model_reset(t.s);
	assert_true(rd(0, FIXED0) > UINT64_C(0xffffff));
	assert_int_equal(rd(0, FIXED_CTRL), 0);
	assert_int_equal(rd(0, GLOBAL), 0);
}

/* In user mode nobody takes interrupts, nor says so to an emulator of another version. */
static void interrupts_are_of_booted_machines(void **state)
{
	(void)state;
	start(ON | 0x00c8);
	assert_int_equal(t.s->undriven_count, 1);
	t.s->interrupts_told = 1;
	start(ON | OS | 0x00c8);
	assert_int_equal(t.s->undriven_count, 1);
	happen(0, VPMU_INTERRUPTS, 3, 1000);
	happen(1, VPMU_INTERRUPTS, 7, 1000);
	assert_int_equal(rd(0, PMC0), 3);
	start(ON | 0x01c8);	/* the event has no unit mask */
	assert_int_equal(t.s->undriven_count, 2);
}

static bool find_event(const char *name, struct vpmu_event_info *e)
{
	for (uint32_t i = 0; vpmu_model_event(&t.s->machine, i, e); i++)
		if (strcmp(e->name, name) == 0)
			return true;
	return false;
}

/* A unit mask that selects all of an event: the table's example, or its only one. */
static uint64_t select_of(const struct tsv *table)
{
	bool example = strcmp(tsv_cell(table, "example_umask"), "-") != 0;
	const char *umask = example ? "example_umask" : "umask";

	return tsv_number(table, umask) << 8 | tsv_number(table, "code");
}

/* Each event of the table of facts is in the model, and counts or is reported as undriven. */
static void every_event_counts_or_is_told(void **state)
{
	struct vpmu_event_info e;
	uint32_t rows = 0;
	struct tsv table;

	(void)state;
	for (tsv_open(&table, "core2-fixed/events.tsv"); tsv_next(&table); rows++) {
		uint64_t before = t.s->undriven_count;
		uint32_t n;

		if (!find_event(tsv_cell(&table, "event"), &e))
			fail_msg("the model has no %s", tsv_cell(&table, "event"));
		assert_string_equal(e.counters, tsv_cell(&table, "counters"));
		if (strncmp(e.counters, "FIXED", 5) == 0)
			continue;
		assert_int_equal(e.code, tsv_number(&table, "code"));
		assert_int_equal(e.umask, tsv_number(&table, "umask"));
		assert_true(e.driven || strlen(e.why) > 10);
		if (before >= VPMU_UNDRIVEN_KEPT)
			before = t.s->undriven_count = 0;
		n = strcmp(e.counters, "1") == 0;
		wr(0, GLOBAL, 0);
		wr(0, PMC0 + n, 0);
		wr(0, SEL0 + n, ON | select_of(&table));
		wr(0, GLOBAL, ALL_ON);
		everything_happens(0, 50000);
		assert_int_equal(rd(0, PMC0 + n) != 0, e.driven);
		assert_int_equal(t.s->undriven_count, before + !e.driven);
		wr(0, SEL0 + n, 0);
	}
	assert_int_equal(rows, 60);
}

static int setup_skylake(void **state)
{
	(void)state;
	return setup_on("skl-4c8t");
}

static void contents_differ_on_skylake(void **state)
{
	(void)state;
	assert_int_not_equal(rd(0, PMC0), rd(0, PMC1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(contents_are_arbitrary_after_reset_and_init),
		cmocka_unit_test_setup_teardown(contents_differ_on_skylake, setup_skylake,
						teardown),
		T(interrupts_are_of_booted_machines), T(every_event_counts_or_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
