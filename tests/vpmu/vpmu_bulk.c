/* SPDX-License-Identifier: MIT */
/* Counting in bulk against counting clock by clock: the same occurrences on two machines. One has a
 * threshold on a counter that nothing reads, so it cannot count in bulk. */
#include "virtual_pmu/model/bulk.h"
#include "vpmu_machine.h"

#define GLOBAL_CTRL 0xe01u
#define GLOBAL_STATUS 0xe02u
#define FIXED_CTRL 0x394u
#define FIXED_CTR 0x395u
#define ARB_CTR(n) (0x3b0u + (n))
#define ARB_SEL(n) (0x3b2u + (n))
#define CBO_SEL(box, n) (0x700u + 0x10 * (box) + (n))
#define CBO_CTR(box, n) (0x706u + 0x10 * (box) + (n))
#define EN 0x400000u
#define OVF_EN 0x100000u
#define WATCHED 3u		/* boxes whose counters are compared; box 3 has the threshold */

static struct scratch machine[2];
static uint64_t seed, noted;

static uint32_t chance(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

static void wr(uint32_t address, uint64_t value)
{
	for (int i = 0; i < 2; i++)
		assert_int_equal(vpmu_wrmsr(machine[i].s, 0, address, value), 0);
}

static void same(uint32_t address)
{
	uint64_t value[2];

	for (int i = 0; i < 2; i++)
		assert_int_equal(vpmu_rdmsr(machine[i].s, 0, address, &value[i]), 0);
	if (value[0] != value[1])
		fail_msg("MSR 0x%x: 0x%llx in bulk, 0x%llx by clocks", address,
			 (unsigned long long)value[0], (unsigned long long)value[1]);
}

static void all_same(void)
{
	same(FIXED_CTR);
	same(GLOBAL_STATUS);
	for (uint32_t n = 0; n < 2; n++) {
		same(ARB_CTR(n));
		for (uint32_t box = 0; box < WATCHED; box++)
			same(CBO_CTR(box, n));
	}
}

static int setup(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		scratch_open(&machine[i], "skl-4c8t");
		vpmu_lock(machine[i].s);
	}
	assert_int_equal(vpmu_wrmsr(machine[1].s, 0, CBO_SEL(3, 1), 0x1408f34), 0);
	seed = 1;
	noted = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(machine[i].s->violation_count, 0);
		vpmu_unlock(machine[i].s);
		scratch_close(&machine[i]);
	}
	return 0;
}

/* A line is read or written: noted on the machine that can do so, reported on the other. */
static void transfer(uint64_t start, uint64_t end)
{
	enum vpmu_tracker kind = chance(2) ? VPMU_TRK_EVICTION : VPMU_TRK_DATA_READ;
	bool write = kind == VPMU_TRK_EVICTION;
	struct vpmu_bulk bulk;

	assert_true(vpmu_bulk_of(machine[0].s, 0, &bulk));
	if (!*bulk.precise && vpmu_bulk_transfer(&bulk, kind, start, end)) {
		noted++;
	} else {
		vpmu_tracker(machine[0].s, 0, kind, true, start, end);
		vpmu_dram(machine[0].s, 0, 1, !write, write);
	}
	vpmu_tracker(machine[1].s, 0, kind, true, start, end);
	vpmu_dram(machine[1].s, 0, 1, !write, write);
}

static void track(uint64_t start, uint64_t end)
{
	static const enum vpmu_tracker kinds[] = { VPMU_TRK_DATA_READ, VPMU_TRK_CODE_READ,
						   VPMU_TRK_WRITE };
	enum vpmu_tracker kind = kinds[chance(3)];
	bool coherent = chance(2);

	for (int i = 0; i < 2; i++)
		vpmu_tracker(machine[i].s, 0, kind, coherent, start, end);
}

static void happen(uint64_t clock)
{
	static const enum vpmu_snoop_result results[] = { VPMU_SNOOP_MISS, VPMU_SNOOP_HIT,
							  VPMU_SNOOP_HITM };
	enum vpmu_snoop_cause cause = chance(2) ? VPMU_XCORE : VPMU_EVICTION;
	enum vpmu_snoop_result result = results[chance(3)];
	enum vpmu_request request = (enum vpmu_request)(1u << chance(3));
	enum vpmu_mesi found = (enum vpmu_mesi)(1u << chance(4));
	uint32_t slice = chance(4);
	bool snoop = chance(2);

	for (int i = 0; i < 2; i++) {
		if (snoop)
			vpmu_snoop(machine[i].s, 0, slice, cause, result, clock);
		else
			vpmu_llc_lookup(machine[i].s, 0, slice, request, found, clock);
	}
}

static void advance(uint64_t clock)
{
	for (int i = 0; i < 2; i++)
		vpmu_clock(machine[i].s, 0, clock);
}

/* Another event on one of the counters, near its end or not. */
static void program(bool per_clock)
{
	static const uint32_t arb[] = { 0x180, 0x280, 0x181, 0x281, 0x2081, 0x184, 0x380, 0 };
	static const uint32_t cbo[] = { 0x8f34, 0x1834, 0x2134, 0x8634, 0x8122, 0x4822, 0x4f22, 0 };
	uint32_t flags = EN | (chance(2) ? OVF_EN : 0), n = chance(2), box = chance(WATCHED);
	uint64_t start = chance(2) ? (UINT64_C(1) << 44) - 1 - chance(20000) : chance(1000);

	switch (chance(4)) {
	case 0:
		wr(GLOBAL_CTRL, chance(4) ? 0x20000000 : 0);
		break;
	case 1:
		wr(FIXED_CTRL, chance(3) ? 0x500000 : 0);
		break;
	case 2:
		wr(ARB_CTR(n), start);
		if (per_clock && !chance(4))
			wr(ARB_SEL(n), flags | 0x1040180);	/* edges at threshold 1 */
		else
			wr(ARB_SEL(n), flags | arb[chance(8)]);
		break;
	default:
		wr(CBO_CTR(box, n), start);
		wr(CBO_SEL(box, n), flags | cbo[chance(8)]);
	}
}

static void compare(uint32_t steps, bool per_clock)
{
	uint64_t clock = 0;

	wr(GLOBAL_CTRL, 0x20000000);
	wr(FIXED_CTRL, 0x500000);
	wr(ARB_SEL(0), EN | 0x180);
	for (uint32_t i = 0; i < steps; i++) {
		uint64_t when = clock + chance(600);

		if (chance(2))
			transfer(when, when + 1 + chance(300));
		track(when > 150 ? when - 150 : 0, when + 1 + chance(300));
		happen(when);
		if (!chance(8))
			advance(clock += chance(1500));
		if (!chance(60))
			program(per_clock);
		if (!chance(40))
			all_same();
	}
	all_same();
	assert_memory_equal(vpmu_package_mmio(machine[0].s, 0), vpmu_package_mmio(machine[1].s, 0),
			    machine[0].s->state.mmio);
	assert_true(noted > 1000);
}

static void bulk_equals_clock_by_clock(void **state)
{
	(void)state;
	compare(60000, false);
}

static void changing_over_loses_nothing(void **state)
{
	(void)state;
	compare(60000, true);
}

/* More entries than the list holds, none of which has ended. */
static void many_entries_at_a_time(void **state)
{
	uint64_t value;

	(void)state;
	wr(GLOBAL_CTRL, 0x20000000);
	wr(ARB_SEL(0), EN | 0x180);
	for (uint32_t i = 0; i < 5000; i++)
		(i % 2 ? track : transfer)(10, 110);
	advance(60);
	assert_int_equal(vpmu_rdmsr(machine[0].s, 0, ARB_CTR(0), &value), 0);
	assert_int_equal(value, 5000 * 50);
	advance(1000);
	all_same();
	assert_int_equal(vpmu_rdmsr(machine[0].s, 0, ARB_CTR(0), &value), 0);
	assert_int_equal(value, 5000 * 100);
	for (uint32_t i = 0; i < 10; i++)
		track(1000, 1100);
	advance(2000);
	all_same();
}

/* A tool reads without the rules of the device: gathered counts are included all the same. */
static void peek_sees_what_is_gathered(void **state)
{
	struct vpmu_register_info reg;
	uint64_t value;

	(void)state;
	wr(GLOBAL_CTRL, 0x20000000);
	wr(CBO_SEL(0, 0), EN | 0x8f34);
	for (int i = 0; i < 7; i++)
		vpmu_llc_lookup(machine[0].s, 0, 0, VPMU_READ, VPMU_E, 5);
	assert_int_equal(vpmu_model_find(&machine[0].s->machine, "0x706", &reg), 0);
	assert_int_equal(vpmu_model_peek(machine[0].s, 0, &reg, &value), 0);
	assert_int_equal(value, 7);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(bulk_equals_clock_by_clock), T(changing_over_loses_nothing),
		T(many_entries_at_a_time), T(peek_sees_what_is_gathered),
	};

	return cmocka_run_group_tests_name("counting in bulk", tests, NULL, NULL);
}
