/* SPDX-License-Identifier: MIT */
/* The list of M-Box events against the table of facts, and what each counts. The registers' rules
 * are in scripts/nhmex_mbox.script. */
#include "vpmu_nhmex.h"

#include "tsv.h"

static const struct vpmu_event_info *find_event(const char *name, struct vpmu_event_info *out)
{
	for (uint32_t i = 0; vpmu_model_event(&t.s->machine, i, out); i++)
		if (strcmp(out->name, name) == 0)
			return out;
	return NULL;
}

/* Code: inc_sel, or 0x20 + set_flag_sel. umask "0x5/0x1" stands for 0x51. */
static void the_events_are_those_of_the_table(void **state)
{
	struct tsv table;
	uint32_t rows = 0;

	(void)state;
	tsv_open(&table, "nehalem-ex-mbox/events.tsv");
	while (tsv_next(&table)) {
		const char *code = tsv_cell(&table, "code"), *umask = tsv_cell(&table, "umask");
		uint32_t number = (uint32_t)strtoul(strchr(code, '=') + 1, NULL, 16);
		uint32_t low = 0, value = (uint32_t)strtoul(umask, NULL, 16);
		struct vpmu_event_info e;

		if (!find_event(tsv_cell(&table, "event"), &e))
			fail_msg("the model has no %s", tsv_cell(&table, "event"));
		if (sscanf(umask, "0x%*x/0x%x", &low) == 1)
			value = value << 4 | low;
		assert_int_equal(e.code, strncmp(code, "set", 3) ? number : 0x20 + number);
		assert_int_equal(e.umask, value);
		assert_string_equal(e.counters, tsv_cell(&table, "counters"));
		assert_true(e.driven || e.why);
		rows++;
	}
	assert_int_equal(rows, 167);
}

/* The list and what a select really counts say the same. */
static void driven_events_count_and_others_are_noted(void **state)
{
	struct vpmu_event_info e;

	(void)state;
	for (uint32_t i = 0; vpmu_model_event(&t.s->machine, i, &e); i++) {
		uint64_t ctl = e.code < 0x20 ? INC(e.code) : FLAG_MODE | SET_FLAG(e.code - 0x20);
		uint32_t low = e.umask & 15, high = e.umask >> 4;

		if (strcmp(e.unit, "MBOX") != 0)
			continue;
		wr(U_CTL, RST_ALL);
		t.s->undriven_count = 0;
		if (e.code >= 0x0d && e.code <= 0x10)
			wr(FVC, (uint64_t)(high ? high : low) << (11 + 3 * (e.code - 0x0d)) |
			   (high == 5 ? low << 5 : high == 6 ? low << 8 : 0));
		wr(DSP, e.code == 0 || e.code == 0x20 ? e.umask << 7 : 0);
		wr(PLD, e.code == 0x0a ? e.umask << 8 : 0);
		wr(MAP, e.code == 0x26 ? e.umask << 5 : 0);
		wr(PGT, e.code == 0x16 ? e.umask : e.code == 0x25 ? e.umask << 6 : 0);
		wr(ISS, e.code == 0x09 ? e.umask : e.code == 0x21 ? e.umask << 4 : 0);
		start(ctl | WRAP);
		known_commands();
		vpmu_clock(t.s, 0, t.s->uclk[0] + 10);
		if (e.driven != (rd(CNT(0)) > 0) || e.driven != (t.s->undriven_count == 0))
			fail_msg("%s: driven %d, counted %d", e.name, e.driven, (int)rd(CNT(0)));
	}
	assert_int_equal(t.s->violation_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_events_are_those_of_the_table),
		CASE(driven_events_count_and_others_are_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
