/* SPDX-License-Identifier: MIT */
/* The two tiles of Meteor Lake: each with an enable of its own, the SoC tile's units for the cores
 * that are not behind the LLC, and all traffic to memory. Addresses are of the table of facts. */
#include "vpmu_machine.h"

#define CNCU_BOX_CTL 0x240e
#define CNCU_FIXED_CTRL 0x2402
#define CNCU_FIXED_CTR 0x2408
#define SNCU_BOX_CTL 0x200e
#define SNCU_FIXED_CTRL 0x2002
#define SNCU_FIXED_CTR 0x2008
#define ARB 0x2412		/* selects; counters are 6 higher, the second box 0x10 */
#define HAC_ARB 0x2012
#define HAC_CBO 0x2042
#define CBO 0x2442
#define EN UINT64_C(0x20000000)
#define SELECT(code, umask) (UINT64_C(0x400000) | (umask) << 8 | (code))

static struct scratch t;

static int setup(void **state)
{
	(void)state;
	scratch_open(&t, "mtl-6p8e2lp22t");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(t.s->violation_count, 0);
	scratch_close(&t);
	return 0;
}

static void write_to(uint32_t address, uint64_t value)
{
	assert_int_equal(vpmu_wrmsr(t.s, 0, address, value), 0);
}

static uint64_t read_of(uint32_t address)
{
	uint64_t value;

	assert_int_equal(vpmu_rdmsr(t.s, 0, address, &value), 0);
	return value;
}

static void both_boxes(uint32_t select, uint64_t value)
{
	write_to(select, value);
	write_to(select + 0x10, value);
}

static uint64_t of_both(uint32_t select)
{
	return read_of(select + 6) + read_of(select + 0x16);
}

/* From cores behind the LLC 4 reads, of 50 clocks; from the others 6 data reads, 3 of code and a
 * write; 9 reads of memory and, in 5 requests, writes. */
static void happen(void)
{
	uint64_t now = t.s->uclk[0] + 1;

	for (int i = 0; i < 4; i++)
		vpmu_tracker(t.s, 0, VPMU_TRK_DATA_READ, true, now, now + 50);
	for (int i = 0; i < 10; i++) {
		enum vpmu_tracker kind = i < 6 ? VPMU_TRK_DATA_READ :
					 i < 9 ? VPMU_TRK_CODE_READ : VPMU_TRK_WRITE;

		vpmu_away_request(t.s, 0, kind, now);
		vpmu_away_tracker(t.s, 0, kind, i != 9, now, now + 50);
	}
	vpmu_dram(t.s, 0, 9, 9, 0);
	vpmu_dram(t.s, 0, 5, 0, 2);
	vpmu_llc_lookup(t.s, 0, 7, VPMU_READ, VPMU_I, now);
	vpmu_clock(t.s, 0, now + 99);
}

/* Each event counts its own tile's requests, summed over the two boxes of its kind. */
static void each_tile_counts_its_own(void **state)
{
	static const struct { uint32_t box, code, umask; uint64_t n; } events[] = {
		{ HAC_ARB, 0x81, 0x01, 10 }, { HAC_ARB, 0x81, 0x02, 6 },
		{ HAC_ARB, 0x84, 0x01, 9 }, { HAC_ARB, 0x8a, 0x01, 14 },
		{ HAC_ARB, 0x8a, 0x02, 9 }, { HAC_ARB, 0x8a, 0x04, 5 },
		{ HAC_CBO, 0x35, 0x01, 6 }, { HAC_CBO, 0x35, 0x08, 10 },
		{ ARB, 0x85, 0x02, 200 },
	};

	(void)state;
	write_to(CNCU_BOX_CTL, EN);
	write_to(SNCU_BOX_CTL, EN);
	for (int precise = 0; precise < 2; precise++)
		for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
			uint64_t before;

			/* A threshold: all is counted when it happens. */
			both_boxes(CBO + 1, precise ? SELECT(0x34, 0x8f) | 2 << 24 : 0);
			both_boxes(HAC_CBO + 1, precise ? SELECT(0x35, 0x08) | 2 << 24 : 0);
			both_boxes(events[i].box, SELECT(events[i].code, events[i].umask));
			before = of_both(events[i].box);
			happen();
			assert_int_equal(of_both(events[i].box) - before, events[i].n);
			both_boxes(events[i].box, 0);
		}
	assert_int_equal(t.s->undriven_count, 0);
}

/* Each box has its half: requests go to them in turn, by kind. */
static void boxes_take_turns(void **state)
{
	(void)state;
	write_to(SNCU_BOX_CTL, EN);
	both_boxes(HAC_CBO, SELECT(0x35, 0x01));
	happen();
	assert_int_equal(read_of(HAC_CBO + 6), 3);
	assert_int_equal(read_of(HAC_CBO + 0x16), 3);
}

static void each_tile_has_its_enable(void **state)
{
	(void)state;
	write_to(CNCU_FIXED_CTRL, 0x400000);
	write_to(SNCU_FIXED_CTRL, 0x400000);
	both_boxes(ARB, SELECT(0x85, 0x02));
	both_boxes(HAC_ARB, SELECT(0x81, 0x01));
	happen();
	assert_int_equal(read_of(CNCU_FIXED_CTR) + read_of(SNCU_FIXED_CTR), 0);
	write_to(CNCU_BOX_CTL, EN);
	happen();
	assert_int_equal(read_of(CNCU_FIXED_CTR), 100);
	assert_int_equal(of_both(ARB), 200);
	assert_int_equal(read_of(SNCU_FIXED_CTR) + of_both(HAC_ARB), 0);
	write_to(CNCU_BOX_CTL, 0);
	write_to(SNCU_BOX_CTL, EN);
	happen();
	assert_int_equal(read_of(SNCU_FIXED_CTR), 100);
	assert_int_equal(of_both(HAC_ARB), 10);
	assert_int_equal(read_of(CNCU_FIXED_CTR), 100);
	assert_int_equal(of_both(ARB), 200);
}

/* 48 bits, and a threshold of 6. */
static void counters_are_wider(void **state)
{
	(void)state;
	write_to(SNCU_BOX_CTL, EN);
	write_to(HAC_ARB + 6, UINT64_C(0xffffffffffff));
	write_to(HAC_ARB, SELECT(0x81, 0x02));
	happen();
	assert_int_equal(read_of(HAC_ARB + 6), 2);
	write_to(HAC_ARB, SELECT(0x81, 0x01) | UINT64_C(0x3f) << 24);
	assert_int_equal(read_of(HAC_ARB) >> 24, 0x3f);
	happen();
	assert_int_equal(read_of(HAC_ARB + 6), 2);
}

/* A threshold applies to requests that begin in one clock, whenever they end: two in each box. */
static void requests_count_when_they_begin(void **state)
{
	uint64_t now = t.s->uclk[0] + 1;

	(void)state;
	write_to(SNCU_BOX_CTL, EN);
	both_boxes(HAC_ARB, SELECT(0x81, 0x01) | 2 << 24);
	for (uint64_t i = 0; i < 4; i++)
		vpmu_away_tracker(t.s, 0, VPMU_TRK_DATA_READ, true, now, now + 50 + i);
	vpmu_clock(t.s, 0, now + 99);
	assert_int_equal(of_both(HAC_ARB), 2);
}

static void units_have_their_own_events(void **state)
{
	(void)state;
	write_to(ARB, SELECT(0x8a, 0x01));	/* the SoC tile's */
	write_to(HAC_CBO, SELECT(0x34, 0x8f));	/* the compute tile's */
	write_to(HAC_CBO + 1, SELECT(0x35, 0x02));
	write_to(HAC_ARB + 1, SELECT(0x85, 0x02));
	write_to(CBO, SELECT(0x35, 0x01));
	assert_int_equal(t.s->undriven_count, 5);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(each_tile_counts_its_own), T(boxes_take_turns), T(each_tile_has_its_enable),
		T(counters_are_wider), T(requests_count_when_they_begin),
		T(units_have_their_own_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
