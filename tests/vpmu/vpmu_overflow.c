/* SPDX-License-Identifier: MIT */
/* Overflows in a client uncore and which cores they interrupt: 334060-001 table 2-2, SDM 18.9.6. */
#include "vpmu_skl.h"

/* SDM 18.9.6: ENABLE_UNCORE_PMI lets a logical processor take the uncore's interrupts. */
static void take_pmi(uint32_t cpu, bool on)
{
	assert_int_equal(vpmu_wrmsr(t.s, cpu, 0x1d9, on ? 0x2000 : 0), 0);
}

/* Table 2-2: PMI_SEL_COREn forwards the request to core n. CPUs 0 to 3 are first threads. */
static void pmi_goes_to_the_cores_that_are_selected(void **state)
{
	(void)state;
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		take_pmi(cpu, true);
	wr(FIXED_CTRL, EN | OVF_EN);
	for (uint64_t round = 1; round <= 2; round++) {
		wr(FIXED_CTR, (UINT64_C(1) << 48) - 10);
		wr(GLOBAL_CTRL, GLOBAL_EN | 0x5);
		vpmu_clock(t.s, 0, round * 1000);
		assert_int_equal(rd(GLOBAL_STATUS), 1);
		for (uint32_t cpu = 0; cpu < 8; cpu++)
			assert_int_equal(vpmu_model_interrupts(t.s, cpu),
					 cpu == 0 || cpu == 2 ? round : 0);
		wr(GLOBAL_CTRL, 0);
		wr(GLOBAL_STATUS, 1);
	}
	/* nobody is selected; a freeze does not need it */
	wr(FIXED_CTR, (UINT64_C(1) << 48) - 10);
	wr(GLOBAL_CTRL, GLOBAL_EN_FRZ);
	vpmu_clock(t.s, 0, 3000);
	assert_int_equal(rd(GLOBAL_CTRL), UINT64_C(0x80000000));
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 2);
}

/* CPUs 2 and 6 are the threads of core 2; core 1 is not selected. */
static void pmi_goes_to_the_threads_that_take_it(void **state)
{
	static const uint8_t takers[] = { 0, 0x40, 0x44, 0x26 };	/* CPUs, a bit each */
	uint64_t wanted[8] = { 0 };

	(void)state;
	wr(FIXED_CTRL, EN | OVF_EN);
	for (uint64_t i = 0; i < 4; i++) {
		for (uint32_t cpu = 0; cpu < 8; cpu++)
			take_pmi(cpu, takers[i] >> cpu & 1);
		wr(GLOBAL_STATUS, 1);
		wr(FIXED_CTR, (UINT64_C(1) << 48) - 10);
		wr(GLOBAL_CTRL, GLOBAL_EN | 0x4);
		vpmu_clock(t.s, 0, (i + 1) * 1000);
		for (uint32_t cpu = 0; cpu < 8; cpu++) {
			wanted[cpu] += cpu % 4 == 2 && takers[i] >> cpu & 1;
			assert_int_equal(vpmu_model_interrupts(t.s, cpu), wanted[cpu]);
		}
	}
}

/* An overflow interrupts with the clock, before any register is read. Without an interrupt, lookups
 * are only added up until a read. */
static void pmi_comes_with_the_clock(void **state)
{
	(void)state;
	take_pmi(0, true);
	wr(0x706, (UINT64_C(1) << 44) - 2);
	wr(0x700, EN | OVF_EN | LOOKUP_ANY_MESI);
	wr(GLOBAL_CTRL, GLOBAL_EN | 1);
	vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_I, 10);
	vpmu_clock(t.s, 0, 20);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 0);
	vpmu_llc_lookup(t.s, 0, 0, VPMU_READ, VPMU_I, 25);
	vpmu_clock(t.s, 0, 30);
	assert_int_equal(vpmu_model_interrupts(t.s, 0), 1);
	assert_int_equal(rd(GLOBAL_STATUS), 8);
	assert_int_equal(rd(0x706), 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(pmi_goes_to_the_cores_that_are_selected),
		T(pmi_goes_to_the_threads_that_take_it), T(pmi_comes_with_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
