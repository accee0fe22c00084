/* SPDX-License-Identifier: MIT */
/* Events of the C-Boxes: the list against what counts, and lookups that the feed adds up. The
 * registers' rules are in scripts/nhmex_cbox.script. */
#include "vpmu_nhmex.h"

#include "model/bulk.h"

#define C_EN 0x400000u
#define HITS(umask) (0x15u | (umask) << 8)
#define MISSES(umask) (0x14u | (umask) << 8)
#define ALL_HITS HITS(0x0fu)
#define ALL_MISSES MISSES(0x07u)
#define C_CTL(c) (box_at[c])
#define C_SEL(c, i) (box_at[c] + 0x10 + 2 * (i))
#define C_CTR(c, i) (box_at[c] + 0x11 + 2 * (i))

/* MSR_C0_PMON_BOX_CTRL to MSR_C9_PMON_BOX_CTRL */
static const uint32_t box_at[] = {
	0xd00, 0xd80, 0xd40, 0xdc0, 0xd20, 0xda0, 0xd60, 0xde0, 0xf40, 0xfc0,
};

static void lookups(uint32_t slice, enum vpmu_mesi found, uint32_t n)
{
	while (n--)
		vpmu_llc_lookup(t.s, 0, slice, VPMU_READ, found, 0);
}

static void count(uint32_t cbox, uint32_t counter, uint64_t select)
{
	wr(C_SEL(cbox, counter), select | C_EN);
	wr(C_CTR(cbox, counter), 0);
	wr(C_CTL(cbox), rd(C_CTL(cbox)) | 1u << counter);
}

/* 2 requests find M, 3 E, 5 S and 7 nothing; 11 write-backs are no requests. */
static uint64_t counted(uint64_t select)
{
	count(0, 0, select);
	wr(U_CTL, EN_ALL);
	lookups(0, VPMU_M, 2);
	lookups(0, VPMU_E, 3);
	lookups(0, VPMU_S, 5);
	lookups(0, VPMU_I, 7);
	for (int i = 0; i < 11; i++)
		vpmu_llc_lookup(t.s, 0, 0, VPMU_WRITE, VPMU_M, 0);
	return rd(C_CTR(0, 0));
}

/* Lookups that the feed only notes are in the registers before they are read or change. */
static void noted_lookups_are_counted_by_what_was_programmed(void **state)
{
	struct vpmu_bulk bulk;

	(void)state;
	assert_true(vpmu_bulk_of(t.s, 0, &bulk));
	count(5, 0, ALL_MISSES);
	bulk.llc->lookup[5][0][3] = 100;	/* before the start */
	wr(U_CTL, EN_ALL);
	bulk.llc->lookup[5][0][3] = 7;
	bulk.llc->lookup[5][0][0] = 9;
	bulk.llc->lookup[5][1][0] = 1000;	/* write-backs */
	wr(C_SEL(5, 0), ALL_HITS | C_EN);
	assert_int_equal(rd(C_CTR(5, 0)), 7);
	bulk.llc->lookup[5][0][1] = 11;
	assert_int_equal(rd(C_CTR(5, 0)), 7 + 11);
	assert_int_equal(*bulk.precise, 0);
	wr(U_CTL, EN_ALL | FRZ_ALL);
	assert_int_not_equal(*bulk.precise, 0);	/* an overflow freezes in its clock */
}

/* The list and what a select really counts say the same. */
static void driven_events_count_and_others_are_noted(void **state)
{
	struct vpmu_event_info e;
	uint32_t events = 0;

	(void)state;
	for (uint32_t i = 0; vpmu_model_event(&t.s->machine, i, &e); i++) {
		bool counts;

		if (strcmp(e.unit, "CBOX") != 0)
			continue;
		events++;
		t.s->undriven_count = 0;
		counts = counted(e.code | e.umask << 8) > 0;
		if (e.driven != counts || e.driven != (t.s->undriven_count == 0))
			fail_msg("%s: driven %d, counted %d", e.name, e.driven, counts);
	}
	assert_int_equal(events, 25);
}

/* Each counter on something that nothing drives is reported once, with the reason. */
static void undriven_events_are_noted(void **state)
{
	static const struct { uint32_t select; const char *says[2]; } rows[] = {
		{ 0x010b, { "STARVED_EGRESS.P2C_AD_SB", "no ring" } },
		{ 0x001b, { "TRANS_IPQ", "do not snoop each other" } },
		{ 0x0327, { "SNPS.REMOTE_ANY", "do not snoop each other" } },
		{ HITS(8u), { "LLC_HITS.FORWARD", "no state F" } },
		{ MISSES(1u), { "LLC_MISSES.SHARED", "state I" } },
		{ ALL_HITS | 0x01000000, { "LLC_HITS.ALL", "threshold" } },
		{ ALL_HITS | 0x00040000, { "LLC_HITS.ALL", "threshold" } },
		{ 0x0118, { "0x18", "not an event that is known" } },
	};
	char text[256];

	(void)state;
	wr(U_CTL, EN_ALL);
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t before = t.s->undriven_count;

		count(2, 3, rows[i].select);
		lookups(2, VPMU_M, 9);
		assert_int_equal(rd(C_CTR(2, 3)), 0);
		if (i == 6)	/* the same event for the same reason */
			continue;
		assert_int_equal(t.s->undriven_count, before + 1);
		vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[before], text, sizeof(text));
		if (!strstr(text, rows[i].says[0]) || !strstr(text, rows[i].says[1]) ||
		    !strstr(text, "C2_MSR_PMON_EVT_SEL_3"))
			fail_msg("%s", text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(noted_lookups_are_counted_by_what_was_programmed),
		CASE(driven_events_count_and_others_are_noted), CASE(undriven_events_are_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
