/* SPDX-License-Identifier: MIT */
/* The register model against 334060-001: slices, enables, widths, overflow, freezes, and what each
 * register may hold. Expected values are worked out by hand in each test. */
#include "vpmu_skl.h"

#include <errno.h>

#define CBO_CONFIG 0x396u

/* ---- CBo ---- */

static void lookups_match_state_and_request(void **state)
{
	static const struct { uint64_t select, count; } rows[] = {
		{ 0x2134, 1 }, { 0x8134, 3 }, { 0x1834, 8 }, { 0x8834, 12 }, { 0x1f34, 18 },
		{ 0x2f34, 10 }, { 0x8f34, 28 }, { 0x8634, 13 }, { 0x1634, 8 }, { 0x2634, 5 },
	};
	/* reads: 2 in M, 3 in E, 5 in S, 8 in I; writes: 1 M, 2 E, 3 S, 4 I */
	static const uint32_t reads[4] = { 2, 3, 5, 8 }, writes[4] = { 1, 2, 3, 4 };
	static const enum vpmu_mesi states[4] = { VPMU_M, VPMU_E, VPMU_S, VPMU_I };

	(void)state;
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		wr(GLOBAL_CTRL, 0);
		wr(0x727, 0);
		wr(0x721, EN | rows[row].select);
		wr(GLOBAL_CTRL, GLOBAL_EN);
		for (size_t i = 0; i < 4; i++) {
			for (uint32_t n = 0; n < reads[i]; n++)
				vpmu_llc_lookup(t.s, 0, 2, VPMU_READ, states[i], 5);
			for (uint32_t n = 0; n < writes[i]; n++)
				vpmu_llc_lookup(t.s, 0, 2, VPMU_WRITE, states[i], 6);
			vpmu_llc_lookup(t.s, 0, 1, VPMU_READ, states[i], 7);	/* elsewhere */
		}
		assert_int_equal(rd(0x727), rows[row].count);
		assert_int_equal(rd(0x726), 0);
	}
	assert_int_equal(t.s->undriven_count, 0);
}

static void snoops_match_cause_and_result(void **state)
{
	static const struct { uint64_t select, count; } rows[] = {
		{ 0x4122, 2 }, { 0x8122, 7 }, { 0x4422, 3 }, { 0x4822, 4 },
	};

	(void)state;
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		wr(GLOBAL_CTRL, 0);
		wr(0x706, 0);
		wr(0x700, EN | rows[row].select);
		wr(GLOBAL_CTRL, GLOBAL_EN);
		for (int n = 0; n < 2; n++)
			vpmu_snoop(t.s, 0, 0, VPMU_XCORE, VPMU_SNOOP_MISS, 1);
		for (int n = 0; n < 3; n++)
			vpmu_snoop(t.s, 0, 0, VPMU_XCORE, VPMU_SNOOP_HIT, 1);
		for (int n = 0; n < 4; n++)
			vpmu_snoop(t.s, 0, 0, VPMU_XCORE, VPMU_SNOOP_HITM, 1);
		for (int n = 0; n < 7; n++)
			vpmu_snoop(t.s, 0, 0, VPMU_EVICTION, VPMU_SNOOP_MISS, 1);
		for (int n = 0; n < 11; n++)
			vpmu_snoop(t.s, 0, 0, VPMU_EVICTION, VPMU_SNOOP_HITM, 1);
		assert_int_equal(rd(0x706), rows[row].count);
	}
}

/* Lookups per clock: clock 10: 3, 11: 1, 12: 0, 13: 2, 20: 1. Before and after: none. */
static uint64_t count_lookups(uint64_t select)
{
	static const uint64_t clocks[] = { 10, 10, 10, 11, 13, 13, 20 };

	wr(0x700, select | EN | LOOKUP_ANY_MESI);
	wr(GLOBAL_CTRL, GLOBAL_EN);
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_E, clocks[i]);
	vpmu_clock(t.s, 0, 30);
	return rd(0x706);
}

static void lookups_at_threshold_one(void **state)
{
	(void)state;
	assert_int_equal(count_lookups(THR(1)), 4);	/* 10 11 13 20 */
}

static void lookups_at_threshold_two(void **state)
{
	(void)state;
	assert_int_equal(count_lookups(THR(2)), 2);	/* 10 13 */
}

static void lookups_below_threshold_two(void **state)
{
	(void)state;
	assert_int_equal(count_lookups(THR(2) | INV), 28);	/* 30 clocks without 10 and 13 */
}

/* 10 clocks are over, then all of the other 20 count but the one with the lookup. */
static void a_threshold_counts_from_when_it_is_set(void **state)
{
	(void)state;
	wr(GLOBAL_CTRL, GLOBAL_EN);
	vpmu_clock(t.s, 0, 10);
	wr(0x700, EN | INV | THR(1) | LOOKUP_ANY_MESI);
	vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_E, 20);
	vpmu_clock(t.s, 0, 30);
	assert_int_equal(rd(0x706), 19);
}

static void lookups_rising_edges(void **state)
{
	(void)state;
	assert_int_equal(count_lookups(EDGE), 3);	/* 10, 13, 20 */
}

static void a_lagging_lookup_joins_the_newest_clock(void **state)
{
	(void)state;
	wr(0x700, THR(2) | EN | LOOKUP_ANY_MESI);
	wr(GLOBAL_CTRL, GLOBAL_EN);
	vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_E, 100);
	vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_E, 50);
	vpmu_clock(t.s, 0, 200);
	assert_int_equal(rd(0x706), 1);
}

/* ---- enables, width, overflow, freeze ---- */

static void both_enables_are_needed(void **state)
{
	(void)state;
	wr(0x700, LOOKUP_ANY_MESI);
	wr(FIXED_CTRL, 0);
	wr(GLOBAL_CTRL, GLOBAL_EN);
	vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_E, 1);
	vpmu_clock(t.s, 0, 10);
	wr(0x700, EN | LOOKUP_ANY_MESI);
	wr(FIXED_CTRL, EN);
	wr(GLOBAL_CTRL, 0);
	vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_E, 12);
	vpmu_clock(t.s, 0, 20);
	assert_int_equal(rd(0x706), 0);
	assert_int_equal(rd(FIXED_CTR), 0);
	wr(GLOBAL_CTRL, GLOBAL_EN);
	vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_E, 25);
	vpmu_clock(t.s, 0, 33);
	assert_int_equal(rd(0x706), 1);
	assert_int_equal(rd(FIXED_CTR), 13);
}

static void programmable_counters_wrap_at_44_bits(void **state)
{
	(void)state;
	wr(0x706, UINT64_C(0xfffffffffff));
	wr(0x700, EN | LOOKUP_ANY_MESI);
	wr(GLOBAL_CTRL, GLOBAL_EN);
	vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_E, 1);
	vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_E, 2);
	assert_int_equal(rd(0x706), 1);
	assert_int_equal(rd(GLOBAL_STATUS), 0);		/* not forwarded: no OVF_EN */
}

static void the_clock_counter_wraps_at_48_bits(void **state)
{
	(void)state;
	wr(FIXED_CTR, UINT64_C(0xfffffffffff));	/* 44 ones: no wrap here */
	wr(FIXED_CTRL, EN | OVF_EN);
	wr(GLOBAL_CTRL, GLOBAL_EN);
	vpmu_clock(t.s, 0, 5);
	assert_int_equal(rd(FIXED_CTR), UINT64_C(0x100000000004));
	wr(FIXED_CTR, UINT64_C(0xfffffffffffe));
	vpmu_clock(t.s, 0, 10);
	assert_int_equal(rd(FIXED_CTR), 3);
	assert_int_equal(rd(GLOBAL_STATUS), 1);
}

static void overflow_flags_per_unit(void **state)
{
	(void)state;
	wr(0x736, UINT64_C(0xfffffffffff));
	wr(0x730, EN | OVF_EN | LOOKUP_ANY_MESI);
	wr(ARB_CTR1, UINT64_C(0xfffffffffff));
	wr(ARB_SEL1, EN | OVF_EN | REQUESTS_ALL);
	wr(GLOBAL_CTRL, GLOBAL_EN);
	vpmu_llc_lookup(t.s, 0, 3, VPMU_READ, VPMU_E, 1);
	assert_int_equal(rd(GLOBAL_STATUS), 0x8);
	entry(4, 9);
	assert_int_equal(rd(GLOBAL_STATUS), 0xa);
	assert_int_equal(rd(GLOBAL_CTRL), GLOBAL_EN);	/* counts on: no freeze asked */
}

static void status_is_write_one_to_clear(void **state)
{
	overflow_flags_per_unit(state);
	wr(GLOBAL_STATUS, 0x1);
	assert_int_equal(rd(GLOBAL_STATUS), 0xa);
	wr(GLOBAL_STATUS, 0x2);
	assert_int_equal(rd(GLOBAL_STATUS), 0x8);
	wr(GLOBAL_STATUS, 0xb);
	assert_int_equal(rd(GLOBAL_STATUS), 0);
}

static void freeze_in_the_clock_of_the_fixed_overflow(void **state)
{
	(void)state;
	wr(FIXED_CTR, (UINT64_C(1) << 48) - 100);
	wr(FIXED_CTRL, EN | OVF_EN);
	wr(ARB_SEL0, EN | OCCUPANCY_ALL);
	wr(GLOBAL_CTRL, GLOBAL_EN_FRZ | 1);
	entry(40, 200);
	vpmu_clock(t.s, 0, 500);
	assert_int_equal(rd(FIXED_CTR), 0);		/* wrapped in the 100th clock, number 99 */
	assert_int_equal(rd(ARB_CTR0), 60);		/* 40..99 */
	assert_int_equal(rd(GLOBAL_STATUS), 1);
	assert_int_equal(rd(GLOBAL_CTRL), UINT64_C(0x80000001));
}

static void freeze_in_the_clock_of_the_occupancy_overflow(void **state)
{
	(void)state;
	wr(ARB_CTR0, (UINT64_C(1) << 44) - 7);
	wr(ARB_SEL0, EN | OVF_EN | OCCUPANCY_ALL);
	wr(FIXED_CTRL, EN);
	wr(GLOBAL_CTRL, GLOBAL_EN_FRZ);
	/* two entries from 50 on: 2 per clock, so 2 4 6 8: over in clock 53, one beyond */
	entry(50, 90);
	entry(50, 90);
	vpmu_clock(t.s, 0, 1000);
	assert_int_equal(rd(ARB_CTR0), 1);
	assert_int_equal(rd(FIXED_CTR), 54);		/* clocks 0..53 */
	assert_int_equal(rd(GLOBAL_STATUS), 2);
}

static void freeze_in_the_clock_of_a_lookup_overflow(void **state)
{
	(void)state;
	wr(0x716, (UINT64_C(1) << 44) - 2);
	wr(0x710, EN | OVF_EN | LOOKUP_ANY_MESI);
	wr(ARB_SEL0, EN | OCCUPANCY_ALL);
	wr(FIXED_CTRL, EN);
	wr(GLOBAL_CTRL, GLOBAL_EN_FRZ);
	entry(5, 1000);
	vpmu_llc_lookup(t.s, 0, 1, VPMU_READ, VPMU_I, 20);
	vpmu_llc_lookup(t.s, 0, 1, VPMU_READ, VPMU_I, 30);
	vpmu_llc_lookup(t.s, 0, 1, VPMU_READ, VPMU_I, 31);	/* frozen */
	vpmu_clock(t.s, 0, 2000);
	assert_int_equal(rd(0x716), 0);
	assert_int_equal(rd(FIXED_CTR), 31);		/* clocks 0..30 */
	assert_int_equal(rd(ARB_CTR0), 26);		/* clocks 5..30 */
	assert_int_equal(rd(GLOBAL_STATUS), 8);
	assert_int_equal(rd(GLOBAL_CTRL), UINT64_C(0x80000000));
}

/* Two counters of one box on one event, and a third in another: reported in turn, but all in one
 * clock. `first`: of the two, the one that overflows with the third lookup. */
static void freeze_with_twins(uint32_t first, uint64_t threshold)
{
	wr(GLOBAL_CTRL, 0);
	wr(0x706 + first, (UINT64_C(1) << 44) - 3);
	wr(0x700 + first, EN | OVF_EN | LOOKUP_ANY_MESI);
	wr(0x707 - first, 0);
	wr(0x701 - first, EN | THR(threshold) | LOOKUP_ANY_MESI);
	wr(0x716, 0);
	wr(0x710, EN | LOOKUP_ANY_MESI);
	wr(GLOBAL_CTRL, GLOBAL_EN_FRZ);
	uint64_t begin = t.s->uclk[0];
	for (uint64_t clock = begin + 10; clock <= begin + 50; clock += 10) {
		vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_I, clock);
		vpmu_llc_lookup(t.s, 0, 1, VPMU_READ, VPMU_I, clock);
	}
	vpmu_clock(t.s, 0, begin + 100);
	assert_int_equal(rd(0x706 + first), 0);
	assert_int_equal(rd(0x707 - first), 3);
	assert_int_equal(rd(0x716), 3);
	assert_int_equal(rd(GLOBAL_CTRL), UINT64_C(0x80000000));
}

static void a_freeze_acts_when_the_clock_is_over(void **state)
{
	(void)state;
	for (uint32_t first = 0; first < 2; first++) {
		freeze_with_twins(first, 0);
		freeze_with_twins(first, 1);
	}
	/* Nothing is left of it for a counter that is enabled later. */
	wr(GLOBAL_CTRL, 0);
	vpmu_llc_lookup(t.s, 0, 1, VPMU_READ, VPMU_I, t.s->uclk[0] - 70);
	assert_int_equal(rd(0x716), 3);
}

static void freeze_under_threshold(void **state)
{
	(void)state;
	wr(0x706, (UINT64_C(1) << 44) - 2);
	wr(0x700, EN | OVF_EN | THR(1) | LOOKUP_ANY_MESI);
	wr(FIXED_CTRL, EN);
	wr(GLOBAL_CTRL, GLOBAL_EN_FRZ);
	vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_I, 10);
	vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_I, 10);
	vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_I, 25);
	vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_I, 40);
	vpmu_clock(t.s, 0, 100);
	assert_int_equal(rd(0x706), 0);
	assert_int_equal(rd(FIXED_CTR), 26);		/* clocks 0..25 */
}

static void enabling_again_goes_on_after_a_freeze(void **state)
{
	freeze_in_the_clock_of_the_fixed_overflow(state);
	wr(GLOBAL_STATUS, 0xb);
	wr(GLOBAL_CTRL, GLOBAL_EN_FRZ);
	vpmu_clock(t.s, 0, 530);
	assert_int_equal(rd(FIXED_CTR), 30);
}

static void no_freeze_without_ovf_en(void **state)
{
	(void)state;
	wr(FIXED_CTR, (UINT64_C(1) << 48) - 10);
	wr(FIXED_CTRL, EN);
	wr(GLOBAL_CTRL, GLOBAL_EN_FRZ);
	vpmu_clock(t.s, 0, 50);
	assert_int_equal(rd(FIXED_CTR), 40);
	assert_int_equal(rd(GLOBAL_STATUS), 0);
}

/* ---- register rules ---- */

static void reserved_bits_are_recorded_and_dropped(void **state)
{
	(void)state;
	wr(GLOBAL_CTRL, UINT64_C(0x12000001f));
	assert_int_equal(rd(GLOBAL_CTRL), 0x2000000f);
	wr(0x706, UINT64_C(1) << 44 | 5);
	assert_int_equal(rd(0x706), 5);
	wr(FIXED_CTRL, UINT64_C(0x700000));
	assert_int_equal(rd(FIXED_CTRL), 0x500000);
	assert_int_equal(t.s->violation_count, 3);
	assert_int_equal(t.s->violations[0].kind, VPMU_V_RESERVED_BITS);
	assert_int_equal(t.s->violations[0].address, GLOBAL_CTRL);
	assert_int_equal(t.s->violations[0].bad_bits, UINT64_C(0x100000010));
	assert_int_equal(t.s->violations[1].bad_bits, UINT64_C(1) << 44);
	assert_int_equal(t.s->violations[2].bad_bits, 0x200000);
}

static void cbo_config_is_slices_plus_one_and_read_only(void **state)
{
	(void)state;
	assert_int_equal(rd(CBO_CONFIG), 5);
	assert_int_equal(vpmu_wrmsr(t.s, 0, CBO_CONFIG, 2), -EIO);
	assert_int_equal(rd(CBO_CONFIG), 5);
	assert_int_equal(t.s->violations[0].kind, VPMU_V_READ_ONLY);
}

static void unknown_registers_fault(void **state)
{
	uint64_t value;

	(void)state;
	/* a fifth slice on four; between two registers; a core's fifth counter of four */
	static const uint32_t addresses[] = { 0x740, 0x702, 0x705, 0xc5, 0x3b4, 0xf70, 0 };

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		assert_int_equal(vpmu_rdmsr(t.s, 0, addresses[i], &value), -EIO);
		assert_int_equal(vpmu_wrmsr(t.s, 0, addresses[i], 1), -EIO);
		assert_int_equal(t.s->violation_count, 2 * (i + 1));
		assert_int_equal(t.s->violations[2 * i].kind, VPMU_V_UNKNOWN_MSR);
		assert_int_equal(t.s->violations[2 * i].address, addresses[i]);
	}
	assert_int_equal(vpmu_rdmsr(t.s, 8, GLOBAL_CTRL, &value), -ENXIO);
	assert_int_equal(vpmu_wrmsr(t.s, 8, GLOBAL_CTRL, 1), -ENXIO);
}

static void what_is_not_there_is_not_found(void **state)
{
	struct vpmu_register_info reg;
	uint64_t value;

	(void)state;
	assert_int_equal(vpmu_model_find(&t.s->machine, "msr_unc_no_such_thing", &reg), -ENOENT);
	assert_int_equal(vpmu_model_find(&t.s->machine, "0x", &reg), -ENOENT);
	assert_int_equal(vpmu_model_find(&t.s->machine, "0xE01x", &reg), -ENOENT);
	assert_int_equal(vpmu_model_find(&t.s->machine, "0xE01", &reg), 0);
	assert_int_equal(vpmu_model_peek(t.s, 8, &reg, &value), -ENXIO);
	assert_int_equal(vpmu_model_poke(t.s, 8, &reg, 0), -ENXIO);
	reg.address = 0xE00;
	assert_int_equal(vpmu_model_peek(t.s, 0, &reg, &value), -ENOENT);
	assert_int_equal(vpmu_model_poke(t.s, 0, &reg, 0), -ENOENT);
}

static void debugctl_is_per_thread(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(vpmu_wrmsr(t.s, 3, 0x1d9, 0x2000), 0);
	assert_int_equal(vpmu_rdmsr(t.s, 3, 0x1d9, &value), 0);
	assert_int_equal(value, 0x2000);
	assert_int_equal(vpmu_rdmsr(t.s, 7, 0x1d9, &value), 0);
	assert_int_equal(value, 0);
}

static void package_registers_are_the_same_from_every_cpu(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(vpmu_wrmsr(t.s, 7, ARB_CTR1, 1234), 0);
	assert_int_equal(vpmu_rdmsr(t.s, 2, ARB_CTR1, &value), 0);
	assert_int_equal(value, 1234);
}

static void undriven_selects_are_named_once(void **state)
{
	char text[256];

	(void)state;
	wr(0x700, 0x0135);		/* not enabled: nothing to say */
	assert_int_equal(t.s->undriven_count, 0);
	wr(0x700, EN | 0x0135);
	wr(0x710, EN | 0x0135);
	wr(0x711, EN | 0x4f34);		/* external lookups */
	wr(ARB_SEL0, EN | 0x0183);
	wr(ARB_SEL1, EN | REQUESTS_ALL);
	assert_int_equal(t.s->undriven_count, 3);
	assert_int_equal(t.s->undriven[0].select & 0xffff, 0x0135);
	assert_int_equal(t.s->undriven[1].select & 0xffff, 0x4f34);
	assert_int_equal(t.s->undriven[2].select & 0xffff, 0x0183);
	vpmu_model_undriven_text(&t.s->machine, &t.s->undriven[2], text, sizeof(text));
	assert_non_null(strstr(text, "0x83"));
	assert_non_null(strstr(text, "MSR_UNC_ARB_PERFEVTSEL0"));
}

static uint32_t mmio(uint32_t offset)
{
	uint32_t value;

	memcpy(&value, (uint8_t *)t.s + t.s->mmio_offset + offset, sizeof(value));
	return value;
}

static void imc_counters_run_freely_in_32_bits(void **state)
{
	struct vpmu_register_info reg;

	(void)state;
	assert_int_equal(vpmu_model_find(&t.s->machine, "dram_data_reads", &reg), 0);
	assert_int_equal(vpmu_model_poke(t.s, 0, &reg, 0xfffffffe), 0);
	assert_int_equal(vpmu_model_poke(t.s, 0, &reg, UINT64_C(1) << 32), -ERANGE);
	vpmu_dram(t.s, 0, 7, 5, 3);
	assert_int_equal(mmio(0x5040), 0);
	assert_int_equal(mmio(0x5044), 7);
	assert_int_equal(mmio(0x5048), 0);
	assert_int_equal(mmio(0x504c), 0);
	assert_int_equal(mmio(0x5050), 3);
	assert_int_equal(mmio(0x5054), 3);
}

static void pci_names_the_host_bridge_and_the_bar(void **state)
{
	uint32_t id;
	uint64_t bar, base, bytes;

	(void)state;
	assert_int_equal(vpmu_pci_read(t.s, 0, &id, 4), 0);
	assert_int_equal(id, 0x191f8086);
	assert_int_equal(vpmu_pci_read(t.s, 0x48, &bar, 8), 0);
	assert_int_equal(bar & 1, 1);
	vpmu_mmio_window(t.s, &base, &bytes);
	assert_int_equal(base, bar & UINT64_C(0x7fffff8000));
	assert_true(bytes >= 0x5058 && t.s->mmio_bytes >= bytes);
	assert_int_equal(vpmu_pci_read(t.s, 0xff, &id, 4), -EINVAL);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_threshold_counts_from_when_it_is_set), T(lookups_match_state_and_request),
		T(snoops_match_cause_and_result), T(lookups_at_threshold_one),
		T(lookups_at_threshold_two), T(lookups_below_threshold_two),
		T(lookups_rising_edges), T(a_lagging_lookup_joins_the_newest_clock),
		T(both_enables_are_needed), T(programmable_counters_wrap_at_44_bits),
		T(the_clock_counter_wraps_at_48_bits), T(overflow_flags_per_unit),
		T(status_is_write_one_to_clear), T(freeze_in_the_clock_of_the_fixed_overflow),
		T(freeze_in_the_clock_of_the_occupancy_overflow),
		T(freeze_in_the_clock_of_a_lookup_overflow), T(freeze_under_threshold),
		T(a_freeze_acts_when_the_clock_is_over), T(enabling_again_goes_on_after_a_freeze),
		T(no_freeze_without_ovf_en), T(reserved_bits_are_recorded_and_dropped),
		T(cbo_config_is_slices_plus_one_and_read_only), T(unknown_registers_fault),
		T(what_is_not_there_is_not_found), T(debugctl_is_per_thread),
		T(package_registers_are_the_same_from_every_cpu),
		T(undriven_selects_are_named_once), T(imc_counters_run_freely_in_32_bits),
		T(pci_names_the_host_bridge_and_the_bar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
