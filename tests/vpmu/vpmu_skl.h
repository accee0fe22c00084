/* SPDX-License-Identifier: MIT */
/* The machine skl-4c8t, its lock held, and registers of 334060-001 tables 2-2 to 2-12, for the unit
 * tests of the client uncore's model. */
#ifndef TESTS_VPMU_SKL_H
#define TESTS_VPMU_SKL_H

#include "vpmu_machine.h"

#define GLOBAL_CTRL 0xe01u
#define GLOBAL_STATUS 0xe02u
#define FIXED_CTRL 0x394u
#define FIXED_CTR 0x395u
#define EN (UINT64_C(1) << 22)
#define OVF_EN (UINT64_C(1) << 20)
#define GLOBAL_EN UINT64_C(0x20000000)
#define GLOBAL_EN_FRZ UINT64_C(0xa0000000)
#define LOOKUP_ANY_MESI 0x8f34u
#define ARB_CTR0 0x3b0u
#define ARB_CTR1 0x3b1u
#define ARB_SEL0 0x3b2u
#define ARB_SEL1 0x3b3u
#define EDGE (UINT64_C(1) << 18)
#define INV (UINT64_C(1) << 23)
#define THR(n) ((uint64_t)(n) << 24)
#define OCCUPANCY_ALL 0x0180u
#define REQUESTS_ALL 0x0181u

static struct scratch t;

static int setup(void **state)
{
	(void)state;
	scratch_open(&t, "skl-4c8t");
	vpmu_lock(t.s);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	vpmu_unlock(t.s);
	scratch_close(&t);
	return 0;
}

static inline uint64_t rd(uint32_t address)
{
	uint64_t value = UINT64_C(0xdeadbeef);

	assert_int_equal(vpmu_rdmsr(t.s, 0, address, &value), 0);
	return value;
}

static inline void wr(uint32_t address, uint64_t value)
{
	assert_int_equal(vpmu_wrmsr(t.s, 0, address, value), 0);
}

/* An entry valid in the clocks [start, end). */
static inline void entry(uint64_t start, uint64_t end)
{
	vpmu_tracker(t.s, 0, VPMU_TRK_DATA_READ, true, start, end);
}

#endif
