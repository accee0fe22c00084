/* SPDX-License-Identifier: MIT */
/* For the unit tests of core PMU models: registers and crafted occurrences on a scratch machine. */
#ifndef TESTS_VPMU_CORE_H
#define TESTS_VPMU_CORE_H

#include "vpmu_registers.h"

#include "../../virtual_pmu/model/core_events.h"

static inline uint64_t rd(uint32_t cpu, uint32_t address)
{
	return rd_on(cpu, address);
}

static inline void wr(uint32_t cpu, uint32_t address, uint64_t value)
{
	wr_on(cpu, address, value);
}

/* `times` occurrences of one kind in the CPU's last `clocks` clocks. */
static inline void happen(uint32_t cpu, enum vpmu_core_event kind, uint32_t times, uint32_t clocks)
{
	uint32_t counts[VPMU_CORE_EVENTS] = { 0 };

	counts[kind] = times;
	vpmu_core_events(t.s, cpu, counts, clocks);
}

/* Each digit is a clock, and how many events happen in it. */
static inline void clock_by_clock(uint32_t cpu, enum vpmu_core_event kind, const char *digits)
{
	for (; *digits; digits++)
		happen(cpu, kind, (uint32_t)(*digits - '0'), 1);
}

/* A number for each kind that no small sum of others gives: 1000 + 7 * kind. */
static inline uint32_t number_of(enum vpmu_core_event kind)
{
	return 1000 + 7 * (uint32_t)kind;
}

static inline void everything_happens(uint32_t cpu, uint32_t clocks)
{
	uint32_t counts[VPMU_CORE_EVENTS];

	for (uint32_t i = 0; i < VPMU_CORE_EVENTS; i++)
		counts[i] = number_of((enum vpmu_core_event)i);
	vpmu_core_events(t.s, cpu, counts, clocks);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
