/* SPDX-License-Identifier: MIT */
/* The NetBurst model against the SDM, 325384-059 chapter 18.15, where it depends on threads that
 * run, maps of cascades and the processor's model. The rest is in scripts/netburst.script. */
#include "vpmu_netburst.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(active_thread_looks_at_the_other_processor),
		CASE(deliver_mode_says_who_runs),
		CASE(cascades_follow_the_map),
		CASE(extended_cascades_have_their_own_map),
		CASE(misc_enable_says_available_and_is_not_written),
		CASE(older_models_have_iq_escrs),
		CASE(lost_writes_are_cured_by_a_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
