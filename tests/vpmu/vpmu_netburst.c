/* SPDX-License-Identifier: MIT */
/* The NetBurst model against the SDM, 325384-059 chapter 18.15: counters, CCCRs and overflow.
 * Expected values are worked out by hand in each test. */
#include "vpmu_netburst.h"

/* ---- the enable chain and the map of ESCRs ---- */

static void clocks_need_enable_and_a_thread_bit(void **state)
{
	(void)state;
	wr(FSB_ESCR0, 0x2600020c);	/* global_power_events.RUNNING, LP0, all rings */
	wr(CCCR(0), 0x0003c000);
	wr(COUNTER(0), 0);
	run_clocks(0, 50);
	assert_int_equal(rd(COUNTER(0)), 0);
	wr(CCCR(0), 0x0003d000);	/* the worked example */
	run_clocks(0, 70);
	assert_int_equal(rd(COUNTER(0)), 70);
	run_clocks(1, 30);		/* logical processor 1 */
	assert_int_equal(rd(COUNTER(0)), 70);
	wr(FSB_ESCR0, 0x26000208);	/* LP0, ring 0 only */
	run_clocks(0, 70);
	assert_int_equal(rd(COUNTER(0)), 70);
	assert_int_equal(t.s->violation_count, 0);
}

static void the_cccr_selects_the_escr(void **state)
{
	(void)state;
	wr(FSB_ESCR0, 0x2600020c);
	wr(COUNTER(0), 0);
	for (uint32_t select = 0; select < 8; select++) {
		wr(CCCR(0), ANY_THREAD | ENABLE | select << 13);
		run_clocks(0, 10);
		assert_int_equal(rd(COUNTER(0)), select < 6 ? 0 : 10);	/* FSB has number 6 */
	}
}

/* Counters 0 and 1 see FSB_ESCR0, 2 and 3 FSB_ESCR1. */
static void a_pair_of_counters_shares_an_escr(void **state)
{
	(void)state;
	wr(FSB_ESCR1, 0x2600020c);
	for (uint32_t i = 0; i < 4; i++) {
		wr(COUNTER(i), 0);
		wr(CCCR(i), 0x0003d000);
	}
	run_clocks(0, 10);
	assert_int_equal(rd(COUNTER(0)), 0);
	assert_int_equal(rd(COUNTER(1)), 0);
	assert_int_equal(rd(COUNTER(2)), 10);
	assert_int_equal(rd(COUNTER(3)), 10);
}

/* CRU_ESCR0 serves 12, 13 and 16, CRU_ESCR1 14, 15 and 17. */
static void iq_counters_come_in_threes(void **state)
{
	(void)state;
	wr(CRU_ESCR0, 0x04000204);	/* instr_retired.NBOGUSNTAG, LP0, user */
	for (uint32_t i = 12; i < 18; i++) {
		wr(COUNTER(i), 0);
		wr(CCCR(i), 0x00039000);
	}
	happen(0, 100, VPMU_INSTRUCTIONS, 40);
	for (uint32_t i = 12; i < 18; i++)
		assert_int_equal(rd(COUNTER(i)), i == 12 || i == 13 || i == 16 ? 40 : 0);
}

static void cores_count_their_own(void **state)
{
	(void)state;
	count_on(12, CRU_ESCR0, 0x04000204, 0x00039000);
	happen(1, 100, VPMU_INSTRUCTIONS, 5);	/* the core of the other package */
	happen(0, 100, VPMU_INSTRUCTIONS, 3);
	assert_int_equal(rd(COUNTER(12)), 3);
	happen(2, 100, VPMU_INSTRUCTIONS, 4);	/* LP1 of the first: not listened to */
	assert_int_equal(rd(COUNTER(12)), 3);
	wr(CRU_ESCR0, 0x04000201);		/* LP1, user */
	happen(2, 100, VPMU_INSTRUCTIONS, 4);
	assert_int_equal(rd(COUNTER(12)), 7);
}

/* ---- thread bits, tables 18-66 and 18-67 ---- */

static void ts_events_belong_to_a_logical_processor(void **state)
{
	static const uint32_t expected[16] = {	/* T0_OS T0_USR T1_OS T1_USR: 3 from 0, 5 from 1 */
		0, 5, 0, 5, 3, 8, 3, 8, 0, 5, 0, 5, 3, 8, 3, 8,
	};

	(void)state;
	for (uint32_t bits = 0; bits < 16; bits++) {
		count_on(4, TBPU_ESCR0, UINT64_C(0x08000400) | bits, CCCR_OF(2));
		happen(0, 10, VPMU_BRANCHES_CONDITIONAL, 3);
		happen(1, 10, VPMU_BRANCHES_CONDITIONAL, 5);
		assert_int_equal(rd(COUNTER(4)), expected[bits]);
	}
}

static void ti_events_need_any_user_bit(void **state)
{
	(void)state;
	for (uint32_t bits = 0; bits < 16; bits++) {
		/* packed_SP_uop.ALL */
		count_on(8, FIRM_ESCR0, UINT64_C(0x11000000) | bits, CCCR_OF(1));
		happen(0, 10, VPMU_SSE_PACKED_SINGLE, 3);
		happen(1, 10, VPMU_SSE_PACKED_SINGLE, 5);
		assert_int_equal(rd(COUNTER(8)), bits & 5 ? 8 : 0);
	}
}

static void active_thread_looks_at_the_other_processor(void **state)
{
	(void)state;
	t.s->threads[0].tid = 1000;	/* a thread on CPU 0 */
	t.s->threads[0].cpu = 0;
	assert_int_equal(clocks_with_active_thread(0), 0);
	assert_int_equal(clocks_with_active_thread(1), 10);	/* single */
	assert_int_equal(clocks_with_active_thread(2), 0);
	assert_int_equal(clocks_with_active_thread(3), 10);
	t.s->threads[1].tid = 1001;	/* and one on CPU 1, which waits */
	t.s->threads[1].cpu = 1;
	assert_int_equal(clocks_with_active_thread(1), 10);
	assert_int_equal(clocks_with_active_thread(2), 0);
	t.s->threads[1].executes = 1;
	assert_int_equal(clocks_with_active_thread(1), 0);
	assert_int_equal(clocks_with_active_thread(2), 10);	/* both */
	assert_int_equal(clocks_with_active_thread(3), 10);
	assert_int_equal(t.s->undriven_count, 0);	/* each of them is a choice */
}

static void without_ht_active_thread_must_be_any(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(clocks_with_active_thread(i), i == 3 ? 10 : 0);
	assert_int_equal(t.s->undriven_count, 1);
}

static void deliver_mode_says_who_runs(void **state)
{
	(void)state;
	t.s->threads[0].tid = 1000;
	t.s->threads[0].cpu = 0;
	count_on(4, TC_ESCR0, 0x0200080c, CCCR_OF(1));	/* DI, bit 2 */
	run_clocks(0, 10);
	assert_int_equal(rd(COUNTER(4)), 10);
	t.s->threads[1].tid = 1001;
	t.s->threads[1].cpu = 1;
	t.s->threads[1].executes = 1;
	run_clocks(0, 10);
	run_clocks(1, 10);
	assert_int_equal(rd(COUNTER(4)), 10);
	count_on(4, TC_ESCR0, 0x0200020c, CCCR_OF(1));	/* DD, bit 0 */
	run_clocks(0, 10);
	run_clocks(1, 10);
	assert_int_equal(rd(COUNTER(4)), 10);
}

/* ---- CCCR filters; 6 of 20 clocks have a conditional branch, 14 have none ---- */

static uint64_t filtered(uint32_t filter)
{
	count_on(4, TBPU_ESCR0, 0x0800040c, CCCR_OF(2) | filter);
	happen(0, 20, VPMU_BRANCHES_CONDITIONAL, 6);
	return rd(COUNTER(4));
}

static void compare_counts_clocks_above_the_threshold(void **state)
{
	(void)state;
	assert_int_equal(filtered(0), 6);
	assert_int_equal(filtered(COMPARE), 6);
	assert_int_equal(filtered(COMPARE | 1u << 20), 0);
	assert_int_equal(filtered(COMPARE | COMPLEMENT), 14);
	assert_int_equal(filtered(COMPARE | COMPLEMENT | 1u << 20), 20);
	assert_int_equal(filtered(COMPARE | COMPLEMENT | 15u << 20), 20);
	assert_int_equal(filtered(1u << 20), 6);	/* threshold without COMPARE: nothing */
	assert_int_equal(filtered(COMPLEMENT), 6);
}

static void edge_needs_compare(void **state)
{
	(void)state;
	assert_int_equal(filtered(EDGE | COMPARE), 6);
	assert_int_equal(filtered(EDGE), 6);
	/* Clocks that run on from one stretch to the next have one rising edge. */
	count_on(0, FSB_ESCR0, 0x2600020c, 0x0003d000 | COMPARE | EDGE);
	run_clocks(0, 20);
	run_clocks(0, 20);
	assert_int_equal(rd(COUNTER(0)), 1);
}

static uint64_t count_stalls(uint32_t escr, uint32_t filter)
{
	count_on(12, CRU_ESCR0, escr, CCCR_OF(4) | COMPARE | filter);
	stalls_happen(0);
	return rd(COUNTER(12));
}

static void stalls_have_an_edge_each_and_no_occurrences(void **state)
{
	const uint32_t instructions = 0x0400020c, uops = 0x0200020c;

	(void)state;
	assert_int_equal(count_stalls(instructions, COMPLEMENT), 320);
	assert_int_equal(count_stalls(instructions, COMPLEMENT | EDGE), 10);
	assert_int_equal(count_stalls(instructions, EDGE), 10);
	assert_int_equal(count_stalls(uops, COMPLEMENT), 320);
	assert_int_equal(count_stalls(uops, COMPLEMENT | EDGE), 10);
	assert_int_equal(count_stalls(uops, 1u << 20), 50);
	count_on(0, FSB_ESCR0, 0x2600020c, 0x0003d000 | COMPARE | EDGE);
	stalls_happen(0);
	assert_int_equal(rd(COUNTER(0)), 1);	/* of running clocks */
}

/* 50 uops in 20 clocks: 10 clocks with 3, 10 with 2. */
static void several_inputs_a_clock_meet_the_threshold(void **state)
{
	static const uint32_t above[] = { 20, 20, 10, 0 };

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		count_on(12, CRU_ESCR0, 0x0200020c, CCCR_OF(4) | COMPARE | i << 20);
		happen(0, 20, VPMU_UOPS, 50);
		assert_int_equal(rd(COUNTER(12)), above[i]);
	}
	count_on(12, CRU_ESCR0, 0x0200020c, CCCR_OF(4));
	happen(0, 20, VPMU_UOPS, 50);
	assert_int_equal(rd(COUNTER(12)), 50);
}

/* ---- overflow and PMI ---- */

static void overflow_wraps_and_sticks(void **state)
{
	(void)state;
	count_on(0, FSB_ESCR0, 0x2600020c, 0x0003d000);
	wr(COUNTER(0), TOP - 100);
	run_clocks(0, 99);
	assert_int_equal(rd(CCCR(0)), 0x0003d000);
	run_clocks(0, 11);
	assert_int_equal(rd(COUNTER(0)), 10);
	assert_int_equal(rd(CCCR(0)), 0x8003d000);
	run_clocks(0, 5);
	assert_int_equal(rd(COUNTER(0)), 15);	/* it goes on */
	wr(CCCR(0), 0x0003d000);
	assert_int_equal(rd(CCCR(0)), 0x0003d000);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 0);	/* no OVF_PMI */
}

/* 18.15.5.8: preset -N + 1, overflow after N - 1 events, the interrupt with the Nth. */
static void the_pmi_comes_with_the_event_after_the_overflow(void **state)
{
	(void)state;
	count_on(4, TBPU_ESCR0, 0x0800040c, CCCR_OF(2) | OVF_PMI_T0);
	wr(COUNTER(4), UINT64_C(0xffffffff9d));	/* -99 */
	happen(0, 1000, VPMU_BRANCHES_CONDITIONAL, 98);
	assert_int_equal(rd(CCCR(4)) & OVF, 0);
	happen(0, 10, VPMU_BRANCHES_CONDITIONAL, 1);
	assert_int_equal(rd(CCCR(4)) & OVF, OVF);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 0);
	run_clocks(0, 100);			/* no event, no interrupt */
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 0);
	happen(0, 10, VPMU_BRANCHES_CONDITIONAL, 1);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 1);
	assert_int_equal(vpmu_model_interrupts(t.s, 1), 0);
	happen(0, 10, VPMU_BRANCHES_CONDITIONAL, 5);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 1);
}

static void the_pmi_goes_to_the_chosen_processors(void **state)
{
	(void)state;
	count_on(0, FSB_ESCR0, 0x2600020c, 0x0003d000 | OVF_PMI_T1);
	wr(COUNTER(0), TOP - 10);
	run_clocks(0, 20);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 0);
	assert_int_equal(vpmu_model_interrupts(t.s, 1), 1);
	wr(CCCR(0), 0x0003d000 | OVF_PMI_T0 | OVF_PMI_T1);
	wr(COUNTER(0), TOP - 10);
	run_clocks(0, 20);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 1);
	assert_int_equal(vpmu_model_interrupts(t.s, 1), 2);
}

static void clearing_ovf_calls_a_pending_pmi_off(void **state)
{
	(void)state;
	count_on(0, FSB_ESCR0, 0x2600020c, 0x0003d000 | OVF_PMI_T0);
	wr(COUNTER(0), TOP - 10);
	run_clocks(0, 10);
	wr(CCCR(0), 0x0003d000 | OVF_PMI_T0);
	run_clocks(0, 10);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 0);
}

static void force_ovf_interrupts_at_every_increment(void **state)
{
	(void)state;
	count_on(4, TBPU_ESCR0, 0x0800040c, CCCR_OF(2) | OVF_PMI_T0 | FORCE_OVF);
	wr(COUNTER(4), 7);
	happen(0, 100, VPMU_BRANCHES_CONDITIONAL, 4);
	assert_int_equal(rd(COUNTER(4)), 11);
	assert_int_equal(rd(CCCR(4)) & OVF, OVF);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 4);
}

/* ---- cascading ---- */

/* An event that every group of counters can count, in both ESCRs of a unit, one a clock. */
static void select_on(uint32_t counter, uint32_t cccr)
{
	static const struct { uint32_t escr; uint64_t value; uint32_t select; } by_group[] = {
		{ FSB_ESCR0, ESCR(0x13, 1), 6 }, { TBPU_ESCR0, ESCR(0x04, 2), 2 },
		{ FIRM_ESCR0, ESCR(0x08, 0x8000), 1 }, { CRU_ESCR0, ESCR(0x02, 1), 4 },
	};
	uint32_t group = counter < 12 ? counter / 4 : 3;

	wr(by_group[group].escr, by_group[group].value);
	wr(by_group[group].escr + 1, by_group[group].value);
	wr(COUNTER(counter), 0);
	wr(CCCR(counter), cccr | ANY_THREAD | by_group[group].select << 13);
}

static bool cascades(uint32_t from, uint32_t to, uint32_t how)
{
	uint32_t counts[VPMU_CORE_EVENTS] = { 0 };

	counts[VPMU_BRANCHES_CONDITIONAL] = counts[VPMU_SSE_PACKED_SINGLE] = 100;
	counts[VPMU_INSTRUCTIONS] = 100;
	if (from == to)
		return false;
	for (uint32_t i = 0; i < 18; i++)
		wr(CCCR(i), 0);
	select_on(to, how);
	select_on(from, ENABLE);
	wr(COUNTER(from), TOP - 10);
	vpmu_core_events(t.s, 0, counts, 100);
	assert_int_equal(rd(COUNTER(from)), 90);
	assert_true(rd(COUNTER(to)) == 0 || rd(COUNTER(to)) == 90);
	return rd(COUNTER(to)) == 90;
}

/* Counter 12 overflows with the 30th of 100 branches spread over 1000 clocks, in clock 300; counter
 * 14 then counts the other 700 clocks' 70 branches. */
static void a_cascaded_counter_starts_at_the_overflow(void **state)
{
	(void)state;
	count_on(12, CRU_ESCR0, 0x04000204, 0x00039000);
	wr(COUNTER(12), TOP - 30);
	wr(CRU_ESCR1, 0x04000204);
	wr(COUNTER(14), 5);
	wr(CCCR(14), 0x40038000);	/* CASCADE, CRU_ESCR1, not enabled */
	happen(0, 1000, VPMU_INSTRUCTIONS, 20);
	assert_int_equal(rd(COUNTER(14)), 5);
	wr(COUNTER(12), TOP - 30);
	happen(0, 1000, VPMU_INSTRUCTIONS, 100);
	assert_int_equal(rd(COUNTER(12)), 70);
	assert_int_equal(rd(COUNTER(14)), 75);
	happen(0, 1000, VPMU_INSTRUCTIONS, 10);
	assert_int_equal(rd(COUNTER(14)), 85);
	wr(CCCR(12), 0x00039000);	/* its OVF cleared: the other stops */
	happen(0, 1000, VPMU_INSTRUCTIONS, 10);
	assert_int_equal(rd(COUNTER(14)), 85);
}

/* Column "cascades from" of the table: which counter starts counter 0, 1, 2 and so on. */
static void cascades_follow_the_map(void **state)
{
	static const uint32_t from[18] = {
		2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 14, 15,
	};

	(void)state;
	for (uint32_t to = 0; to < 18; to++)
		for (uint32_t source = 0; source < 18; source++)
			if (cascades(source, to, 1u << 30) != (from[to] == source))
				fail_msg("counter %u from %u", to, source);
	assert_int_equal(t.s->violation_count, 0);
}

/* CASCNT4INTO0, 5INTO3, 5INTO4, 4INTO5, of the IQ counters 12 to 17. */
static void extended_cascades_have_their_own_map(void **state)
{
	static const struct { uint32_t from, to; } pairs[] = {
		{ 16, 12 }, { 17, 15 }, { 17, 16 }, { 16, 17 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_true(cascades(pairs[i].from, pairs[i].to, 1u << 11));
		assert_false(cascades(pairs[i].from == 16 ? 17 : 16, pairs[i].to, 1u << 11));
	}
	assert_int_equal(t.s->violation_count, 0);
}

/* ---- registers ---- */

static void misc_enable_says_available_and_is_not_written(void **state)
{
	(void)state;
	assert_int_equal(rd(0x1a0) >> 7 & 1, 1);
	wr(0x1a0, 0);
	assert_int_equal(rd(0x1a0) >> 7 & 1, 1);
	assert_int_equal(t.s->violation_count, 0);
	wr(0x1a0, 1u << 7);
	assert_int_equal(t.s->violation_count, 1);
}

static void reserved_bits_are_violations(void **state)
{
	(void)state;
	wr(COUNTER(0), TOP);
	wr(CCCR(1), 1u << 11);		/* bit 11 is of IQ_CCCR0, 3, 4 and 5 only */
	wr(FSB_ESCR0, 1u << 31);
	wr(0x3f2, 1u << 2);
	assert_int_equal(t.s->violation_count, 4);
	wr(CCCR(12), 1u << 11);
	wr(0x3f0, 0xffffffff);		/* its fields were not found */
	assert_int_equal(t.s->violation_count, 4);
}

static void without_ht_the_bits_of_t1_are_reserved(void **state)
{
	(void)state;
	wr(FSB_ESCR0, 0x7ffffffc);
	wr(CCCR(0), 0xc7fff000);
	assert_int_equal(t.s->violation_count, 0);
	wr(FSB_ESCR0, 3);
	wr(CCCR(0), 1u << 27);
	assert_int_equal(t.s->violation_count, 2);
	assert_int_equal(t.s->violations[0].bad_bits, 3);
	assert_int_equal(t.s->violations[1].bad_bits, 1u << 27);
}

static void older_models_have_iq_escrs(void **state)
{
	struct vpmu_register_info info;
	struct vpmu_machine m = t.s->machine;
	uint64_t value;

	(void)state;
	assert_int_not_equal(vpmu_rdmsr(t.s, 0, 0x3ba, &value), 0);
	for (m.cpuid_model = 0; m.cpuid_model < 7; m.cpuid_model++) {
		bool old = m.cpuid_model <= 2;

		assert_int_equal(vpmu_model_find(&m, "MSR_IQ_ESCR0", &info) == 0, old);
		assert_int_equal(vpmu_model_find(&m, "MSR_IQ_ESCR1", &info) == 0, old);
		assert_int_equal(vpmu_model_find(&m, "MSR_IQ_CCCR0", &info), 0);
		assert_int_equal(info.mask, m.cpuid_model < 2 ? 0xcffff000 : 0xcffff800);
	}
}

/* Erratum N15: one write is lost, two do it. */
static void lost_writes_are_cured_by_a_second(void **state)
{
	(void)state;
	wr(COUNTER(3), 1);
	vpmu_netburst_lose_writes(t.s, true);
	wr(COUNTER(3), 5);
	assert_int_equal(rd(COUNTER(3)), 1);
	wr(COUNTER(3), 5);
	assert_int_equal(rd(COUNTER(3)), 5);
	wr(COUNTER(3), 9);
	assert_int_equal(rd(COUNTER(3)), 5);
	vpmu_netburst_lose_writes(t.s, false);
	wr(COUNTER(3), 9);
	assert_int_equal(rd(COUNTER(3)), 9);
}

static void ds_areas_belong_to_threads_the_rest_to_cores(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(vpmu_wrmsr(t.s, 0, 0x600, 0x1000), 0);
	assert_int_equal(vpmu_wrmsr(t.s, 1, COUNTER(5), 77), 0);
	assert_int_equal(vpmu_rdmsr(t.s, 1, 0x600, &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(rd(COUNTER(5)), 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(clocks_need_enable_and_a_thread_bit),
		CASE(the_cccr_selects_the_escr),
		CASE(a_pair_of_counters_shares_an_escr),
		CASE(iq_counters_come_in_threes),
		cmocka_unit_test_setup_teardown(cores_count_their_own, setup_two_packages,
						teardown),
		CASE(ts_events_belong_to_a_logical_processor),
		CASE(ti_events_need_any_user_bit),
		CASE(active_thread_looks_at_the_other_processor),
		cmocka_unit_test_setup_teardown(without_ht_active_thread_must_be_any,
						setup_without_ht, teardown),
		CASE(deliver_mode_says_who_runs),
		CASE(compare_counts_clocks_above_the_threshold),
		CASE(edge_needs_compare),
		CASE(stalls_have_an_edge_each_and_no_occurrences),
		CASE(several_inputs_a_clock_meet_the_threshold),
		CASE(overflow_wraps_and_sticks),
		CASE(the_pmi_comes_with_the_event_after_the_overflow),
		CASE(the_pmi_goes_to_the_chosen_processors),
		CASE(clearing_ovf_calls_a_pending_pmi_off),
		CASE(force_ovf_interrupts_at_every_increment),
		CASE(a_cascaded_counter_starts_at_the_overflow),
		CASE(cascades_follow_the_map),
		CASE(extended_cascades_have_their_own_map),
		CASE(misc_enable_says_available_and_is_not_written),
		CASE(reserved_bits_are_violations),
		cmocka_unit_test_setup_teardown(without_ht_the_bits_of_t1_are_reserved,
						setup_without_ht, teardown),
		CASE(older_models_have_iq_escrs),
		CASE(lost_writes_are_cured_by_a_second),
		CASE(ds_areas_belong_to_threads_the_rest_to_cores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
