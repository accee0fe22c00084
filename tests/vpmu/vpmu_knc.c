/* SPDX-License-Identifier: MIT */
/* The list of Knights Corner's events against the table of facts, and a clock that programs' waits
 * advance. The registers of 327357-001 are in scripts/knc.script. */
#include "vpmu_core.h"

#include "tsv.h"

#define TSC 0x10u
#define CNT0 0x20u
#define SEL0 0x28u
#define GLOBAL 0x2fu
#define ON 0x410000u

static int setup(void **state)
{
	(void)state;
	return setup_on("knc-4c16t");
}

static void the_tsc_is_the_cores_and_never_stops(void **state)
{
	(void)state;
	vpmu_clock(t.s, 0, 1000);
	assert_int_equal(rd(0, TSC), 1000);
	wr(1, TSC, 5);
	assert_int_equal(rd(0, TSC), 5);	/* same core */
	assert_int_equal(rd(4, TSC), 1000);	/* another one */
	wr(0, GLOBAL, 0);
	vpmu_clock(t.s, 0, 1600);
	assert_int_equal(rd(3, TSC), 605);
	assert_int_equal(rd(4, TSC), 1600);
	t.s->waited += 50;		/* programs have waited: it runs */
	assert_int_equal(rd(3, TSC), 655);
	vpmu_model_reset(t.s);		/* a later clock reaches no other register */
	for (uint32_t cpu = 0; cpu < 16; cpu++)
		assert_int_equal(rd(cpu, TSC) | rd(cpu, CNT0) | rd(cpu, CNT0 + 1) |
				 rd(cpu, SEL0) | rd(cpu, SEL0 + 1), 0);
}

/* The list is the table of facts. An event that is not driven counts nothing and has a reason. */
static void the_other_events_are_told(void **state)
{
	struct vpmu_event_info e;
	uint32_t index = 0, driven = 0;
	struct tsv table;
	char text[256];

	(void)state;
	for (tsv_open(&table, "knc/events.tsv"); tsv_next(&table); index++) {
		uint32_t code = (uint32_t)(tsv_number(&table, "umask") << 8 |
					   tsv_number(&table, "code"));
		uint64_t before = t.s->undriven_count;

		assert_true(vpmu_model_event(&t.s->machine, index, &e));
		assert_string_equal(e.name, tsv_cell(&table, "event"));
		assert_int_equal(e.umask << 8 | e.code, code);
		assert_string_equal(e.counters, tsv_cell(&table, "counters"));
		assert_true(e.driven || strlen(e.why) > 10);
		wr(0, GLOBAL, 0);
		wr(0, CNT0, 0);
		wr(0, SEL0, ON | code);
		wr(0, GLOBAL, 3);
		everything_happens(0, 5000);
		assert_int_equal(rd(0, CNT0) != 0, e.driven);
		assert_int_equal(t.s->undriven_count, before + !e.driven);
		driven += e.driven;
		if (e.driven)
			continue;
		vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[before], text, sizeof(text));
		assert_non_null(strstr(text, e.why));
	}
	assert_int_equal(index, 63);
	assert_int_equal(driven, 46);	/* in the script */
	assert_false(vpmu_model_event(&t.s->machine, index, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_tsc_is_the_cores_and_never_stops), T(the_other_events_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
