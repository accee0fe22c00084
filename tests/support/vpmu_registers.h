/* SPDX-License-Identifier: MIT */
/* A scratch machine of which the test holds the lock, and accesses to its registers. */
#ifndef TESTS_VPMU_REGISTERS_H
#define TESTS_VPMU_REGISTERS_H

#include "tests/vpmu/vpmu_machine.h"
#include "../../virtual_pmu/model/core_events.h"

static struct scratch t;

static inline int setup_on(const char *machine)
{
	scratch_open(&t, machine);
	vpmu_lock(t.s);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	vpmu_unlock(t.s);
	scratch_close(&t);
	return 0;
}

static inline uint64_t rd_on(uint32_t cpu, uint32_t address)
{
	uint64_t value = UINT64_C(0xdeadbeef);

	assert_int_equal(vpmu_rdmsr(t.s, cpu, address, &value), 0);
	return value;
}

static inline void wr_on(uint32_t cpu, uint32_t address, uint64_t value)
{
	assert_int_equal(vpmu_wrmsr(t.s, cpu, address, value), 0);
}

/* 420 clocks with 10 stalls of 32, and in the other clocks 100 instructions of 150 micro-ops. */
static inline void stalls_happen(uint32_t cpu)
{
	const uint32_t counts[VPMU_CORE_EVENTS] = {
		[VPMU_INSTRUCTIONS] = 100, [VPMU_UOPS] = 150,
		[VPMU_STALLS] = 10, [VPMU_STALL_CLOCKS] = 320,
	};

	vpmu_core_events(t.s, cpu, counts, 420);
}

#endif
